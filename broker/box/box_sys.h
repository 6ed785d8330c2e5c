/* SPDX-License-Identifier: ISC
 * System calls of the new mount API and clone, which older C libraries do not wrap. Linux only. */
#ifndef SALLYPORT_BOX_SYS_H
#define SALLYPORT_BOX_SYS_H

#include <fcntl.h>
#include <linux/mount.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Same number on every architecture since the unified table (5.1). */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#define SYS_fspick 433
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static inline int sys_fsopen(const char *type)
{
    return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static inline int sys_fsconfig(int fs, unsigned cmd, const char *key, const char *value)
{
    return (int)syscall(SYS_fsconfig, fs, cmd, key, value, 0);
}

static inline int sys_fsmount(int fs, unsigned attr)
{
    return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attr);
}

static inline int sys_fspick(int fd)
{
    return (int)syscall(SYS_fspick, fd, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
}

/* A private copy of the mount at the object behind fd. */
static inline int sys_clone_tree(int fd, unsigned flags)
{
    return (int)syscall(SYS_open_tree, fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | flags);
}

/* Attaches a detached mount on the object behind `to`. */
static inline int sys_attach(int mount_fd, int to)
{
    return (int)syscall(SYS_move_mount, mount_fd, "", to, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static inline int sys_mount_attr(int mount_fd, unsigned flags, uint64_t set)
{
    struct mount_attr attr = {.attr_set = set};
    return (int)syscall(SYS_mount_setattr, mount_fd, "", AT_EMPTY_PATH | flags, &attr, sizeof attr);
}

static inline int sys_mount_idmap(int mount_fd, int userns_fd)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)(unsigned)userns_fd};
    return (int)syscall(SYS_mount_setattr, mount_fd, "", AT_EMPTY_PATH, &attr, sizeof attr);
}

static inline int sys_close_range(unsigned first, unsigned last, unsigned flags)
{
    return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int sys_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

#endif
