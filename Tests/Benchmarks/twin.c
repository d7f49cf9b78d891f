/* The integer compensation of DS 4.2.3 in C, the twin against which the Swift code is measured. */

#include <stdint.h>

struct words {
  uint16_t t1;
  int16_t t2, t3;
  uint16_t p1;
  int16_t p2, p3, p4, p5, p6, p7, p8, p9;
  uint8_t h1;
  int16_t h2;
  uint8_t h3;
  int16_t h4, h5;
  int8_t h6;
};

static int32_t fine_temperature(int32_t raw, const struct words *w) {
  int32_t coarse = (raw >> 3) - ((int32_t)w->t1 << 1);
  int32_t offset = (raw >> 4) - (int32_t)w->t1;
  return ((coarse * w->t2) >> 11) + ((((offset * offset) >> 12) * w->t3) >> 14);
}

static uint32_t pressure(int32_t raw, int32_t fine, const struct words *w) {
  int64_t warmth = (int64_t)fine - 128000;
  int64_t offset = warmth * warmth * w->p6;
  offset += (warmth * w->p5) << 17;
  offset += (int64_t)w->p4 << 35;
  int64_t slope = ((warmth * warmth * w->p3) >> 8) + ((warmth * w->p2) << 12);
  int64_t gain = ((((int64_t)1 << 47) + slope) * w->p1) >> 33;
  if (gain == 0) return 0;
  int64_t value = 1048576 - raw;
  value = (((value << 31) - offset) * 3125) / gain;
  int64_t square = (w->p9 * (value >> 13) * (value >> 13)) >> 25;
  int64_t scaled = (w->p8 * value) >> 19;
  return (uint32_t)(((value + square + scaled) >> 8) + ((int64_t)w->p7 << 4));
}

static uint32_t humidity(int32_t raw, int32_t fine, const struct words *w) {
  int32_t warmth = fine - 76800;
  int32_t span = ((raw << 14) - ((int32_t)w->h4 << 20) - w->h5 * warmth + 16384) >> 15;
  int32_t slope = ((warmth * w->h6) >> 10) * (((warmth * w->h3) >> 11) + 32768);
  int32_t value = span * ((((slope >> 10) + 2097152) * w->h2 + 8192) >> 14);
  value -= ((((value >> 15) * (value >> 15)) >> 7) * w->h1) >> 4;
  if (value < 0) value = 0;
  if (value > 419430400) value = 419430400;
  return (uint32_t)(value >> 12);
}

/* Compensates some triples; the sum of all results keeps the work from being dropped. */
uint64_t twin_int64(const struct words *w, const int32_t *raws, int count) {
  uint64_t sum = 0;
  for (int i = 0; i < count; i++) {
    int32_t fine = fine_temperature(raws[3 * i], w);
    sum += (uint32_t)((fine * 5 + 128) >> 8);
    sum += pressure(raws[3 * i + 1], fine, w);
    sum += humidity(raws[3 * i + 2], fine, w);
  }
  return sum;
}
