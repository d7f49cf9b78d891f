/* Prints the nanoseconds that a combined transfer takes, on average, and those of a system call that does nothing. */

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void) {
  enum { count = 1000 };
  int node = open("/dev/i2c-1", O_RDWR);
  unsigned char address = 0xd0, id = 0;
  struct i2c_msg messages[] = {{0x76, 0, 1, &address}, {0x76, I2C_M_RD, 1, &id}};
  struct i2c_rdwr_ioctl_data transfer = {messages, 2};
  for (int i = 0; i < 100; i++)
    if (ioctl(node, I2C_RDWR, &transfer) != 2) return 1;
  long start = now();
  for (int i = 0; i < count; i++) ioctl(node, I2C_RDWR, &transfer);
  long middle = now();
  for (int i = 0; i < count; i++) syscall(SYS_getppid);
  long end = now();
  printf("transfer %ld\ncall %ld\n", (middle - start) / count, (end - middle) / count);
  return id == 0x60 ? 0 : 1;
}
