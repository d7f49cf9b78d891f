/* The conditions of waits with a timeout: ready descriptors, signalfds, message queues and semaphores. */

#define _GNU_SOURCE
#include "interposer.h"
#include "procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool interposer_is_readable(int descriptor) {
  struct pollfd item = {.fd = descriptor, .events = POLLIN};
  return poll(&item, 1, 0) > 0;
}

/* Opens the process of a thread as a pidfd. */
static int process_of(pid_t thread) {
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  if (interposer_read_file(name, text, sizeof text) <= 0) return -1;
  const char *line = strstr(text, "\nTgid:");
  return line ? (int)syscall(SYS_pidfd_open, atoi(line + 6), 0) : -1;
}

int interposer_poll(pid_t thread, void *pollfds, unsigned count) {
  struct pollfd *items = pollfds;
  int process = process_of(thread);
  if (process < 0) return 0;
  int *theirs = malloc((count + 1) * sizeof *theirs);
  for (unsigned i = 0; i < count; i++) {
    theirs[i] = items[i].fd;
    if (items[i].fd >= 0) items[i].fd = (int)syscall(__NR_pidfd_getfd, process, items[i].fd, 0);
  }
  int ready = poll(items, count, 0);
  for (unsigned i = 0; i < count; i++) {
    if (theirs[i] >= 0 && items[i].fd < 0) {
      items[i].revents = POLLNVAL;
      ready++;
    }
    if (items[i].fd >= 0) close(items[i].fd);
    items[i].fd = theirs[i];
  }
  free(theirs);
  close(process);
  return ready;
}

int interposer_poll_epoll(pid_t thread, int descriptor, void *events, int capacity) {
  int process = process_of(thread);
  if (process < 0) return 0;
  int instance = (int)syscall(__NR_pidfd_getfd, process, descriptor, 0);
  int ready = instance < 0 ? -errno : epoll_wait(instance, events, capacity, 0);
  if (instance >= 0) close(instance);
  close(process);
  return ready;
}

size_t interposer_epoll_event_size(void) { return sizeof(struct epoll_event); }

/* Opens the fdinfo of a descriptor. */
static FILE *facts_of(pid_t thread, int descriptor) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)thread, descriptor);
  return fopen(name, "re");
}

/* Returns the signals of a signalfd, or those of the signalfds in an epoll instance if looks_inside is set. */
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

uint64_t interposer_accepted_signals(pid_t thread, int descriptor) {
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

bool interposer_shares_ipc_namespace(pid_t thread) {
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
