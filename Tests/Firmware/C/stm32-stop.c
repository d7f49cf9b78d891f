/* Enters stop mode until an edge at PA0 or until the wake-up timer elapses; prints the state of the clocks afterwards. */
#include "board.h"

static volatile uint32_t ticks;
static uint32_t table[64] __attribute__((aligned(256)));

static void on_tick(void) { ticks++; }
static void on_wake(void) {
  REG(0x4000280C) = ~0x400u;
  REG(0x40013C14) = 1 | 1 << 22;
}

static void report(const char *name, uint32_t value) {
  print(name);
  print(" ");
  print_number((int32_t)value, 0);
  print("\n");
}

static void stop_clocks(void) {
  REG(0xE000ED10) |= 4;
  __asm__ volatile("wfi");
  REG(0xE000ED10) &= ~4u;
}

int main(void) {
  console_start();
  for (int i = 0; i < 16; i++) table[i] = REG(0x08000000 + 4 * i);
  table[15] = (uint32_t)on_tick;
  table[16 + 3] = table[16 + 6] = (uint32_t)on_wake;
  REG(0xE000ED08) = (uint32_t)table;
  REG(0xE000E100) = 1 << 6 | 1 << 3;
  REG(0x40013C00) = 1 | 1 << 22;
  REG(0x40013C08) = 1 | 1 << 22;
  rest(2);
  REG(0x4000000C + 0xC00) = 0;
  REG(0x40000C14) = 1;
  REG(0x40000C00) = 1;
  uint32_t before = REG(0x40000C24);
  REG(0xE000E014) = 84000 - 1;
  REG(0xE000E018) = 0;
  REG(0xE000E010) = 7;
  stop_clocks();
  REG(0xE000E010) = 0;
  report("ticks", ticks);
  report("counted", REG(0x40000C24) - before);
  uint32_t clock = REG(0x40023808) >> 2 & 3;
  REG(0x40004408) = 16000000 / 115200;
  report("clock", clock);
  /* The wake-up timer: half a second. */
  REG(0x40002824) = 0xCA;
  REG(0x40002824) = 0x53;
  REG(0x40002814) = 1024 - 1;
  REG(0x40002808) = 1 << 14 | 1 << 10;
  stop_clocks();
  print("woken\n");
  return 0;
}
