/* The compensation of DS 4.2.3 and DS 8.1 in C, the twin against which the Swift code is measured. */

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
  int64_t above = (int64_t)fine - 128000;
  int64_t offset = above * above * w->p6;
  offset += (above * w->p5) << 17;
  offset += (int64_t)w->p4 << 35;
  int64_t slope = ((above * above * w->p3) >> 8) + ((above * w->p2) << 12);
  int64_t gain = ((((int64_t)1 << 47) + slope) * w->p1) >> 33;
  if (gain == 0) return 0;
  int64_t value = 1048576 - raw;
  value = (((value << 31) - offset) * 3125) / gain;
  int64_t square = (w->p9 * (value >> 13) * (value >> 13)) >> 25;
  int64_t scaled = (w->p8 * value) >> 19;
  return (uint32_t)(((value + square + scaled) >> 8) + ((int64_t)w->p7 << 4));
}

static uint32_t humidity(int32_t raw, int32_t fine, const struct words *w) {
  int32_t above = fine - 76800;
  int32_t span = ((raw << 14) - ((int32_t)w->h4 << 20) - w->h5 * above + 16384) >> 15;
  int32_t slope = ((above * w->h6) >> 10) * (((above * w->h3) >> 11) + 32768);
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

/* The double precision formulas of DS 8.1. */

struct result {
  int32_t fine;
  double temperature, pressure, humidity;
};

static double temperature_double(int32_t raw, const struct words *w, int32_t *fine) {
  double linear = (raw / 16384.0 - w->t1 / 1024.0) * w->t2;
  double offset = raw / 131072.0 - w->t1 / 8192.0;
  double sum = linear + offset * offset * w->t3;
  *fine = (int32_t)sum;
  return sum / 5120.0;
}

static double pressure_double(int32_t raw, int32_t fine, const struct words *w) {
  double above = fine / 2.0 - 64000.0;
  double offset = above * above * w->p6 / 32768.0 + above * w->p5 * 2.0;
  offset = offset / 4.0 + w->p4 * 65536.0;
  double slope = (w->p3 * above * above / 524288.0 + w->p2 * above) / 524288.0;
  double sensitivity = (1.0 + slope / 32768.0) * w->p1;
  if (sensitivity == 0.0) return 0;
  double value = (1048576.0 - raw - offset / 4096.0) * 6250.0 / sensitivity;
  double square = w->p9 * value * value / 2147483648.0;
  double scaled = value * w->p8 / 32768.0;
  return value + (square + scaled + w->p7) / 16.0;
}

static double humidity_double(int32_t raw, int32_t fine, const struct words *w) {
  double above = fine - 76800.0;
  double offset = w->h4 * 64.0 + w->h5 / 16384.0 * above;
  double curvature = 1.0 + w->h3 / 67108864.0 * above;
  double gain = w->h2 / 65536.0 * (1.0 + w->h6 / 67108864.0 * above * curvature);
  double value = (raw - offset) * gain;
  value = value * (1.0 - w->h1 * value / 524288.0);
  return value > 100.0 ? 100.0 : value < 0.0 ? 0.0 : value;
}

/* Compensates some triples. */
void twin_double(const struct words *w, const int32_t *raws, int count, struct result *results) {
  for (int i = 0; i < count; i++) {
    struct result *result = results + i;
    result->temperature = temperature_double(raws[3 * i], w, &result->fine);
    result->pressure = pressure_double(raws[3 * i + 1], result->fine, w);
    result->humidity = humidity_double(raws[3 * i + 2], result->fine, w);
  }
}
