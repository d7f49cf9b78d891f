/* Opens files of a file system that this process serves itself.
 *
 * A thread that waits for the answer to an open cannot be killed once the request has been read. If that thread had
 * the FUSE device open, a killed process would never exit: the answer can no longer come, and the device is not
 * closed. Therefore the opening thread has its own descriptor table without the device. */

#ifndef ANEROID_INTERPOSER_OPENER_H
#define ANEROID_INTERPOSER_OPENER_H

struct interposer_opener;

/* Creates an opener for the files of a directory. Returns NULL and an errno if its thread cannot be started. */
struct interposer_opener *interposer_opener_create(int folder, int *error);
void interposer_opener_destroy(struct interposer_opener *opener);
/* Returns a descriptor, or -errno. */
int interposer_opener_open(struct interposer_opener *opener, const char *name, int flags);

#endif
