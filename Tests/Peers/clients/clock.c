/* Measures a conversion by the clock: triggers one, reads status each millisecond until it is over, with
 * ten seconds of sleep before. Built static, so that it has the C library's vDSO code in it. */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static uint8_t status(int bus) {
  uint8_t reg = 0xF3, value = 0;
  struct i2c_msg messages[] = {{.addr = 0x76, .len = 1, .buf = &reg},
                               {.addr = 0x76, .flags = I2C_M_RD, .len = 1, .buf = &value}};
  struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = 2};
  ioctl(bus, I2C_RDWR, &data);
  return value;
}

int main(void) {
  int bus = open("/dev/i2c-1", O_RDWR);
  double start = now();
  sleep(10);
  double slept = now() - start;
  uint8_t bytes[] = {0xF4, 0xFD};
  ioctl(bus, I2C_SLAVE, 0x76);
  if (write(bus, bytes, 2) != 2) return 1;
  start = now();
  do usleep(1000);
  while (status(bus) & 0x08);
  printf("slept %.1f s, converted %.0f ms\n", slept, (now() - start) * 1000);
  return 0;
}
