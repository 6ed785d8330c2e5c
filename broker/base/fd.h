/* SPDX-License-Identifier: ISC
 * Descriptors: ownership, reading and writing in full, and the only callers of openat2. `int fd` is borrowed,
 * `int *fd` in *_take is taken and set to -1. Everything is close-on-exec at birth. */
#ifndef SALLYPORT_FD_H
#define SALLYPORT_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/compiler.h"

struct source_facts; /* base/item.h */

/* How names are resolved beneath a root. Both tiers exist in every build. */
enum resolve_tier {
    RESOLVE_UNPROBED = 0,
    RESOLVE_OPENAT2,   /* openat2(BENEATH|NO_SYMLINKS|NO_XDEV|NO_MAGICLINKS) */
    RESOLVE_COMPONENTS /* one component at a time, O_NOFOLLOW, mount id compared */
};

struct root {
    int fd; /* directory; owned */
    enum resolve_tier tier;
    uint64_t dev, ino, mount_id;
    bool has_mount_id;
    bool remote;  /* NFS, FUSE, 9p, virtiofs: stability cannot be known */
    bool overlay; /* leases miss shared mappings */
};

/* Opens the operator's path once (following a symlinked operator path once), identifies it and probes the
 * tier on
 * ".". force: RESOLVE_UNPROBED for the best, or one tier for tests. 0 or -1 with errno; ENOTSUP: a pseudo
 * filesystem of the kernel (/proc, /sys), whose files are no files. */
int root_open(struct root *root, const char *path, enum resolve_tier force) MUST_CHECK;
/* The same for a directory descriptor, which is taken. */
int root_adopt(struct root *root, int *fd, enum resolve_tier force) MUST_CHECK;
void root_close(struct root *root);
/* Opens a checked relative path (path_check) beneath the root, never following a link in any component and
 * never leaving the root's mount. flags gain O_NOFOLLOW|O_NONBLOCK|O_NOCTTY|O_CLOEXEC. -1 with errno: ELOOP a
 * link, ENOTDIR a link or file in between, EXDEV another mount. */
int root_openat(const struct root *root, const char *path, int flags) MUST_CHECK;
/* What a name is, without opening or following it: kind, owner, sizes, times, identity, mount. `dir` is a
 * directory opened beneath the root. facts->mount_id 0: the system does not say. */
int fd_facts_at(int dir, const char *name, struct source_facts *facts) MUST_CHECK;
int fd_facts(int fd, struct source_facts *facts) MUST_CHECK;
/* The same by a checked path beneath the root; errno as of root_openat(). */
int root_facts(const struct root *root, const char *path, struct source_facts *facts) MUST_CHECK;
/* Do these facts belong to an object on another mount than the root's? */
bool root_foreign(const struct root *root, const struct source_facts *facts);

/* Is the directory the one with this identity, or somewhere below it? Climbs by "..", so bind mounts are seen
 * as they are mounted. 1 yes, 0 no, -1 with errno. */
int fd_beneath(int fd, uint64_t dev, uint64_t ino) MUST_CHECK;

void fd_close(int *fd);
/* Closes lowest and everything above it. 0 or -1 with errno. Safe after fork. */
int fd_close_from(int lowest) MUST_CHECK;
/* All of it or -1 with errno; short input is errno ENODATA. */
int fd_read_full(int fd, void *buf, size_t len) MUST_CHECK;
int fd_pread_full(int fd, void *buf, size_t len, uint64_t offset) MUST_CHECK;
int fd_write_full(int fd, const void *buf, size_t len) MUST_CHECK;
/* In nanoseconds, as near as they fit: whoever owns a file gives it any time. */
int64_t fd_nanoseconds(int64_t seconds, int64_t rest);
/* Reads a whole small file of at most max bytes into malloc'ed memory (one NUL appended, not counted); errno
 * EFBIG when it is larger. */
int fd_read_all(int fd, size_t max, uint8_t **out, size_t *len) MUST_CHECK;
/* Mount id of the object behind fd; false where the system does not say. */
bool fd_mount_id(int fd, uint64_t *id);
/* Asks for room for `size` bytes; only ENOSPC, EDQUOT and EFBIG are failures. */
int fd_reserve(int fd, uint64_t size) MUST_CHECK;
/* Reads without moving the access time where the caller may (owner or root); errno EPERM where not. 0: not
 * known here. */
extern const int fd_noatime;
/* The same open file once more, read-only, with an offset of its own. */
int fd_reopen_read(int fd) MUST_CHECK;
/* Names of extended attributes, each terminated, into buf; their total length, 0 where there are none or the
 * system has none. */
size_t fd_xattr_names(int fd, char *buf, size_t size);
/* A read lease: granted only while nobody has the file open or mapped for writing, and broken by whoever
 * tries. */
enum lease { LEASE_NONE = 0, LEASE_HELD, LEASE_WRITER };
enum lease fd_lease_take(int fd);
bool fd_lease_intact(int fd);

#ifdef FD_ROOT_INTERNAL
/* Between fd_root.c and the one file per system. */
struct root_place {
    bool remote, overlay, pseudo;
};
void fd_place(int fd, struct root_place *place);
/* openat2 with the flags of RESOLVE_OPENAT2; ENOSYS where the system has none. */
int fd_openat2(int dir, const char *path, int flags);
extern const int fd_search_flags; /* opens a directory to look up names in it */
#endif

#endif
