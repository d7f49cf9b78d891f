#ifndef ANEROID_CLOCKS_H
#define ANEROID_CLOCKS_H

#include "interposer.h"

#include <stdatomic.h>
#include <sys/user.h>

enum { CLOCKS = 16, READERS = 4096 };

/* What programs share with the supervisor; reading.S knows where everything lies. */
struct shared_clocks {
  /* The time of all, in nanoseconds since the start. */
  _Atomic uint64_t now;
  uint64_t reserved[7];
  /* What each clock showed at the start, 0 for one that only the supervisor or the kernel reads. */
  uint64_t origins[CLOCKS];
  /* By the last bits of the numbers of threads. */
  struct interposer_reader readers[READERS];
};

struct interposer_clocks {
  struct shared_clocks *shared;
  /* The number of the memory (System V), -1 where programs cannot have it. */
  int segment;
  /* What of the vDSO is replaced: where it begins and where our readings lie in it, as it was, and as it shall be. */
  uint64_t first, readings;
  size_t length;
  uint8_t *original, *image;
  /* What /proc tells of this process: how many filters it has, in how many name spaces of processes it is. */
  unsigned filters, depth;
};

/* Finds out what is to be replaced; whether programs can be lent our readings. */
bool interposer_prepare_lending(struct interposer_clocks *clocks);
/* Gives a program that has just been executed our readings in the place of the vDSO's.
 *
 * vdso: where it has its vDSO; entry: where its auxiliary vector tells of that. */
bool interposer_lend(const struct interposer_clocks *clocks, pid_t process, uint64_t vdso,
                     uint64_t entry);

#endif
