/* The board functions of an image without a C library: memory, and stubs of the bus and the clock.
 * Interrupt table, stack and peripherals belong to the board and are not counted as the driver's size. */

#include <stddef.h>
#include <stdint.h>

static unsigned char heap[2048];
static size_t used;

int posix_memalign(void **result, size_t alignment, size_t size) {
  used = (used + alignment - 1) & ~(alignment - 1);
  *result = heap + used;
  used += size;
  return used > sizeof heap;
}

void free(void *pointer) { (void)pointer; }

void *memset(void *target, int value, size_t count) {
  unsigned char *bytes = target;
  while (count--) *bytes++ = (unsigned char)value;
  return target;
}

void *memcpy(void *target, const void *source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  while (count--) *to++ = *from++;
  return target;
}

void *memmove(void *target, const void *source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  if (to < from) return memcpy(target, source, count);
  while (count--) to[count] = from[count];
  return target;
}

/* The names of the ARM run-time ABI for these functions. */
void __aeabi_memcpy(void *target, const void *source, size_t count) { memcpy(target, source, count); }
void __aeabi_memcpy4(void *target, const void *source, size_t count) { memcpy(target, source, count); }
void __aeabi_memcpy8(void *target, const void *source, size_t count) { memcpy(target, source, count); }
void __aeabi_memmove(void *target, const void *source, size_t count) { memmove(target, source, count); }
void __aeabi_memclr(void *target, size_t count) { memset(target, 0, count); }
void __aeabi_memclr4(void *target, size_t count) { memset(target, 0, count); }
void __aeabi_memclr8(void *target, size_t count) { memset(target, 0, count); }

uintptr_t __stack_chk_guard = 0x0badcafe;
void __stack_chk_fail(void) { for (;;) {} }

volatile uint32_t board_bus, board_time, board_out;

int board_transfer(uint16_t address, _Bool is_read, unsigned char *bytes, int count) {
  board_bus = address;
  while (count--) {
    if (is_read) *bytes++ = (unsigned char)board_bus; else board_bus = *bytes++;
  }
  return (int)board_bus;
}

uint64_t board_nanoseconds(void) { return (uint64_t)board_time * 1000; }

void board_show(int32_t value) { board_out = (uint32_t)value; }

int main(int argc, char **argv);

void _start(void) {
  main(0, 0);
  for (;;) {}
}
