/* Symbolic links of clients that lead to nodes. The kernel finds nothing at their targets, so they are resolved
 * here. Files are opened only with O_PATH, and a file system that a client may serve itself is never queried. */

#define _GNU_SOURCE
#include "symlinks.h"

#include "interposer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_openat2
#define __NR_openat2 437
#endif

/* struct open_how, missing in older headers. */
struct how {
  uint64_t flags, mode, resolve;
};

int interposer_open_path(int base, const char *path, uint64_t flags, uint64_t resolve) {
  struct how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve};
  int location = (int)syscall(__NR_openat2, base, path, &how, sizeof how);
  return location < 0 ? -errno : location;
}

int interposer_open_base(pid_t thread, int directory, const char *path) {
  char name[64];
  if (path[0] == '/')
    snprintf(name, sizeof name, "/proc/%d/root", (int)thread);
  else if (directory < 0)
    snprintf(name, sizeof name, "/proc/%d/cwd", (int)thread);
  else
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)thread, directory);
  return open(name, O_PATH | O_CLOEXEC);
}

/* Returns true for the types of file systems that another machine or a program serves. */
static bool is_served(const char *kind) {
  static const char *const kinds[] = {"fuse", "nfs", "cifs", "smb", "ceph", "afs", "autofs"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp(kind, kinds[i], strlen(kinds[i])) == 0 && strncmp(kind, "fuseblk", 7) != 0)
      return true;
  return false;
}

/* Finds the file system type of a location without a block device in the mounts of a thread. Returns false if it is
 * not listed. */
static bool find_kind(pid_t thread, const struct statx *status, char *kind, size_t capacity) {
  char name[64], wanted[32], line[8192];
  snprintf(name, sizeof name, "/proc/%d/mountinfo", (int)thread);
  snprintf(wanted, sizeof wanted, "0:%u", status->stx_dev_minor);
  FILE *mounts = fopen(name, "re");
  bool is_known = false;
  while (mounts && !is_known && fgets(line, sizeof line, mounts)) {
    char device[32];
    const char *text = strstr(line, " - ");
    is_known = text && sscanf(line, "%*d %*d %31s", device) == 1 && strcmp(device, wanted) == 0;
    if (is_known) snprintf(kind, capacity, "%.*s", (int)strcspn(text + 3, " "), text + 3);
  }
  if (mounts) fclose(mounts);
  return is_known;
}

bool interposer_is_local(pid_t thread, const struct statx *status) {
  char kind[64];
  if (status->stx_dev_major != 0) return true;
  return find_kind(thread, status, kind, sizeof kind) && !is_served(kind);
}

bool interposer_is_on_file_system(pid_t thread, const struct statx *status, const char *wanted) {
  char kind[64];
  return find_kind(thread, status, kind, sizeof kind) && strcmp(kind, wanted) == 0;
}

bool interposer_read_metadata(int location, struct statx *status) {
  return statx(location, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, status) == 0;
}

/* Returns true if the part of a path that is not in the kernel's name cache is on a local file system, as its
 * closest cached parent directory is. */
static bool is_cached_on_local(pid_t thread, int base, const char *path, uint64_t resolve) {
  char folder[4096];
  struct statx status;
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash; (slash = strrchr(folder, '/')) != NULL && slash != folder;) {
    *slash = 0;
    int location = interposer_open_path(base, folder, 0, resolve | CACHED);
    if (location == -EAGAIN) continue;
    if (location < 0) return false;
    bool is_cached_on_local = interposer_read_metadata(location, &status) && interposer_is_local(thread, &status);
    close(location);
    return is_cached_on_local;
  }
  return interposer_read_metadata(base, &status) && interposer_is_local(thread, &status);
}

/* Opens the file at a path of a thread. Returns -1 if there is none or that cannot be determined. */
static int open_named(pid_t thread, int directory, const char *path, uint64_t flags) {
  int base = interposer_open_base(thread, directory, path);
  if (base < 0) return -1;
  uint64_t resolve = path[0] == '/' ? IN_ROOT : 0;
  int location = interposer_open_path(base, path, flags, resolve | CACHED);
  if (location == -EAGAIN && is_cached_on_local(thread, base, path, resolve))
    location = interposer_open_path(base, path, flags, resolve);
  close(base);
  return location < 0 ? -1 : location;
}

/* Returns true for directories in which programs look up their own files but links to nodes are not expected. */
static bool is_elsewhere(const char *path) {
  static const char *const folders[] = {"/usr/", "/lib", "/proc/", "/sys/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(path, folders[i], strlen(folders[i])) == 0) return true;
  return false;
}

bool interposer_has_links(pid_t thread, int directory, const char *path, bool has_chroots) {
  if (is_elsewhere(path)) return false;
  size_t length = strlen(path);
  bool is_own = path[0] == '/' && !has_chroots;
  if (is_own && interposer_is_cached_path(path, length)) return false;
  int base = is_own ? AT_FDCWD : interposer_open_base(thread, directory, path);
  if (base == -1) return false;
  /* O_DIRECTORY avoids opening a file: ENOTDIR shows that it exists and is not a link. */
  uint64_t root = path[0] == '/' && !is_own ? IN_ROOT : 0;
  int location = interposer_open_path(base, path, O_DIRECTORY, NO_LINKS | CACHED | root);
  if (location >= 0) close(location);
  if (base >= 0) close(base);
  if (is_own && (location >= 0 || location == -ENOTDIR)) interposer_cache_path(path, length);
  if (location >= 0 || location == -ENOENT || location == -ENOTDIR) return false;
  char target[4096];
  return interposer_link(thread, directory, path, target, sizeof target) > 0;
}

bool interposer_may_create_elsewhere(const char *path, bool has_chroots) {
  if (!is_elsewhere(path)) return false;
  if (has_chroots || strncmp(path, "/proc/", 6) == 0) return true;
  int location = interposer_open_path(AT_FDCWD, path, O_DIRECTORY, NO_LINKS | CACHED);
  if (location >= 0) close(location);
  return location < 0 && location != -ENOENT && location != -ENOTDIR;
}

ssize_t interposer_link(pid_t thread, int directory, const char *path, char *target,
                        size_t capacity) {
  char name[4096];
  size_t length = strlen(path), end = length;
  while (end > 1 && path[end - 1] == '/') end--;
  if (length == 0 || length >= sizeof name || is_elsewhere(path)) return 0;
  snprintf(name, sizeof name, "%.*s", (int)end, path);
  int location = open_named(thread, directory, name, O_NOFOLLOW);
  if (location < 0) return 0;
  const char *slash = strrchr(name, '/');
  size_t start = slash ? (size_t)(slash - name) + 1 : 0;
  struct statx status;
  ssize_t count = 0;
  if (start < capacity && interposer_read_metadata(location, &status) && S_ISLNK(status.stx_mode) &&
      interposer_is_local(thread, &status))
    count = readlinkat(location, "", target + start, capacity - start);
  close(location);
  /* Text that fills the buffer may be truncated. */
  if (count <= 0 || start + (size_t)count >= capacity) return 0;
  bool is_absolute = target[start] == '/';
  if (is_absolute)
    memmove(target, target + start, (size_t)count);
  else
    memcpy(target, name, start);
  size_t size = (is_absolute ? 0 : start) + (size_t)count;
  /* A trailing slash of the link applies to its target. */
  if (end < length) target[size++] = '/';
  return (ssize_t)size;
}
