/* Polls, without interrupts or scheduled events, a value that only changes with time, selected by KIND:
 * ready flags of oscillators, counters, the calendar; 9 polls a value that never changes. */
#include "board.h"

#if defined(__AVR__)
#include <avr/io.h>
#endif

int main(void) {
  console_start();
  print("before\n");
#if defined(STM32)
#if KIND == 0 /* the crystal of the core: RCC_CR.HSERDY */
  REG(0x40023800) |= 1 << 16;
  while (!(REG(0x40023800) & 1 << 17)) {}
#elif KIND == 1 /* the crystal of 32,768 Hz, which takes 2 s: RCC_BDCR.LSERDY */
  REG(0x40023840) |= 1 << 28;
  REG(0x40007000) |= 1 << 8;
  REG(0x40023870) |= 1;
  while (!(REG(0x40023870) & 2)) {}
#elif KIND == 2 /* TIM2->CNT at 1 kHz, for 3 s */
  REG(0x40023840) |= 1;
  REG(0x40000028) = 15999;
  REG(0x4000002C) = 0xFFFFFFFF;
  REG(0x40000014) = 1;
  REG(0x40000000) = 1;
  while (REG(0x40000024) < 3000) {}
#elif KIND == 3 /* RTC->TR, for 3 s */
  for (int i = 0; i < 3; i++) {
    uint32_t second = REG(0x40002800);
    while (REG(0x40002800) == second) {}
  }
#else /* a receiver to which nothing is sent: USART1->SR.RXNE */
  while (!(REG(0x40011000) & 1 << 5)) {}
#endif
#elif defined(__AVR__)
#if KIND == 0 /* TIFR1.TOV1 at 4.2 s */
  TCCR1B = 1 << CS12 | 1 << CS10;
  while (!(TIFR1 & 1 << TOV1)) {}
#elif KIND == 1 /* wraps of TCNT2, 16.4 ms each */
  TCCR2B = 1 << CS22 | 1 << CS21 | 1 << CS20;
  for (int i = 0; i < 200; i++) {
    while (TCNT2 < 128) {}
    while (TCNT2 >= 128) {}
  }
#else
  UCSR0B |= 1 << RXEN0;
  while (!(UCSR0A & 1 << RXC0)) {}
#endif
#else
#if KIND == 0 /* RTC0->COUNTER at 8 Hz, for 3 s */
  REG(0x40000008) = 1;
  while (!REG(0x40000104)) {}
  REG(0x4000B508) = 4095;
  REG(0x4000B000) = 1;
  while (REG(0x4000B504) < 24) {}
#elif KIND == 1 /* TIMER1 by TASKS_CAPTURE, for 3 s */
  REG(0x40009508) = 3;
  REG(0x40009000) = 1;
  do {
    REG(0x4000904C) = 1;
  } while (REG(0x4000954C) < 3000000);
#else /* a transfer that nothing has begun: TWIM1's EVENTS_STOPPED */
  while (!REG(0x40004104)) {}
#endif
#endif
  print("behind\n");
#if defined(__AVR__)
  __asm__ volatile("sei");
  for (;;) {}
#endif
  return 0;
}
