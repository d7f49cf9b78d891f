/* Polls as programs for an STM32F411 do: a variable that SysTick counts, as HAL_Delay does, with and without WFI;
 * a timer's flag, its count, an oscillator, a second of the calendar. */
#include "board.h"

static volatile uint32_t ticks;

void SysTick_Handler(void) { ticks++; }

static __attribute__((noinline)) uint32_t now(void) { return ticks; }

static void delay(uint32_t milliseconds, int sleeps) {
  uint32_t start = now();
  while (now() - start < milliseconds) {
    if (sleeps) __asm__ volatile("wfi");
  }
}

static void report(const char *what, uint32_t value) {
  print(what);
  print(" ");
  print_number((int32_t)value, 0);
  print("\n");
}

int main(void) {
  console_start();
  REG(0xE000E014) = 84000 - 1;
  REG(0xE000E018) = 0;
  REG(0xE000E010) = 7;
  delay(50, 0);
  report("awake", now());
  delay(50, 1);
  report("asleep", now());
  REG(0x40023840) |= 1; /* TIM2, at 84 MHz */
  REG(0x40000028) = 83;
  REG(0x4000002C) = 9999;
  REG(0x40000014) = 1;
  REG(0x40000010) = 0;
  REG(0x40000000) = 1;
  for (int i = 0; i < 3; i++) {
    while (!(REG(0x40000010) & 1)) {
    }
    REG(0x40000010) = 0;
  }
  report("updates", now());
  while (REG(0x40000024) < 5000) {
  }
  report("count", REG(0x40000024));
  REG(0x40000034) = 7000;
  REG(0x40000010) = 0;
  while (!(REG(0x40000010) & 2)) {
  }
  report("compare", REG(0x40000024));
  REG(0x40023800) |= 1 << 16;
  while (!(REG(0x40023800) & 1 << 17)) {
  }
  report("crystal", now());
  uint32_t second = REG(0x40002800);
  while (REG(0x40002800) == second) {
  }
  report("second", now());
  return 0;
}
