/* The board of an nRF52832: UARTE0 on P0.06, TWIM0 on P0.26 and P0.27, RTC1 for rest(). */
#include "board.h"

void console_start(void) {
  REG(0x4000250C) = 6;           /* PSEL.TXD */
  REG(0x40002524) = 0x01D60000;  /* BAUDRATE 115200 */
  REG(0x40002500) = 8;           /* ENABLE as UARTE */
}

/* Sleeps until an event of the UARTE (ENDTX, TXSTOPPED), whose interrupt is pending but not taken. */
static void console_await(uint32_t event) {
  while (!REG(event)) __asm__ volatile("wfe");
  REG(event) = 0;
  (void)REG(event);
  REG(0xE000E280) = 1 << 2;
}

/* Sends a line by EasyDMA; the core sleeps meanwhile, and the UARTE is stopped afterwards. */
void console_put(char c) {
  static char line[80];
  static unsigned count;
  line[count++] = c;
  if (c != '\n' && count < sizeof line) return;
  REG(0xE000ED10) |= 1 << 4;             /* SEVONPEND */
  REG(0x40002304) = 1 << 8 | 1 << 22;    /* INTENSET: ENDTX, TXSTOPPED */
  REG(0x40002544) = (uint32_t)line;      /* TXD.PTR */
  REG(0x40002548) = count;               /* TXD.MAXCNT */
  REG(0x40002008) = 1;                   /* TASKS_STARTTX */
  console_await(0x40002120);
  REG(0x4000200C) = 1;                   /* TASKS_STOPTX */
  console_await(0x40002158);
  count = 0;
}

#ifndef SOFTWARE_BUS
void bus_start(void) {
  REG(0x40003508) = 27;          /* PSEL.SCL */
  REG(0x4000350C) = 26;          /* PSEL.SDA */
  REG(0x40003524) = 0x06400000;  /* 400 kHz */
  REG(0x40003500) = 6;           /* ENABLE as TWIM */
}

static int run(uint32_t task) {
  REG(0x40003104) = 0; /* EVENTS_STOPPED */
  REG(0x40003124) = 0; /* EVENTS_ERROR */
  REG(0x400034C4) = 7; /* ERRORSRC */
  REG(0xE000ED10) |= 1 << 4;           /* SEVONPEND */
  REG(0x40003304) = 1 << 1 | 1 << 9;   /* INTENSET: STOPPED, ERROR */
  REG(0xE000E280) = 1 << 3;
  REG(task) = 1;
  while (!REG(0x40003104)) {
    if (REG(0x40003124)) {
      REG(0x40003124) = 0;
      (void)REG(0x40003124);
      REG(0xE000E280) = 1 << 3;
      REG(0x40003014) = 1; /* STOP */
    } else {
      __asm__ volatile("wfe");
    }
  }
  REG(0x40003308) = 1 << 1 | 1 << 9;
  return (int)REG(0x400034C4);
}

int bus_write(uint8_t address, const uint8_t *bytes, unsigned count) {
  static uint8_t buffer[32];
  for (unsigned i = 0; i < count; i++) buffer[i] = bytes[i];
  REG(0x40003588) = address;
  REG(0x40003544) = (uint32_t)buffer;
  REG(0x40003548) = count;
  REG(0x40003200) = 1 << 9; /* LASTTX_STOP */
  return run(0x40003008);
}

int bus_read(uint8_t address, uint8_t reg, uint8_t *bytes, unsigned count) {
  static uint8_t to;
  to = reg;
  REG(0x40003588) = address;
  REG(0x40003544) = (uint32_t)&to;
  REG(0x40003548) = 1;
  REG(0x40003534) = (uint32_t)bytes;
  REG(0x40003538) = count;
  REG(0x40003200) = 1 << 7 | 1 << 12; /* LASTTX_STARTRX, LASTRX_STOP */
  return run(0x40003008);
}

#endif

void IRQ17_Handler(void) {
  REG(0x40011140) = 0; /* EVENTS_COMPARE[0] */
  (void)REG(0x40011140);
}

void rest(uint32_t milliseconds) {
  REG(0x40000518) = 1; /* LFCLKSRC: crystal */
  REG(0x40000008) = 1; /* LFCLKSTART */
  REG(0x40011004) = 1; /* STOP */
  REG(0x40011008) = 1; /* CLEAR */
  REG(0x40011508) = 32; /* PRESCALER: 992.97 Hz */
  REG(0x40011540) = (uint32_t)((uint64_t)milliseconds * 32768 / 33000) + 1;
  REG(0x40011140) = 0;
  REG(0x40011304) = 1 << 16; /* INTENSET: COMPARE0 */
  REG(0xE000E100) = 1 << 17;
  __asm__ volatile("cpsid i");
  REG(0x40011000) = 1; /* START */
  while (!REG(0x40011140)) __asm__ volatile("wfi");
  __asm__ volatile("cpsie i");
}
