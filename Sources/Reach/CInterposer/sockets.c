/* The sockets that represent open synthetic directories and links. */

#define _GNU_SOURCE
#include "interposer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t interposer_socket(pid_t thread, int descriptor) {
  static const char prefix[] = "socket:[";
  char link[64];
  ssize_t length = interposer_path(thread, descriptor, link, sizeof link - 1);
  if (length <= (ssize_t)sizeof prefix) return 0;
  link[length] = 0;
  if (strncmp(link, prefix, sizeof prefix - 1) != 0) return 0;
  return strtoull(link + sizeof prefix - 1, NULL, 10);
}

int interposer_sockets(int *client, int *peer, uint64_t *inode) {
  int ends[2];
  struct stat status;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
  /* A read that bypasses the supervisor returns end-of-file instead of blocking forever. */
  if (shutdown(ends[1], SHUT_WR) < 0 || fstat(ends[0], &status) < 0) {
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
  }
  *client = ends[0];
  *peer = ends[1];
  *inode = status.st_ino;
  return 0;
}
