/* Scans a bus with a descriptor of its own for each address, all of them open at once; with an argument
 * it opens that many for each address. */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
  int times = count > 1 ? atoi(arguments[1]) : 1, opened = 0, refused = 0;
  for (int address = 0x03; address <= 0x77; address++) {
    for (int time = 0; time < times; time++) {
      unsigned char byte;
      int bus = open("/dev/i2c-1", O_RDWR);
      if (bus < 0) {
        refused++;
        continue;
      }
      opened++;
      if (ioctl(bus, I2C_SLAVE, address) == 0 && read(bus, &byte, 1) == 1 && time == 0)
        printf("%02x\n", address);
    }
  }
  printf("opened: %d, refused: %d\n", opened, refused);
  return 0;
}
