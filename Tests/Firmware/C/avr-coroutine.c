/* Runs a function on its own stack in .bss on an ATmega328P, and returns; KIND selects how SP is set: 0 by C, the
 * high byte first; 1 by C, from an argument, with the old value saved in the same function; 2 the low byte first, by ST
 * and LD as a kernel's assembly does. With DEEP the main stack overflows afterwards. */
#include <avr/io.h>

static volatile uint8_t crowd[1200];
static uint8_t own_stack[200];
static volatile uint16_t main_stack;
static volatile uint8_t seen;

static void report(const char *text) {
  for (; *text; text++) {
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    UDR0 = (uint8_t)*text;
  }
}

__attribute__((noinline)) static uint8_t work(uint8_t depth) {
  volatile uint8_t room[8];
  room[depth & 7] = depth;
  return depth ? work(depth - 1) + room[depth & 7] : room[0];
}

#if KIND == 1
__attribute__((noinline)) static void switch_to(volatile uint16_t *old, uint16_t new) {
  *old = SP;
  SP = new;
  seen = work(5);
  SP = *old;
}
#endif

__attribute__((noinline)) static uint16_t dive(uint16_t depth) {
  volatile uint8_t room[40];
  room[depth % 40] = (uint8_t)depth;
  return depth ? dive(depth - 1) + room[depth % 40] : room[0];
}

int main(void) {
  UBRR0 = F_CPU / 16 / 115200;
  UCSR0B = 1 << TXEN0;
  crowd[3] = 1;
#if KIND == 0
  main_stack = SP;
  SP = (uint16_t)(own_stack + sizeof own_stack - 1);
  seen = work(5);
  SP = main_stack;
#elif KIND == 1
  switch_to(&main_stack, (uint16_t)(own_stack + sizeof own_stack - 1));
#else
  main_stack = SP;
  uint16_t to = (uint16_t)(own_stack + sizeof own_stack - 1);
  __asm__ volatile("out __SP_L__, %A0\n nop\n out __SP_H__, %B0" ::"r"(to));
  seen = work(5);
  to = main_stack;
  __asm__ volatile("out __SP_L__, %A0\n nop\n out __SP_H__, %B0" ::"r"(to));
#endif
  report("back\r\n");
#ifdef DEEP
  crowd[0] = (uint8_t)dive(100);
#endif
  (void)dive;
  __asm__ volatile("sei");
  for (;;) {
  }
}
