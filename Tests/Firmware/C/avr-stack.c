/* Recurses on an ATmega328P until the stack overlaps the variables; with FRAME by a large stack frame. */
#include <avr/io.h>

static volatile unsigned char crowd[1500];

__attribute__((noinline)) static unsigned dive(unsigned depth) {
#ifdef FRAME
  volatile unsigned char room[100];
  room[depth % 100] = (unsigned char)depth;
  if (depth == 0) return crowd[0];
  return dive(depth - 1) + room[depth % 100];
#else
  if (depth == 0) return crowd[0];
  return dive(depth - 1) + crowd[depth % 1500];
#endif
}

int main(void) {
  crowd[7] = (unsigned char)dive(DEPTH);
  UBRR0 = F_CPU / 16 / 115200;
  UCSR0B = 1 << TXEN0;
  for (const char *c = "done\r\n"; *c; c++) {
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    UDR0 = (unsigned char)*c;
  }
  __asm__ volatile("sei");
  for (;;) {
  }
}
