/* A software I2C bus on two pins: low is driven, high is released. About 80 kHz. With WAITS it supports
 * clock stretching. */
#include "board.h"

#ifdef __AVR__
#include <avr/io.h>
#include <util/delay.h>
enum { CLOCK = 1 << PC5, DATA = 1 << PC4 };
static void low(uint8_t pin) { DDRC |= pin; }
static void high(uint8_t pin) { DDRC &= (uint8_t)~pin; }
static int level(uint8_t pin) { return (PINC & pin) != 0; }
static void begin_pins(void) { PORTC &= (uint8_t)~(CLOCK | DATA); }
static void wait(void) { _delay_us(5); }
#else
enum { CLOCK = 1 << 27, DATA = 1 << 26 };
static void low(uint32_t pin) { REG(0x50000518) = pin; }
static void high(uint32_t pin) { REG(0x5000051C) = pin; }
static int level(uint32_t pin) { return (REG(0x50000510) & pin) != 0; }
static void begin_pins(void) {
  REG(0x5000050C) = CLOCK | DATA;
  REG(0x5000076C) = REG(0x50000768) = 3 << 2; /* PIN_CNF: an input with a pull-up */
}
static void wait(void) {
  for (int i = 0; i < 100; i++) __asm__ volatile("nop");
}
#endif

static void rise(void) {
  high(CLOCK);
#ifdef WAITS
  for (long tries = 0; !level(CLOCK) && tries < 1000000; tries++) {
  }
#endif
}

void bus_start(void) {
  begin_pins();
  high(CLOCK);
  high(DATA);
}

static void start(void) {
  high(DATA);
  wait();
  rise();
  wait();
  low(DATA);
  wait();
  low(CLOCK);
}

static void stop(void) {
  low(DATA);
  wait();
  rise();
  wait();
  high(DATA);
  wait();
}

static int bit(int value) {
  if (value) {
    high(DATA);
  } else {
    low(DATA);
  }
  wait();
  rise();
  wait();
  const int seen = level(DATA);
  low(CLOCK);
  return seen;
}

/* Returns 0 if the byte was acknowledged. */
static int put(uint8_t byte) {
  for (uint8_t mask = 0x80; mask; mask >>= 1) bit(byte & mask);
  return bit(1);
}

static uint8_t get(int is_last) {
  uint8_t byte = 0;
  for (int i = 0; i < 8; i++) byte = (uint8_t)(byte << 1 | bit(1));
  bit(is_last);
  return byte;
}

int bus_write(uint8_t address, const uint8_t *bytes, unsigned count) {
  start();
  int failed = put((uint8_t)(address << 1));
  for (unsigned i = 0; i < count && !failed; i++) failed = put(bytes[i]);
  stop();
  return failed;
}

int bus_read(uint8_t address, uint8_t reg, uint8_t *bytes, unsigned count) {
  start();
  int failed = put((uint8_t)(address << 1)) || put(reg);
  if (!failed) {
    start();
    failed = put((uint8_t)(address << 1 | 1));
  }
  for (unsigned i = 0; i < count && !failed; i++) bytes[i] = get(i + 1 == count);
  stop();
  return failed;
}
