/* Open nodes of either kind, and their identification among a client's descriptors. */

#define _GNU_SOURCE
#include "nodes.h"

#include "node_directory.h"
#include "fuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exactly one of the two kinds is set. */
struct interposer_files {
  struct interposer_fuse *fuse;
  struct interposer_directory *folder;
};

struct interposer_files *interposer_files_create(int *error) {
  struct interposer_files *files = calloc(1, sizeof *files);
  if (!files) return NULL;
  files->fuse = interposer_fuse_create(error);
  if (!files->fuse) files->folder = interposer_directory_create(error);
  if (files->fuse || files->folder) return files;
  free(files);
  return NULL;
}

void interposer_files_destroy(struct interposer_files *files) {
  if (files->fuse) interposer_fuse_destroy(files->fuse);
  if (files->folder) interposer_directory_destroy(files->folder);
  free(files);
}

bool interposer_files_serve(const struct interposer_files *files) { return files->fuse != NULL; }

int interposer_files_directory(const struct interposer_files *files) {
  return files->folder ? interposer_directory_root(files->folder) : -1;
}

/* A name consists of the prefix, the process, the bus and the number of the open file. */
int interposer_files_open(struct interposer_files *files, unsigned bus, uint64_t file, int flags) {
  char name[80];
  snprintf(name, sizeof name, INTERPOSER_NODE_PREFIX "%d.%u.%llu", (int)getpid(), bus,
           (unsigned long long)file);
  flags = (flags & (O_ACCMODE | O_NONBLOCK | O_APPEND | O_DSYNC)) | O_CLOEXEC | O_NOCTTY;
  return files->fuse ? interposer_fuse_open(files->fuse, name, flags)
                     : interposer_directory_open(files->folder, bus, name, flags);
}

int interposer_files_descriptor(const struct interposer_files *files) {
  return files->fuse ? interposer_fuse_descriptor(files->fuse)
                     : interposer_directory_descriptor(files->folder);
}

bool interposer_files_next(struct interposer_files *files, struct interposer_event *event,
                           void *bytes) {
  return files->fuse ? interposer_fuse_next(files->fuse, event, bytes)
                     : interposer_directory_next(files->folder, event);
}

bool interposer_files_idle(struct interposer_files *files) {
  return !files->fuse || interposer_fuse_idle(files->fuse);
}

void interposer_files_reply(struct interposer_files *files, const struct interposer_event *event,
                            const void *bytes, size_t count, int error) {
  if (files->fuse) interposer_fuse_reply(files->fuse, event, bytes, count, error);
}

uint64_t interposer_open_file_number(const char *name) {
  static char mine[48];
  static size_t size;
  if (!size)
    size = (size_t)snprintf(mine, sizeof mine, INTERPOSER_NODE_PREFIX "%d.", (int)getpid());
  if (strncmp(name, mine, size) != 0) return 0;
  const char *file = strchr(name + size, '.');
  return file ? strtoull(file + 1, NULL, 10) : 0;
}

uint64_t interposer_node(pid_t thread, int descriptor) {
  char link[512], path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)thread, descriptor);
  ssize_t length = readlink(path, link, sizeof link - 1);
  if (length <= 0) return 0;
  link[length] = 0;
  const char *name = strrchr(link, '/');
  return name ? interposer_open_file_number(name + 1) : 0;
}

int interposer_copy_descriptor(pid_t thread, int descriptor) {
  char name[64], text[1024];
  snprintf(name, sizeof name, "/proc/%d/status", (int)thread);
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return -ESRCH;
  text[length] = 0;
  const char *line = strstr(text, "\nTgid:");
  int process = line ? (int)syscall(SYS_pidfd_open, atoi(line + 6), 0) : -1;
  if (process < 0) return -ESRCH;
  int copy = (int)syscall(__NR_pidfd_getfd, process, descriptor, 0);
  int error = errno;
  close(process);
  return copy < 0 ? -error : copy;
}

ssize_t interposer_program_name(pid_t thread, char *name, size_t capacity) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t length = read(file, name, capacity);
  close(file);
  while (length > 0 && name[length - 1] == '\n') length--;
  for (ssize_t i = 0; i < length; i++)
    if (name[i] < ' ' || name[i] > '~') name[i] = '?';
  return length;
}
