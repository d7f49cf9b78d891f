/* The FUSE file system of the open nodes. Lookups, opens and releases are answered on a thread of this file, so that
 * this process can use the files itself; reads and writes are queued as events. */

#define _GNU_SOURCE
#include "fuse.h"
#include "opener.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Missing in older kernel headers. */
enum { STREAM = 1 << 4, WITHOUT_FLUSH = 1 << 5 };
/* Above the transfer limit of a node, so that a longer write is truncated at once instead of being split. */
enum { MOST_WRITTEN = 65536 };

struct waiting {
  struct waiting *next;
  struct interposer_event event;
  uint8_t bytes[];
};

struct interposer_fuse {
  int device, root, pending_event, stop;
  pthread_t thread;
  struct interposer_opener *opener;
  /* Held from reading a request until it is answered or queued. */
  pthread_mutex_t mutex;
  struct waiting *first, *last;
  /* The number of the next open file: only this process opens files, one at a time. */
  uint64_t opening;
};

static void reply(const struct interposer_fuse *files, uint64_t request, int error,
                  const void *bytes, size_t count) {
  struct fuse_out_header header = {
      .len = (uint32_t)(sizeof header + count), .error = -error, .unique = request};
  struct iovec parts[2] = {{.iov_base = &header, .iov_len = sizeof header},
                           {.iov_base = (void *)bytes, .iov_len = count}};
  /* The reply fails if the client has ended, which needs no handling. */
  ssize_t done = writev(files->device, parts, count ? 2 : 1);
  (void)done;
}

/* Queues a request as an event. */
static int enqueue(struct interposer_fuse *files, const struct interposer_event *event,
                   const void *bytes) {
  struct waiting *waiting = malloc(sizeof *waiting + (bytes ? event->count : 0));
  if (!waiting) return ENOMEM;
  waiting->next = NULL;
  waiting->event = *event;
  if (bytes) memcpy(waiting->bytes, bytes, event->count);
  if (files->last)
    files->last->next = waiting;
  else
    files->first = waiting;
  files->last = waiting;
  eventfd_write(files->pending_event, 1);
  return 0;
}

static struct fuse_attr attributes(uint64_t node) {
  bool is_root = node == FUSE_ROOT_ID;
  return (struct fuse_attr){.ino = node,
                            .mode = is_root ? S_IFDIR | 0755 : S_IFREG | 0660,
                            .nlink = 1,
                            .uid = geteuid(),
                            .gid = getegid(),
                            .blksize = 4096};
}

static void begin(const struct interposer_fuse *files, const struct fuse_in_header *in,
                  const struct fuse_init_in *request) {
  struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                              .minor = request->minor < 31 ? request->minor : 31,
                              .flags = request->flags & FUSE_BIG_WRITES,
                              .max_background = 64,
                              .congestion_threshold = 48,
                              .max_write = MOST_WRITTEN};
  size_t size = request->minor < 23 ? FUSE_COMPAT_22_INIT_OUT_SIZE : sizeof out;
  reply(files, in->unique, 0, &out, size);
}

/* A name consists of the prefix, the process, the bus and the number of the open file. */
static void look_up(struct interposer_fuse *files, const struct fuse_in_header *in,
                    const char *name) {
  int process;
  unsigned bus;
  unsigned long long file;
  if (in->nodeid != FUSE_ROOT_ID ||
      sscanf(name, INTERPOSER_NODE_PREFIX "%d.%u.%llu", &process, &bus, &file) != 3)
    return reply(files, in->unique, ENOENT, NULL, 0);
  files->opening = file;
  /* One inode per bus: locks apply to the node, whichever open file they were set on. */
  uint64_t node = FUSE_ROOT_ID + 1 + bus;
  struct fuse_entry_out out = {
      .nodeid = node, .generation = 1, .attr_valid = 1 << 30, .attr = attributes(node)};
  reply(files, in->unique, 0, &out, sizeof out);
}

static void open_file(struct interposer_fuse *files, const struct fuse_in_header *in) {
  /* A node cannot be reopened by a path below /proc/self/fd. */
  if (!files->opening) return reply(files, in->unique, ENXIO, NULL, 0);
  struct fuse_open_out out = {
      .fh = files->opening,
      .open_flags = FOPEN_DIRECT_IO | FOPEN_NONSEEKABLE | STREAM | WITHOUT_FLUSH};
  files->opening = 0;
  reply(files, in->unique, 0, &out, sizeof out);
}

static void transfer(struct interposer_fuse *files, const struct fuse_in_header *in,
                     const void *body) {
  const struct fuse_read_in *read = body;
  const struct fuse_write_in *write = body;
  bool reads = in->opcode == FUSE_READ;
  uint32_t count = reads ? read->size : write->size;
  struct interposer_event event = {
      .request = in->unique,
      .file = reads ? read->fh : write->fh,
      .kind = reads ? INTERPOSER_NODE_READ : INTERPOSER_NODE_WRITE,
      .count = count < INTERPOSER_NODE_BYTES ? count : INTERPOSER_NODE_BYTES};
  int error = enqueue(files, &event, reads ? NULL : (const char *)body + sizeof *write);
  if (error) reply(files, in->unique, error, NULL, 0);
}

static void release(struct interposer_fuse *files, const struct fuse_in_header *in,
                    const struct fuse_release_in *body) {
  struct interposer_event event = {.file = body->fh, .kind = INTERPOSER_NODE_CLOSED};
  enqueue(files, &event, NULL);
  reply(files, in->unique, 0, NULL, 0);
}

static void serve(struct interposer_fuse *files, const struct fuse_in_header *in,
                  const void *body) {
  switch (in->opcode) {
    case FUSE_INIT: return begin(files, in, body);
    case FUSE_LOOKUP: return look_up(files, in, body);
    case FUSE_OPEN: return open_file(files, in);
    case FUSE_READ:
    case FUSE_WRITE: return transfer(files, in, body);
    case FUSE_RELEASE: return release(files, in, body);
    case FUSE_GETATTR: {
      struct fuse_attr_out out = {.attr_valid = 1 << 30, .attr = attributes(in->nodeid)};
      return reply(files, in->unique, 0, &out, sizeof out);
    }
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    /* The errno of a character device without these operations. */
    case FUSE_SETATTR:
    case FUSE_FSYNC: return reply(files, in->unique, EINVAL, NULL, 0);
    case FUSE_FALLOCATE: return reply(files, in->unique, ENODEV, NULL, 0);
    case FUSE_IOCTL: return reply(files, in->unique, ENOTTY, NULL, 0);
    default: return reply(files, in->unique, ENOSYS, NULL, 0);
  }
}

static void *serve_all(void *argument) {
  struct interposer_fuse *files = argument;
  size_t capacity = MOST_WRITTEN + 8192;
  char *buffer = malloc(capacity);
  struct pollfd items[2] = {{.fd = files->device, .events = POLLIN},
                            {.fd = files->stop, .events = POLLIN}};
  while (buffer) {
    if (poll(items, 2, -1) < 0 && errno != EINTR) break;
    if (items[1].revents || items[0].revents & (POLLERR | POLLHUP)) break;
    pthread_mutex_lock(&files->mutex);
    ssize_t count = read(files->device, buffer, capacity);
    const struct fuse_in_header *in = (void *)buffer;
    if (count >= (ssize_t)sizeof *in) serve(files, in, buffer + sizeof *in);
    pthread_mutex_unlock(&files->mutex);
  }
  free(buffer);
  return NULL;
}

struct interposer_fuse *interposer_fuse_create(int *error) {
  struct interposer_fuse *files = calloc(1, sizeof *files);
  if (!files) return NULL;
  *error = -interposer_mount(&files->device, &files->root);
  if (*error) {
    free(files);
    return NULL;
  }
  files->pending_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  files->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pthread_mutex_init(&files->mutex, NULL);
  files->opener = interposer_opener_create(files->root, error);
  if (files->opener) *error = pthread_create(&files->thread, NULL, serve_all, files);
  if (*error == 0) return files;
  interposer_fuse_destroy(files);
  return NULL;
}

void interposer_fuse_destroy(struct interposer_fuse *files) {
  if (files->opener) interposer_opener_destroy(files->opener);
  if (files->thread) {
    eventfd_write(files->stop, 1);
    pthread_join(files->thread, NULL);
  }
  /* Closing its device ends the file system, so files that are still open fail from now on. */
  close(files->device);
  close(files->root);
  close(files->pending_event);
  close(files->stop);
  for (struct waiting *waiting = files->first, *next; waiting; waiting = next) {
    next = waiting->next;
    free(waiting);
  }
  pthread_mutex_destroy(&files->mutex);
  free(files);
}

int interposer_fuse_open(struct interposer_fuse *files, const char *name, int flags) {
  return interposer_opener_open(files->opener, name, flags);
}

int interposer_fuse_descriptor(const struct interposer_fuse *files) { return files->pending_event; }

bool interposer_fuse_next(struct interposer_fuse *files, struct interposer_event *event,
                          void *bytes) {
  pthread_mutex_lock(&files->mutex);
  struct waiting *waiting = files->first;
  if (waiting) {
    files->first = waiting->next;
    if (!files->first) files->last = NULL;
  } else {
    eventfd_t count;
    eventfd_read(files->pending_event, &count);
  }
  pthread_mutex_unlock(&files->mutex);
  if (!waiting) return false;
  *event = waiting->event;
  if (event->kind == INTERPOSER_NODE_WRITE) memcpy(bytes, waiting->bytes, event->count);
  free(waiting);
  return true;
}

bool interposer_fuse_idle(struct interposer_fuse *files) {
  struct pollfd item = {.fd = files->device, .events = POLLIN};
  pthread_mutex_lock(&files->mutex);
  bool idle = !files->first && poll(&item, 1, 0) == 0;
  pthread_mutex_unlock(&files->mutex);
  return idle;
}

void interposer_fuse_reply(struct interposer_fuse *files, const struct interposer_event *event,
                           const void *bytes, size_t count, int error) {
  struct fuse_write_out written = {.size = (uint32_t)count};
  if (error)
    reply(files, event->request, error, NULL, 0);
  else if (event->kind == INTERPOSER_NODE_WRITE)
    reply(files, event->request, 0, &written, sizeof written);
  else
    reply(files, event->request, 0, bytes, count);
}
