/* Reads the chip's id and eight bytes of calibration through libi2c. */
#include <fcntl.h>
#include <i2c/smbus.h>
#include <linux/i2c-dev.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(void) {
  int bus = open("/dev/i2c-1", O_RDWR);
  if (bus < 0 || ioctl(bus, I2C_SLAVE, 0x76) < 0) return 1;
  __u8 bytes[8];
  int id = i2c_smbus_read_byte_data(bus, 0xD0);
  int word = i2c_smbus_read_word_data(bus, 0x88);
  int count = i2c_smbus_read_i2c_block_data(bus, 0x88, sizeof bytes, bytes);
  printf("%02x %04x %d", id, word, count);
  for (int i = 0; i < count; i++) printf(" %02x", bytes[i]);
  printf("\n");
  return 0;
}
