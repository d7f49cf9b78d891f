/* Waits in every way that keeps the core awake: for an event, for an event with a function around it, for a counter that
 * counts by itself, for the core's own cycle counter, for the sensor's bus with a limit, for SysTick. */
#include "board.h"

static volatile uint32_t ticks;

void SysTick_Handler(void) { ticks++; }

static __attribute__((noinline)) int has(uint32_t event) { return REG(event) != 0; }

static void tell(const char *what, uint32_t value) {
  print(what);
  print(" ");
  print_number((int32_t)value, 0);
  print("\n");
}

int main(void) {
  console_start();
  bus_start();
  REG(0x40000518) = 0;
  REG(0x40000008) = 1;
  while (!REG(0x40000104)) {
  }
  REG(0x40008508) = 3;
  REG(0x40008540) = 5000;
  REG(0x40008000) = 1;
  while (!has(0x40008140)) {
  }
  REG(0x40008044) = 1;
  tell("timer", REG(0x40008544));
  REG(0x40011000) = 1;
  while (REG(0x40011504) < 300) {
  }
  tell("counter", REG(0x40011504));
  REG(0xE000EDFC) |= 1 << 24;
  REG(0xE0001000) |= 1;
  uint32_t start = REG(0xE0001004);
  while (REG(0xE0001004) - start < 50000) {
  }
  uint8_t id = 0;
  uint32_t count = 0;
  bus_read(0x76, 0xD0, &id, 1);
  tell("id", id);
  REG(0x40010504) = 40000;
  REG(0x4000D000) = 1;
  while (!REG(0x4000D100) && ++count < 100000) {
  }
  tell("turns", count);
  REG(0xE000E014) = 64000;
  REG(0xE000E018) = 0;
  REG(0xE000E010) = 7;
  REG(0x40008140) = 0;
  REG(0x40008540) = 20000;
  REG(0x4000800C) = 1;
  while (!REG(0x40008140)) {
  }
  tell("ticks", ticks);
  return 0;
}
