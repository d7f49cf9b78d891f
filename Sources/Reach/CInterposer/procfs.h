/* Reading of small files of /proc. */

#ifndef ANEROID_INTERPOSER_CONTENTS_H
#define ANEROID_INTERPOSER_CONTENTS_H

#include <stddef.h>
#include <sys/types.h>

/* Reads a small file and appends a zero byte. Returns its length, or -errno. */
ssize_t interposer_read_file(const char *name, char *text, size_t capacity);
/* The same for a file that is read repeatedly and stays open; file is initially -1. */
ssize_t interposer_reread_file(int *file, const char *name, char *text, size_t capacity);

#endif
