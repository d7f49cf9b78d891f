/* An image for an ATmega328P that compensates a record in its RAM: the model's formulas and the 32-bit pressure of DS 8.2.
 *
 * It stops at a BREAK; the host writes a record at 0x700, continues, and reads the results at the next BREAK.
 * With ROUNDS it runs forever: that number of records, then their sum as a line on the USART. */

#include "../Benchmarks/twin.c"

struct record {
  uint8_t calibration[33], unused[3];
  int32_t temperature, pressure, humidity;
  int32_t fine, temperature_out;
  uint32_t pressure64, pressure32, humidity_out;
};

static struct record *const input = (struct record *)0x700;

static uint16_t u16(uint8_t at) { return input->calibration[at] | (uint16_t)input->calibration[at + 1] << 8; }
static int16_t s16(uint8_t at) { return (int16_t)u16(at); }
static int8_t s8(uint8_t at) { return (int8_t)input->calibration[at]; }

static uint32_t pressure_32(int32_t raw, int32_t fine, const struct words *w) {
  int32_t warmth = (fine >> 1) - 64000;
  int32_t square = (warmth >> 2) * (warmth >> 2);
  int32_t offset = (square >> 11) * (int32_t)w->p6;
  offset += (warmth * (int32_t)w->p5) << 1;
  offset = (offset >> 2) + ((int32_t)w->p4 << 16);
  int32_t slope = ((((int32_t)w->p3 * (square >> 13)) >> 3) + (((int32_t)w->p2 * warmth) >> 1)) >> 18;
  slope = ((32768 + slope) * (int32_t)w->p1) >> 15;
  if (slope == 0) return 0;
  uint32_t value = ((uint32_t)(1048576 - raw) - (uint32_t)(offset >> 12)) * 3125;
  value = value < 0x80000000 ? (value << 1) / (uint32_t)slope : (value / (uint32_t)slope) * 2;
  int32_t bent = ((int32_t)w->p9 * (int32_t)(((value >> 3) * (value >> 3)) >> 13)) >> 12;
  int32_t scaled = ((int32_t)(value >> 2) * (int32_t)w->p8) >> 13;
  return (uint32_t)((int32_t)value + ((bent + scaled + w->p7) >> 4));
}

static void compensate(void) {
  struct words w = {
      .t1 = u16(0), .t2 = s16(2), .t3 = s16(4), .p1 = u16(6), .p2 = s16(8), .p3 = s16(10), .p4 = s16(12),
      .p5 = s16(14), .p6 = s16(16), .p7 = s16(18), .p8 = s16(20), .p9 = s16(22), .h1 = input->calibration[25],
      .h2 = s16(26), .h3 = input->calibration[28], .h4 = s8(29) * 16 | (s8(30) & 15),
      .h5 = s8(31) * 16 | input->calibration[30] >> 4, .h6 = s8(32)};
  int32_t fine = fine_temperature(input->temperature, &w);
  input->fine = fine;
  input->temperature_out = (fine * 5 + 128) >> 8;
  input->pressure64 = pressure(input->pressure, fine, &w);
  input->pressure32 = pressure_32(input->pressure, fine, &w);
  input->humidity_out = humidity(input->humidity, fine, &w);
}

#ifndef ROUNDS
int main(void) {
  for (;;) {
    __asm__ volatile("break" ::: "memory");
    compensate();
  }
}
#else
#include <avr/io.h>

static void send(uint8_t byte) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = byte;
}

int main(void) {
  UBRR0L = 0;
  UCSR0B = 1 << TXEN0;
  uint32_t chance = 1, sum = 0;
  for (uint8_t at = 0; at < sizeof input->calibration; at++) input->calibration[at] = 0x6B * at + 0x35;
  for (;;) {
    for (uint16_t round = 0; round < ROUNDS; round++) {
      chance = chance * 1664525 + 1013904223;
      input->temperature = chance >> 12;
      input->pressure = chance & 0xFFFFF;
      input->humidity = chance >> 8 & 0xFFFF;
      compensate();
      sum = sum * 31 + input->pressure64 + input->pressure32 + input->humidity_out + (uint32_t)input->temperature_out;
    }
    for (int8_t bit = 28; bit >= 0; bit -= 4) send("0123456789abcdef"[sum >> bit & 15]);
    send('\n');
  }
}
#endif
