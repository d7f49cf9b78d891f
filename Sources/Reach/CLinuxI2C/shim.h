/* The kernel's i2c-dev for Swift, which cannot call variadic functions such as ioctl. */

#ifndef ANEROID_LINUX_I2C_H
#define ANEROID_LINUX_I2C_H

#include <errno.h>
#include <i2c/smbus.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* Returns the functionality of the adapter (I2C_FUNCS), or -errno. */
static inline int64_t linux_i2c_functionality(int bus) {
  unsigned long functions = 0;
  return ioctl(bus, I2C_FUNCS, &functions) < 0 ? -errno : (int64_t)functions;
}

/* Performs a combined transfer (I2C_RDWR). Returns 0 or -errno. */
static inline int linux_i2c_transfer(int bus, struct i2c_msg *messages, uint32_t count) {
  struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = count};
  return ioctl(bus, I2C_RDWR, &data) < 0 ? -errno : 0;
}

/* Sets the address of SMBus transactions (I2C_SLAVE). Returns 0 or -errno. */
static inline int linux_i2c_address(int bus, uint16_t address) {
  return ioctl(bus, I2C_SLAVE, (unsigned long)address) < 0 ? -errno : 0;
}

/* libi2c is LGPL-2.1: the self-contained binary of a release is linked without it, and the symbol is then null. */
#pragma weak i2c_smbus_access

/* Returns true if this program is linked with libi2c. */
static inline bool linux_i2c_has_library(void) { return i2c_smbus_access != NULL; }

/* Performs an SMBus transaction through libi2c with the address set before. Returns 0 or -errno. */
static inline int linux_i2c_smbus_library(
    int bus, uint8_t direction, uint8_t command, uint32_t size, union i2c_smbus_data *data) {
  return i2c_smbus_access(bus, (char)direction, command, (int)size, data);
}

/* Performs an SMBus transaction by ioctl (I2C_SMBUS) with the address set before. Returns 0 or -errno. */
static inline int linux_i2c_smbus_ioctl(
    int bus, uint8_t direction, uint8_t command, uint32_t size, union i2c_smbus_data *data) {
  struct i2c_smbus_ioctl_data transaction = {
      .read_write = direction, .command = command, .size = size, .data = data};
  return ioctl(bus, I2C_SMBUS, &transaction) < 0 ? -errno : 0;
}

#endif
