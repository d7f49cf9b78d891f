/* Polls in every way that keeps the core awake: an event, an event in a function, a free-running counter, the core's
 * cycle counter, the sensor's bus with a timeout, SysTick. */
#include "board.h"

static volatile uint32_t ticks;

void SysTick_Handler(void) { ticks++; }

static __attribute__((noinline)) int has(uint32_t event) { return REG(event) != 0; }

static void report(const char *what, uint32_t value) {
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
  report("timer", REG(0x40008544));
  REG(0x40011000) = 1;
  while (REG(0x40011504) < 300) {
  }
  report("counter", REG(0x40011504));
  REG(0xE000EDFC) |= 1 << 24;
  REG(0xE0001000) |= 1;
  uint32_t start = REG(0xE0001004);
  while (REG(0xE0001004) - start < 50000) {
  }
  uint8_t id = 0;
  uint32_t count = 0;
  bus_read(0x76, 0xD0, &id, 1);
  report("id", id);
  REG(0x40010504) = 40000;
  REG(0x4000D000) = 1;
  while (!REG(0x4000D100) && ++count < 100000) {
  }
  report("turns", count);
  REG(0xE000E014) = 64000;
  REG(0xE000E018) = 0;
  REG(0xE000E010) = 7;
  REG(0x40008140) = 0;
  REG(0x40008540) = 20000;
  REG(0x4000800C) = 1;
  while (!REG(0x40008140)) {
  }
  report("ticks", ticks);
  return 0;
}
