/* SPDX-License-Identifier: ISC
 * What only Linux has: openat2, mount ids, leases, filesystem magics. Broker. Trusts the kernel's answers
 * about a descriptor; on remote filesystems those come from a server, which root->remote says. */
#define FD_ROOT_INTERNAL 1
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/item.h"

const int fd_search_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
const int fd_noatime = O_NOATIME;

int fd_openat2(int dir, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS,
    };
    /* O_PATH takes no other flag than these; openat2 refuses what open ignores. */
    if (flags & O_PATH)
        how.flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* statfs(2) magics. Whoever serves these files can answer each question as it likes. */
static const uint32_t remote_magics[] = {
    0x6969,     /* NFS */
    0x65735546, /* FUSE, virtiofs */
    0x01021997, /* 9p */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB2 */
    0x517b,     /* SMB */
    0x5346414f, /* AFS */
    0x6b414653, /* kAFS */
    0x00c36400, /* Ceph */
    0x73757245, /* Coda */
    0x0bd00bd0, /* Lustre */
    0x01161970, /* GFS2 */
    0x7461636f, /* OCFS2 */
    0x786f4256, /* VirtualBox shared folder */
};

static const uint32_t pseudo_magics[] = {
    0x9fa0,     /* proc */
    0x62656572, /* sysfs */
    0x27e0eb,   /* cgroup */
    0x63677270, /* cgroup2 */
    0x73636673, /* securityfs */
    0x64626720, /* debugfs */
    0x74726163, /* tracefs */
};

enum { OVERLAY_MAGIC = 0x794c7630 };

static bool magic_among(uint32_t magic, const uint32_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == magic)
            return true;
    return false;
}

void fd_place(int fd, struct root_place *place)
{
    struct statfs fs;
    *place = (struct root_place){.remote = true};
    if (fstatfs(fd, &fs) < 0)
        return;
    uint32_t magic = (uint32_t)fs.f_type;
    place->remote = magic_among(magic, remote_magics, ARRAY_LEN(remote_magics));
    place->pseudo = magic_among(magic, pseudo_magics, ARRAY_LEN(pseudo_magics));
    place->overlay = magic == OVERLAY_MAGIC;
}

/* Before Linux 5.8 statx names no mount; fdinfo does, for an open descriptor. */
static bool mount_id_of_fdinfo(int fd, uint64_t *id)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    AUTO_FD info = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = info < 0 ? -1 : read(info, text, sizeof(text) - 1);
    if (n <= 0)
        return false;
    text[n] = 0;
    const char *at = strstr(text, "mnt_id:");
    if (!at)
        return false;
    *id = strtoull(at + 7, NULL, 10);
    return true;
}

bool fd_mount_id(int fd, uint64_t *id)
{
    struct statx sx;
    if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &sx) == 0 &&
        (sx.stx_mask & STATX_MNT_ID)) {
        *id = sx.stx_mnt_id;
        return true;
    }
    return mount_id_of_fdinfo(fd, id);
}

static enum object_kind kind_of(uint32_t mode)
{
    static const struct {
        uint32_t type;
        enum object_kind kind;
    } kinds[] = {{S_IFREG, OBJECT_FILE},  {S_IFDIR, OBJECT_DIRECTORY}, {S_IFLNK, OBJECT_SYMLINK},
                 {S_IFIFO, OBJECT_FIFO},  {S_IFSOCK, OBJECT_SOCKET},   {S_IFCHR, OBJECT_DEVICE},
                 {S_IFBLK, OBJECT_DEVICE}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (kinds[i].type == (mode & S_IFMT))
            return kinds[i].kind;
    return OBJECT_OTHER;
}

static int64_t nanoseconds(const struct statx_timestamp *t)
{
    return fd_nanoseconds(t->tv_sec, t->tv_nsec);
}

static int facts_by_statx(int dir, const char *name, int flags, struct source_facts *facts)
{
    struct statx sx;
    if (statx(dir, name, flags | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_MNT_ID,
              &sx) < 0)
        return -1;
    *facts = (struct source_facts){
        .known = true,
        .kind = kind_of(sx.stx_mode),
        .mode = sx.stx_mode,
        .uid = sx.stx_uid,
        .gid = sx.stx_gid,
        .links = sx.stx_nlink,
        .size = sx.stx_size,
        .mtime_ns = nanoseconds(&sx.stx_mtime),
        .ctime_ns = nanoseconds(&sx.stx_ctime),
        .dev = makedev(sx.stx_dev_major, sx.stx_dev_minor),
        .ino = sx.stx_ino,
        .mount_id = (sx.stx_mask & STATX_MNT_ID) ? sx.stx_mnt_id : 0,
    };
    return 0;
}

int fd_facts_at(int dir, const char *name, struct source_facts *facts)
{
    return facts_by_statx(dir, name, 0, facts);
}

int fd_facts(int fd, struct source_facts *facts)
{
    return facts_by_statx(fd, "", AT_EMPTY_PATH, facts);
}

int fd_reserve(int fd, uint64_t size)
{
    if (fallocate(fd, 0, 0, (off_t)size) == 0)
        return 0;
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? -1 : 0;
}

int fd_reopen_read(int fd)
{
    char path[64];
    struct stat a, b;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    AUTO_FD again = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (again < 0 || fstat(fd, &a) < 0 || fstat(again, &b) < 0)
        return -1;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) { /* a /proc that is none */
        errno = ESTALE;
        return -1;
    }
    int opened = again;
    again = -1;
    return opened;
}

size_t fd_xattr_names(int fd, char *buf, size_t size)
{
    ssize_t n = flistxattr(fd, buf, size);
    if (n <= 0 || buf[n - 1] != 0)
        return 0;
    return (size_t)n;
}

/* Whoever breaks the lease has the kernel send SIGIO, whose default ends the process: it must be ignored
 * first. */
enum lease fd_lease_take(int fd)
{
    struct sigaction now, ignore = {.sa_handler = SIG_IGN};
    if (sigaction(SIGIO, NULL, &now) < 0)
        return LEASE_NONE;
    if (now.sa_handler == SIG_DFL && sigaction(SIGIO, &ignore, NULL) < 0)
        return LEASE_NONE;
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
        return LEASE_HELD;
    return errno == EAGAIN ? LEASE_WRITER : LEASE_NONE;
}

bool fd_lease_intact(int fd)
{
    return fcntl(fd, F_GETLEASE) == F_RDLCK;
}
