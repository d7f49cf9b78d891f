/* Starts a program under a seccomp filter: the steps between fork and exec, in C only. */

#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* The status that the child reports before it executes the program. */
struct report {
  int outcome;
  int error;
  int waits_killable;
  pid_t process;
};

/* Sends a status, with the listener if there is one. */
static void send_report(int socket, struct report report, int listener) {
  struct iovec bytes = {.iov_base = &report, .iov_len = sizeof report};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
  memset(&control, 0, sizeof control);
  if (listener >= 0) {
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &listener, sizeof listener);
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

/* Installs a filter with a listener, with killable waiting if the kernel supports it. */
static int install(const struct sock_filter *filter, uint16_t length, int *waits_killable) {
  struct sock_fprog program = {.len = length, .filter = (struct sock_filter *)filter};
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
  *waits_killable = 1;
  long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                          flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (listener >= 0 || errno != EINVAL) return (int)listener;
  *waits_killable = 0;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Installs a filter. Root keeps its privileges; other users must set no_new_privs. */
static int listen_to_calls(const struct sock_filter *filter, uint16_t length, int *killable) {
  if (geteuid() == 0) {
    int listener = install(filter, length, killable);
    if (listener >= 0 || errno != EACCES) return listener;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
  return install(filter, length, killable);
}

static _Noreturn void execute(const struct interposer_program *program, int socket, pid_t parent,
                             pid_t group) {
  /* The guard has its own process group, so that signals to a group do not kill it; the program is in the
   * supervisor's group, as if started directly. */
  setpgid(0, group);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* Signals ignored by the supervisor would stay ignored after exec. */
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  struct report report = {.process = getpid()};
  /* Without the guard the program could outlive the supervisor. */
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent) _exit(125);
  int listener = listen_to_calls(program->filter, program->filter_length, &report.waits_killable);
  if (listener < 0) {
    report.outcome = INTERPOSER_NO_FILTER;
    report.error = errno;
    send_report(socket, report, -1);
    _exit(125);
  }
  send_report(socket, report, listener);
  close(listener);
  extern char **environ;
  execve(program->path, program->arguments, environ);
  if (errno == ENOEXEC) execve("/bin/sh", program->shell_arguments, environ);
  report.error = errno;
  send_report(socket, report, -1);
  _exit(127);
}

/* Receives a status. Returns false if there was none. */
static bool receive_report(int socket, struct report *report, int *listener) {
  struct iovec bytes = {.iov_base = report, .iov_len = sizeof *report};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &bytes,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  ssize_t count;
  do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count != (ssize_t)sizeof *report) return false;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS)
    memcpy(listener, CMSG_DATA(header), sizeof *listener);
  return true;
}

static void close_pair(const int *sockets) {
  close(sockets[0]);
  close(sockets[1]);
}

/* Starts the program as a child of this process, which becomes its guard. */
static _Noreturn void guard(const struct interposer_program *program, int socket, int line,
                            pid_t group) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  /* With SIGCHLD ignored, the exit status of children is lost, so restore the default before the first child. */
  signal(SIGCHLD, SIG_DFL);
  setpgid(0, 0);
  struct report report = {.outcome = INTERPOSER_NO_FORK};
  pid_t self = getpid(), child = -1;
  if (interposer_set_subreaper() == 0) {
    /* vfork shares the memory until the execution, which is cheaper than a copy. */
    child = vfork();
    if (child == 0) execute(program, socket, self, group);
  }
  if (child < 0) {
    report.error = errno;
    send_report(socket, report, -1);
    _exit(125);
  }
  interposer_guard(child, line);
}

struct interposer_start interposer_launch(const struct interposer_program *program) {
  struct interposer_start start = {
      .guard = -1, .listener = -1, .report = -1, .line = -1, .outcome = INTERPOSER_NO_FORK};
  int sockets[2], lines[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
    start.error = errno;
    return start;
  }
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, lines) < 0) {
    start.error = errno;
    close_pair(sockets);
    return start;
  }
  pid_t group = getpgrp();
  start.guard = fork();
  if (start.guard < 0) {
    start.error = errno;
    close_pair(sockets);
    close_pair(lines);
    return start;
  }
  if (start.guard == 0) {
    close(sockets[0]);
    close(lines[0]);
    guard(program, sockets[1], lines[1], group);
  }
  close(sockets[1]);
  close(lines[1]);
  start.report = sockets[0];
  start.line = lines[0];
  start.outcome = INTERPOSER_LAUNCHED;
  return start;
}

void interposer_await_start(struct interposer_start *start) {
  if (start->outcome != INTERPOSER_LAUNCHED) return;
  struct report report = {.outcome = INTERPOSER_NO_FORK, .error = ECHILD};
  receive_report(start->report, &report, &start->listener);
  start->outcome = report.outcome;
  start->error = report.error;
  start->waits_killable = report.waits_killable;
  start->process = report.process;
  if (start->outcome != INTERPOSER_STARTED) interposer_cancel_start(start);
}

void interposer_cancel_start(struct interposer_start *start) {
  if (start->guard < 0) return;
  /* Without a listener the execution for which the program waits fails, and the program exits. */
  if (start->listener >= 0) close(start->listener);
  close(start->report);
  interposer_dismiss(start->guard, start->line);
  start->guard = -1;
}

int interposer_execution_result(int report) {
  /* The socket is closed by exec; a second status means that the execution failed. */
  struct report second = {0};
  int listener = -1;
  return receive_report(report, &second, &listener) ? second.error : 0;
}

int interposer_probe(const struct sock_filter *filter, uint16_t length) {
  struct seccomp_notif_sizes sizes;
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0) return -errno;
  uint32_t action = SECCOMP_RET_USER_NOTIF;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0) return -errno;
  pid_t child = fork();
  if (child < 0) return -errno;
  if (child == 0) {
    int killable;
    int listener = listen_to_calls(filter, length, &killable);
    _exit(listener >= 0 ? 0 : errno < 255 ? errno : 255);
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -errno;
  return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}

int interposer_probe_tracing(void) {
  pid_t child = fork();
  if (child < 0) return -errno;
  while (child == 0) pause(); /* The child stops here. */
  int result = interposer_trace_exec(child);
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return result;
}
