/* Open nodes as files of a FUSE file system served by this process. */

#ifndef ANEROID_INTERPOSER_FUSE_H
#define ANEROID_INTERPOSER_FUSE_H

#include "nodes.h"

/* Creates a detached FUSE mount. Returns the descriptors of its device and root. */
int interposer_mount(int *device, int *root);

struct interposer_fuse;

struct interposer_fuse *interposer_fuse_create(int *error);
void interposer_fuse_destroy(struct interposer_fuse *files);
int interposer_fuse_open(struct interposer_fuse *files, const char *name, int flags);
int interposer_fuse_descriptor(const struct interposer_fuse *files);
bool interposer_fuse_next(struct interposer_fuse *files, struct interposer_event *event,
                          void *bytes);
bool interposer_fuse_idle(struct interposer_fuse *files);
void interposer_fuse_reply(struct interposer_fuse *files, const struct interposer_event *event,
                           const void *bytes, size_t count, int error);

#endif
