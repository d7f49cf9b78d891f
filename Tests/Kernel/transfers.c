/* Reads the chip ID of a part COUNT times: transfers NODE ADDRESS COUNT */

#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdlib.h>
#include <sys/ioctl.h>

int main(int count, char **arguments) {
  if (count != 4) return 64;
  int node = open(arguments[1], O_RDWR);
  unsigned char pointer = 0xd0, value = 0;
  unsigned short address = (unsigned short)strtol(arguments[2], NULL, 0);
  struct i2c_msg messages[] = {{address, 0, 1, &pointer}, {address, I2C_M_RD, 1, &value}};
  struct i2c_rdwr_ioctl_data transfer = {messages, 2};
  for (long left = atol(arguments[3]); left > 0; left--)
    if (ioctl(node, I2C_RDWR, &transfer) != 2 || value != 0x60) return 1;
  return node < 0;
}
