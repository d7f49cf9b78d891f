/* Open nodes as files of a directory, where FUSE is unavailable. */

#ifndef ANEROID_INTERPOSER_FOLDER_H
#define ANEROID_INTERPOSER_FOLDER_H

#include "nodes.h"

struct interposer_directory;

struct interposer_directory *interposer_directory_create(int *error);
void interposer_directory_destroy(struct interposer_directory *folder);
int interposer_directory_open(struct interposer_directory *folder, unsigned bus, const char *name,
                           int flags);
int interposer_directory_root(const struct interposer_directory *folder);
int interposer_directory_descriptor(const struct interposer_directory *folder);
bool interposer_directory_next(struct interposer_directory *folder, struct interposer_event *event);

/* Returns the number of the open file at the end of a name. */
uint64_t interposer_open_file_number(const char *name);

#endif
