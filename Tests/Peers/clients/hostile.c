/* Asks for whatever comes to mind: bad pointers, counts, flags, descriptors, memory that changes.
 * arguments: the number of calls and a seed. In the end the bus must still answer. */
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t state;

static uint64_t next(void) {
  uint64_t mixed = state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return mixed ^ mixed >> 31;
}

static struct i2c_msg messages[64];
static uint8_t data[64][64];
static volatile int is_over;

/* Changes the messages under the supervisor's eyes. */
static void *disturb(void *unused) {
  (void)unused;
  uint32_t step = 1;
  while (!is_over) {
    step = step * 1664525 + 1013904223;
    ((volatile uint8_t *)messages)[step >> 8 & 511] = (uint8_t)(step >> 24);
    if ((step & 0xFFF) == 0) usleep(50);
  }
  return NULL;
}

static void *pointer(void) {
  switch (next() % 8) {
    case 0: return NULL;
    case 1: return (void *)8;
    case 2: return (void *)(uintptr_t)next();
    case 3: return (void *)(UINTPTR_MAX - next() % 64);
    case 4: return (void *)((uintptr_t)0x7FFFFFFFF000 - next() % 4096);
    default: return data[next() % 64];
  }
}

static void fill(void) {
  for (int i = 0; i < 64; i++)
    messages[i] = (struct i2c_msg){.addr = next() % 4 ? 0x76 : (uint16_t)next(),
                                   .flags = next() % 4 ? next() & 1 : (uint16_t)next(),
                                   .len = next() % 32 ? next() % 64 : (uint16_t)next(),
                                   .buf = pointer()};
}

static int transfer(int bus) {
  static const uint32_t counts[] = {0, 1, 2, 3, 42, 43, 64, 1u << 31, UINT32_MAX};
  if (next() % 4 == 0) fill();
  struct i2c_rdwr_ioctl_data request = {.msgs = next() % 8 ? messages : pointer(),
                                        .nmsgs = counts[next() % 9]};
  return ioctl(bus, I2C_RDWR, next() % 8 ? &request : pointer());
}

static int smbus(int bus) {
  struct i2c_smbus_ioctl_data request = {.read_write = next() % 4 ? next() & 1 : (uint8_t)next(),
                                         .command = (uint8_t)next(),
                                         .size = next() % 4 ? next() % 9 : (uint32_t)next(),
                                         .data = pointer()};
  return ioctl(bus, I2C_SMBUS, next() % 8 ? &request : pointer());
}

int main(int count, char **arguments) {
  long calls = count > 1 ? atol(arguments[1]) : 1000;
  uint64_t seed = state = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  int bus = open("/dev/i2c-1", O_RDWR);
  pthread_t thread;
  pthread_create(&thread, NULL, disturb, NULL);
  fill();
  for (long i = 0; i < calls; i++) {
    int descriptor = next() % 64 ? bus : (int)(next() % 1100) - 2;
    switch (next() % 8) {
      case 0: case 1: case 2: transfer(descriptor); break;
      case 3: case 4: smbus(descriptor); break;
      case 5: ioctl(bus, 0x0700 | (next() & 0xFF), next() % 2 ? next() % 1024 : next()); break;
      case 6:
        if (descriptor == bus) {
          if (next() % 2) (void)!read(bus, pointer(), next() % 3 ? next() % 64 : next());
          else (void)!write(bus, pointer(), next() % 3 ? next() % 64 : next());
        }
        break;
      default:
        if (next() % 64 == 0) {
          close(bus);
          bus = open("/dev/i2c-1", O_RDWR);
        } else {
          ioctl(bus, I2C_FUNCS, pointer());
        }
    }
  }
  is_over = 1;
  pthread_join(thread, NULL);
  close(bus);
  bus = open("/dev/i2c-1", O_RDWR);
  uint8_t reg = 0xD0, id = 0;
  struct i2c_msg sane[] = {{.addr = 0x76, .len = 1, .buf = &reg},
                           {.addr = 0x76, .flags = I2C_M_RD, .len = 1, .buf = &id}};
  struct i2c_rdwr_ioctl_data request = {.msgs = sane, .nmsgs = 2};
  int done = ioctl(bus, I2C_RDWR, &request);
  printf("calls: %ld, seed: %llu, then: %d %02x\n", calls, (unsigned long long)seed, done, id);
  return id != 0x60;
}
