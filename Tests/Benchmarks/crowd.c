/* 32 processes make COUNT transfers each at the same time; prints the throughput and what was wrong. */

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 32 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static int client(void) {
  /* Each reads calibration from its own register on, so that answers to others would show. */
  static const uint8_t image[] = {0x10, 0x6e, 0x6c, 0x66, 0x32, 0x00, 0x5d, 0x95, 0xb8, 0xd5,
                                  0xd0, 0x0b, 0x77, 0x1e, 0x9d, 0xff, 0xf9, 0xff, 0xac, 0x26};
  int bus = open("/dev/i2c-1", O_RDWR), wrong = 0;
  int offset = getpid() % 12;
  for (int round = 0; round < COUNT; round++) {
    uint8_t reg = 0x88 + offset, data[8] = {0};
    struct i2c_msg messages[] = {
        {.addr = 0x76, .len = 1, .buf = &reg},
        {.addr = 0x76, .flags = I2C_M_RD, .len = sizeof data, .buf = data}};
    struct i2c_rdwr_ioctl_data request = {.msgs = messages, .nmsgs = 2};
    int isRight = ioctl(bus, I2C_RDWR, &request) == 2;
    for (int i = 0; i < 8; i++) isRight = isRight && data[i] == image[offset + i];
    wrong += !isRight;
  }
  return wrong > 0;
}

int main(void) {
  double start = now();
  for (int i = 0; i < CLIENTS; i++)
    if (fork() == 0) _exit(client());
  int wrong = 0, status;
  while (wait(&status) > 0) wrong += status != 0;
  printf("%d clients at once, %d transfers each: %.0f transfers a second, %d clients met an error\n",
         CLIENTS, COUNT, CLIENTS * COUNT / (now() - start), wrong);
  return wrong != 0;
}
