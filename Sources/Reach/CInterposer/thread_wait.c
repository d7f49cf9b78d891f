/* The system call in which a thread sleeps, for the report of a stall. */

#define _GNU_SOURCE
#include "interposer.h"
#include "procfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* The same number on every architecture, newer than the C libraries that the command is built with. */
#define EPOLL_PWAIT2 441

static const struct {
  long number;
  enum interposer_wait kind;
} sleeps[] = {
    {SYS_read, INTERPOSER_SLEEP_READ},
    {SYS_pread64, INTERPOSER_SLEEP_READ},
    {SYS_readv, INTERPOSER_SLEEP_READ},
    {SYS_write, INTERPOSER_SLEEP_WRITE},
    {SYS_writev, INTERPOSER_SLEEP_WRITE},
    {SYS_recvfrom, INTERPOSER_SLEEP_READ},
    {SYS_recvmsg, INTERPOSER_SLEEP_READ},
    {SYS_accept, INTERPOSER_SLEEP_READ},
    {SYS_accept4, INTERPOSER_SLEEP_READ},
    {SYS_sendto, INTERPOSER_SLEEP_WRITE},
    {SYS_sendmsg, INTERPOSER_SLEEP_WRITE},
    {SYS_connect, INTERPOSER_SLEEP_WRITE},
    {SYS_wait4, INTERPOSER_SLEEP_CHILD},
    {SYS_waitid, INTERPOSER_SLEEP_CHILD},
    {SYS_futex, INTERPOSER_SLEEP_WORD},
    {SYS_ppoll, INTERPOSER_SLEEP_POLL},
    {SYS_pselect6, INTERPOSER_SLEEP_SELECT},
    {SYS_epoll_pwait, INTERPOSER_SLEEP_EPOLL},
    {SYS_rt_sigsuspend, INTERPOSER_SLEEP_SIGNAL},
    {SYS_rt_sigtimedwait, INTERPOSER_SLEEP_SIGNAL},
    {SYS_flock, INTERPOSER_SLEEP_LOCK},
    {SYS_fcntl, INTERPOSER_SLEEP_LOCK},
#ifdef SYS_poll
    {SYS_poll, INTERPOSER_SLEEP_POLL},
    {SYS_select, INTERPOSER_SLEEP_SELECT},
    {SYS_epoll_wait, INTERPOSER_SLEEP_EPOLL},
    {SYS_pause, INTERPOSER_SLEEP_SIGNAL},
#endif
    {EPOLL_PWAIT2, INTERPOSER_SLEEP_EPOLL},
};

enum interposer_wait interposer_thread_wait(pid_t thread, int32_t *number, uint64_t *arguments) {
  char name[64], text[256];
  snprintf(name, sizeof name, "/proc/%d/syscall", (int)thread);
  *number = -1;
  if (interposer_read_file(name, text, sizeof text) <= 0) return INTERPOSER_SLEEP_OTHER;
  char *rest;
  long call = strtol(text, &rest, 10);
  if (rest == text) return INTERPOSER_SLEEP_OTHER;
  *number = (int32_t)call;
  for (int index = 0; index < 6; index++) arguments[index] = strtoull(rest, &rest, 16);
  for (size_t index = 0; index < sizeof sleeps / sizeof *sleeps; index++)
    if (sleeps[index].number == call) return sleeps[index].kind;
  return INTERPOSER_SLEEP_OTHER;
}

bool interposer_descriptor_writes(pid_t process, int descriptor) {
  /* The permissions of the link show the access mode of the descriptor. */
  char name[64];
  struct stat status;
  snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)process, descriptor);
  return lstat(name, &status) == 0 && (status.st_mode & S_IWUSR) != 0;
}
