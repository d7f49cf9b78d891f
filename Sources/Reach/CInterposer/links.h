/* Looks at places of clients that end by themselves: nothing is opened but places (O_PATH), and no file
 * system is asked that a client might serve itself. */

#ifndef ANEROID_INTERPOSER_LINKS_H
#define ANEROID_INTERPOSER_LINKS_H

#include <linux/stat.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Ways of openat2. */
enum { NO_LINKS = 0x04, IN_ROOT = 0x10, CACHED = 0x20 };

/* Opens a place by a path; its descriptor or -errno. */
int interposer_open_place(int base, const char *path, uint64_t flags, uint64_t resolve);
/* Where a path of a thread begins; its descriptor or -1. */
int interposer_open_base(pid_t thread, int directory, const char *path);
/* What is known of a place without asking its file system. */
bool interposer_look_at(int place, struct statx *status);
/* Whether a path was just seen to have no link in it, and lead to something; that it does; and that from now on it
 * may be otherwise. For one thread. */
bool interposer_is_plain(const char *path, size_t length);
void interposer_keep_plain(const char *path, size_t length);
void interposer_doubt_plain(void);
/* Whether a look into a place ends by itself: one that a program serves may wait for a program that waits
 * for us. The kernel tells by the mounts of the thread, without asking the file system. */
bool interposer_is_of_this_machine(pid_t thread, const struct statx *status);
/* Whether a place without a disk is on a file system of a kind. */
bool interposer_is_on(pid_t thread, const struct statx *status, const char *kind);

#endif
