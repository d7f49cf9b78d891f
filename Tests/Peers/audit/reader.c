// A reader of a BME280 or BMP280 on /dev/i2c-N that does everything as the data sheet says, in integers.
//
// usage: reader [BUS [ADDRESS]]
// It prints a line a second for ever: temperature in C, pressure in hPa, humidity in %.

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int file = -1;
static int address = 0x76;
static int has_humidity;
static int32_t fine;

static uint16_t t1, p1;
static int16_t t2, t3, p2, p3, p4, p5, p6, p7, p8, p9, h2, h4, h5;
static uint8_t h1, h3;
static int8_t h6;

static void rest(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static int read_registers(uint8_t from, uint8_t *data, uint16_t count) {
  struct i2c_msg messages[2] = {
    {.addr = address, .flags = 0, .len = 1, .buf = &from},
    {.addr = address, .flags = I2C_M_RD, .len = count, .buf = data},
  };
  struct i2c_rdwr_ioctl_data transfer = {messages, 2};
  return ioctl(file, I2C_RDWR, &transfer) == 2 ? 0 : -1;
}

static int write_register(uint8_t to, uint8_t value) {
  uint8_t bytes[2] = {to, value};
  struct i2c_msg message = {.addr = address, .flags = 0, .len = 2, .buf = bytes};
  struct i2c_rdwr_ioctl_data transfer = {&message, 1};
  return ioctl(file, I2C_RDWR, &transfer) == 1 ? 0 : -1;
}

static int wait_for(uint8_t bit) {
  for (int turn = 0; turn < 100; turn++) {
    uint8_t status;
    if (read_registers(0xF3, &status, 1) != 0) return -1;
    if (!(status & bit)) return 0;
    rest(1);
  }
  errno = EBUSY;
  return -1;
}

static uint16_t word(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

static int calibrate(void) {
  uint8_t low[24], high[7];
  if (read_registers(0x88, low, 12) != 0) return -1;
  if (read_registers(0x94, low + 12, 12) != 0) return -1;
  t1 = word(low);
  t2 = (int16_t)word(low + 2);
  t3 = (int16_t)word(low + 4);
  p1 = word(low + 6);
  p2 = (int16_t)word(low + 8);
  p3 = (int16_t)word(low + 10);
  p4 = (int16_t)word(low + 12);
  p5 = (int16_t)word(low + 14);
  p6 = (int16_t)word(low + 16);
  p7 = (int16_t)word(low + 18);
  p8 = (int16_t)word(low + 20);
  p9 = (int16_t)word(low + 22);
  if (!has_humidity) return 0;
  if (read_registers(0xA1, &h1, 1) != 0) return -1;
  if (read_registers(0xE1, high, 7) != 0) return -1;
  h2 = (int16_t)word(high);
  h3 = high[2];
  h4 = (int16_t)((int8_t)high[3] * 16 | (high[4] & 0x0F));
  h5 = (int16_t)((int8_t)high[5] * 16 | high[4] >> 4);
  h6 = (int8_t)high[6];
  return 0;
}

static int start(int bus) {
  char name[32];
  uint8_t id;
  snprintf(name, sizeof name, "/dev/i2c-%d", bus);
  file = open(name, O_RDWR | O_CLOEXEC);
  if (file < 0) return -1;
  if (read_registers(0xD0, &id, 1) != 0) return -1;
  if (id != 0x60 && id != 0x58) {
    errno = ENODEV;
    return -1;
  }
  has_humidity = id == 0x60;
  if (write_register(0xE0, 0xB6) != 0) return -1;
  rest(3);
  if (wait_for(0x01) != 0) return -1;
  return calibrate();
}

static int32_t temperature(int32_t raw) {
  int32_t one = ((((raw >> 3) - ((int32_t)t1 << 1))) * ((int32_t)t2)) >> 11;
  int32_t two = (raw >> 4) - (int32_t)t1;
  two = (((two * two) >> 12) * (int32_t)t3) >> 14;
  fine = one + two;
  return (fine * 5 + 128) >> 8;
}

static int64_t pressure(int32_t raw) {
  int64_t one = (int64_t)fine - 128000;
  int64_t two = one * one * p6;
  two += (one * p5) * 131072;
  two += (int64_t)p4 * 34359738368;
  one = ((one * one * p3) >> 8) + one * p2 * 4096;
  one = ((((int64_t)1 << 47) + one) * p1) >> 33;
  if (one == 0) return -1;
  int64_t value = 1048576 - raw;
  value = (value * 2147483648 - two) * 3125 / one;
  one = (p9 * (value >> 13) * (value >> 13)) >> 25;
  two = (p8 * value) >> 19;
  return ((value + one + two) >> 8) + p7 * 16;
}

static int32_t humidity(int32_t raw) {
  int32_t value = fine - 76800;
  int32_t one = ((raw << 14) - h4 * 1048576 - h5 * value + 16384) >> 15;
  int32_t two = ((((value * h6) >> 10) * (((value * h3) >> 11) + 32768)) >> 10) + 2097152;
  value = one * ((two * h2 + 8192) >> 14);
  value = value - (((((value >> 15) * (value >> 15)) >> 7) * h1) >> 4);
  if (value < 0) value = 0;
  if (value > 419430400) value = 419430400;
  return value >> 12;
}

static int measure(void) {
  uint8_t data[8];
  if (wait_for(0x01) != 0) return -1;
  if (write_register(0xF5, 0x00) != 0) return -1;
  if (write_register(0xF2, 0x01) != 0) return -1;
  if (write_register(0xF4, 0x25) != 0) return -1;
  rest(10);
  if (wait_for(0x08) != 0) return -1;
  if (read_registers(0xF7, data, 8) != 0) return -1;
  int32_t raw_p = data[0] << 12 | data[1] << 4 | data[2] >> 4;
  int32_t raw_t = data[3] << 12 | data[4] << 4 | data[5] >> 4;
  int32_t raw_h = data[6] << 8 | data[7];
  int32_t t = temperature(raw_t);
  int64_t p = pressure(raw_p);
  if (p < 0) {
    errno = ERANGE;
    return -1;
  }
  int32_t h = has_humidity ? humidity(raw_h) : 0;
  printf("temperature %.2f C, pressure %.2f hPa", t / 100.0, p / 25600.0);
  if (has_humidity) printf(", humidity %.2f %%", h / 1024.0);
  printf("\n");
  return 0;
}

int main(int count, char **arguments) {
  int bus = count > 1 ? atoi(arguments[1]) : 1;
  if (count > 2) address = (int)strtol(arguments[2], NULL, 0);
  for (;;) {
    if ((file < 0 && start(bus) != 0) || measure() != 0) {
      fprintf(stderr, "no reading: %s\n", strerror(errno));
      if (file >= 0) close(file);
      file = -1;
    }
    rest(1000);
  }
}
