/* SPDX-License-Identifier: ISC
 * Publishing on Linux: renameat2, syncfs, O_TMPFILE, POSIX ACLs. Broker. Trusts the kernel. */
#include "publish/publish_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int sys_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
    enum { NOREPLACE = 1 }; /* renameat2(2) */
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, NOREPLACE);
}

int sys_syncfs(int fd)
{
    return syncfs(fd);
}

int sys_fsync(int fd)
{
    return fsync(fd);
}

bool sys_filesystem(int fd, char name[32])
{
    /* statfs(2). On FUSE syncfs ends in the kernel and does not reach the server. */
    static const struct {
        uint32_t magic;
        bool syncfs;
        const char *name;
    } known[] = {
        {0xef53, true, "ext4"},      {0x58465342, true, "xfs"},      {0x9123683e, true, "btrfs"},
        {0x01021994, true, "tmpfs"}, {0x794c7630, true, "overlay"},  {0x2fc12fc1, true, "zfs"},
        {0xf2f52010, true, "f2fs"},  {0xca451a4e, true, "bcachefs"}, {0x6969, true, "nfs"},
        {0x65735546, false, "fuse"}, {0x01021997, false, "9p"},      {0xff534d42, true, "cifs"},
        {0xfe534d42, true, "smb2"},  {0x4d44, true, "vfat"},         {0x2011bab0, true, "exfat"},
        {0x5346544e, true, "ntfs"},  {0x858458f6, true, "ramfs"},
    };
    struct statfs fs;
    if (fstatfs(fd, &fs) < 0) {
        snprintf(name, 32, "unknown");
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (known[i].magic == (uint32_t)fs.f_type) {
            snprintf(name, 32, "%s", known[i].name);
            return known[i].syncfs;
        }
    snprintf(name, 32, "0x%x", (unsigned)fs.f_type);
    return false;
}

int sys_open_unnamed(int dir)
{
    return openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* By descriptor where the kernel lets us, else through /proc. */
int sys_link_unnamed(int fd, int dir, const char *name)
{
    char path[64];
    if (linkat(fd, "", dir, name, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != ENOENT && errno != EPERM && errno != EINVAL)
        return -1;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW);
}

/* Everything below is created in here: without a default ACL here nothing below inherits one. */
void sys_strip_acl(int fd)
{
    (void)fremovexattr(fd, "system.posix_acl_default");
    (void)fremovexattr(fd, "system.posix_acl_access");
}
