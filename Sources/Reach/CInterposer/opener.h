/* Opens files of a file system that this process serves itself.
 *
 * Whoever waits for the answer to an open cannot be killed once the request is read. Were it a thread that has the
 * device of the file system open, a killed process would stay for ever: the answer cannot come any more, and the device
 * not be closed. So the thread that opens has descriptors of its own, the device not among them. */

#ifndef ANEROID_INTERPOSER_OPENER_H
#define ANEROID_INTERPOSER_OPENER_H

struct interposer_opener;

/* Opens files of a folder; NULL and an errno where there is no thread for it. */
struct interposer_opener *interposer_opener_create(int folder, int *error);
void interposer_opener_destroy(struct interposer_opener *opener);
/* A descriptor, or -errno. */
int interposer_opener_open(struct interposer_opener *opener, const char *name, int flags);

#endif
