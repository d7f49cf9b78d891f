/* Information about a client from the kernel: credentials, paths and directories. */

#define _GNU_SOURCE
#include "interposer.h"
#include "procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

/* Returns the text after a name at the start of a line. */
static const char *field(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? found + strlen(name) : "";
}

/* Returns the number at an index of a list. */
static uint32_t item(const char *list, int position) {
  char *next = (char *)list;
  unsigned long value = 0;
  for (int i = 0; i <= position; i++) value = strtoul(next, &next, 10);
  return (uint32_t)value;
}

int interposer_read_credentials(pid_t thread, struct interposer_credentials *client) {
  static char text[16384];
  char name[64];
  memset(client, 0, sizeof *client);
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  ssize_t length = interposer_read_file(name, text, sizeof text);
  if (length <= 0) return length < 0 ? (int)length : -ESRCH;
  client->process = (pid_t)item(field(text, "\nTgid:"), 0);
  client->parent = (pid_t)item(field(text, "\nPPid:"), 0);
  client->user = item(field(text, "\nUid:"), 3);
  client->group = item(field(text, "\nGid:"), 3);
  client->mask = (uint32_t)strtoul(field(text, "\nUmask:"), NULL, 8);
  client->capabilities = strtoull(field(text, "\nCapEff:"), NULL, 16);
  char *next = (char *)field(text, "\nGroups:");
  while (client->group_count < INTERPOSER_GROUPS) {
    while (*next == ' ' || *next == '\t') next++;
    if (*next < '0' || *next > '9') break;
    client->groups[client->group_count++] = (uint32_t)strtoul(next, &next, 10);
  }
  return 0;
}

ssize_t interposer_root(pid_t thread, char *path, size_t capacity) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/root", (int)thread);
  ssize_t length = readlink(name, path, capacity);
  return length < 0 ? -errno : length;
}

bool interposer_is_at_offset_zero(pid_t thread, int descriptor) {
  char name[64], text[64];
  snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)thread, descriptor);
  if (interposer_read_file(name, text, sizeof text) <= 0) return false;
  return strncmp(text, "pos:\t0\n", 7) == 0;
}

bool interposer_directory_has(pid_t thread, int descriptor, const char *name) {
  char path[512];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d/%s", (int)thread, descriptor, name);
  return lstat(path, &status) == 0;
}

bool interposer_has_directory(pid_t thread, const char *path) {
  char name[4160];
  struct stat status;
  snprintf(name, sizeof name, "/proc/%d/root%s", (int)thread, path);
  return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

int interposer_memory_file(const void *bytes, size_t count, unsigned mode) {
  int memory = memfd_create("aneroid", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -errno;
  const char *next = bytes;
  while (count > 0) {
    ssize_t done = write(memory, next, count);
    if (done < 0) {
      int error = errno;
      close(memory);
      return -error;
    }
    next += done;
    count -= (size_t)done;
  }
  fchmod(memory, mode);
  /* Several clients share it, so it is sealed against any change. */
  fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return memory;
}

int interposer_reopen(int file) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  int opened = open(name, O_RDONLY | O_CLOEXEC);
  return opened < 0 ? -errno : opened;
}

static int64_t nanoseconds(struct timespec time) {
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int interposer_file_metadata(int file, struct interposer_metadata *facts) {
  struct stat status;
  if (fstat(file, &status) < 0) return -errno;
  facts->file_system = status.st_dev;
  facts->inode = status.st_ino;
  facts->size = (uint64_t)status.st_size;
  facts->mode = status.st_mode;
  facts->links = (uint32_t)status.st_nlink;
  facts->user = status.st_uid;
  facts->group = status.st_gid;
  facts->read = nanoseconds(status.st_atim);
  facts->written = nanoseconds(status.st_mtim);
  facts->changed = nanoseconds(status.st_ctim);
  return 0;
}

int interposer_statfs(const char *path, int64_t type, void *bytes) {
  struct statfs status;
  if (statfs(path, &status) < 0) memset(&status, 0, sizeof status);
  if (type != 0) {
    memset(&status, 0, sizeof status);
    status.f_type = (__typeof__(status.f_type))type;
    status.f_bsize = status.f_frsize = 4096;
    status.f_namelen = 255;
  }
  memcpy(bytes, &status, sizeof status);
  return (int)sizeof status;
}

int64_t interposer_realtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
