/* Uses a mode of a timer, the TWI or an SPI that may be unmodelled, selected by KIND, in a separate function. */
#include "board.h"

#if defined(__AVR__)
#include <avr/io.h>

__attribute__((noinline)) static void use_mode(void) {
#if KIND == 0
  TCCR1B = 1 << ICNC1;
#elif KIND == 4
  TWAR = 0x52 << 1;
#else
  /* The modelled part: counting with the compare flags and an output. */
  TCCR1A = 1 << COM1A1 | 1 << WGM11;
  TCCR1B = 1 << WGM13 | 1 << WGM12 | 1 << CS11;
  OCR1A = 99;
#endif
}
#else
__attribute__((noinline)) static void use_mode(void) {
  REG(0x40023840) |= 1;
#if KIND == 0
  /* ITR1 is TIM8, which the STM32F411 does not have. */
  REG(0x40000008) = 0x17;
#elif KIND == 1
  REG(0x40000004) = 1 << 7;
#elif KIND == 2
  REG(0x40023844) |= 1 << 12;
  REG(0x40013000) = 1 << 6;
#else
  /* Down-counting, an output and an input, and a clock from TIM1. */
  REG(0x40000008) = 7;
  REG(0x40000018) = 0x60 | 1 << 8;
  REG(0x40000034) = 7;
  REG(0x40000000) = 0x10;
#endif
}
#endif

int main(void) {
  console_start();
  print("before\n");
  use_mode();
  use_mode();
  print("behind\n");
#if defined(__AVR__)
  __asm__ volatile("sei");
  for (;;) {
  }
#endif
  return 0;
}
