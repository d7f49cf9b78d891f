/* The files that clients hold as open nodes. All nodes of a bus are one inode, so the kernel handles copies, flags
 * and locks. If possible, this process serves their file system (FUSE): reads and writes then arrive for every
 * descriptor number and by every call. Otherwise they are files of a directory, and operations that bypass the
 * seccomp filter are lost. Functions return 0 or a value, and -errno for a failure. */

#ifndef ANEROID_INTERPOSER_NODES_H
#define ANEROID_INTERPOSER_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The prefix of the names of open nodes; the process, the bus and the number of the open file follow. */
#define INTERPOSER_NODE_PREFIX "aneroid-node-"

/* The maximum length of a read or write of i2c-dev. */
enum { INTERPOSER_NODE_BYTES = 8192 };

/* A file system of nodes. */
struct interposer_files;

/* An event of a node that bypassed the seccomp filter. */
struct interposer_event {
  /* The kernel's ID of a request that waits for interposer_files_reply. */
  uint64_t request;
  /* The number of the open file. */
  uint64_t file;
  enum {
    INTERPOSER_NODE_READ,
    INTERPOSER_NODE_WRITE,
    /* The file was opened again. */
    INTERPOSER_NODE_OPENED,
    /* The last copy was closed. */
    INTERPOSER_NODE_CLOSED,
    /* A write did not reach this process. */
    INTERPOSER_NODE_LOST
  } kind;
  /* The number of requested or written bytes. */
  uint32_t count;
};

/* Mounts a private FUSE file system and serves it on a thread, without privileges if the kernel permits user
 * namespaces; otherwise creates a directory. Returns NULL and an errno if neither is possible. */
struct interposer_files *interposer_files_create(int *error);
/* Returns true if reads and writes arrive that bypass the seccomp filter. */
bool interposer_files_serve(const struct interposer_files *files);
/* Returns the descriptor of the directory; -1 with FUSE. */
int interposer_files_directory(const struct interposer_files *files);
void interposer_files_destroy(struct interposer_files *files);
/* Opens a node of a bus with open flags; the caller provides the number of the open file. With access mode 3 neither
 * reads nor writes succeed. */
int interposer_files_open(struct interposer_files *files, unsigned bus, uint64_t file, int flags);
/* Returns a descriptor that is readable while events are pending. */
int interposer_files_descriptor(const struct interposer_files *files);
/* Returns the oldest event, with the bytes of a write in a buffer of INTERPOSER_NODE_BYTES. Returns false if there
 * is none. */
bool interposer_files_next(struct interposer_files *files, struct interposer_event *event,
                           void *bytes);
/* Returns true if no request waits for an answer. */
bool interposer_files_idle(struct interposer_files *files);
/* Answers a read with bytes, a write with a count, or either with an errno. */
void interposer_files_reply(struct interposer_files *files, const struct interposer_event *event,
                            const void *bytes, size_t count, int error);

/* Installs a copy of a descriptor in a caller that still waits, with a number or, for -1, the lowest free one.
 * Returns its number. Answer the call after this process has closed its own copies: locks live as long as any. */
int interposer_install(int listener, uint64_t call, int descriptor, int number,
                       bool close_on_exec);

/* Returns the number of the open node behind a descriptor of a thread; 0 if it is not a node of this process. */
uint64_t interposer_node(pid_t thread, int descriptor);
/* Reads the name of a thread's program, with control characters replaced. Returns its length. */
ssize_t interposer_program_name(pid_t thread, char *name, size_t capacity);
/* Returns a copy, in this process, of a descriptor of a thread. */
int interposer_copy_descriptor(pid_t thread, int descriptor);

#endif
