/* Creation of a detached FUSE mount, whose files can be opened only through its descriptor. */

#define _GNU_SOURCE
#include "fuse.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Values of <linux/mount.h>, which conflicts with the headers of older C libraries. */
enum {
  CLOSE_ON_EXEC = 1,
  SET_STRING = 1,
  CREATE = 6,
  NO_SETUID_NO_DEVICES_NO_EXECUTION = 2 | 4 | 8,
};

#ifndef __NR_fsopen
#define __NR_fsopen 430
#define __NR_fsconfig 431
#define __NR_fsmount 432
#endif

/* Strings formatted before the fork, because nothing may be formatted after it. */
struct mount_options {
  char users[32], groups[32], user[16], group[16];
  bool is_privileged;
};

static bool put(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t done = write(file, text, strlen(text));
  close(file);
  return done > 0;
}

static int set(int context, const char *key, const char *value) {
  return (int)syscall(__NR_fsconfig, context, SET_STRING, key, value, 0);
}

/* Creates the mount. Returns its descriptor, or -1 and errno. */
static int mount_files(const struct mount_options *mount_options, int *device) {
  if (!mount_options->is_privileged) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) return -1;
    put("/proc/self/setgroups", "deny");
    if (!put("/proc/self/uid_map", mount_options->users) || !put("/proc/self/gid_map", mount_options->groups))
      return -1;
  }
  *device = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (*device < 0) return -1;
  char number[2] = {(char)('0' + *device), 0};
  int context = (int)syscall(__NR_fsopen, "fuse", CLOSE_ON_EXEC);
  if (context < 0 || set(context, "source", "aneroid") < 0 || set(context, "fd", number) < 0 ||
      set(context, "rootmode", "40000") < 0 || set(context, "user_id", mount_options->user) < 0 ||
      set(context, "group_id", mount_options->group) < 0 ||
      syscall(__NR_fsconfig, context, CREATE, NULL, NULL, 0) < 0)
    return -1;
  return (int)syscall(__NR_fsmount, context, CLOSE_ON_EXEC, NO_SETUID_NO_DEVICES_NO_EXECUTION);
}

static _Noreturn void mount_and_send(const struct mount_options *mount_options, int socket) {
  struct {
    int error;
  } report = {0};
  int descriptors[2] = {-1, -1};
  /* No descriptor of this process may stay open in a separate namespace; the next descriptors are 0 and 1. */
  for (int i = 0; i < 3; i++)
    if (i != socket) close(i);
  descriptors[0] = mount_files(mount_options, &descriptors[1]);
  if (descriptors[0] < 0) report.error = errno ? errno : EIO;
  struct iovec bytes = {.iov_base = &report, .iov_len = sizeof report};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof descriptors)];
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
  if (descriptors[0] >= 0) {
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  sendmsg(socket, &message, MSG_NOSIGNAL);
  _exit(0);
}

/* Receives the descriptors from the child. Returns 0 or -errno. */
static int receive(int socket, int descriptors[2]) {
  int error = 0;
  struct iovec bytes = {.iov_base = &error, .iov_len = sizeof error};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &bytes,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  ssize_t count;
  do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count != (ssize_t)sizeof error) return -ECHILD;
  if (error) return -error;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_len != CMSG_LEN(2 * sizeof(int))) return -EMFILE;
  memcpy(descriptors, CMSG_DATA(header), 2 * sizeof(int));
  return 0;
}

static int try_to_mount(const struct mount_options *mount_options, int descriptors[2]) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) return -errno;
  pid_t child = fork();
  if (child == 0) mount_and_send(mount_options, sockets[1]);
  close(sockets[1]);
  int result = child < 0 ? -EAGAIN : receive(sockets[0], descriptors);
  close(sockets[0]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return result;
}

int interposer_mount(int *device, int *root) {
  unsigned user = geteuid(), group = getegid();
  struct mount_options mount_options = {.is_privileged = user == 0};
  snprintf(mount_options.users, sizeof mount_options.users, "%u %u 1\n", user, user);
  snprintf(mount_options.groups, sizeof mount_options.groups, "%u %u 1\n", group, group);
  snprintf(mount_options.user, sizeof mount_options.user, "%u", user);
  snprintf(mount_options.group, sizeof mount_options.group, "%u", group);
  int descriptors[2];
  int result = try_to_mount(&mount_options, descriptors);
  if (result < 0 && mount_options.is_privileged) {
    /* Root without CAP_SYS_ADMIN is treated as an unprivileged user. */
    mount_options.is_privileged = false;
    result = try_to_mount(&mount_options, descriptors);
  }
  if (result < 0) return result;
  *root = descriptors[0];
  *device = descriptors[1];
  return 0;
}

int interposer_probe_files(void) {
  int device, root;
  int result = interposer_mount(&device, &root);
  if (result < 0) return result;
  close(device);
  close(root);
  return 0;
}
