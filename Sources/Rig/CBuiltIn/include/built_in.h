#ifndef ANEROID_BUILT_IN_H
#define ANEROID_BUILT_IN_H

#include <stddef.h>

/// A file of the repository that the command carries with it.
struct built_in_file {
  /// Its path from the top of the repository.
  const char *path;
  /// Its bytes, without a zero behind them.
  const unsigned char *bytes;
  /// How many there are.
  size_t count;
};

/// How many files there are.
size_t built_in_file_count(void);

/// One of the files, by its index from 0; they are in the order of their paths.
const struct built_in_file *built_in_file_at(size_t index);

#endif
