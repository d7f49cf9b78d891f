/* What a wait with a limit waits for, where the kernel tells: signals that files take, queues, semaphores. */

#define _GNU_SOURCE
#include "interposer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens what the kernel tells of an open file. */
static FILE *facts_of(pid_t thread, int descriptor) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)thread, descriptor);
  return fopen(name, "re");
}

/* The signals of a signalfd; those of the files in an epoll instance where it is one and may be. */
static uint64_t taken(pid_t thread, int descriptor, bool looks_inside) {
  FILE *facts = facts_of(thread, descriptor);
  char line[512];
  uint64_t signals = 0;
  while (facts && fgets(line, sizeof line, facts)) {
    if (strncmp(line, "sigmask:", 8) == 0) signals |= strtoull(line + 8, NULL, 16);
    if (looks_inside && strncmp(line, "tfd:", 4) == 0)
      signals |= taken(thread, atoi(line + 4), false);
  }
  if (facts) fclose(facts);
  return signals;
}

uint64_t interposer_taken_signals(pid_t thread, int descriptor) {
  return taken(thread, descriptor, true);
}

int interposer_open_flags(pid_t thread, int descriptor) {
  FILE *facts = facts_of(thread, descriptor);
  char line[512];
  int flags = -1;
  while (facts && flags < 0 && fgets(line, sizeof line, facts))
    if (strncmp(line, "flags:", 6) == 0) flags = (int)strtol(line + 6, NULL, 8);
  if (facts) fclose(facts);
  return flags;
}

bool interposer_shares_semaphores(pid_t thread) {
  char name[64];
  struct stat theirs, ours;
  snprintf(name, sizeof name, "/proc/%d/ns/ipc", (int)thread);
  return stat(name, &theirs) == 0 && stat("/proc/self/ns/ipc", &ours) == 0 &&
         theirs.st_ino == ours.st_ino;
}

int interposer_semaphore(int set, int index) {
  int value = semctl(set, index, GETVAL);
  return value < 0 ? -errno : value;
}
