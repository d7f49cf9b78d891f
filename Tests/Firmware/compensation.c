/* An image without a C library that compensates records in its RAM: the model's formulas, the 32-bit pressure of DS 8.2,
 * and both in single precision, calculated by the FPU or libgcc.
 *
 * 0x20000000 holds the number of records and the number of repetitions; the records follow from 0x20000010. The
 * image ends at BKPT 1. */

#include "../Benchmarks/twin.c"

struct record {
  uint8_t calibration[36];
  int32_t temperature, pressure, humidity;
  int32_t fine, temperature_out;
  uint32_t pressure64, pressure32, humidity_out;
  float pressure_float, humidity_float;
  uint32_t unused;
  struct result exact;
};

static volatile uint32_t *const header = (volatile uint32_t *)0x20000000;
static struct record *const records = (struct record *)0x20000010;

static struct words words_of(const uint8_t *b) {
#define U16(at) ((uint16_t)(b[at] | b[(at) + 1] << 8))
#define S16(at) ((int16_t)U16(at))
  struct words w = {
      .t1 = U16(0), .t2 = S16(2), .t3 = S16(4), .p1 = U16(6), .p2 = S16(8), .p3 = S16(10), .p4 = S16(12),
      .p5 = S16(14), .p6 = S16(16), .p7 = S16(18), .p8 = S16(20), .p9 = S16(22), .h1 = b[25], .h2 = S16(26),
      .h3 = b[28], .h4 = (int16_t)((int8_t)b[29] * 16 | (b[30] & 15)),
      .h5 = (int16_t)((int8_t)b[31] * 16 | b[30] >> 4), .h6 = (int8_t)b[32]};
  return w;
}

/* DS 8.2. */
static uint32_t pressure_32(int32_t raw, int32_t fine, const struct words *w) {
  int32_t warmth = (fine >> 1) - 64000;
  int32_t offset = (((warmth >> 2) * (warmth >> 2)) >> 11) * w->p6;
  offset += (warmth * w->p5) << 1;
  offset = (offset >> 2) + ((int32_t)w->p4 << 16);
  int32_t slope = (((w->p3 * (((warmth >> 2) * (warmth >> 2)) >> 13)) >> 3) + ((w->p2 * warmth) >> 1)) >> 18;
  slope = ((32768 + slope) * (int32_t)w->p1) >> 15;
  if (slope == 0) return 0;
  uint32_t value = ((uint32_t)(1048576 - raw) - (uint32_t)(offset >> 12)) * 3125;
  value = value < 0x80000000 ? (value << 1) / (uint32_t)slope : (value / (uint32_t)slope) * 2;
  int32_t square = (w->p9 * (int32_t)(((value >> 3) * (value >> 3)) >> 13)) >> 12;
  int32_t scaled = ((int32_t)(value >> 2) * w->p8) >> 13;
  return (uint32_t)((int32_t)value + ((square + scaled + w->p7) >> 4));
}

static float pressure_float(int32_t raw, int32_t fine, const struct words *w) {
  float warmth = fine / 2.0f - 64000.0f;
  float offset = warmth * warmth * w->p6 / 32768.0f + warmth * w->p5 * 2.0f;
  offset = offset / 4.0f + w->p4 * 65536.0f;
  float slope = (w->p3 * warmth * warmth / 524288.0f + w->p2 * warmth) / 524288.0f;
  float sensitivity = (1.0f + slope / 32768.0f) * w->p1;
  if (sensitivity == 0.0f) return 0;
  float value = (1048576.0f - raw - offset / 4096.0f) * 6250.0f / sensitivity;
  return value + (w->p9 * value * value / 2147483648.0f + value * w->p8 / 32768.0f + w->p7) / 16.0f;
}

static float humidity_float(int32_t raw, int32_t fine, const struct words *w) {
  float warmth = fine - 76800.0f;
  float offset = w->h4 * 64.0f + w->h5 / 16384.0f * warmth;
  float gain = w->h2 / 65536.0f * (1.0f + w->h6 / 67108864.0f * warmth * (1.0f + w->h3 / 67108864.0f * warmth));
  float value = (raw - offset) * gain;
  value = value * (1.0f - w->h1 * value / 524288.0f);
  return value > 100.0f ? 100.0f : value < 0.0f ? 0.0f : value;
}

static void compensate(struct record *record) {
  struct words w = words_of(record->calibration);
  int32_t fine = fine_temperature(record->temperature, &w);
  record->fine = fine;
  record->temperature_out = (fine * 5 + 128) >> 8;
  record->pressure64 = pressure(record->pressure, fine, &w);
  record->pressure32 = pressure_32(record->pressure, fine, &w);
  record->humidity_out = humidity(record->humidity, fine, &w);
  record->pressure_float = pressure_float(record->pressure, fine, &w);
  record->humidity_float = humidity_float(record->humidity, fine, &w);
  twin_double(&w, &record->temperature, 1, &record->exact);
}

void *memset(void *target, int value, unsigned count) {
  volatile uint8_t *bytes = target;
  while (count--) *bytes++ = (uint8_t)value;
  return target;
}

void *memcpy(void *target, const void *source, unsigned count) {
  volatile uint8_t *to = target;
  const uint8_t *from = source;
  while (count--) *to++ = *from++;
  return target;
}

__attribute__((noreturn)) void start(void) {
#ifdef __ARM_FP
  *(volatile uint32_t *)0xE000ED88 |= 0xF00000;
  __asm__ volatile("dsb\n isb");
#endif
  for (uint32_t round = 0; round < header[1]; round++)
    for (uint32_t i = 0; i < header[0]; i++) compensate(records + i);
  for (;;) __asm__ volatile("bkpt 1");
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {(void *)0x20080000, (void *)start};
