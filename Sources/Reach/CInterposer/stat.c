/* Paths of descriptors, and the metadata structures of synthetic files. */

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

static struct timespec moment(int64_t nanoseconds) {
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return time;
}

int interposer_stat(const struct interposer_metadata *facts, void *bytes) {
  struct stat status;
  memset(&status, 0, sizeof status);
  status.st_dev = facts->file_system;
  status.st_ino = facts->inode;
  status.st_mode = facts->mode;
  status.st_nlink = facts->links;
  status.st_uid = facts->user;
  status.st_gid = facts->group;
  status.st_rdev = makedev(facts->device_major, facts->device_minor);
  status.st_size = (off_t)facts->size;
  status.st_blksize = 4096;
  status.st_atim = moment(facts->read);
  status.st_mtim = moment(facts->written);
  status.st_ctim = moment(facts->changed);
  memcpy(bytes, &status, sizeof status);
  return (int)sizeof status;
}

static struct statx_timestamp instant(int64_t nanoseconds) {
  struct statx_timestamp time = {.tv_sec = nanoseconds / 1000000000,
                                 .tv_nsec = (uint32_t)(nanoseconds % 1000000000)};
  return time;
}

int interposer_statx(const struct interposer_metadata *facts, void *bytes) {
  struct statx status;
  memset(&status, 0, sizeof status);
  status.stx_mask = STATX_BASIC_STATS;
  status.stx_dev_major = major(facts->file_system);
  status.stx_dev_minor = minor(facts->file_system);
  status.stx_ino = facts->inode;
  status.stx_mode = (uint16_t)facts->mode;
  status.stx_nlink = facts->links;
  status.stx_uid = facts->user;
  status.stx_gid = facts->group;
  status.stx_rdev_major = facts->device_major;
  status.stx_rdev_minor = facts->device_minor;
  status.stx_size = facts->size;
  status.stx_blksize = 4096;
  status.stx_atime = instant(facts->read);
  status.stx_mtime = instant(facts->written);
  status.stx_ctime = instant(facts->changed);
  memcpy(bytes, &status, sizeof status);
  return (int)sizeof status;
}
