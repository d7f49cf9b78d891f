/* Prints what /dev/i2c-N answers to each call, one line each, so that two nodes can be compared. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Bad pointers are part of the test. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"

static int node;
static unsigned part, absent, bound;

static void print(const char *name, long result) {
  if (result < 0) printf("%s: %s\n", name, strerrorname_np(errno));
  else printf("%s: %ld\n", name, result);
}
#define CALL(name, expression) do { errno = 0; long value = (long)(expression); print(name, value); } while (0)

static void bytes(const char *name, const unsigned char *data, int count) {
  printf("%s:", name);
  for (int i = 0; i < count; i++) printf(" %02x", data[i]);
  printf("\n");
}

static long rdwr(struct i2c_msg *messages, unsigned count) {
  struct i2c_rdwr_ioctl_data data = {messages, count};
  return ioctl(node, I2C_RDWR, &data);
}

static long smbus(unsigned char read_write, unsigned char command, unsigned size, union i2c_smbus_data *data) {
  struct i2c_smbus_ioctl_data arguments = {read_write, command, size, data};
  return ioctl(node, I2C_SMBUS, &arguments);
}

static void addresses(void) {
  CALL("I2C_SLAVE 0x80", ioctl(node, I2C_SLAVE, 0x80));
  CALL("I2C_SLAVE 0x3ff", ioctl(node, I2C_SLAVE, 0x3ff));
  CALL("I2C_SLAVE -1", ioctl(node, I2C_SLAVE, -1L));
  CALL("I2C_SLAVE of a bound part", ioctl(node, I2C_SLAVE, bound));
  CALL("I2C_SLAVE_FORCE of a bound part", ioctl(node, I2C_SLAVE_FORCE, bound));
  CALL("I2C_SLAVE_FORCE 0x80", ioctl(node, I2C_SLAVE_FORCE, 0x80));
  CALL("I2C_TENBIT 1", ioctl(node, I2C_TENBIT, 1));
  CALL("I2C_SLAVE 0x3ff with I2C_TENBIT", ioctl(node, I2C_SLAVE, 0x3ff));
  CALL("I2C_SLAVE 0x400 with I2C_TENBIT", ioctl(node, I2C_SLAVE, 0x400));
  CALL("I2C_TENBIT 0", ioctl(node, I2C_TENBIT, 0));
  CALL("I2C_PEC 1", ioctl(node, I2C_PEC, 1));
  CALL("I2C_PEC 0", ioctl(node, I2C_PEC, 0));
  CALL("I2C_RETRIES 3", ioctl(node, I2C_RETRIES, 3));
  CALL("I2C_RETRIES above INT_MAX", ioctl(node, I2C_RETRIES, 1UL << 31));
  CALL("I2C_TIMEOUT 10", ioctl(node, I2C_TIMEOUT, 10));
  CALL("I2C_TIMEOUT above INT_MAX", ioctl(node, I2C_TIMEOUT, 1UL << 31));
  CALL("an unknown request", ioctl(node, 0x0799, 0));
  CALL("TCGETS", ioctl(node, 0x5401, 0));
  CALL("I2C_FUNCS without a pointer", ioctl(node, I2C_FUNCS, NULL));
}

static void plain(void) {
  unsigned char data[9000] = {0xd0};
  ioctl(node, I2C_SLAVE, part);
  CALL("write of 0 bytes", write(node, data, 0));
  CALL("read of 0 bytes", read(node, data, 0));
  CALL("write of the pointer", write(node, data, 1));
  CALL("read of a byte", read(node, data, 1));
  bytes("  it", data, 1);
  CALL("write from an unmapped buffer", write(node, (void *)16, 2));
  CALL("read into an unmapped buffer", read(node, (void *)16, 2));
  struct iovec parts[2] = {{data, 1}, {data + 1, 1}};
  data[0] = 0xd0;
  CALL("writev of one part", writev(node, parts, 1));
  CALL("readv of two parts", readv(node, parts, 2));
  ioctl(node, I2C_SLAVE, absent);
  CALL("write to an absent part", write(node, data, 1));
  CALL("read from an absent part", read(node, data, 1));
  CALL("write of 0 bytes to an absent part", write(node, data, 0));
  CALL("lseek", lseek(node, 0, SEEK_SET));
  CALL("pread", pread(node, data, 1, 0));
  CALL("pwrite", pwrite(node, data, 1, 0));
  CALL("ftruncate", ftruncate(node, 0));
  CALL("fsync", fsync(node));
  void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, node, 0);
  print("mmap", map == MAP_FAILED ? -1 : 0);
  struct pollfd item = {node, POLLIN | POLLOUT, 0};
  CALL("poll", poll(&item, 1, 0));
  printf("  events: %x\n", item.revents);
  struct stat status;
  CALL("fstat", fstat(node, &status));
  printf("  a character device: %d, size %ld\n", S_ISCHR(status.st_mode), (long)status.st_size);
  CALL("F_GETFL", fcntl(node, F_GETFL) & O_ACCMODE);
}

static void combined(void) {
  unsigned char pointer[] = {0xd0}, data[64] = {0};
  struct i2c_msg messages[64];
  memset(messages, 0, sizeof messages);
  CALL("I2C_RDWR without a pointer", ioctl(node, I2C_RDWR, NULL));
  CALL("I2C_RDWR of 0 messages", rdwr(messages, 0));
  CALL("I2C_RDWR without messages", rdwr(NULL, 1));
  CALL("I2C_RDWR of 43 messages", rdwr(messages, 43));
  messages[0] = (struct i2c_msg){part, 0, 1, pointer};
  messages[1] = (struct i2c_msg){part, I2C_M_RD, 1, data};
  CALL("I2C_RDWR of a register", rdwr(messages, 2));
  bytes("  it", data, 1);
  messages[1].len = 8193;
  CALL("I2C_RDWR of 8193 bytes", rdwr(messages, 2));
  messages[1] = (struct i2c_msg){part, I2C_M_RD, 1, NULL};
  CALL("I2C_RDWR into an unmapped buffer", rdwr(messages, 2));
  messages[0] = (struct i2c_msg){part, 0, 1, (unsigned char *)16};
  CALL("I2C_RDWR from an unmapped buffer", rdwr(messages, 1));
  messages[0] = (struct i2c_msg){absent, 0, 1, pointer};
  CALL("I2C_RDWR write to an absent part", rdwr(messages, 1));
  messages[0] = (struct i2c_msg){absent, I2C_M_RD, 1, data};
  CALL("I2C_RDWR read from an absent part", rdwr(messages, 1));
  messages[0] = (struct i2c_msg){part, 0, 0, data};
  CALL("I2C_RDWR write of 0 bytes", rdwr(messages, 1));
  messages[0] = (struct i2c_msg){part, I2C_M_RD | I2C_M_RECV_LEN, 1, data};
  data[0] = 0;
  CALL("I2C_M_RECV_LEN with a first byte of 0", rdwr(messages, 1));
  messages[0] = (struct i2c_msg){part, I2C_M_RECV_LEN, 1, data};
  data[0] = 1;
  CALL("I2C_M_RECV_LEN of a write", rdwr(messages, 1));
  messages[0] = (struct i2c_msg){bound, 0, 1, pointer};
  CALL("I2C_RDWR to a bound part", rdwr(messages, 1));
}

static void transactions(void) {
  union i2c_smbus_data data;
  memset(&data, 0, sizeof data);
  ioctl(node, I2C_SLAVE, part);
  CALL("I2C_SMBUS without a pointer", ioctl(node, I2C_SMBUS, NULL));
  CALL("quick write", smbus(I2C_SMBUS_WRITE, 0, I2C_SMBUS_QUICK, NULL));
  CALL("receive byte", smbus(I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE, &data));
  CALL("send byte", smbus(I2C_SMBUS_WRITE, 0xd0, I2C_SMBUS_BYTE, NULL));
  CALL("read byte data", smbus(I2C_SMBUS_READ, 0xd0, I2C_SMBUS_BYTE_DATA, &data));
  printf("  it: %02x\n", data.byte);
  CALL("read word data", smbus(I2C_SMBUS_READ, 0x88, I2C_SMBUS_WORD_DATA, &data));
  printf("  it: %04x\n", data.word);
  data.byte = 0x24;
  CALL("write byte data", smbus(I2C_SMBUS_WRITE, 0xf4, I2C_SMBUS_BYTE_DATA, &data));
  CALL("read of a size that does not exist", smbus(I2C_SMBUS_READ, 0, 99, &data));
  CALL("a direction that does not exist", smbus(2, 0, I2C_SMBUS_BYTE, &data));
  CALL("read byte data without a buffer", smbus(I2C_SMBUS_READ, 0xd0, I2C_SMBUS_BYTE_DATA, NULL));
  CALL("read byte data into an unmapped buffer", smbus(I2C_SMBUS_READ, 0xd0, I2C_SMBUS_BYTE_DATA, (void *)16));
  data.block[0] = 4;
  CALL("read block of 4", smbus(I2C_SMBUS_READ, 0x88, I2C_SMBUS_I2C_BLOCK_DATA, &data));
  bytes("  it", data.block, 5);
  data.block[0] = 33;
  CALL("read block of 33", smbus(I2C_SMBUS_READ, 0x88, I2C_SMBUS_I2C_BLOCK_DATA, &data));
  data.block[0] = 0;
  CALL("read block of 0", smbus(I2C_SMBUS_READ, 0x88, I2C_SMBUS_I2C_BLOCK_DATA, &data));
  data.block[0] = 33;
  CALL("write block of 33", smbus(I2C_SMBUS_WRITE, 0x88, I2C_SMBUS_I2C_BLOCK_DATA, &data));
  data.block[0] = 33;
  CALL("SMBus write block of 33", smbus(I2C_SMBUS_WRITE, 0x88, I2C_SMBUS_BLOCK_DATA, &data));
  CALL("SMBus read block", smbus(I2C_SMBUS_READ, 0xd0, I2C_SMBUS_BLOCK_DATA, &data));
  data.word = 0x1234;
  CALL("process call", smbus(I2C_SMBUS_WRITE, 0xd0, I2C_SMBUS_PROC_CALL, &data));
  ioctl(node, I2C_PEC, 1);
  CALL("read byte data with PEC", smbus(I2C_SMBUS_READ, 0xd0, I2C_SMBUS_BYTE_DATA, &data));
  ioctl(node, I2C_PEC, 0);
  ioctl(node, I2C_SLAVE, absent);
  CALL("quick write to an absent part", smbus(I2C_SMBUS_WRITE, 0, I2C_SMBUS_QUICK, NULL));
  CALL("receive byte from an absent part", smbus(I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE, &data));
  CALL("read byte data from an absent part", smbus(I2C_SMBUS_READ, 0xd0, I2C_SMBUS_BYTE_DATA, &data));
}

int main(int count, char **arguments) {
  if (count != 5) return 64;
  part = strtoul(arguments[2], NULL, 0), absent = strtoul(arguments[3], NULL, 0), bound = strtoul(arguments[4], NULL, 0);
  node = open(arguments[1], O_RDWR);
  print("open", node < 0 ? -1 : 0);
  unsigned long functionality = 0;
  CALL("I2C_FUNCS", ioctl(node, I2C_FUNCS, &functionality));
  printf("  it: %08lx\n", functionality);
  addresses();
  plain();
  combined();
  transactions();
  CALL("close", close(node));
  CALL("ioctl of a closed descriptor", ioctl(node, I2C_FUNCS, &functionality));
  return 0;
}
