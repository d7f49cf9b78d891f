/* Queries of client paths that cannot block: files are opened only with O_PATH, and a file system that a client may
 * serve itself is never queried. */

#ifndef ANEROID_INTERPOSER_LINKS_H
#define ANEROID_INTERPOSER_LINKS_H

#include <linux/stat.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* RESOLVE_* flags of openat2. */
enum { NO_LINKS = 0x04, IN_ROOT = 0x10, CACHED = 0x20 };

/* Opens a path with O_PATH. Returns the descriptor, or -errno. */
int interposer_open_path(int base, const char *path, uint64_t flags, uint64_t resolve);
/* Opens the directory at which a path of a thread starts. Returns the descriptor, or -1. */
int interposer_open_base(pid_t thread, int directory, const char *path);
/* Reads the metadata of an open path without querying its file system. */
bool interposer_read_metadata(int place, struct statx *status);
/* The cache of paths without links: query, insertion and invalidation. For one thread. */
bool interposer_is_cached_path(const char *path, size_t length);
void interposer_cache_path(const char *path, size_t length);
void interposer_invalidate_path_cache(void);
/* Returns true if a location is on a local file system. One that a program serves might wait for a program that
 * waits for the supervisor. The mounts of the thread show the type without querying the file system. */
bool interposer_is_local(pid_t thread, const struct statx *status);
/* Returns true if a location without a block device is on a file system of a type. */
bool interposer_is_on_file_system(pid_t thread, const struct statx *status, const char *kind);

#endif
