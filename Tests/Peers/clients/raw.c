/* Reads the chip's id with raw system calls; built static, so that no library could help. */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  long bus = syscall(SYS_openat, AT_FDCWD, "/dev/i2c-1", O_RDWR);
  uint8_t reg = 0xD0, id = 0;
  struct i2c_msg messages[] = {{.addr = 0x76, .len = 1, .buf = &reg},
                               {.addr = 0x76, .flags = I2C_M_RD, .len = 1, .buf = &id}};
  struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = 2};
  long done = syscall(SYS_ioctl, bus, I2C_RDWR, &data);
  /* The same by write and read, through a copy of the descriptor. */
  long copy = syscall(SYS_dup, bus);
  uint8_t again = 0;
  syscall(SYS_ioctl, bus, I2C_SLAVE, 0x76);
  long written = syscall(SYS_write, copy, &reg, 1);
  long read = syscall(SYS_read, copy, &again, 1);
  printf("%ld %02x %ld %ld %02x\n", done, id, written, read, again);
  return bus < 0;
}
