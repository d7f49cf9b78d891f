/* A cache of paths that were recently resolved without encountering a link, so that repeated calls need no further
 * walk. A client call that can create a link invalidates the cache for a while; changes by other processes are
 * noticed after the entry's lifetime. Missing files are not cached, because a link may be created at their path. */

#define _GNU_SOURCE
#include "symlinks.h"

#include <string.h>
#include <time.h>

enum {
  PATHS = 256,
  LONGEST = 119,
  MILLISECOND = 1000000,
};
static const int64_t kept = 20 * MILLISECOND;
/* A call that creates a link arrives before the link exists; by the end of this time the link exists, even on
 * a busy machine. */
static const int64_t invalid_after_change = 1000 * MILLISECOND;

static struct {
  int64_t until;
  uint32_t generation;
  uint8_t length;
  char text[LONGEST];
} paths[PATHS];
static uint32_t generation;
static int64_t invalid_until;

static int64_t now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static size_t slot_of(const char *path, size_t length) {
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)path[i]) * 0x100000001B3;
  return (hash >> 32) % PATHS;
}

bool interposer_is_cached_path(const char *path, size_t length) {
  if (length > LONGEST) return false;
  size_t slot = slot_of(path, length);
  return paths[slot].length == length && memcmp(paths[slot].text, path, length) == 0 &&
         paths[slot].generation == generation && now() < paths[slot].until;
}

void interposer_cache_path(const char *path, size_t length) {
  if (length > LONGEST) return;
  int64_t moment = now();
  if (moment < invalid_until) return;
  size_t slot = slot_of(path, length);
  paths[slot].until = moment + kept;
  paths[slot].generation = generation;
  paths[slot].length = (uint8_t)length;
  memcpy(paths[slot].text, path, length);
}

void interposer_invalidate_path_cache(void) {
  generation++;
  invalid_until = now() + invalid_after_change;
}
