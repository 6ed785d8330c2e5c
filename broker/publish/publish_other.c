/* SPDX-License-Identifier: ISC
 * Publishing on macOS and the BSDs: renameatx_np where there is one, each file synced by itself. Broker.
 * Trusts the kernel. */
#include "publish/publish_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/acl.h>
#endif

int sys_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
#ifdef __APPLE__
    return renameatx_np(from_dir, from, to_dir, to, RENAME_EXCL);
#else
    (void)from_dir;
    (void)from;
    (void)to_dir;
    (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

int sys_syncfs(int fd)
{
    (void)fd;
    errno = ENOSYS;
    return -1;
}

int sys_fsync(int fd)
{
#ifdef __APPLE__
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return 0;
#endif
    return fsync(fd);
}

void sys_begin_writing(int fd, off_t at, off_t len)
{
    (void)fd;
    (void)at;
    (void)len;
}

void sys_filesystem(int fd, struct filesystem *out)
{
    struct statfs fs;
    *out = (struct filesystem){0};
    snprintf(out->name, sizeof(out->name), "%s", fstatfs(fd, &fs) < 0 ? "unknown" : fs.f_fstypename);
}

int sys_open_unnamed(int dir)
{
    (void)dir;
    errno = ENOSYS;
    return -1;
}

int sys_link_unnamed(int fd, int dir, const char *name)
{
    (void)fd;
    (void)dir;
    (void)name;
    errno = ENOSYS;
    return -1;
}

void sys_strip_acl(int fd)
{
#ifdef __APPLE__
    acl_t none = acl_init(0);
    if (none) {
        (void)acl_set_fd_np(fd, none, ACL_TYPE_EXTENDED);
        acl_free(none);
    }
#else
    (void)fd;
#endif
}
