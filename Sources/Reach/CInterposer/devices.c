/* Whether a name lies in /dev, by whatever way: the way is gone here part by part as the thread would go it,
 * from its own root, through links and those of its /proc. */

#define _GNU_SOURCE
#include "links.h"

#include "interposer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, LONGEST = 4096 };

/* A way that is being gone: where it has come to, and what is left of it. */
struct way {
  pid_t thread;
  int place, links;
  char rest[2 * LONGEST];
  /* The part that is not there, where the way ends because of that. */
  char missing[256];
};

static bool is_same(const struct statx *one, const struct statx *other) {
  return one->stx_ino == other->stx_ino && one->stx_dev_major == other->stx_dev_major &&
         one->stx_dev_minor == other->stx_dev_minor;
}

/* Looks at what a path names, from this process' root or, in another folder, from there. */
static bool look_by(int base, const char *path, uint64_t resolve, struct statx *status) {
  int place = interposer_open_place(base, path, 0, resolve);
  bool is_seen = place >= 0 && interposer_look_at(place, status);
  if (place >= 0) close(place);
  return is_seen;
}

/* Whether a place lies in a /proc: this process' own, or another mount of the same kind. */
static bool is_process_files(int place, pid_t thread) {
  struct statx status, own;
  if (!interposer_look_at(place, &status) || status.stx_dev_major != 0) return false;
  if (look_by(AT_FDCWD, "/proc", 0, &own) && own.stx_dev_minor == status.stx_dev_minor) return true;
  return interposer_is_on(thread, &status, "proc");
}

static int root_of(pid_t thread) { return interposer_open_base(thread, -1, "/"); }

/* Goes to another place; whether there is one. */
static bool move(struct way *way, int next) {
  if (next < 0) return false;
  close(way->place);
  way->place = next;
  return true;
}

static bool go_up(struct way *way) {
  int root = root_of(way->thread);
  struct statx here, top;
  bool is_top = root >= 0 && interposer_look_at(root, &top) && interposer_look_at(way->place, &here) &&
                is_same(&here, &top);
  if (root >= 0) close(root);
  return is_top || move(way, interposer_open_place(way->place, "..", 0, 0));
}

/* Follows a link, open at a place, whose name is that in the folder of the way. */
static bool follow(struct way *way, int link, const char *name) {
  char target[LONGEST], joined[sizeof way->rest];
  if (++way->links > MOST_LINKS) return false;
  bool is_proc = is_process_files(way->place, way->thread);
  if (is_proc && (strcmp(name, "self") == 0 || strcmp(name, "thread-self") == 0)) {
    /* Its target would be this process. */
    snprintf(target, sizeof target, "/proc/%d", (int)way->thread);
    return move(way, interposer_open_place(AT_FDCWD, target, 0, 0));
  }
  ssize_t count = readlinkat(link, "", target, sizeof target - 1);
  if (count <= 0) return false;
  target[count] = 0;
  /* Links to open files, roots and working folders have no way that could be gone by its text. */
  if (is_proc && (target[0] == '/' || strchr(target, ':')))
    return move(way, interposer_open_place(way->place, name, 0, 0));
  if (snprintf(joined, sizeof joined, "%s/%s", target, way->rest) >= (int)sizeof joined)
    return false;
  memcpy(way->rest, joined, sizeof joined);
  return target[0] != '/' || move(way, root_of(way->thread));
}

/* Goes one part further. */
static bool go(struct way *way, const char *name) {
  if (strcmp(name, ".") == 0) return true;
  if (strcmp(name, "..") == 0) return go_up(way);
  struct statx status;
  int next = interposer_open_place(way->place, name, O_NOFOLLOW, CACHED);
  if (next == -EAGAIN && interposer_look_at(way->place, &status) &&
      (interposer_is_of_this_machine(way->thread, &status) ||
       is_process_files(way->place, way->thread)))
    next = interposer_open_place(way->place, name, O_NOFOLLOW, 0);
  if (next == -ENOENT) snprintf(way->missing, sizeof way->missing, "%s", name);
  if (next < 0) return false;
  if (!interposer_look_at(next, &status) || !S_ISLNK(status.stx_mode)) return move(way, next);
  bool is_gone = follow(way, next, name);
  close(next);
  return is_gone;
}

/* Goes what is left; whether there is an end. */
static bool go_on(struct way *way) {
  while (true) {
    char *start = way->rest + strspn(way->rest, "/"), name[256];
    size_t length = strcspn(start, "/");
    if (length == 0) return true;
    if (length >= sizeof name) return false;
    memcpy(name, start, length);
    name[length] = 0;
    memmove(way->rest, start + length, strlen(start + length) + 1);
    if (!go(way, name)) return false;
  }
}

/* Whether a place is /dev, that of a thread or of this process. */
static bool is_devices(int place, pid_t thread) {
  struct statx folder, devices;
  if (!interposer_look_at(place, &folder)) return false;
  if (look_by(AT_FDCWD, "/dev", 0, &devices) && is_same(&folder, &devices)) return true;
  int root = root_of(thread);
  bool is_devices =
      root >= 0 && look_by(root, "dev", IN_ROOT, &devices) && is_same(&folder, &devices);
  if (root >= 0) close(root);
  return is_devices;
}

bool interposer_is_in_devices(pid_t thread, int directory, const char *path) {
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end--;
  while (end > 0 && path[end - 1] != '/') end--;
  struct way way = {.thread = thread};
  if (end >= LONGEST) return false;
  memcpy(way.rest, path, end);
  way.place = interposer_open_base(thread, directory, path);
  if (way.place < 0) return false;
  bool is_found = go_on(&way) && is_devices(way.place, thread);
  close(way.place);
  return is_found;
}

ssize_t interposer_made_in_devices(pid_t thread, int directory, const char *path, char *name,
                                   size_t capacity) {
  struct way way = {.thread = thread};
  size_t length = strlen(path);
  if (length >= LONGEST) return 0;
  memcpy(way.rest, path, length);
  way.place = interposer_open_base(thread, directory, path);
  if (way.place < 0) return 0;
  bool is_made = !go_on(&way) && way.missing[0] && way.rest[strspn(way.rest, "/")] == 0 &&
                 is_devices(way.place, thread);
  close(way.place);
  length = strlen(way.missing);
  if (!is_made || length > capacity) return 0;
  memcpy(name, way.missing, length);
  return (ssize_t)length;
}

bool interposer_is_folder(pid_t thread, int descriptor) {
  struct statx status;
  int place = descriptor < 0 ? -1 : interposer_open_base(thread, descriptor, "");
  bool is_folder =
      place >= 0 && interposer_look_at(place, &status) && S_ISDIR(status.stx_mode);
  if (place >= 0) close(place);
  return is_folder;
}
