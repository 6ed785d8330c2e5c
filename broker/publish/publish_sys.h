/* SPDX-License-Identifier: ISC
 * What differs between systems in publishing; one .c file per system. */
#ifndef SALLYPORT_PUBLISH_SYS_H
#define SALLYPORT_PUBLISH_SYS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/compiler.h"

/* Renames and never replaces. EEXIST: taken. EINVAL or ENOSYS: the filesystem or system cannot promise it. */
int sys_rename_new(int from_dir, const char *from, int to_dir, const char *to) MUST_CHECK;
/* Everything of this filesystem to stable storage. ENOSYS: no such call. */
int sys_syncfs(int fd) MUST_CHECK;
/* One file or directory to stable storage, through the drive's cache. */
int sys_fsync(int fd) MUST_CHECK;
/* Has the system begin to write a stretch of a file; may wait for the disk, tells nothing. */
void sys_begin_writing(int fd, off_t at, off_t len);
/* What is known of a kind of filesystem without trying; false: not known to. */
struct filesystem {
    char name[32]; /* "ext4", "tmpfs", ... or "0x...." */
    bool syncfs;   /* syncfs reaches its storage */
    bool dir_sync; /* fsync of a directory works */
};
void sys_filesystem(int fd, struct filesystem *out);
/* A file without a name, and the name it gets. EOPNOTSUPP or ENOSYS: not here. */
int sys_open_unnamed(int dir) MUST_CHECK;
int sys_link_unnamed(int fd, int dir, const char *name) MUST_CHECK;
/* Access rules that a new directory inherited from its parent. */
void sys_strip_acl(int fd);

#endif
