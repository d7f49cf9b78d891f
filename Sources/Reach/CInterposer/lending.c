/* Our readings of clocks in the place of the vDSO's, in a program that has just been executed.
 *
 * Programs and C libraries find the vDSO as ever. Of its code, which the kernel maps for each program and lets a tracer
 * write, three functions are replaced (reading.S). Where anything is not as it is known here, nothing is done. */

#define _GNU_SOURCE
#include "clocks.h"
#include "contents.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)

extern const uint8_t interposer_reading[], interposer_reading_of_day[],
    interposer_reading_of_seconds[], interposer_reading_begin[], interposer_reading_words[],
    interposer_reading_end[];

enum { JUMP = 5, LARGEST = 8192 };

/* The number behind a key of /proc/N/status, and how many there are. */
static unsigned value(const char *text, const char *key, unsigned *count) {
  const char *line = strstr(text, key);
  *count = 0;
  if (!line) return 0;
  unsigned first = 0;
  for (line += strlen(key); *line && *line != '\n'; (*count)++) {
    char *end;
    unsigned long number = strtoul(line, &end, 10);
    if (end == line) break;
    if (*count == 0) first = (unsigned)number;
    line = end;
  }
  return first;
}

/* How many filters a process has, and in how many name spaces of processes it is. */
static bool place_of(pid_t process, unsigned *filters, unsigned *depth) {
  char name[64], text[4096];
  unsigned count;
  snprintf(name, sizeof name, "/proc/%d/status", (int)process);
  if (interposer_contents(name, text, sizeof text) <= 0) return false;
  value(text, "\nNSpid:", depth);
  *filters = value(text, "\nSeccomp_filters:", &count);
  return *depth > 0 && count > 0;
}

/* A symbol of the vDSO of this process. */
static const ElfW(Sym) * find(const uint8_t *vdso, const char *wanted) {
  const ElfW(Ehdr) *header = (const void *)vdso;
  const ElfW(Phdr) *part = (const void *)(vdso + header->e_phoff);
  const ElfW(Dyn) *dynamic = NULL;
  for (int i = 0; i < header->e_phnum; i++)
    if (part[i].p_type == PT_DYNAMIC) dynamic = (const void *)(vdso + part[i].p_offset);
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    if (dynamic->d_tag == DT_SYMTAB) symbols = (const void *)(vdso + dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = (const char *)(vdso + dynamic->d_un.d_ptr);
  }
  /* The names follow the symbols. */
  for (; symbols && names && (const char *)(symbols + 1) <= names; symbols++)
    if (symbols->st_shndx != SHN_UNDEF && strcmp(names + symbols->st_name, wanted) == 0)
      return symbols;
  return NULL;
}

/* Lets a function of the image jump to one of ours. */
static void jump(struct interposer_clocks *clocks, uint64_t from, const uint8_t *target) {
  int32_t way = (int32_t)(clocks->readings + (uint64_t)(target - interposer_reading) - from - JUMP);
  uint8_t *place = clocks->image + (from - clocks->first);
  *place = 0xE9;
  memcpy(place + 1, &way, sizeof way);
}

bool interposer_prepare_lending(struct interposer_clocks *clocks) {
  const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
  size_t size = (size_t)(interposer_reading_end - interposer_reading);
  if (!vdso || !place_of(getpid(), &clocks->filters, &clocks->depth)) return false;
  const ElfW(Sym) *clock = find(vdso, "__vdso_clock_gettime"),
                  *day = find(vdso, "__vdso_gettimeofday"), *seconds = find(vdso, "__vdso_time");
  if (!clock || clock->st_size < size || !day || day->st_size < JUMP || !seconds ||
      seconds->st_size < JUMP)
    return false;
  uint64_t first = clock->st_value, last = first + size;
  for (int i = 0; i < 2; i++) {
    uint64_t place = (i ? seconds : day)->st_value;
    if (place + JUMP > clock->st_value && place < clock->st_value + size) return false;
    if (place < first) first = place;
    if (place + JUMP > last) last = place + JUMP;
  }
  if (last - first > LARGEST) return false;
  clocks->first = first;
  clocks->readings = clock->st_value;
  clocks->length = last - first;
  clocks->original = malloc(clocks->length);
  clocks->image = malloc(clocks->length);
  if (!clocks->original || !clocks->image) return false;
  memcpy(clocks->original, vdso + first, clocks->length);
  memcpy(clocks->image, vdso + first, clocks->length);
  memcpy(clocks->image + (clock->st_value - first), interposer_reading, size);
  jump(clocks, day->st_value, interposer_reading_of_day);
  jump(clocks, seconds->st_value, interposer_reading_of_seconds);
  return true;
}

/* Whether a process may have our readings: it has the vDSO of this one, no filter of its own that might forbid what they
 * call, the same numbers of threads and of memory. */
static bool may_have(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso) {
  unsigned filters, depth;
  uint8_t bytes[LARGEST];
  return place_of(process, &filters, &depth) && filters == clocks->filters + 1 &&
         depth == clocks->depth && interposer_shares_semaphores(process) &&
         interposer_read(process, vdso + clocks->first, bytes, clocks->length) ==
             (ssize_t)clocks->length &&
         memcmp(bytes, clocks->original, clocks->length) == 0;
}

static bool write_code(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/mem", (int)process);
  int memory = open(name, O_RDWR | O_CLOEXEC);
  if (memory < 0) return false;
  ssize_t count = pwrite(memory, clocks->image, clocks->length, (off_t)(vdso + clocks->first));
  close(memory);
  return count == (ssize_t)clocks->length;
}

bool interposer_lend(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso,
                     uint64_t entry) {
  /* The code of a 64-bit program. */
  enum { CODE = 0x33 };
  static const uint64_t step = 2 << 20, distance = 16 << 20;
  struct user_regs_struct registers;
  struct iovec place = {.iov_base = &registers, .iov_len = sizeof registers};
  if (clocks->segment < 0 || !may_have(clocks, process, vdso)) return false;
  if (ptrace(PTRACE_GETREGSET, process, (void *)NT_PRSTATUS, &place) < 0 || registers.cs != CODE)
    return false;
  /* Where the stack leaves room and nothing is mapped from above or from below; where it is taken, the program loses
   * the vDSO. */
  uint64_t words[4] = {(vdso + step - 1) / step * step + distance, entry, registers.rip,
                       (uint64_t)clocks->segment};
  memcpy(clocks->image + (clocks->readings - clocks->first) +
             (interposer_reading_words - interposer_reading),
         words, sizeof words);
  if (!write_code(clocks, process, vdso)) return false;
  registers.rip = vdso + clocks->readings + (uint64_t)(interposer_reading_begin - interposer_reading);
  return ptrace(PTRACE_SETREGSET, process, (void *)NT_PRSTATUS, &place) == 0;
}

#else

bool interposer_prepare_lending(struct interposer_clocks *clocks) {
  (void)clocks;
  return false;
}

bool interposer_lend(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso,
                     uint64_t entry) {
  (void)clocks, (void)process, (void)vdso, (void)entry;
  return false;
}

#endif
