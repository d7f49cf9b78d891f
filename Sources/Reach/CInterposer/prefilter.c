/* The pre-filter: recognizes calls that cannot concern the interposer by their paths, before any other work is done.
 * Calls that might concern it are passed on to the supervisor. */

#define _GNU_SOURCE
#include "interposer.h"
#include "symlinks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

/* The arguments with the directory (-1: the working directory) and the path of a call that has one path. */
struct shape {
  bool is_path;
  /* true if the call can create a link or a mount. */
  bool makes_links;
  int8_t directory, path;
  /* The argument with the flags that prevent following a final link, if any. */
  int8_t flags;
  int no_link;
};
enum { NO_FLAGS = -1, NEVER_FOLLOWS = -2 };
static const struct shape at_first = {true, false, -1, 0, NO_FLAGS, 0},
                          at_second = {true, false, 0, 1, NO_FLAGS, 0};

/* The calls that may not follow a link at the end of their path. */
static const struct {
  enum interposer_call_name name;
  int8_t flags;
  int no_link;
} without_links[] = {
    {INTERPOSER_OPEN, 1, O_NOFOLLOW},
    {INTERPOSER_OPENAT, 2, O_NOFOLLOW},
    {INTERPOSER_NEWFSTATAT, 3, AT_SYMLINK_NOFOLLOW},
    {INTERPOSER_STATX, 2, AT_SYMLINK_NOFOLLOW},
    {INTERPOSER_UTIMENSAT, 3, AT_SYMLINK_NOFOLLOW},
    {INTERPOSER_FCHOWNAT, 4, AT_SYMLINK_NOFOLLOW},
    {INTERPOSER_LSTAT, NEVER_FOLLOWS, 0},
    {INTERPOSER_READLINK, NEVER_FOLLOWS, 0},
    {INTERPOSER_READLINKAT, NEVER_FOLLOWS, 0},
    {INTERPOSER_LGETXATTR, NEVER_FOLLOWS, 0},
    {INTERPOSER_LLISTXATTR, NEVER_FOLLOWS, 0},
    {INTERPOSER_LSETXATTR, NEVER_FOLLOWS, 0},
    {INTERPOSER_LREMOVEXATTR, NEVER_FOLLOWS, 0},
    {INTERPOSER_LCHOWN, NEVER_FOLLOWS, 0},
    {INTERPOSER_MKNOD, NEVER_FOLLOWS, 0},
    {INTERPOSER_MKNODAT, NEVER_FOLLOWS, 0},
    {INTERPOSER_MKDIR, NEVER_FOLLOWS, 0},
    {INTERPOSER_MKDIRAT, NEVER_FOLLOWS, 0},
    {INTERPOSER_RMDIR, NEVER_FOLLOWS, 0},
    {INTERPOSER_UNLINK, NEVER_FOLLOWS, 0},
    {INTERPOSER_UNLINKAT, NEVER_FOLLOWS, 0}};

static struct shape shape_of(int number) {
  static struct shape shapes[512];
  static bool is_ready;
  if (!is_ready) {
    static const enum interposer_call_name plain[] = {
        INTERPOSER_OPEN,       INTERPOSER_STAT,      INTERPOSER_LSTAT,     INTERPOSER_ACCESS,
        INTERPOSER_READLINK,   INTERPOSER_GETXATTR,  INTERPOSER_LGETXATTR, INTERPOSER_LISTXATTR,
        INTERPOSER_LLISTXATTR, INTERPOSER_STATFS,    INTERPOSER_CHMOD,     INTERPOSER_CHOWN,
        INTERPOSER_LCHOWN,     INTERPOSER_UTIME,     INTERPOSER_UTIMES,    INTERPOSER_TRUNCATE,
        INTERPOSER_CREAT,      INTERPOSER_MKNOD,     INTERPOSER_MKDIR,     INTERPOSER_RMDIR,
        INTERPOSER_UNLINK,     INTERPOSER_SETXATTR,  INTERPOSER_LSETXATTR, INTERPOSER_REMOVEXATTR,
        INTERPOSER_LREMOVEXATTR};
    static const enum interposer_call_name relative[] = {
        INTERPOSER_OPENAT,     INTERPOSER_OPENAT2,    INTERPOSER_NEWFSTATAT, INTERPOSER_STATX,
        INTERPOSER_FACCESSAT,  INTERPOSER_FACCESSAT2, INTERPOSER_READLINKAT, INTERPOSER_FCHMODAT,
        INTERPOSER_FCHMODAT2,  INTERPOSER_FCHOWNAT,   INTERPOSER_FUTIMESAT,  INTERPOSER_UTIMENSAT,
        INTERPOSER_MKNODAT,    INTERPOSER_MKDIRAT,    INTERPOSER_UNLINKAT};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
      int call = interposer_call_number(plain[i]);
      if (call >= 0 && call < 512) shapes[call] = at_first;
    }
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
      int call = interposer_call_number(relative[i]);
      if (call >= 0 && call < 512) shapes[call] = at_second;
    }
    static const enum interposer_call_name making[] = {
        INTERPOSER_SYMLINK, INTERPOSER_SYMLINKAT, INTERPOSER_LINK,  INTERPOSER_LINKAT,
        INTERPOSER_RENAME,  INTERPOSER_RENAMEAT,  INTERPOSER_RENAMEAT2, INTERPOSER_MOUNT,
        INTERPOSER_UMOUNT2, INTERPOSER_MOVE_MOUNT, INTERPOSER_CHROOT, INTERPOSER_PIVOT_ROOT};
    for (size_t i = 0; i < sizeof making / sizeof *making; i++) {
      int call = interposer_call_number(making[i]);
      if (call >= 0 && call < 512) shapes[call].makes_links = true;
    }
    for (size_t i = 0; i < sizeof without_links / sizeof *without_links; i++) {
      int call = interposer_call_number(without_links[i].name);
      if (call < 0 || call >= 512) continue;
      shapes[call].flags = without_links[i].flags;
      shapes[call].no_link = without_links[i].no_link;
    }
    is_ready = true;
  }
  return number >= 0 && number < 512 ? shapes[number] : (struct shape){0};
}

static bool contains(const char *text, size_t length, const char *word) {
  return memmem(text, length, word, strlen(word)) != NULL;
}

bool interposer_is_relevant_path(const struct interposer_prefilter *prefilter, int directory, const char *path,
                        size_t length) {
  if (length == 0 || path[0] != '/') {
    /* Relative to a synthetic directory, or about a descriptor, whose number may be low. */
    if (directory >= 0 && prefilter->has_sockets &&
        (length == 0 || (unsigned)directory >= prefilter->first_number))
      return true;
    if (directory < 0 && prefilter->has_folders) return true;
  }
  if (contains(path, length, "i2c") || contains(path, length, "89:")) return true;
  if (prefilter->has_sockets && contains(path, length, "fd/")) return true;
  for (int i = 0; i < prefilter->word_count; i++)
    if (contains(path, length, prefilter->words[i])) return true;
  return false;
}

/* Reads a path of at most capacity bytes. Returns its length without the terminator, or -1 if it cannot be read or
 * is not terminated. */
static ssize_t read_path(pid_t thread, uint64_t address, char *path, size_t capacity) {
  enum { PAGE = 4096 };
  size_t first = PAGE - address % PAGE;
  if (first > capacity) first = capacity;
  struct iovec here = {.iov_base = path, .iov_len = capacity};
  /* Two segments, because the path may end just before an unmapped page. */
  struct iovec there[2] = {
      {.iov_base = (void *)(uintptr_t)address, .iov_len = first},
      {.iov_base = (void *)(uintptr_t)(address + first), .iov_len = capacity - first}};
  ssize_t count = process_vm_readv(thread, &here, 1, there, first < capacity ? 2 : 1, 0);
  const char *end = count > 0 ? memchr(path, 0, (size_t)count) : NULL;
  return end ? end - path : -1;
}

/* Returns true if a directory has no synthetic entries. */
static bool is_plain_folder(const struct interposer_prefilter *prefilter, pid_t thread, int descriptor) {
  char path[512];
  if (prefilter->has_sockets && descriptor >= 0 && (unsigned)descriptor >= prefilter->first_number)
    return false;
  ssize_t length = interposer_path(thread, descriptor, path, sizeof path);
  if (descriptor < 0 || length < 0) return true;
  for (int i = 0; i < prefilter->folder_count; i++) {
    /* In a chroot the path starts with the root directory. */
    size_t end = strlen(prefilter->folders[i]);
    if ((size_t)length >= end && memcmp(path + length - end, prefilter->folders[i], end) == 0)
      return false;
  }
  return true;
}

/* Returns true if a call may create a file through a final link. The flags of openat2 are in memory. */
static bool may_make_behind_link(const struct interposer_call *call, struct shape shape) {
  if (call->number == interposer_call_number(INTERPOSER_CREAT) ||
      call->number == interposer_call_number(INTERPOSER_OPENAT2))
    return true;
  return (call->number == interposer_call_number(INTERPOSER_OPENAT) ||
          call->number == interposer_call_number(INTERPOSER_OPEN)) &&
         (call->arguments[shape.flags] & (O_CREAT | O_EXCL)) == O_CREAT;
}

bool interposer_is_relevant(const struct interposer_prefilter *prefilter, const struct interposer_call *call) {
  if (call->number == interposer_call_number(INTERPOSER_GETDENTS64))
    return !is_plain_folder(prefilter, call->thread, (int)call->arguments[0]);
  /* Calls on descriptors of any number, while no client has a synthetic one. */
  if (!prefilter->has_sockets &&
      (call->number == interposer_call_number(INTERPOSER_FSTAT) ||
       (call->number == interposer_call_number(INTERPOSER_FCHDIR) && !prefilter->has_folders)))
    return false;
  struct shape shape = shape_of(call->number);
  if (shape.makes_links) interposer_invalidate_path_cache();
  if (!shape.is_path) return true;
  /* Opening a directory discards an earlier listing under the same descriptor number. */
  if (prefilter->has_listings && (call->number == interposer_call_number(INTERPOSER_OPENAT) ||
                             call->number == interposer_call_number(INTERPOSER_OPEN)) &&
      call->arguments[shape.path + 1] & O_DIRECTORY)
    return true;
  char path[256];
  ssize_t length = read_path(call->thread, call->arguments[shape.path], path, sizeof path);
  if (length < 0) return true;
  int directory = shape.directory < 0 ? AT_FDCWD : (int)call->arguments[shape.directory];
  if (interposer_is_relevant_path(prefilter, directory, path, (size_t)length)) return true;
  /* A link may lead to a node, whatever its name. */
  if (shape.flags == NEVER_FOLLOWS) return false;
  if (shape.flags >= 0 && call->arguments[shape.flags] & (uint64_t)shape.no_link) return false;
  if (length == 0) return false;
  if (interposer_has_links(call->thread, directory, path, prefilter->has_chroots)) return true;
  char name[256];
  return may_make_behind_link(call, shape) &&
         interposer_may_create_elsewhere(path, prefilter->has_chroots) &&
         interposer_created_in_dev(call->thread, directory, path, name, sizeof name) > 0;
}
