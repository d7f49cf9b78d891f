/* What virtual time needs to know of clients: what is ready, what was executed. */

#define _GNU_SOURCE
#include "clocks.h"
#include "contents.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

bool interposer_is_readable(int descriptor) {
  struct pollfd item = {.fd = descriptor, .events = POLLIN};
  return poll(&item, 1, 0) > 0;
}

/* The process of a thread, as a pidfd. */
static int process_of(pid_t thread) {
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  if (interposer_contents(name, text, sizeof text) <= 0) return -1;
  const char *line = strstr(text, "\nTgid:");
  return line ? (int)syscall(SYS_pidfd_open, atoi(line + 6), 0) : -1;
}

int interposer_look(pid_t thread, void *pollfds, unsigned count) {
  struct pollfd *items = pollfds;
  int process = process_of(thread);
  if (process < 0) return 0;
  int *theirs = malloc((count + 1) * sizeof *theirs);
  for (unsigned i = 0; i < count; i++) {
    theirs[i] = items[i].fd;
    if (items[i].fd >= 0) items[i].fd = (int)syscall(SYS_pidfd_getfd, process, items[i].fd, 0);
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

int interposer_look_epoll(pid_t thread, int descriptor, void *events, int capacity) {
  int process = process_of(thread);
  if (process < 0) return 0;
  int instance = (int)syscall(SYS_pidfd_getfd, process, descriptor, 0);
  int ready = instance < 0 ? -errno : epoll_wait(instance, events, capacity, 0);
  if (instance >= 0) close(instance);
  close(process);
  return ready;
}

size_t interposer_event_size(void) { return sizeof(struct epoll_event); }

int interposer_follow(pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, NULL, PTRACE_O_TRACEEXEC) == 0) return 0;
  int error = errno;
  /* One whose last try to execute something failed is followed already. */
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  if (interposer_contents(name, text, sizeof text) <= 0) return -error;
  const char *line = strstr(text, "\nTracerPid:");
  return line && atoi(line + 11) == getpid() ? 0 : -error;
}

/* The stack pointer of a process that has just been executed, or 0. */
static uint64_t stack_pointer(pid_t process) {
  struct user_regs_struct registers;
  struct iovec place = {.iov_base = &registers, .iov_len = sizeof registers};
  if (ptrace(PTRACE_GETREGSET, process, (void *)NT_PRSTATUS, &place) < 0) return 0;
#if defined(__x86_64__)
  return registers.rsp;
#else
  return registers.sp;
#endif
}

/* Gives a program our readings of clocks in the place of the vDSO's; where that is not possible it loses the entry of
 * the vDSO in its auxiliary vector: argument count, arguments, 0, environment, 0, vector. */
static void replace_vdso(pid_t process, const struct interposer_clocks *clocks) {
  uint64_t place = stack_pointer(process), word;
  if (!place || interposer_read(process, place, &word, 8) != 8) return;
  place += 8 * (word + 2);
  do {
    if (interposer_read(process, place, &word, 8) != 8) return;
    place += 8;
  } while (word);
  for (uint64_t entry[2];; place += sizeof entry) {
    if (interposer_read(process, place, entry, sizeof entry) != (ssize_t)sizeof entry) return;
    if (entry[0] == AT_NULL) return;
    if (entry[0] != AT_SYSINFO_EHDR) continue;
    if (clocks && interposer_lend(clocks, process, entry[1], place)) return;
    entry[0] = AT_IGNORE;
    interposer_write(process, place, entry, sizeof entry);
    return;
  }
}

bool interposer_stopped(pid_t process, int status, const struct interposer_clocks *clocks) {
  if (!WIFSTOPPED(status)) return false;
  int event = status >> 16;
  if (event == PTRACE_EVENT_EXEC) replace_vdso(process, clocks);
  /* Any other stop means that nothing was executed: the signal is delivered. */
  long signal = event ? 0 : WSTOPSIG(status);
  ptrace(PTRACE_DETACH, process, NULL, (void *)signal);
  return true;
}
