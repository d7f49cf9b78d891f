/* The C library functions that compiled Swift calls. */
#include <stddef.h>
#include <stdint.h>

extern unsigned char heap_start, heap_end;

/* A heap block: its size including this header, and the next free block by address. Swift needs 16-byte alignment. */
struct block {
  size_t size;
  struct block *next;
} __attribute__((aligned(16)));

static struct block *unused;
static int is_ready;

/* Allocates from the first free block that is large enough; the remainder stays free. */
int posix_memalign(void **result, size_t alignment, size_t size) {
  if (!is_ready) {
    is_ready = 1;
    unused = (struct block *)&heap_start;
    unused->size = (size_t)(&heap_end - &heap_start);
    unused->next = 0;
  }
  if (alignment > sizeof(struct block)) return 22;
  const size_t whole = (size + 2 * sizeof(struct block) - 1) & ~(sizeof(struct block) - 1);
  for (struct block **link = &unused; *link; link = &(*link)->next) {
    struct block *found = *link;
    if (found->size < whole) continue;
    if (found->size >= whole + 2 * sizeof(struct block)) {
      struct block *rest = (struct block *)((unsigned char *)found + whole);
      rest->size = found->size - whole;
      rest->next = found->next;
      found->size = whole;
      *link = rest;
    } else {
      *link = found->next;
    }
    *result = found + 1;
    return 0;
  }
  return 12;
}

static int touches(const struct block *first, const struct block *second) {
  return (const unsigned char *)first + first->size == (const unsigned char *)second;
}

void free(void *pointer) {
  if (!pointer) return;
  struct block *back = (struct block *)pointer - 1, *before = 0, **link = &unused;
  while (*link && *link < back) {
    before = *link;
    link = &before->next;
  }
  back->next = *link;
  *link = back;
  if (back->next && touches(back, back->next)) {
    back->size += back->next->size;
    back->next = back->next->next;
  }
  if (before && touches(before, back)) {
    before->size += back->size;
    before->next = back->next;
  }
}

/* Unaligned words and halfwords: a Cortex-M4 accesses them in one instruction. */
struct __attribute__((packed, may_alias)) word {
  uint32_t value;
};
struct __attribute__((packed, may_alias)) half {
  uint16_t value;
};

/* Fills whole words where possible: most calls are for arrays on the stack. */
void *memset(void *target, int value, size_t count) {
  unsigned char *bytes = target;
  const uint32_t four = (unsigned char)value * 0x01010101u;
  for (; count >= 16; count -= 16, bytes += 16)
    for (int offset = 0; offset < 16; offset += 4) ((struct word *)(bytes + offset))->value = four;
  for (; count >= 4; count -= 4, bytes += 4) ((struct word *)bytes)->value = four;
  while (count--) *bytes++ = (unsigned char)value;
  return target;
}

/* Copies whole words; the last one ends at the end and may overlap the one before. */
void *memcpy(void *target, const void *source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  if (count >= 4) {
    unsigned char *const last = to + count - 4;
    const uint32_t end = ((const struct word *)(from + count - 4))->value;
    for (; to < last; to += 4, from += 4) ((struct word *)to)->value = ((const struct word *)from)->value;
    ((struct word *)last)->value = end;
    return target;
  }
  if (count & 2) {
    ((struct half *)to)->value = ((const struct half *)from)->value;
    to += 2, from += 2;
  }
  if (count & 1) *to = *from;
  return target;
}

void *memmove(void *target, const void *source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  // A forward copy is safe unless the target starts inside the source.
  if ((uintptr_t)to - (uintptr_t)from >= count) return memcpy(target, source, count);
  while (count--) to[count] = from[count];
  return target;
}

/* Aliases of the ARM run-time ABI. */
void __aeabi_memcpy(void *target, const void *source, size_t count) { memcpy(target, source, count); }
void __aeabi_memcpy4(void *target, const void *source, size_t count) { memcpy(target, source, count); }
void __aeabi_memcpy8(void *target, const void *source, size_t count) { memcpy(target, source, count); }
void __aeabi_memmove(void *target, const void *source, size_t count) { memmove(target, source, count); }
void __aeabi_memmove4(void *target, const void *source, size_t count) { memmove(target, source, count); }
void __aeabi_memmove8(void *target, const void *source, size_t count) { memmove(target, source, count); }
void __aeabi_memset(void *target, size_t count, int value) { memset(target, value, count); }
void __aeabi_memset4(void *target, size_t count, int value) { memset(target, value, count); }
void __aeabi_memset8(void *target, size_t count, int value) { memset(target, value, count); }
void __aeabi_memclr(void *target, size_t count) { memset(target, 0, count); }
void __aeabi_memclr4(void *target, size_t count) { memset(target, 0, count); }
void __aeabi_memclr8(void *target, size_t count) { memset(target, 0, count); }
