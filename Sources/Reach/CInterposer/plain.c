/* Paths that have just been seen to lead to a file without any link: a program that asks about one again need not
 * wait until its way is gone again. Calls of clients that can put a link there end all of this for a while, and what
 * others do is seen a moment later. Where nothing was, nothing is kept: links come to be there. */

#define _GNU_SOURCE
#include "links.h"

#include <string.h>
#include <time.h>

enum {
  PATHS = 256,
  LONGEST = 119,
  MILLISECOND = 1000000,
};
static const int64_t kept = 20 * MILLISECOND;
/* A call that makes a link is heard before it is made; even a busy machine has made it by then. */
static const int64_t in_doubt = 1000 * MILLISECOND;

static struct {
  int64_t until;
  uint32_t doubts;
  uint8_t length;
  char text[LONGEST];
} paths[PATHS];
static uint32_t doubts;
static int64_t doubted_until;

static int64_t now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static size_t place_of(const char *path, size_t length) {
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)path[i]) * 0x100000001B3;
  return (hash >> 32) % PATHS;
}

bool interposer_is_plain(const char *path, size_t length) {
  if (length > LONGEST) return false;
  size_t place = place_of(path, length);
  return paths[place].length == length && memcmp(paths[place].text, path, length) == 0 &&
         paths[place].doubts == doubts && now() < paths[place].until;
}

void interposer_keep_plain(const char *path, size_t length) {
  if (length > LONGEST) return;
  int64_t moment = now();
  if (moment < doubted_until) return;
  size_t place = place_of(path, length);
  paths[place].until = moment + kept;
  paths[place].doubts = doubts;
  paths[place].length = (uint8_t)length;
  memcpy(paths[place].text, path, length);
}

void interposer_doubt_plain(void) {
  doubts++;
  doubted_until = now() + in_doubt;
}
