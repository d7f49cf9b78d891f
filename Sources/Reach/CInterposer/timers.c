/* Timers of clients: their signals, and timerfds that the supervisor expires. */

#define _GNU_SOURCE
#include "interposer.h"
#include "procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef TFD_IOC_SET_TICKS
#define TFD_IOC_SET_TICKS _IOW('T', 0, uint64_t)
#endif

/* The expiry of a timerfd that the supervisor expires: 60 years in seconds. */
enum { NEVER = 1900000000 };

int interposer_process_open(pid_t process) {
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 ? -errno : descriptor;
}

bool interposer_process_has_ended(int process) {
  struct pollfd item = {.fd = process, .events = POLLIN};
  return poll(&item, 1, 0) != 0;
}

int interposer_expire(int process, pid_t group, pid_t thread, int number, int timer, int overruns,
                      uint64_t value) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = number;
  info.si_code = SI_TIMER;
  info.si_timerid = timer;
  info.si_overrun = overruns;
  memcpy(&info.si_value, &value, sizeof value);
  long sent = thread > 0 ? syscall(SYS_rt_tgsigqueueinfo, group, thread, number, &info)
                         : syscall(SYS_pidfd_send_signal, process, number, &info, 0);
  return sent < 0 ? -errno : 0;
}

/* Reads the state of a timerfd. Returns false if the descriptor is not one. */
static bool read_timer(const char *name, uint64_t *interval, uint64_t *ticks) {
  char text[1024];
  if (interposer_read_file(name, text, sizeof text) <= 0) return false;
  const char *line = strstr(text, "\nit_interval: (");
  const char *count = strstr(text, "\nticks:");
  if (!line || !count) return false;
  *interval = strtoull(line + 15, NULL, 10);
  *ticks = strtoull(count + 7, NULL, 10);
  return true;
}

uint64_t interposer_timer_mark(pid_t thread, int descriptor) {
  char name[64];
  uint64_t interval, ticks;
  snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)thread, descriptor);
  return read_timer(name, &interval, &ticks) ? interval : INTERPOSER_NO_TIMER;
}

int interposer_copy_process_descriptor(pid_t process, int descriptor) {
  int holder = (int)syscall(SYS_pidfd_open, process, 0);
  if (holder < 0) return -errno;
  int copy = (int)syscall(__NR_pidfd_getfd, holder, descriptor, 0);
  int error = errno;
  close(holder);
  return copy < 0 ? -error : copy;
}

int interposer_timer_clock(int timer) {
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", timer);
  ssize_t length = interposer_read_file(name, text, sizeof text);
  if (length < 0) return (int)length;
  const char *line = strstr(text, "clockid:");
  return line ? atoi(line + 8) : -EINVAL;
}

int interposer_timer_set_mark(int timer, uint64_t mark) {
  struct itimerspec never = {.it_interval.tv_sec = (time_t)mark, .it_value.tv_sec = NEVER};
  return timerfd_settime(timer, 0, &never, NULL) < 0 ? -errno : 0;
}

int64_t interposer_timer_ticks(int timer) {
  char name[64];
  uint64_t interval, ticks;
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", timer);
  return read_timer(name, &interval, &ticks) ? (int64_t)ticks : -EBADF;
}

int interposer_timer_expire(int timer, uint64_t mark, uint64_t ticks) {
  if (ioctl(timer, TFD_IOC_SET_TICKS, &ticks) == 0) return 0;
  /* A kernel without checkpoint support cannot set the ticks, so let the timer expire once by itself. */
  struct itimerspec now = {.it_interval.tv_sec = (time_t)mark, .it_value.tv_nsec = 1};
  return timerfd_settime(timer, 0, &now, NULL) < 0 ? -errno : 0;
}
