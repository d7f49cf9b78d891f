/* The file that a client holds as an open node. All nodes of a bus are one inode, so that the kernel
 * knows copies, flags and locks by itself. Where it can, this process serves their file system (FUSE):
 * reads and writes arrive then under whatever number and by whatever call. Elsewhere they are files of a
 * folder, and what a filter does not see is lost. Functions return 0 or a value, and -errno for a failure. */

#ifndef ANEROID_INTERPOSER_NODES_H
#define ANEROID_INTERPOSER_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the names of open nodes begin with; a process, a bus and a number of the open file follow. */
#define INTERPOSER_NODE_PREFIX "aneroid-node-"

/* The most bytes that a read or a write of i2c-dev moves. */
enum { INTERPOSER_NODE_BYTES = 8192 };

/* A file system of nodes. */
struct interposer_files;

/* What happened to a node without a system call that a filter has seen. */
struct interposer_event {
  /* The kernel's name for a request that waits for interposer_reply. */
  uint64_t request;
  /* The number of the open file. */
  uint64_t file;
  enum {
    INTERPOSER_NODE_READ,
    INTERPOSER_NODE_WRITE,
    /* It has been opened once more. */
    INTERPOSER_NODE_OPENED,
    /* The last copy has been closed. */
    INTERPOSER_NODE_CLOSED,
    /* A write has not reached this process. */
    INTERPOSER_NODE_LOST
  } kind;
  /* How many bytes are wanted or given. */
  uint32_t count;
};

/* Mounts a file system that nobody else sees and serves it on a thread, without privileges where the
 * kernel lets users have name spaces; where that is not possible it makes a folder, and NULL and an errno
 * where that is not possible either. */
struct interposer_files *interposer_files_create(int *error);
/* Whether reads and writes arrive that no filter has seen. */
bool interposer_files_serve(const struct interposer_files *files);
/* The folder of the files, -1 where they are served. */
int interposer_files_folder(const struct interposer_files *files);
void interposer_files_destroy(struct interposer_files *files);
/* Opens a node of a bus as the flags of open say; the number of the open file is the caller's. With the
 * access mode 3 neither reads nor writes succeed. */
int interposer_files_open(struct interposer_files *files, unsigned bus, uint64_t file, int flags);
/* A descriptor that can be read while there are events. */
int interposer_files_descriptor(const struct interposer_files *files);
/* Takes the oldest event, and the bytes of a write into a buffer of INTERPOSER_NODE_BYTES; whether there was
 * one. */
bool interposer_files_next(struct interposer_files *files, struct interposer_event *event,
                           void *bytes);
/* Whether nobody waits for an answer. */
bool interposer_files_idle(struct interposer_files *files);
/* Answers a read with bytes, a write with a count alone, either with an errno. */
void interposer_files_reply(struct interposer_files *files, const struct interposer_event *event,
                            const void *bytes, size_t count, int error);

/* Puts a copy of a descriptor into the caller of a call that still waits, under a number or, with -1, the
 * lowest that is free; its number. The call is to be answered when this process holds none any more:
 * locks last as long as somebody does. */
int interposer_install(int listener, uint64_t call, int descriptor, int number,
                       bool close_on_exec);

/* The number of the open node behind a descriptor of a thread, 0 if it is none of this process. */
uint64_t interposer_node(pid_t thread, int descriptor);
/* The name of the program of a thread, without what a terminal would obey; its length. */
ssize_t interposer_program_name(pid_t thread, char *name, size_t capacity);
/* A copy, in this process, of a descriptor of a thread. */
int interposer_fetch(pid_t thread, int descriptor);

#endif
