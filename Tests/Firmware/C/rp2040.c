/* The board of an RP2040: 125 MHz by the PLL, UART0 on GPIO0, I2C0 on GPIO4 and GPIO5, TIMER for rest(). */
#include "board.h"

#define SET 0x2000
#define CLR 0x3000
#define RESETS 0x4000C000
#define CLOCKS 0x40008000
#define XOSC 0x40024000
#define PLL_SYS 0x40028000
#define WATCHDOG 0x40058000
#define TIMER 0x40054000
#define IO_BANK0 0x40014000
#define UART0 0x40034000
#define I2C0 0x40044000

static void clocks_start(void) {
  static uint8_t done;
  if (done) return;
  done = 1;
  REG(WATCHDOG + 0x2C) = 12 | 1 << 9;
  REG(XOSC + 0x0C) = 47;
  REG(XOSC) = 0xFABAA0;
  while (!(REG(XOSC + 0x04) & 1u << 31)) {
  }
  REG(CLOCKS + 0x30) = 2; /* clk_ref from the crystal */
  while (!(REG(CLOCKS + 0x38) & 4)) {
  }
  /* PLL_SYS, IO_BANK0, PADS_BANK0, TIMER, UART0, I2C0 */
  uint32_t used = 1 << 12 | 1 << 5 | 1 << 8 | 1 << 21 | 1 << 22 | 1 << 3;
  REG(RESETS + CLR) = used;
  while (~REG(RESETS + 8) & used) {
  }
  REG(PLL_SYS + 0x08) = 125; /* 12 MHz * 125 / 6 / 2 */
  REG(PLL_SYS + 0x04 + CLR) = 0x21;
  while (!(REG(PLL_SYS) & 1u << 31)) {
  }
  REG(PLL_SYS + 0x0C) = 6 << 16 | 2 << 12;
  REG(PLL_SYS + 0x04 + CLR) = 8;
  REG(CLOCKS + 0x3C) = 1; /* clk_sys from the PLL */
  while (!(REG(CLOCKS + 0x44) & 2)) {
  }
  REG(CLOCKS + 0x48) = 1 << 11;
}

void console_start(void) {
  clocks_start();
  REG(IO_BANK0 + 0x04) = 2;
  REG(UART0 + 0x24) = 67; /* 125 MHz / 16 / 115200 */
  REG(UART0 + 0x28) = 52;
  REG(UART0 + 0x2C) = 3 << 5 | 1 << 4;
  REG(UART0 + 0x30) = 1 << 9 | 1 << 8 | 1;
}

/* Waits until the byte is on the line, so that none is lost in the FIFO when the program ends. */
void console_put(char c) {
  REG(UART0) = (uint8_t)c;
  while (REG(UART0 + 0x18) & 1 << 3) {
  }
}

void bus_start(void) {
  clocks_start();
  REG(IO_BANK0 + 0x24) = 3;
  REG(IO_BANK0 + 0x2C) = 3;
  REG(I2C0 + 0x6C) = 0;
  REG(I2C0) = 1 << 8 | 1 << 6 | 1 << 5 | 2 << 1 | 1;
  REG(I2C0 + 0x20) = 187;
  REG(I2C0 + 0x1C) = 125;
  REG(I2C0 + 0xA0) = 11;
  REG(I2C0 + 0x6C) = 1;
}

static void target(uint8_t address) {
  REG(I2C0 + 0x6C) = 0;
  REG(I2C0 + 0x04) = address;
  REG(I2C0 + 0x6C) = 1;
}

/* Waits for the stop condition; returns 1 if the transfer was aborted. */
static int ended(void) {
  while (!(REG(I2C0 + 0x34) & 1 << 9)) {
  }
  (void)REG(I2C0 + 0x60);
  if (!(REG(I2C0 + 0x34) & 1 << 6)) return 0;
  (void)REG(I2C0 + 0x54);
  return 1;
}

static void command(uint32_t word) {
  while (!(REG(I2C0 + 0x70) & 2) && !(REG(I2C0 + 0x34) & 1 << 6)) {
  }
  REG(I2C0 + 0x10) = word;
}

int bus_write(uint8_t to, const uint8_t *bytes, unsigned count) {
  target(to);
  for (unsigned i = 0; i < count; i++) command(bytes[i] | (i + 1 == count ? 1 << 9 : 0));
  return ended();
}

int bus_read(uint8_t from, uint8_t reg, uint8_t *bytes, unsigned count) {
  target(from);
  command(reg);
  for (unsigned i = 0; i < count; i++) {
    command(1 << 8 | (i == 0 ? 1 << 10 : 0) | (i + 1 == count ? 1 << 9 : 0));
    while (!REG(I2C0 + 0x78)) {
      if (REG(I2C0 + 0x34) & 1 << 6) return ended();
    }
    bytes[i] = (uint8_t)REG(I2C0 + 0x10);
  }
  return ended();
}

void rest(uint32_t milliseconds) {
  clocks_start();
  uint32_t start = REG(TIMER + 0x28);
  while (REG(TIMER + 0x28) - start < milliseconds * 1000) {
  }
}
