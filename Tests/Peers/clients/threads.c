/* Sixteen threads open, read and close 300 times each; prints how many results were wrong. */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int wrong;

static void *work(void *unused) {
  (void)unused;
  for (int round = 0; round < 300; round++) {
    int bus = open("/dev/i2c-1", O_RDWR | O_CLOEXEC);
    uint8_t reg = 0xD0, id = 0;
    struct i2c_msg messages[] = {{.addr = 0x76, .len = 1, .buf = &reg},
                                 {.addr = 0x76, .flags = I2C_M_RD, .len = 1, .buf = &id}};
    struct i2c_rdwr_ioctl_data data = {.msgs = messages, .nmsgs = 2};
    if (bus < 0 || ioctl(bus, I2C_RDWR, &data) != 2 || id != 0x60)
      __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    if (bus >= 0) close(bus);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[16];
  for (int i = 0; i < 16; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 16; i++) pthread_join(threads[i], NULL);
  printf("wrong: %d of %d\n", wrong, 16 * 300);
  return wrong != 0;
}
