/* Waits for the chip ID of a sensor on SPI, as a library's example does. */
#include "board.h"

#ifdef __AVR__
#include <avr/io.h>

static uint8_t transfer(uint8_t byte) {
  SPDR = byte;
  while (!(SPSR & _BV(SPIF))) {
  }
  return SPDR;
}
static void begin(void) { SPCR = _BV(SPE) | _BV(MSTR); }
#else
static uint8_t transfer(uint8_t byte) {
  REG(0x40003108) = 0;
  REG(0x4000351C) = byte;
  while (!REG(0x40003108)) {
  }
  return (uint8_t)REG(0x40003518);
}
static void begin(void) { REG(0x40003500) = 1; }
#endif

int main(void) {
  console_start();
  begin();
  for (;;) {
    transfer(0xD0);
    if (transfer(0) == 0x60) print("found\n");
  }
}
