/* The gate: tells calls that cannot concern us apart before anything else is done about them. It only
 * looks at names; what might concern us it lets in. */

#define _GNU_SOURCE
#include "interposer.h"
#include "links.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

/* Where the calls that name one path have it: the argument of the directory (-1: the working one) and
 * of the path; path 0 in the first place is told apart by being a shape at all. */
struct shape {
  bool is_path;
  /* Whether it can put a link, or another file system, where there was none. */
  bool makes_links;
  int8_t directory, path;
  /* The argument of the flags that keep a link at the end of the path from being followed, if any do. */
  int8_t flags;
  int no_link;
};
enum { NO_FLAGS = -1, NEVER_FOLLOWS = -2 };
static const struct shape at_first = {true, false, -1, 0, NO_FLAGS, 0},
                          at_second = {true, false, 0, 1, NO_FLAGS, 0};

/* The calls that need not follow a link at the end of their path. */
static const struct {
  enum interposer_name name;
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
    static const enum interposer_name plain[] = {
        INTERPOSER_OPEN,       INTERPOSER_STAT,      INTERPOSER_LSTAT,     INTERPOSER_ACCESS,
        INTERPOSER_READLINK,   INTERPOSER_GETXATTR,  INTERPOSER_LGETXATTR, INTERPOSER_LISTXATTR,
        INTERPOSER_LLISTXATTR, INTERPOSER_STATFS,    INTERPOSER_CHMOD,     INTERPOSER_CHOWN,
        INTERPOSER_LCHOWN,     INTERPOSER_UTIME,     INTERPOSER_UTIMES,    INTERPOSER_TRUNCATE,
        INTERPOSER_CREAT,      INTERPOSER_MKNOD,     INTERPOSER_MKDIR,     INTERPOSER_RMDIR,
        INTERPOSER_UNLINK,     INTERPOSER_SETXATTR,  INTERPOSER_LSETXATTR, INTERPOSER_REMOVEXATTR,
        INTERPOSER_LREMOVEXATTR};
    static const enum interposer_name relative[] = {
        INTERPOSER_OPENAT,     INTERPOSER_OPENAT2,    INTERPOSER_NEWFSTATAT, INTERPOSER_STATX,
        INTERPOSER_FACCESSAT,  INTERPOSER_FACCESSAT2, INTERPOSER_READLINKAT, INTERPOSER_FCHMODAT,
        INTERPOSER_FCHMODAT2,  INTERPOSER_FCHOWNAT,   INTERPOSER_FUTIMESAT,  INTERPOSER_UTIMENSAT,
        INTERPOSER_MKNODAT,    INTERPOSER_MKDIRAT,    INTERPOSER_UNLINKAT};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
      int call = interposer_number(plain[i]);
      if (call >= 0 && call < 512) shapes[call] = at_first;
    }
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
      int call = interposer_number(relative[i]);
      if (call >= 0 && call < 512) shapes[call] = at_second;
    }
    static const enum interposer_name making[] = {
        INTERPOSER_SYMLINK, INTERPOSER_SYMLINKAT, INTERPOSER_LINK,  INTERPOSER_LINKAT,
        INTERPOSER_RENAME,  INTERPOSER_RENAMEAT,  INTERPOSER_RENAMEAT2, INTERPOSER_MOUNT,
        INTERPOSER_UMOUNT2, INTERPOSER_MOVE_MOUNT, INTERPOSER_CHROOT, INTERPOSER_PIVOT_ROOT};
    for (size_t i = 0; i < sizeof making / sizeof *making; i++) {
      int call = interposer_number(making[i]);
      if (call >= 0 && call < 512) shapes[call].makes_links = true;
    }
    for (size_t i = 0; i < sizeof without_links / sizeof *without_links; i++) {
      int call = interposer_number(without_links[i].name);
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

bool interposer_matters(const struct interposer_gate *gate, int directory, const char *path,
                        size_t length) {
  if (length == 0 || path[0] != '/') {
    /* Relative to one of ours, or about a descriptor, whose number can be low. */
    if (directory >= 0 && gate->has_sockets &&
        (length == 0 || (unsigned)directory >= gate->first_number))
      return true;
    if (directory < 0 && gate->has_folders) return true;
  }
  if (contains(path, length, "i2c") || contains(path, length, "89:")) return true;
  if (gate->has_sockets && contains(path, length, "fd/")) return true;
  for (int i = 0; i < gate->word_count; i++)
    if (contains(path, length, gate->words[i])) return true;
  return false;
}

/* Reads as much of a path as there is, at most capacity; its length without its end, or -1 where it
 * cannot be read or does not end. */
static ssize_t read_path(pid_t thread, uint64_t address, char *path, size_t capacity) {
  enum { PAGE = 4096 };
  size_t first = PAGE - address % PAGE;
  if (first > capacity) first = capacity;
  struct iovec here = {.iov_base = path, .iov_len = capacity};
  /* Two pieces: the path may end just before a page that is not there. */
  struct iovec there[2] = {
      {.iov_base = (void *)(uintptr_t)address, .iov_len = first},
      {.iov_base = (void *)(uintptr_t)(address + first), .iov_len = capacity - first}};
  ssize_t count = process_vm_readv(thread, &here, 1, there, first < capacity ? 2 : 1, 0);
  const char *end = count > 0 ? memchr(path, 0, (size_t)count) : NULL;
  return end ? end - path : -1;
}

/* Whether the entries of a folder are all that a client shall see. */
static bool is_plain_folder(const struct interposer_gate *gate, pid_t thread, int descriptor) {
  char path[512];
  if (gate->has_sockets && descriptor >= 0 && (unsigned)descriptor >= gate->first_number)
    return false;
  ssize_t length = interposer_path(thread, descriptor, path, sizeof path);
  if (descriptor < 0 || length < 0) return true;
  for (int i = 0; i < gate->folder_count; i++) {
    /* In a jail the path begins with its root. */
    size_t end = strlen(gate->folders[i]);
    if ((size_t)length >= end && memcmp(path + length - end, gate->folders[i], end) == 0)
      return false;
  }
  return true;
}

/* Whether a call may make a file behind a link at the end of its path. The flags of openat2 lie in memory. */
static bool may_make_behind_link(const struct interposer_call *call, struct shape shape) {
  if (call->number == interposer_number(INTERPOSER_CREAT) ||
      call->number == interposer_number(INTERPOSER_OPENAT2))
    return true;
  return (call->number == interposer_number(INTERPOSER_OPENAT) ||
          call->number == interposer_number(INTERPOSER_OPEN)) &&
         (call->arguments[shape.flags] & (O_CREAT | O_EXCL)) == O_CREAT;
}

bool interposer_concerns(const struct interposer_gate *gate, const struct interposer_call *call) {
  if (call->number == interposer_number(INTERPOSER_GETDENTS64))
    return !is_plain_folder(gate, call->thread, (int)call->arguments[0]);
  /* About descriptors, whatever their numbers: nobody has any of ours. */
  if (!gate->has_sockets &&
      (call->number == interposer_number(INTERPOSER_FSTAT) ||
       (call->number == interposer_number(INTERPOSER_FCHDIR) && !gate->has_folders)))
    return false;
  struct shape shape = shape_of(call->number);
  if (shape.makes_links) interposer_doubt_plain();
  if (!shape.is_path) return true;
  /* A folder is opened: what has been listed of another under the same number is forgotten. */
  if (gate->has_listings && (call->number == interposer_number(INTERPOSER_OPENAT) ||
                             call->number == interposer_number(INTERPOSER_OPEN)) &&
      call->arguments[shape.path + 1] & O_DIRECTORY)
    return true;
  char path[256];
  ssize_t length = read_path(call->thread, call->arguments[shape.path], path, sizeof path);
  if (length < 0) return true;
  int directory = shape.directory < 0 ? AT_FDCWD : (int)call->arguments[shape.directory];
  if (interposer_matters(gate, directory, path, (size_t)length)) return true;
  /* A link can lead to a node, whatever its name. */
  if (shape.flags == NEVER_FOLLOWS) return false;
  if (shape.flags >= 0 && call->arguments[shape.flags] & (uint64_t)shape.no_link) return false;
  if (length == 0) return false;
  if (interposer_has_links(call->thread, directory, path, gate->has_jails)) return true;
  char name[256];
  return may_make_behind_link(call, shape) &&
         interposer_may_make_elsewhere(path, gate->has_jails) &&
         interposer_made_in_devices(call->thread, directory, path, name, sizeof name) > 0;
}
