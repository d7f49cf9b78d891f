#define _GNU_SOURCE
#include "opener.h"
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Missing in older kernel headers. */
enum { OWN_TABLE = 1 << 1 };

struct interposer_opener {
  int folder, ours, theirs;
  pthread_t thread;
};

struct order {
  int flags;
  char name[NAME_MAX + 1];
};

/* Gives this thread its own descriptor table with two descriptors. */
static bool keep_two(int one, int other) {
  unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);
  if (syscall(__NR_close_range, high + 1, ~0u, OWN_TABLE) < 0) return false;
  if (low > 0) syscall(__NR_close_range, 0u, low - 1, 0);
  if (high > low + 1) syscall(__NR_close_range, low + 1, high - 1, 0);
  return true;
}

static void *open_all(void *argument) {
  int folder = ((struct interposer_opener *)argument)->folder;
  int line = ((struct interposer_opener *)argument)->theirs;
  bool is_own = keep_two(folder, line);
  interposer_send_order(line, is_own ? 0 : errno, -1);
  struct order order;
  for (ssize_t count; is_own && (count = recv(line, &order, sizeof order, 0)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count != (ssize_t)sizeof order) break;
    int file = openat(folder, order.name, order.flags);
    interposer_send_order(line, file < 0 ? errno : 0, file);
    if (file >= 0) close(file);
  }
  if (is_own) close(line);
  return NULL;
}

/* Receives the thread's answer: a descriptor or -1. Returns the errno. */
static int await(const struct interposer_opener *opener, int *descriptor) {
  int error = 0;
  ssize_t count;
  do count = interposer_receive_order(opener->ours, &error, descriptor);
  while (count == -EINTR);
  if (count != (ssize_t)sizeof error) return count < 0 ? (int)-count : EIO;
  return error;
}

struct interposer_opener *interposer_opener_create(int folder, int *error) {
  struct interposer_opener *opener = malloc(sizeof *opener);
  int sockets[2];
  if (!opener || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
    *error = opener ? errno : ENOMEM;
    free(opener);
    return NULL;
  }
  opener->folder = folder;
  opener->ours = sockets[0];
  opener->theirs = sockets[1];
  *error = pthread_create(&opener->thread, NULL, open_all, opener);
  if (*error == 0) {
    int none;
    *error = await(opener, &none);
    /* The opener's thread has its own copy. */
    close(opener->theirs);
    if (*error == 0) return opener;
    close(opener->ours);
    pthread_join(opener->thread, NULL);
  } else {
    close(opener->ours);
    close(opener->theirs);
  }
  free(opener);
  return NULL;
}

void interposer_opener_destroy(struct interposer_opener *opener) {
  close(opener->ours);
  pthread_join(opener->thread, NULL);
  free(opener);
}

int interposer_opener_open(struct interposer_opener *opener, const char *name, int flags) {
  struct order order = {.flags = flags};
  strncpy(order.name, name, NAME_MAX);
  ssize_t sent;
  do sent = send(opener->ours, &order, sizeof order, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return -errno;
  int descriptor, error = await(opener, &descriptor);
  return error ? -error : descriptor;
}
