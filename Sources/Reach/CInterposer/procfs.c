#define _GNU_SOURCE
#include "procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t interposer_read_file(const char *name, char *text, size_t capacity) {
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t length = read(file, text, capacity - 1);
  int error = errno;
  close(file);
  if (length < 0) return -error;
  text[length] = 0;
  return length;
}

ssize_t interposer_reread_file(int *file, const char *name, char *text, size_t capacity) {
  if (*file < 0) *file = open(name, O_RDONLY | O_CLOEXEC);
  if (*file < 0) return -errno;
  ssize_t length = pread(*file, text, capacity - 1, 0);
  if (length < 0) return -errno;
  text[length] = 0;
  return length;
}
