/* Information about threads from the kernel: their list, state and pending signals. */

#define _GNU_SOURCE
#include "interposer.h"
#include "procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void interposer_thread_close(struct interposer_thread_files *files) {
  if (files->state >= 0) close(files->state);
  if (files->runs >= 0) close(files->runs);
  if (files->signals >= 0) close(files->signals);
  files->state = files->runs = files->signals = -1;
}

/* Reads a /proc file of a thread; the file stays open if the caller keeps a descriptor for it. */
static ssize_t read_file(pid_t thread, const char *kind, int *file, char *text, size_t capacity) {
  char name[64];
  /* Below /proc/PID/task the kernel reports the thread alone, which is cheaper. */
  if (!file || *file < 0)
    snprintf(name, sizeof name, "/proc/%d/task/%d/%s", (int)thread, (int)thread, kind);
  return file ? interposer_reread_file(file, name, text, capacity)
              : interposer_read_file(name, text, capacity);
}

char interposer_thread_state(pid_t thread, struct interposer_thread_files *files,
                             uint64_t *started) {
  char text[1024];
  if (read_file(thread, "stat", files ? &files->state : NULL, text, sizeof text) <= 0) return 0;
  /* The name is in parentheses and may contain some: `pid (name) state ...`; the start time is field 22. */
  char *field = strrchr(text, ')');
  if (!field || !field[1]) return 0;
  char state = field[2];
  for (int index = 2; field && index < 22; index++) field = strchr(field + 1, ' ');
  *started = field ? strtoull(field + 1, NULL, 10) : 0;
  return state;
}

bool interposer_thread_is_off_processor(pid_t thread) {
  /* A thread shows the sleeping state before it sleeps, and in wait4 until it has reaped the child. This file either
   * shows a thread off the processor, or reports that it is running. */
  char name[64], text[256];
  snprintf(name, sizeof name, "/proc/%d/syscall", (int)thread);
  return interposer_read_file(name, text, sizeof text) <= 0 || strncmp(text, "running", 7) != 0;
}

bool interposer_thread_is_cloning(pid_t thread) {
  char name[64], text[256];
  snprintf(name, sizeof name, "/proc/%d/syscall", (int)thread);
  if (interposer_read_file(name, text, sizeof text) <= 0) return true;
  char *end;
  long number = strtol(text, &end, 10);
  if (end == text) return false;
#ifdef SYS_vfork
  if (number == SYS_vfork) return true;
#endif
  return number == SYS_clone || number == SYS_clone3;
}

void interposer_wait_for_parents(void) {
  /* The kernel ends a process and wakes its parent under one lock (tasklist_lock), on which this call waits. */
  waitid(P_ALL, 0, NULL, WEXITED | WNOHANG | WNOWAIT);
}

uint64_t interposer_thread_time_slices(pid_t thread, struct interposer_thread_files *files,
                                uint64_t *processor) {
  /* Time on a processor, time waiting for one, number of time slices. */
  char text[128];
  if (read_file(thread, "schedstat", files ? &files->runs : NULL, text, sizeof text) <= 0) return 0;
  char *rest;
  uint64_t time = strtoull(text, &rest, 10);
  strtoull(rest, &rest, 10);
  if (processor) *processor = time;
  return strtoull(rest, NULL, 10);
}

/* Returns the number after a key of /proc/N/status. */
static uint64_t number(const char *text, const char *key, int base) {
  const char *line = strstr(text, key);
  return line ? strtoull(line + strlen(key), NULL, base) : 0;
}

bool interposer_thread_signals(pid_t thread, struct interposer_thread_files *files,
                               struct interposer_thread_signals *signals) {
  char text[4096];
  if (read_file(thread, "status", files ? &files->signals : NULL, text, sizeof text) <= 0) return false;
  signals->process = (pid_t)number(text, "\nTgid:", 10);
  signals->tracer = (pid_t)number(text, "\nTracerPid:", 10);
  signals->threads = (int)number(text, "\nThreads:", 10);
  signals->own = number(text, "\nSigPnd:", 16);
  signals->shared = number(text, "\nShdPnd:", 16);
  signals->blocked = number(text, "\nSigBlk:", 16);
  signals->ignored = number(text, "\nSigIgn:", 16);
  signals->caught = number(text, "\nSigCgt:", 16);
  return true;
}

/* Compares numbers for qsort. */
static int compare(const void *left, const void *right) {
  return *(const int32_t *)left - *(const int32_t *)right;
}

int interposer_open_children(pid_t thread) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)thread, (int)thread);
  return open(name, O_RDONLY | O_CLOEXEC);
}

int interposer_read_children(int file, int32_t *list, int capacity) {
  lseek(file, 0, SEEK_SET);
  char text[4096];
  int32_t value = 0, count = 0;
  bool inside = false;
  for (ssize_t length; (length = read(file, text, sizeof text)) > 0;) {
    for (ssize_t index = 0; index < length; index++) {
      if (text[index] >= '0' && text[index] <= '9') {
        value = value * 10 + (text[index] - '0');
        inside = true;
      } else if (inside) {
        if (count < capacity) list[count] = value;
        count++;
        value = 0;
        inside = false;
      }
    }
  }
  if (inside && count++ < capacity) list[count - 1] = value;
  return count;
}

int interposer_open_threads(pid_t thread) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/task", (int)thread);
  return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The size of a directory entry with the longest name. */
#define LONGEST_ENTRY 280

int interposer_read_threads(int directory, int32_t *list, int capacity) {
  lseek(directory, 0, SEEK_SET);
  char bytes[4096];
  int count = 0;
  for (ssize_t length; (length = syscall(SYS_getdents64, directory, bytes, sizeof bytes)) > 0;) {
    for (ssize_t offset = 0; offset < length;) {
      /* struct linux_dirent64: inode, offset, length at 16, type, name at 19. */
      uint16_t size;
      memcpy(&size, bytes + offset + 16, sizeof size);
      int32_t found = atoi(bytes + offset + 19);
      if (found > 0) {
        if (count < capacity) list[count] = found;
        count++;
      }
      offset += size;
    }
    /* procfs fills the buffer while it has entries, so a last call that returns none is not needed. */
    if (length < (ssize_t)sizeof bytes - LONGEST_ENTRY) break;
  }
  qsort(list, count < capacity ? count : capacity, sizeof *list, compare);
  return count;
}
