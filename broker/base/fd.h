/* SPDX-License-Identifier: ISC
 * Descriptors: ownership, reading and writing in full, and the only callers of openat2. `int fd` is borrowed, `int *fd`
 * in *_take is taken and set to -1. Everything is close-on-exec at birth. */
#ifndef SALLYPORT_FD_H
#define SALLYPORT_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/compiler.h"

/* How names are resolved beneath a root. Both tiers exist in every build. */
enum resolve_tier {
    RESOLVE_UNPROBED = 0,
    RESOLVE_OPENAT2,   /* openat2(BENEATH|NO_SYMLINKS|NO_XDEV|NO_MAGICLINKS) */
    RESOLVE_COMPONENTS /* one component at a time, O_NOFOLLOW, mount id compared */
};

struct root {
    int fd;                  /* directory; owned */
    enum resolve_tier tier;
    uint64_t dev, ino, mount_id;
    bool has_mount_id;
    bool remote;             /* NFS, FUSE, 9p, virtiofs: stability cannot be known */
    bool overlay;            /* leases miss shared mappings */
};

/* Opens the operator's path once (following a symlinked operator path once), identifies it and probes the tier on
 * ".". force: RESOLVE_UNPROBED for the best, or one tier for tests. 0 or -1 with errno. */
int root_open(struct root *root, const char *path, enum resolve_tier force) MUST_CHECK;
/* The same for a directory descriptor, which is taken. */
int root_adopt(struct root *root, int *fd, enum resolve_tier force) MUST_CHECK;
void root_close(struct root *root);
/* Opens a checked relative path (path_check) beneath the root, never following a link in any component and never
 * leaving the root's mount. flags gain O_NOFOLLOW|O_NONBLOCK|O_NOCTTY|O_CLOEXEC. -1 with errno: ELOOP a link,
 * ENOTDIR a link or file in between, EXDEV another mount. */
int root_openat(const struct root *root, const char *path, int flags) MUST_CHECK;

void fd_close(int *fd);
/* All of it or -1 with errno; short input is errno ENODATA. */
int fd_read_full(int fd, void *buf, size_t len) MUST_CHECK;
int fd_pread_full(int fd, void *buf, size_t len, uint64_t offset) MUST_CHECK;
int fd_write_full(int fd, const void *buf, size_t len) MUST_CHECK;
/* Reads a whole small file of at most max bytes into malloc'ed memory (one NUL appended, not counted); errno EFBIG
 * when it is larger. */
int fd_read_all(int fd, size_t max, uint8_t **out, size_t *len) MUST_CHECK;
/* Mount id of the object behind fd; false where the system does not say. */
bool fd_mount_id(int fd, uint64_t *id);

#endif
