/* A driver that keeps its descriptor in a signed byte, as many small drivers do. */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct connection {
  uint8_t address;
  int8_t file;
};

static int8_t read_register(const struct connection *to, uint8_t place, uint8_t *bytes, int count) {
  if (write(to->file, &place, 1) != 1) return -1;
  return read(to->file, bytes, count) == count ? 0 : -1;
}

int main(void) {
  struct connection sensor = {.address = 0x76};
  uint8_t id = 0, calibration[24];
  if ((sensor.file = open("/dev/i2c-1", O_RDWR)) < 0) {
    printf("no bus: the descriptor is %d\n", sensor.file);
    return 1;
  }
  if (ioctl(sensor.file, I2C_SLAVE, sensor.address) < 0) return 2;
  if (read_register(&sensor, 0xD0, &id, 1) || read_register(&sensor, 0x88, calibration, 24))
    return 3;
  printf("%02x %02x%02x\n", id, calibration[0], calibration[1]);
  return 0;
}
