/* Determines whether a path leads to /dev. The path is walked component by component as for the client's thread:
 * from its root, through links, including those of its /proc. */

#define _GNU_SOURCE
#include "symlinks.h"

#include "interposer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, LONGEST = 4096 };

/* The state of a walk: the current location and the remaining path. */
struct walk {
  pid_t thread;
  int location, links;
  char rest[2 * LONGEST];
  /* The component that does not exist, if the walk ended there. */
  char missing[256];
};

static bool is_same(const struct statx *one, const struct statx *other) {
  return one->stx_ino == other->stx_ino && one->stx_dev_major == other->stx_dev_major &&
         one->stx_dev_minor == other->stx_dev_minor;
}

/* Reads the metadata of a path, relative to this process's root or to another directory. */
static bool look_by(int base, const char *path, uint64_t resolve, struct statx *status) {
  int location = interposer_open_path(base, path, 0, resolve);
  bool is_seen = location >= 0 && interposer_read_metadata(location, status);
  if (location >= 0) close(location);
  return is_seen;
}

/* Returns true if a location is in a procfs: this process's or another mount. */
static bool is_process_files(int location, pid_t thread) {
  struct statx status, own;
  if (!interposer_read_metadata(location, &status) || status.stx_dev_major != 0) return false;
  if (look_by(AT_FDCWD, "/proc", 0, &own) && own.stx_dev_minor == status.stx_dev_minor) return true;
  return interposer_is_on_file_system(thread, &status, "proc");
}

static int root_of(pid_t thread) { return interposer_open_base(thread, -1, "/"); }

/* Moves to another location. Returns false if there is none. */
static bool move(struct walk *walk, int next) {
  if (next < 0) return false;
  close(walk->location);
  walk->location = next;
  return true;
}

static bool go_up(struct walk *walk) {
  int root = root_of(walk->thread);
  struct statx here, top;
  bool is_top = root >= 0 && interposer_read_metadata(root, &top) && interposer_read_metadata(walk->location, &here) &&
                is_same(&here, &top);
  if (root >= 0) close(root);
  return is_top || move(walk, interposer_open_path(walk->location, "..", 0, 0));
}

/* Follows a link, open at a location, which has a name in the current directory. */
static bool follow(struct walk *walk, int link, const char *name) {
  char target[LONGEST], joined[sizeof walk->rest];
  if (++walk->links > MOST_LINKS) return false;
  bool is_proc = is_process_files(walk->location, walk->thread);
  if (is_proc && (strcmp(name, "self") == 0 || strcmp(name, "thread-self") == 0)) {
    /* Its target would name this process. */
    snprintf(target, sizeof target, "/proc/%d", (int)walk->thread);
    return move(walk, interposer_open_path(AT_FDCWD, target, 0, 0));
  }
  ssize_t count = readlinkat(link, "", target, sizeof target - 1);
  if (count <= 0) return false;
  target[count] = 0;
  /* Links to open files, roots and working directories cannot be followed by their text. */
  if (is_proc && (target[0] == '/' || strchr(target, ':')))
    return move(walk, interposer_open_path(walk->location, name, 0, 0));
  if (snprintf(joined, sizeof joined, "%s/%s", target, walk->rest) >= (int)sizeof joined)
    return false;
  memcpy(walk->rest, joined, sizeof joined);
  return target[0] != '/' || move(walk, root_of(walk->thread));
}

/* Walks one component. */
static bool walk_component(struct walk *walk, const char *name) {
  if (strcmp(name, ".") == 0) return true;
  if (strcmp(name, "..") == 0) return go_up(walk);
  struct statx status;
  int next = interposer_open_path(walk->location, name, O_NOFOLLOW, CACHED);
  if (next == -EAGAIN && interposer_read_metadata(walk->location, &status) &&
      (interposer_is_local(walk->thread, &status) ||
       is_process_files(walk->location, walk->thread)))
    next = interposer_open_path(walk->location, name, O_NOFOLLOW, 0);
  if (next == -ENOENT) snprintf(walk->missing, sizeof walk->missing, "%s", name);
  if (next < 0) return false;
  if (!interposer_read_metadata(next, &status) || !S_ISLNK(status.stx_mode)) return move(walk, next);
  bool is_followed = follow(walk, next, name);
  close(next);
  return is_followed;
}

/* Walks the remaining path. Returns false if it does not exist. */
static bool walk_rest(struct walk *walk) {
  while (true) {
    char *start = walk->rest + strspn(walk->rest, "/"), name[256];
    size_t length = strcspn(start, "/");
    if (length == 0) return true;
    if (length >= sizeof name) return false;
    memcpy(name, start, length);
    name[length] = 0;
    memmove(walk->rest, start + length, strlen(start + length) + 1);
    if (!walk_component(walk, name)) return false;
  }
}

/* Returns true if a location is /dev of a thread or of this process. */
static bool is_devices(int location, pid_t thread) {
  struct statx folder, devices;
  if (!interposer_read_metadata(location, &folder)) return false;
  if (look_by(AT_FDCWD, "/dev", 0, &devices) && is_same(&folder, &devices)) return true;
  int root = root_of(thread);
  bool is_devices =
      root >= 0 && look_by(root, "dev", IN_ROOT, &devices) && is_same(&folder, &devices);
  if (root >= 0) close(root);
  return is_devices;
}

bool interposer_is_in_dev(pid_t thread, int directory, const char *path) {
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end--;
  while (end > 0 && path[end - 1] != '/') end--;
  struct walk walk = {.thread = thread};
  if (end >= LONGEST) return false;
  memcpy(walk.rest, path, end);
  walk.location = interposer_open_base(thread, directory, path);
  if (walk.location < 0) return false;
  bool is_found = walk_rest(&walk) && is_devices(walk.location, thread);
  close(walk.location);
  return is_found;
}

ssize_t interposer_created_in_dev(pid_t thread, int directory, const char *path, char *name,
                                   size_t capacity) {
  struct walk walk = {.thread = thread};
  size_t length = strlen(path);
  if (length >= LONGEST) return 0;
  memcpy(walk.rest, path, length);
  walk.location = interposer_open_base(thread, directory, path);
  if (walk.location < 0) return 0;
  bool is_made = !walk_rest(&walk) && walk.missing[0] && walk.rest[strspn(walk.rest, "/")] == 0 &&
                 is_devices(walk.location, thread);
  close(walk.location);
  length = strlen(walk.missing);
  if (!is_made || length > capacity) return 0;
  memcpy(name, walk.missing, length);
  return (ssize_t)length;
}

bool interposer_is_directory(pid_t thread, int descriptor) {
  struct statx status;
  int location = descriptor < 0 ? -1 : interposer_open_base(thread, descriptor, "");
  bool is_folder =
      location >= 0 && interposer_read_metadata(location, &status) && S_ISDIR(status.stx_mode);
  if (location >= 0) close(location);
  return is_folder;
}
