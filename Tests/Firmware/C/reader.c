/* Reads a BME280 in forced mode every second and prints the values, as a first program does. */
#include "board.h"

static uint16_t T1, P1;
static int16_t T[2], P[8];
static uint8_t H1, H3;
static int16_t H2, H4, H5;
static int8_t H6;
static int32_t t_fine;

static int16_t pair(const uint8_t *at) { return (int16_t)(at[0] | (uint16_t)at[1] << 8); }

static int calibrate(void) {
  uint8_t c[26], e[7];
  if (bus_read(0x76, 0x88, c, 26) || bus_read(0x76, 0xE1, e, 7)) return 1;
  T1 = (uint16_t)pair(c);
  for (int i = 0; i < 2; i++) T[i] = pair(c + 2 + 2 * i);
  P1 = (uint16_t)pair(c + 6);
  for (int i = 0; i < 8; i++) P[i] = pair(c + 8 + 2 * i);
  H1 = c[25];
  H2 = pair(e);
  H3 = e[2];
#ifdef NIBBLE_DEFECT
  /* A planted defect: the halves of the byte that both share are exchanged. */
  H4 = (int16_t)((int8_t)e[3] * 16 | e[4] >> 4);
  H5 = (int16_t)((int8_t)e[5] * 16 | (e[4] & 15));
#else
  H4 = (int16_t)((int8_t)e[3] * 16 | (e[4] & 15));
  H5 = (int16_t)((int8_t)e[5] * 16 | e[4] >> 4);
#endif
  H6 = (int8_t)e[6];
  return 0;
}

static int32_t temperature(int32_t raw) {
  int32_t a = (((raw >> 3) - ((int32_t)T1 << 1)) * T[0]) >> 11;
  int32_t d = (raw >> 4) - (int32_t)T1;
  t_fine = a + ((((d * d) >> 12) * T[1]) >> 14);
  return (t_fine * 5 + 128) >> 8;
}

/* A word of the pressure calibration after the first; UNSIGNED_P selects one that loses its sign, a planted defect. */
#ifdef UNSIGNED_P
#define WORD(i) (UNSIGNED_P == (i) + 2 ? (uint16_t)P[i] : (int32_t)P[i])
#else
#define WORD(i) P[i]
#endif

static uint32_t pressure(int32_t raw) {
  int64_t a = (int64_t)t_fine - 128000, b = a * a * WORD(4);
  b += (a * WORD(3)) * 131072 + (int64_t)WORD(2) * 34359738368;
  a = ((a * a * WORD(1)) >> 8) + (a * WORD(0)) * 4096;
  a = ((((int64_t)1 << 47) + a) * P1) >> 33;
  if (a == 0) return 0;
  int64_t p = 1048576 - raw;
  p = ((p * 2147483648 - b) * 3125) / a;
  int64_t c = ((int64_t)WORD(7) * (p >> 13) * (p >> 13)) >> 25, d = ((int64_t)WORD(6) * p) >> 19;
  return (uint32_t)(((p + c + d) >> 8) + (int64_t)WORD(5) * 16);
}

static uint32_t humidity(int32_t raw) {
  int32_t v = t_fine - 76800;
  int32_t a = ((raw << 14) - (H4 * ((int32_t)1 << 20)) - (H5 * v) + 16384) >> 15;
  int32_t b = (((v * H6) >> 10) * (((v * H3) >> 11) + 32768)) >> 10;
  v = a * (((b + 2097152) * H2 + 8192) >> 14);
  v -= ((((v >> 15) * (v >> 15)) >> 7) * H1) >> 4;
  return (uint32_t)(v < 0 ? 0 : v > 419430400 ? 419430400 : v) >> 12;
}

/* A measurement in forced mode; returns 0 if its values are valid. */
static int measure(uint8_t *d) {
  static const uint8_t hum[] = {0xF2, 1}, forced[] = {0xF4, 0x25};
  uint8_t status;
  if (bus_write(0x76, hum, 2) || bus_write(0x76, forced, 2)) return 1;
  for (int tries = 0;; tries++) {
    rest(12);
    if (bus_read(0x76, 0xF3, &status, 1) || tries > 20) return 1;
    if (!(status & 9)) break;
  }
  if (bus_read(0x76, 0xF7, d, 8)) return 1;
  /* All three together are the reset values; one of them alone is a valid measurement. */
  return d[0] == 0x80 && !d[1] && !d[2] && d[3] == 0x80 && !d[4] && !d[5] && d[6] == 0x80 && !d[7];
}

static int begin(void) {
  static const uint8_t reset[] = {0xE0, 0xB6};
  uint8_t id, status;
  if (bus_read(0x76, 0xD0, &id, 1) || id != 0x60 || bus_write(0x76, reset, 2)) return 1;
  for (int tries = 0; tries < 20; tries++) {
    rest(5);
    if (!bus_read(0x76, 0xF3, &status, 1) && !(status & 1)) return calibrate();
  }
  return 1;
}

static void show(const uint8_t *d) {
  int32_t t = temperature((int32_t)d[3] << 12 | d[4] << 4 | d[5] >> 4);
  uint32_t p = pressure((int32_t)d[0] << 12 | d[1] << 4 | d[2] >> 4);
  uint32_t h = humidity((int32_t)d[6] << 8 | d[7]);
  print("temperature ");
  print_number(t, 2);
  print(" C, pressure ");
  print_number((int32_t)((p + 128) >> 8), 2);
  print(" hPa, humidity ");
  print_number((int32_t)((h * 100 + 512) >> 10), 2);
  print(" %\n");
}

#ifdef HANGS
/* A planted defect: it polls a value that never changes. */
__attribute__((noinline)) static void await_luck(void) {
  static volatile uint8_t luck;
  while (!luck) {
  }
}
#endif

int main(void) {
  console_start();
  bus_start();
  rest(20);
  int ready = 0;
#ifndef READINGS
#define READINGS 0
#endif
  for (int count = 0; !READINGS || count < READINGS; count++) {
    uint8_t data[8];
    if (!ready) ready = !begin();
    if (ready && !measure(data)) {
      show(data);
    } else {
#if defined(DIES)
      /* A planted defect: data that were not received are used. */
      REG(0x70000010) = 1;
#elif defined(HANGS)
      await_luck();
#endif
      print("error: the sensor does not answer\n");
      ready = 0;
    }
    rest(1000);
  }
  return 0;
}
