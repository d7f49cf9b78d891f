#ifndef ANEROID_BUILT_IN_H
#define ANEROID_BUILT_IN_H

#include <stddef.h>

/// A file of the repository that is embedded in the command.
struct built_in_file {
  /// The path relative to the root of the repository.
  const char *path;
  /// The bytes, without a terminating zero.
  const unsigned char *bytes;
  /// The number of bytes.
  size_t count;
};

/// Returns the number of embedded files.
size_t built_in_file_count(void);

/// Returns a file by its index from 0; files are in order of their paths.
const struct built_in_file *built_in_file_at(size_t index);

#endif
