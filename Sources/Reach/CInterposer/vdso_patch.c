/* Replaces the clock functions of the vDSO in a program that has just been executed.
 *
 * Programs and C libraries find the vDSO as usual. Three functions of its code, which the kernel maps for each
 * program and a tracer may write, are replaced by those of vdso_clocks.S. If anything differs from what is expected
 * here, nothing is changed. */

#define _GNU_SOURCE
#include "clocks.h"
#include "procfs.h"

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

extern const uint8_t interposer_vdso_clock_gettime[], interposer_vdso_gettimeofday[],
    interposer_vdso_time[], interposer_vdso_start[], interposer_vdso_words[],
    interposer_vdso_end[];

enum { JUMP = 5, LARGEST = 8192 };

/* Returns the first number after a key of /proc/N/status, and the count of numbers. */
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

/* Reads the number of seccomp filters of a process and its PID namespace depth. */
static bool read_status(pid_t process, unsigned *filters, unsigned *depth) {
  char name[64], text[4096];
  unsigned count;
  snprintf(name, sizeof name, "/proc/%d/status", (int)process);
  if (interposer_read_file(name, text, sizeof text) <= 0) return false;
  value(text, "\nNSpid:", depth);
  *filters = value(text, "\nSeccomp_filters:", &count);
  return *depth > 0 && count > 0;
}

/* Returns a symbol of this process's vDSO. */
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
  /* The string table follows the symbols. */
  for (; symbols && names && (const char *)(symbols + 1) <= names; symbols++)
    if (symbols->st_shndx != SHN_UNDEF && strcmp(names + symbols->st_name, wanted) == 0)
      return symbols;
  return NULL;
}

/* Writes a jump from a function of the image to one of ours. */
static void jump(struct interposer_clocks *clocks, uint64_t from, const uint8_t *target) {
  int32_t offset = (int32_t)(clocks->readings + (uint64_t)(target - interposer_vdso_clock_gettime) - from - JUMP);
  uint8_t *location = clocks->image + (from - clocks->first);
  *location = 0xE9;
  memcpy(location + 1, &offset, sizeof offset);
}

bool interposer_prepare_vdso_patch(struct interposer_clocks *clocks) {
  const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
  size_t size = (size_t)(interposer_vdso_end - interposer_vdso_clock_gettime);
  if (!vdso || !read_status(getpid(), &clocks->filters, &clocks->depth)) return false;
  const ElfW(Sym) *clock = find(vdso, "__vdso_clock_gettime"),
                  *day = find(vdso, "__vdso_gettimeofday"), *seconds = find(vdso, "__vdso_time");
  if (!clock || clock->st_size < size || !day || day->st_size < JUMP || !seconds ||
      seconds->st_size < JUMP)
    return false;
  uint64_t first = clock->st_value, last = first + size;
  for (int i = 0; i < 2; i++) {
    uint64_t location = (i ? seconds : day)->st_value;
    if (location + JUMP > clock->st_value && location < clock->st_value + size) return false;
    if (location < first) first = location;
    if (location + JUMP > last) last = location + JUMP;
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
  memcpy(clocks->image + (clock->st_value - first), interposer_vdso_clock_gettime, size);
  jump(clocks, day->st_value, interposer_vdso_gettimeofday);
  jump(clocks, seconds->st_value, interposer_vdso_time);
  return true;
}

/* Returns true if a process can use the functions: it has the same vDSO, no filter of its own that could reject
 * their calls, and the same PID and IPC namespaces. */
static bool may_have(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso) {
  unsigned filters, depth;
  uint8_t bytes[LARGEST];
  return read_status(process, &filters, &depth) && filters == clocks->filters + 1 &&
         depth == clocks->depth && interposer_shares_ipc_namespace(process) &&
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

bool interposer_patch_vdso(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso,
                     uint64_t entry) {
  /* The code segment of a 64-bit program. */
  enum { CODE = 0x33 };
  static const uint64_t step = 2 << 20, distance = 16 << 20;
  struct user_regs_struct registers;
  struct iovec vector = {.iov_base = &registers, .iov_len = sizeof registers};
  if (clocks->segment < 0 || !may_have(clocks, process, vdso)) return false;
  if (ptrace(PTRACE_GETREGSET, process, (void *)NT_PRSTATUS, &vector) < 0 || registers.cs != CODE)
    return false;
  /* An address near the vDSO that neither the stack nor mappings usually reach; if it is taken, the program loses
   * the vDSO. */
  uint64_t words[4] = {(vdso + step - 1) / step * step + distance, entry, registers.rip,
                       (uint64_t)clocks->segment};
  memcpy(clocks->image + (clocks->readings - clocks->first) +
             (interposer_vdso_words - interposer_vdso_clock_gettime),
         words, sizeof words);
  if (!write_code(clocks, process, vdso)) return false;
  registers.rip = vdso + clocks->readings + (uint64_t)(interposer_vdso_start - interposer_vdso_clock_gettime);
  return ptrace(PTRACE_SETREGSET, process, (void *)NT_PRSTATUS, &vector) == 0;
}

#else

bool interposer_prepare_vdso_patch(struct interposer_clocks *clocks) {
  (void)clocks;
  return false;
}

bool interposer_patch_vdso(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso,
                     uint64_t entry) {
  (void)clocks, (void)process, (void)vdso, (void)entry;
  return false;
}

#endif
