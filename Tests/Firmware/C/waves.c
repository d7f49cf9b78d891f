/* A wave of 1 kHz with a duty cycle of 25 %, on PA6 of an STM32 (TIM3) or P0.17 of an nRF52 (PWM0), and the period of a
 * wave at PA1 of an STM32 (TIM2), which is printed each second. */
#include "board.h"

#ifdef STM32
#define GPIOA 0x40020000
#define TIM2 0x40000000
#define TIM3 0x40000400

static void begin_wave(void) {
  REG(0x40023840) |= 3; /* TIM2, TIM3 */
  REG(GPIOA) = (REG(GPIOA) & ~0x300Cu) | 0x2008;
  REG(GPIOA + 0x20) = (REG(GPIOA + 0x20) & ~0x0F0000F0u) | 0x02000010;
  REG(TIM3 + 0x28) = 83; /* 84 MHz to 1 MHz */
  REG(TIM3 + 0x2C) = 999;
  REG(TIM3 + 0x34) = 250;
  REG(TIM3 + 0x18) = 6 << 4 | 8;
  REG(TIM3 + 0x20) = 1;
  REG(TIM3 + 0x14) = 1;
  REG(TIM3) = 1 << 7 | 1;
  REG(TIM2 + 0x28) = 83;
  REG(TIM2 + 0x18) = 1 << 8;
  REG(TIM2 + 0x20) = 1 << 4;
  REG(TIM2 + 0x14) = 1;
  REG(TIM2) = 1;
}

static uint32_t capture(void) {
  while (!(REG(TIM2 + 0x10) & 4)) {
  }
  return REG(TIM2 + 0x38);
}

static void report(void) {
  uint32_t first = capture();
  print("period ");
  print_number((int32_t)(capture() - first), 0);
  print(" us\n");
}
#else
#define PWM0 0x4001C000
static uint16_t values[1] = {0x8000 | 4000};

static void begin_wave(void) {
  REG(0x50000518) = 1 << 17;
  REG(PWM0 + 0x560) = 17;
  REG(PWM0 + 0x500) = 1;
  REG(PWM0 + 0x508) = 16000;
  REG(PWM0 + 0x520) = (uint32_t)values;
  REG(PWM0 + 0x524) = 1;
  REG(PWM0 + 0x008) = 1;
}
static void report(void) {}
#endif

int main(void) {
  console_start();
  begin_wave();
  for (int i = 0; i < 3; i++) {
    rest(1000);
    report();
  }
  return 0;
}
