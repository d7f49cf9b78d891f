/* Reads a BME280's id and its first calibration bytes over TWIM0 and over TWI1, and prints both with UARTE0; ENDTX stops
 * the transmitter through channel 19 of PPI. Sleeps until the UARTE's interrupt. */
#include "board.h"

static char line[64];

static void send(const char *text, unsigned count) {
  for (unsigned i = 0; i < count; i++) line[i] = text[i];
  REG(0x40002120) = 0;
  REG(0x40002158) = 0;
  REG(0x40002544) = (uint32_t)line;
  REG(0x40002548) = count;
  REG(0x40002304) = 1u << 22; /* INTENSET: TXSTOPPED */
  REG(0x40002008) = 1;
  while (!REG(0x40002158)) {
    __asm__ volatile("wfi");
    REG(0xE000E280) = 1 << 2; /* clear pending */
  }
}

static void report(const char *name, const uint8_t *bytes, unsigned count, int failed) {
  static const char digits[] = "0123456789abcdef";
  char text[64];
  unsigned at = 0;
  while (*name) text[at++] = *name++;
  for (unsigned i = 0; i < count && !failed; i++) {
    text[at++] = ' ';
    text[at++] = digits[bytes[i] >> 4];
    text[at++] = digits[bytes[i] & 15];
  }
  if (failed) text[at++] = '!';
  text[at++] = '\n';
  send(text, at);
}

static int legacy_read(uint8_t address, uint8_t reg, uint8_t *bytes, unsigned count) {
  REG(0x40004588) = address;
  REG(0x40004104) = REG(0x4000411C) = REG(0x40004124) = REG(0x40004108) = 0;
  REG(0x400044C4) = 7;
  REG(0x40004200) = 0;
  REG(0x40004008) = 1; /* STARTTX */
  REG(0x4000451C) = reg;
  while (!REG(0x4000411C) && !REG(0x40004124)) {
  }
  if (REG(0x40004124)) goto failed;
  REG(0x40004200) = count > 1 ? 1 : 2; /* BB_SUSPEND or BB_STOP */
  REG(0x40004000) = 1;                 /* STARTRX */
  for (unsigned i = 0; i < count; i++) {
    while (!REG(0x40004108) && !REG(0x40004124)) {
    }
    if (REG(0x40004124)) goto failed;
    REG(0x40004108) = 0;
    bytes[i] = (uint8_t)REG(0x40004518);
    if (i + 2 == count) REG(0x40004200) = 2;
    if (i + 1 < count) REG(0x40004020) = 1; /* RESUME */
  }
  while (!REG(0x40004104)) {
  }
  return 0;
failed:
  REG(0x40004014) = 1;
  while (!REG(0x40004104)) {
  }
  return 1;
}

int main(void) {
  static uint8_t bytes[8];
  console_start();
  REG(0x4001F5A8) = 0x40002120; /* ENDTX */
  REG(0x4001F5AC) = 0x4000200C; /* STOPTX */
  REG(0x4001F504) = 1 << 19;
  rest(5); /* the sensor's start-up */
  __asm__ volatile("cpsid i");
  REG(0xE000E100) = 1 << 2;
  bus_start();
  REG(0x40004508) = 11;
  REG(0x4000450C) = 12;
  REG(0x40004524) = 0x01980000;
  REG(0x40004500) = 5;
  report("twim id", bytes, 1, bus_read(0x76, 0xD0, bytes, 1));
  report("twim data", bytes, 6, bus_read(0x76, 0x88, bytes, 6));
  report("twim absent", bytes, 1, bus_read(0x10, 0xD0, bytes, 1));
  report("twi id", bytes, 1, legacy_read(0x76, 0xD0, bytes, 1));
  report("twi data", bytes, 6, legacy_read(0x76, 0x88, bytes, 6));
  report("twi absent", bytes, 1, legacy_read(0x10, 0xD0, bytes, 1));
  return 0;
}
