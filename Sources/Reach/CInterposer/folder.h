/* Open nodes as files of a folder, where there can be no file system of one's own. */

#ifndef ANEROID_INTERPOSER_FOLDER_H
#define ANEROID_INTERPOSER_FOLDER_H

#include "nodes.h"

struct interposer_folder;

struct interposer_folder *interposer_folder_create(int *error);
void interposer_folder_destroy(struct interposer_folder *folder);
int interposer_folder_open(struct interposer_folder *folder, unsigned bus, const char *name,
                           int flags);
int interposer_folder_root(const struct interposer_folder *folder);
int interposer_folder_descriptor(const struct interposer_folder *folder);
bool interposer_folder_next(struct interposer_folder *folder, struct interposer_event *event);

/* The number of the open file that a name ends with. */
uint64_t interposer_number_of(const char *name);

#endif
