#ifndef ANEROID_CLOCKS_H
#define ANEROID_CLOCKS_H

#include "interposer.h"

#include <stdatomic.h>
#include <sys/user.h>

enum { CLOCKS = 16, READERS = 4096 };

/* The memory shared with programs; vdso_clocks.S depends on its layout. */
struct shared_clocks {
  /* The global time, in nanoseconds since the start. */
  _Atomic uint64_t now;
  uint64_t reserved[7];
  /* The value of each clock at the start; 0 for clocks that only the supervisor or the kernel reads. */
  uint64_t origins[CLOCKS];
  /* Indexed by the low bits of the thread ID. */
  struct interposer_reader readers[READERS];
};

struct interposer_clocks {
  struct shared_clocks *shared;
  /* The System V ID of the memory; -1 if it cannot be shared. */
  int segment;
  /* The replaced part of the vDSO: its offset and that of clock_gettime, the original code and the new code. */
  uint64_t first, readings;
  size_t length;
  uint8_t *original, *image;
  /* The number of seccomp filters and the PID namespace depth of this process. */
  unsigned filters, depth;
};

/* Prepares the patch. Returns false if vDSOs cannot be patched. */
bool interposer_prepare_vdso_patch(struct interposer_clocks *clocks);
/* Replaces the clock functions in a program that has just been executed.
 *
 * vdso: the address of its vDSO; entry: the address of the vDSO entry in its auxiliary vector. */
bool interposer_patch_vdso(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso,
                     uint64_t entry);

#endif
