/* Prints hello on the USART of an ATmega328P, then sleeps forever, or with RETURNS returns from main. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static const char text[] = "hello from an AVR\r\n";
volatile unsigned char count = 3;

int main(void) {
  UBRR0 = F_CPU / 16 / 115200;
  UCSR0B = 1 << TXEN0;
  for (const char *c = text; *c; c++) {
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    UDR0 = (unsigned char)*c;
  }
  count++;
#ifdef RETURNS
  return 0;
#else
  cli();
  sleep_enable();
  for (;;) sleep_cpu();
#endif
}
