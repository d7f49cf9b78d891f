/* Symbolic links of clients that lead to nodes: the kernel finds nothing behind them, so their ways are gone
 * here. Nothing is opened but places (O_PATH), and no file system is asked that a client might serve itself. */

#define _GNU_SOURCE
#include "links.h"

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

/* struct open_how, which some headers lack. */
struct how {
  uint64_t flags, mode, resolve;
};

int interposer_open_place(int base, const char *path, uint64_t flags, uint64_t resolve) {
  struct how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = resolve};
  int place = (int)syscall(__NR_openat2, base, path, &how, sizeof how);
  return place < 0 ? -errno : place;
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

/* Whether a mount's kind is that of a file system which another machine or a program serves. */
static bool is_served(const char *kind) {
  static const char *const kinds[] = {"fuse", "nfs", "cifs", "smb", "ceph", "afs", "autofs"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp(kind, kinds[i], strlen(kinds[i])) == 0 && strncmp(kind, "fuseblk", 7) != 0)
      return true;
  return false;
}

/* The kind of the file system of a place without a disk, as the mounts of a thread tell it; whether they do. */
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

bool interposer_is_of_this_machine(pid_t thread, const struct statx *status) {
  char kind[64];
  if (status->stx_dev_major != 0) return true;
  return find_kind(thread, status, kind, sizeof kind) && !is_served(kind);
}

bool interposer_is_on(pid_t thread, const struct statx *status, const char *wanted) {
  char kind[64];
  return find_kind(thread, status, kind, sizeof kind) && strcmp(kind, wanted) == 0;
}

bool interposer_look_at(int place, struct statx *status) {
  return statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, status) == 0;
}

/* Whether what the kernel does not remember of a path lies on this machine: the next folder above that it
 * remembers tells. */
static bool is_near(pid_t thread, int base, const char *path, uint64_t resolve) {
  char folder[4096];
  struct statx status;
  snprintf(folder, sizeof folder, "%s", path);
  for (char *slash; (slash = strrchr(folder, '/')) != NULL && slash != folder;) {
    *slash = 0;
    int place = interposer_open_place(base, folder, 0, resolve | CACHED);
    if (place == -EAGAIN) continue;
    if (place < 0) return false;
    bool is_near = interposer_look_at(place, &status) && interposer_is_of_this_machine(thread, &status);
    close(place);
    return is_near;
  }
  return interposer_look_at(base, &status) && interposer_is_of_this_machine(thread, &status);
}

/* Opens what a path of a thread names; -1 where that is nothing, or nobody can tell. */
static int open_named(pid_t thread, int directory, const char *path, uint64_t flags) {
  int base = interposer_open_base(thread, directory, path);
  if (base < 0) return -1;
  uint64_t resolve = path[0] == '/' ? IN_ROOT : 0;
  int place = interposer_open_place(base, path, flags, resolve | CACHED);
  if (place == -EAGAIN && is_near(thread, base, path, resolve))
    place = interposer_open_place(base, path, flags, resolve);
  close(base);
  return place < 0 ? -1 : place;
}

/* Where nobody keeps links to nodes, but programs look for their parts. */
static bool is_elsewhere(const char *path) {
  static const char *const folders[] = {"/usr/", "/lib", "/proc/", "/sys/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(path, folders[i], strlen(folders[i])) == 0) return true;
  return false;
}

bool interposer_has_links(pid_t thread, int directory, const char *path, bool has_jails) {
  if (is_elsewhere(path)) return false;
  size_t length = strlen(path);
  bool is_own = path[0] == '/' && !has_jails;
  if (is_own && interposer_is_plain(path, length)) return false;
  int base = is_own ? AT_FDCWD : interposer_open_base(thread, directory, path);
  if (base == -1) return false;
  /* What is no folder is not opened: that it is none says that it is there, and no link. */
  uint64_t root = path[0] == '/' && !is_own ? IN_ROOT : 0;
  int place = interposer_open_place(base, path, O_DIRECTORY, NO_LINKS | CACHED | root);
  if (place >= 0) close(place);
  if (base >= 0) close(base);
  if (is_own && (place >= 0 || place == -ENOTDIR)) interposer_keep_plain(path, length);
  if (place >= 0 || place == -ENOENT || place == -ENOTDIR) return false;
  char target[4096];
  return interposer_link(thread, directory, path, target, sizeof target) > 0;
}

bool interposer_may_make_elsewhere(const char *path, bool has_jails) {
  if (!is_elsewhere(path)) return false;
  if (has_jails || strncmp(path, "/proc/", 6) == 0) return true;
  int place = interposer_open_place(AT_FDCWD, path, O_DIRECTORY, NO_LINKS | CACHED);
  if (place >= 0) close(place);
  return place < 0 && place != -ENOENT && place != -ENOTDIR;
}

ssize_t interposer_link(pid_t thread, int directory, const char *path, char *target,
                        size_t capacity) {
  char name[4096];
  size_t length = strlen(path), end = length;
  while (end > 1 && path[end - 1] == '/') end--;
  if (length == 0 || length >= sizeof name || is_elsewhere(path)) return 0;
  snprintf(name, sizeof name, "%.*s", (int)end, path);
  int place = open_named(thread, directory, name, O_NOFOLLOW);
  if (place < 0) return 0;
  const char *slash = strrchr(name, '/');
  size_t start = slash ? (size_t)(slash - name) + 1 : 0;
  struct statx status;
  ssize_t count = 0;
  if (start < capacity && interposer_look_at(place, &status) && S_ISLNK(status.stx_mode) &&
      interposer_is_of_this_machine(thread, &status))
    count = readlinkat(place, "", target + start, capacity - start);
  close(place);
  /* A text that fills the buffer may be cut. */
  if (count <= 0 || start + (size_t)count >= capacity) return 0;
  bool is_absolute = target[start] == '/';
  if (is_absolute)
    memmove(target, target + start, (size_t)count);
  else
    memcpy(target, name, start);
  size_t size = (is_absolute ? 0 : start) + (size_t)count;
  /* A slash behind a link is one behind its target. */
  if (end < length) target[size++] = '/';
  return (ssize_t)size;
}
