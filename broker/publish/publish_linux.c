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

void sys_begin_writing(int fd, off_t at, off_t len)
{
    (void)!sync_file_range(fd, at, len, SYNC_FILE_RANGE_WRITE);
}

void sys_filesystem(int fd, struct filesystem *out)
{
    /* statfs(2). On FUSE syncfs ends in the kernel and does not reach the server. A directory's sync is known only of
     * those that do it themselves: overlay passes it on. */
    static const struct {
        uint32_t magic;
        struct filesystem is;
    } known[] = {
        {0xef53, {"ext4", true, true}},       {0x58465342, {"xfs", true, true}},
        {0x9123683e, {"btrfs", true, true}},  {0x01021994, {"tmpfs", true, true}},
        {0x794c7630, {"overlay", true, false}}, {0x2fc12fc1, {"zfs", true, false}},
        {0xf2f52010, {"f2fs", true, false}},  {0xca451a4e, {"bcachefs", true, false}},
        {0x6969, {"nfs", true, false}},       {0x65735546, {"fuse", false, false}},
        {0x01021997, {"9p", false, false}},   {0xff534d42, {"cifs", true, false}},
        {0xfe534d42, {"smb2", true, false}},  {0x4d44, {"vfat", true, false}},
        {0x2011bab0, {"exfat", true, false}}, {0x5346544e, {"ntfs", true, false}},
        {0x858458f6, {"ramfs", true, false}},
    };
    struct statfs fs;
    *out = (struct filesystem){.name = "unknown"};
    if (fstatfs(fd, &fs) < 0)
        return;
    snprintf(out->name, sizeof(out->name), "0x%x", (unsigned)fs.f_type);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (known[i].magic == (uint32_t)fs.f_type)
            *out = known[i].is;
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
