/* What files and descriptors are, of clients and of the nodes that are made up for them. */

#define _GNU_SOURCE
#include "interposer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* The major number of i2c-dev. */
enum { I2C_MAJOR = 89 };

ssize_t interposer_path(pid_t thread, int descriptor, char *path, size_t capacity) {
  char name[64];
  if (descriptor < 0)
    snprintf(name, sizeof name, "/proc/%d/cwd", (int)thread);
  else
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)thread, descriptor);
  ssize_t length = readlink(name, path, capacity);
  return length < 0 ? -errno : length;
}

bool interposer_is_open(pid_t thread, int descriptor) {
  char path[8];
  return interposer_path(thread, descriptor, path, sizeof path) >= 0;
}

int interposer_stat(const char *path, bool follow, void *bytes) {
  struct stat status;
  if (fstatat(AT_FDCWD, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) return -errno;
  memcpy(bytes, &status, sizeof status);
  return (int)sizeof status;
}

int interposer_statx(const char *path, int flags, unsigned mask, void *bytes) {
  if (syscall(SYS_statx, AT_FDCWD, path, flags & ~AT_EMPTY_PATH, mask, bytes) < 0) return -errno;
  return (int)sizeof(struct statx);
}

int interposer_device_stat(unsigned number, void *bytes) {
  struct stat status;
  memset(&status, 0, sizeof status);
  status.st_dev = 5;
  status.st_ino = 0x12C00 + number;
  status.st_mode = S_IFCHR | 0660;
  status.st_nlink = 1;
  status.st_uid = geteuid();
  status.st_gid = getegid();
  status.st_rdev = makedev(I2C_MAJOR, number);
  status.st_blksize = 4096;
  status.st_atim.tv_sec = status.st_mtim.tv_sec = status.st_ctim.tv_sec = time(NULL);
  memcpy(bytes, &status, sizeof status);
  return (int)sizeof status;
}

int interposer_device_statx(unsigned number, void *bytes) {
  struct statx status;
  memset(&status, 0, sizeof status);
  status.stx_mask = STATX_BASIC_STATS;
  status.stx_dev_minor = 5;
  status.stx_ino = 0x12C00 + number;
  status.stx_mode = S_IFCHR | 0660;
  status.stx_nlink = 1;
  status.stx_uid = geteuid();
  status.stx_gid = getegid();
  status.stx_rdev_major = I2C_MAJOR;
  status.stx_rdev_minor = number;
  status.stx_blksize = 4096;
  status.stx_atime.tv_sec = status.stx_mtime.tv_sec = status.stx_ctime.tv_sec = time(NULL);
  memcpy(bytes, &status, sizeof status);
  return (int)sizeof status;
}
