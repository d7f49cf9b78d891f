/* Small files of /proc. */

#ifndef ANEROID_INTERPOSER_CONTENTS_H
#define ANEROID_INTERPOSER_CONTENTS_H

#include <stddef.h>
#include <sys/types.h>

/* Reads a small file whole, and ends it with a zero; its length, or -errno. */
ssize_t interposer_contents(const char *name, char *text, size_t capacity);
/* The same for a file that is read again and again, and stays open: file is -1 before. */
ssize_t interposer_contents_again(int *file, const char *name, char *text, size_t capacity);

#endif
