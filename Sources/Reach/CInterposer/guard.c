/* The guard: a small process between the supervisor and the program. It holds only the socket to the supervisor,
 * adopts all orphans of the program, and kills all descendants when the supervisor ends. */

#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The state of the guard. */
struct guard {
  /* The program; 0 after its exit, because its process ID may be reused. */
  pid_t program;
  int line;
  int signals;
  /* The seccomp listener: while a process holds it, calls block instead of failing. */
  int listener;
  /* The temporary directory of the node files, if there is one. */
  int folder;
};

/* Closes all descriptors except two, so that the guard does not keep pipes open. */
static void keep_only(int one, int other) {
  unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);
  if (low > 0) syscall(__NR_close_range, 0u, low - 1, 0);
  if (high > low + 1) syscall(__NR_close_range, low + 1, high - 1, 0);
  syscall(__NR_close_range, high + 1, ~0u, 0);
}

/* Sends the wait status of the program to the supervisor. */
static void send_exit_status(struct guard *guard, int status) {
  guard->program = 0;
  while (send(guard->line, &status, sizeof status, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

/* Reaps exited children. Returns false if no child is left. */
static bool reap(struct guard *guard) {
  int status;
  pid_t child;
  while ((child = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
    if (child == guard->program) send_exit_status(guard, status);
  return child == 0;
}

/* Kills the children of this process. Their IDs cannot be reused, because only this process reaps them. */
static void kill_children(const struct guard *guard) {
  char name[64], text[8192];
  snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
  int file = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length < 0 && guard->program > 0) kill(guard->program, SIGKILL);
  if (length <= 0) return;
  text[length] = 0;
  char *next = text;
  /* A number without a following space is truncated. */
  for (long child; (child = strtol(next, &next, 10)) > 0 && *next == ' ';)
    kill((pid_t)child, SIGKILL);
}

/* Kills all descendants: orphans become children of this process and are killed in turn. */
static void end_all(struct guard *guard) {
  while (reap(guard)) {
    kill_children(guard);
    struct pollfd item = {.fd = guard->signals, .events = POLLIN};
    poll(&item, 1, 20);
    struct signalfd_siginfo info;
    while (read(guard->signals, &info, sizeof info) > 0) {
    }
  }
}

/* Removes a directory and its files; if it is already removed it has no path. */
static void remove_folder(int folder) {
  char name[64], path[512], entries[4096];
  snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
  ssize_t size = folder < 0 ? -1 : readlink(name, path, sizeof path - 1);
  if (size <= 0) return;
  path[size] = 0;
  for (ssize_t length; (length = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
    for (ssize_t offset = 0; offset < length;) {
      /* struct linux_dirent64: the length at 16, the name at 19. */
      uint16_t step;
      memcpy(&step, entries + offset + 16, sizeof step);
      unlinkat(folder, entries + offset + 19, 0);
      offset += step;
    }
  }
  rmdir(path);
}

ssize_t interposer_receive_order(int line, int *order, int *descriptor) {
  struct iovec bytes = {.iov_base = order, .iov_len = sizeof *order};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &bytes,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  *descriptor = -1;
  ssize_t count = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) return -errno;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  return count;
}

/* Handles an order of the supervisor. Returns false if the supervisor has ended. */
static bool take_order(struct guard *guard) {
  int order = 0, descriptor;
  ssize_t count = interposer_receive_order(guard->line, &order, &descriptor);
  if (count < 0) return count == -EINTR || count == -EAGAIN;
  if (count != (ssize_t)sizeof order) return false;
  int *held = order == INTERPOSER_REMOVE_FOLDER ? &guard->folder : &guard->listener;
  if (descriptor >= 0) *held = descriptor;
  if (order == INTERPOSER_END_ALL)
    end_all(guard);
  else if (order > INTERPOSER_END_ALL)
    return true;
  else if (order > 0 && guard->program > 0)
    kill(guard->program, order);
  return true;
}

void interposer_guard(pid_t program, int line) {
  sigset_t all;
  sigfillset(&all);
  struct guard guard = {.program = program,
                        .line = line,
                        .signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK),
                        .listener = -1,
                        .folder = -1};
  keep_only(guard.line, guard.signals);
  /* The program may have exited before the signal descriptor existed. */
  reap(&guard);
  for (;;) {
    struct pollfd items[2] = {{.fd = guard.line, .events = POLLIN},
                              {.fd = guard.signals, .events = POLLIN}};
    if (poll(items, 2, -1) < 0) continue;
    if (items[1].revents) {
      struct signalfd_siginfo info;
      while (read(guard.signals, &info, sizeof info) > 0) {
      }
      reap(&guard);
    }
    if (items[0].revents && !take_order(&guard)) break;
  }
  end_all(&guard);
  remove_folder(guard.folder);
  _exit(0);
}

int interposer_send_order(int line, int order, int descriptor) {
  struct iovec bytes = {.iov_base = &order, .iov_len = sizeof order};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent;
  do sent = sendmsg(line, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : 0;
}

bool interposer_are_orders_executed(int line, pid_t guard) {
  int unread = 0;
  uint64_t started;
  if (ioctl(line, SIOCOUTQ, &unread) == 0 && unread > 0) return false;
  /* The guard sleeps only after it has executed what it has read. */
  return interposer_thread_state(guard, NULL, &started) != 'R' && interposer_thread_is_off_processor(guard);
}

bool interposer_program_status(int line, bool waits, int *status) {
  ssize_t count;
  do count = recv(line, status, sizeof *status, waits ? 0 : MSG_DONTWAIT);
  while (count < 0 && errno == EINTR);
  if (count == (ssize_t)sizeof *status) return true;
  if (count < 0 && errno == EAGAIN) return false;
  /* If the guard was killed, the program was killed too. */
  *status = SIGKILL;
  return true;
}

/* Waits up to one second for a child to exit. Returns false if waiting is not possible. */
static bool wait_for_end(pid_t child) {
  int file = (int)syscall(SYS_pidfd_open, child, 0);
  if (file < 0) return false;
  struct pollfd item = {.fd = file, .events = POLLIN};
  int count = poll(&item, 1, 1000);
  close(file);
  if (count < 0) return false;
  waitpid(child, NULL, WNOHANG | __WALL);
  return true;
}

void interposer_dismiss(pid_t guard, int line) {
  close(line);
  /* The guard now exits; a descendant that cannot be killed is not waited for. */
  if (wait_for_end(guard)) return;
  for (int turn = 0; turn < 200; turn++) {
    if (waitpid(guard, NULL, WNOHANG | __WALL) != 0) return;
    usleep(turn < 20 ? 100 : 5000);
  }
}
