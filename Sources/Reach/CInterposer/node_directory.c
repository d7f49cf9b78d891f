/* A directory with one file per bus. An open node is opened through an additional link that is removed immediately:
 * the name identifies the open file, and the shared inode carries the locks. */

#define _GNU_SOURCE
#include "node_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

struct interposer_directory {
  char path[256];
  int root, watch;
  /* Events that have been read but not returned. */
  char buffer[4096];
  ssize_t length, position;
};

/* Creates the directory in the first suitable parent. */
static bool make(struct interposer_directory *folder) {
  const char *candidates[] = {getenv("TMPDIR"), "/tmp", "/dev/shm", "/var/tmp"};
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    if (!candidates[i] || strlen(candidates[i]) > 200) continue;
    snprintf(folder->path, sizeof folder->path, "%s/aneroid-XXXXXX", candidates[i]);
    if (mkdtemp(folder->path)) return true;
  }
  return false;
}

struct interposer_directory *interposer_directory_create(int *error) {
  struct interposer_directory *folder = calloc(1, sizeof *folder);
  if (!folder) return NULL;
  if (!make(folder)) {
    *error = errno;
    free(folder);
    return NULL;
  }
  folder->root = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  folder->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (folder->root >= 0 && folder->watch >= 0 &&
      inotify_add_watch(folder->watch, folder->path, IN_OPEN | IN_CLOSE | IN_MODIFY) >= 0)
    return folder;
  *error = errno;
  interposer_directory_destroy(folder);
  return NULL;
}

void interposer_directory_destroy(struct interposer_directory *folder) {
  DIR *directory = opendir(folder->path);
  for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
    unlinkat(folder->root, entry->d_name, 0);
  if (directory) closedir(directory);
  rmdir(folder->path);
  if (folder->root >= 0) close(folder->root);
  if (folder->watch >= 0) close(folder->watch);
  free(folder);
}

int interposer_directory_open(struct interposer_directory *folder, unsigned bus, const char *name,
                           int flags) {
  char file[32];
  snprintf(file, sizeof file, "bus-%u", bus);
  if (linkat(folder->root, file, folder->root, name, 0) < 0) {
    if (errno != ENOENT || mknodat(folder->root, file, S_IFREG | 0600, 0) < 0 ||
        linkat(folder->root, file, folder->root, name, 0) < 0)
      return -errno;
  }
  int descriptor = openat(folder->root, name, flags);
  int error = errno;
  unlinkat(folder->root, name, 0);
  return descriptor < 0 ? -error : descriptor;
}

int interposer_directory_root(const struct interposer_directory *folder) { return folder->root; }

int interposer_directory_descriptor(const struct interposer_directory *folder) { return folder->watch; }

bool interposer_directory_next(struct interposer_directory *folder, struct interposer_event *event) {
  while (true) {
    if (folder->position >= folder->length) {
      folder->position = 0;
      folder->length = read(folder->watch, folder->buffer, sizeof folder->buffer);
      if (folder->length <= 0) return false;
    }
    struct inotify_event header;
    memcpy(&header, folder->buffer + folder->position, sizeof header);
    const char *name = folder->buffer + folder->position + sizeof header;
    folder->position += (ssize_t)(sizeof header + header.len);
    uint64_t file = header.len ? interposer_open_file_number(name) : 0;
    if (!file) continue;
    *event = (struct interposer_event){
        .file = file,
        .kind = header.mask & IN_OPEN     ? INTERPOSER_NODE_OPENED
                : header.mask & IN_MODIFY ? INTERPOSER_NODE_LOST
                                          : INTERPOSER_NODE_CLOSED};
    return true;
  }
}
