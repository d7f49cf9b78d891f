/* Uses the peripherals of the STM32F411 other than its buses, and prints the results. */
#include "board.h"

#define BIT(address, bit) REG(0x42000000 + ((address) - 0x40000000) * 32 + (bit) * 4)
#define FLASH 0x40023C00

static volatile uint32_t ticks, edges, updates;
static uint32_t table[128] __attribute__((aligned(512)));

static void on_tick(void) { ticks++; }
static void on_edge(void) {
  REG(0x40013C14) = 1;
  edges++;
}
static void on_update(void) {
  REG(0x40000010) = ~1u;
  updates++;
}

static void report(const char *name, uint32_t value) {
  print(name);
  print(" ");
  print_number((int32_t)value, 0);
  print("\n");
}

static void handlers(void) {
  const uint32_t *from = (const uint32_t *)0x08000000;
  for (int i = 0; i < 16; i++) table[i] = from[i];
  table[15] = (uint32_t)on_tick;
  table[16 + 6] = (uint32_t)on_edge;
  table[16 + 28] = (uint32_t)on_update;
  REG(0xE000ED08) = (uint32_t)table;
}

static void write_flash(void) {
  REG(FLASH + 0x04) = 0x45670123;
  REG(FLASH + 0x04) = 0xCDEF89AB;
  REG(FLASH + 0x10) = 2 << 8 | 5 << 3 | 2; /* sector 5 */
  REG(FLASH + 0x10) |= 1 << 16;
  while (REG(FLASH + 0x0C) & 1 << 16) {
  }
  REG(FLASH + 0x10) = 2 << 8 | 1;
  REG(0x08020000) = 0x12345678;
  REG(0x08020004) = 7;
  REG(0x08020004) = 14;
  REG(FLASH + 0x10) = 1u << 31;
  REG(0x08020008) = 0;
  report("flash", REG(0x08020000) == 0x12345678);
  report("cleared bits only", REG(0x08020004));
  report("locked", REG(0x08020008) == 0xFFFFFFFF);
  report("error", REG(FLASH + 0x0C) >> 7 & 1);
}

static void timers(void) {
  REG(0x40023840) |= 1;
  REG(0x40000028) = 83; /* TIM2: microseconds */
  REG(0x4000002C) = 999;
  REG(0x40000014) = 1;
  REG(0x40000010) = 0;
  REG(0x4000000C) = 1;
  REG(0x40000034) = 500;
  REG(0xE000E100) = 1 << 28;
  REG(0x40000000) = 1;
  while (updates < 5) {
  }
  REG(0x40000000) = 0;
  report("compare", REG(0x40000010) >> 1 & 1);
  report("updates", updates);
  REG(0xE000E014) = 84000 - 1;
  REG(0xE000E018) = 0;
  REG(0xE000E010) = 7;
  while (ticks < 10) __asm__ volatile("wfi");
  REG(0xE000E010) = 0;
  report("ticks", ticks);
}

static void edges_of_pins(void) {
  REG(0x40023844) |= 1 << 14;
  REG(0x40013C00) = 1;
  REG(0x40013C08) = 1;
  REG(0xE000E100) = 1 << 6;
  REG(0x40020000) |= 1; /* PA0 drives itself */
  for (int i = 0; i < 3; i++) {
    REG(0x40020018) = 1;
    REG(0x40020018) = 1 << 16;
  }
  report("edges", edges);
  *(volatile uint16_t *)0x40020014 = 2;
  report("half a word", REG(0x40020014));
}

int main(void) {
  handlers();
  console_start();
  report("identity", REG(0xE0042000) & 0xFFF);
  report("size", *(volatile uint16_t *)0x1FFF7A22);
  BIT(0x40023874, 0) = 1;
  while (!BIT(0x40023874, 1)) {
  }
  report("slow oscillator", REG(0x40023874) & 3);
  write_flash();
  timers();
  edges_of_pins();
  report("watchdog", REG(0x40023874) >> 29 & 1);
  if (!(REG(0x40023874) >> 29 & 1)) {
    REG(0x40003000) = 0x5555;
    REG(0x40003008) = 10;
    REG(0x40003000) = 0xCCCC;
    for (;;) {
    }
  }
  return 3;
}
