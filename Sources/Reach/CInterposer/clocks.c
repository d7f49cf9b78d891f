/* The clocks that programs share with the supervisor, so that a reading needs no system call: the global time, and
 * the time of each reader, which is ahead of it by the cost of its readings. */

#define _GNU_SOURCE
#include "clocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

_Static_assert(offsetof(struct shared_clocks, origins) == 64, "vdso_clocks.S depends on this layout");
_Static_assert(offsetof(struct shared_clocks, readers) == 192, "vdso_clocks.S depends on this layout");
_Static_assert(sizeof(struct interposer_reader) == 64, "vdso_clocks.S depends on this layout");

/* Creates memory that is removed with its last user. Returns its System V ID, or -1 if only this process has it. */
static int make_shared(struct shared_clocks **shared) {
  int segment = shmget(IPC_PRIVATE, sizeof **shared, IPC_CREAT | 0600);
  if (segment >= 0) {
    void *memory = shmat(segment, NULL, 0);
    /* Linux permits further attaches while one process has it attached. */
    shmctl(segment, IPC_RMID, NULL);
    if (memory != (void *)-1) {
      *shared = memory;
      return segment;
    }
  }
  *shared = calloc(1, sizeof **shared);
  return -1;
}

struct interposer_clocks *interposer_clocks_create(const uint64_t *origins, int count) {
  struct interposer_clocks *clocks = calloc(1, sizeof *clocks);
  if (!clocks) abort();
  clocks->segment = make_shared(&clocks->shared);
  if (!clocks->shared) abort();
  for (int clock = 0; clock < count && clock < CLOCKS; clock++)
    clocks->shared->origins[clock] = origins[clock];
  if (clocks->segment >= 0 && !interposer_prepare_vdso_patch(clocks)) clocks->segment = -1;
  return clocks;
}

void interposer_clocks_destroy(struct interposer_clocks *clocks) {
  if (shmdt(clocks->shared) < 0) free(clocks->shared);
  free(clocks->original);
  free(clocks->image);
  free(clocks);
}

void interposer_clocks_set_origin(struct interposer_clocks *clocks, int clock, uint64_t origin) {
  clocks->shared->origins[clock] = origin;
}

void interposer_clocks_publish(struct interposer_clocks *clocks, uint64_t now) {
  atomic_store_explicit(&clocks->shared->now, now, memory_order_release);
}

struct interposer_reader *interposer_clocks_reader(struct interposer_clocks *clocks,
                                                   pid_t thread) {
  return &clocks->shared->readers[(uint32_t)thread % READERS];
}
