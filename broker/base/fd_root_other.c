/* SPDX-License-Identifier: ISC
 * macOS and the BSDs: no openat2, no mount ids, no leases. The second tier serves; a filesystem's fsid stands
 * for the mount. Broker. Trusts the kernel's answers about a descriptor. */
#define FD_ROOT_INTERNAL 1
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/xattr.h>
#define ST_MTIM st_mtimespec
#define ST_CTIM st_ctimespec
#else
#define ST_MTIM st_mtim
#define ST_CTIM st_ctim
#endif

#include "base/item.h"

const int fd_search_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
const int fd_noatime = 0;

int fd_openat2(int dir, const char *path, int flags)
{
    (void)dir;
    (void)path;
    (void)flags;
    errno = ENOSYS;
    return -1;
}

void fd_place(int fd, struct root_place *place)
{
    struct statfs fs;
    *place = (struct root_place){.remote = true};
    if (fstatfs(fd, &fs) < 0)
        return;
    place->remote = !(fs.f_flags & MNT_LOCAL);
    place->pseudo = strcmp(fs.f_fstypename, "procfs") == 0 || strcmp(fs.f_fstypename, "devfs") == 0;
}

bool fd_mount_id(int fd, uint64_t *id)
{
    struct statfs fs;
    uint32_t part[2];
    if (fstatfs(fd, &fs) < 0)
        return false;
    memcpy(part, &fs.f_fsid, sizeof(part));
    *id = (uint64_t)part[0] << 32 | part[1];
    return true;
}

static enum object_kind kind_of(mode_t mode)
{
    return S_ISREG(mode)                    ? OBJECT_FILE
           : S_ISDIR(mode)                  ? OBJECT_DIRECTORY
           : S_ISLNK(mode)                  ? OBJECT_SYMLINK
           : S_ISFIFO(mode)                 ? OBJECT_FIFO
           : S_ISSOCK(mode)                 ? OBJECT_SOCKET
           : S_ISCHR(mode) || S_ISBLK(mode) ? OBJECT_DEVICE
                                            : OBJECT_OTHER;
}

static void facts_of_stat(const struct stat *st, struct source_facts *facts)
{
    *facts = (struct source_facts){
        .known = true,
        .kind = kind_of(st->st_mode),
        .mode = st->st_mode,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .links = st->st_nlink,
        .size = (uint64_t)st->st_size,
        .mtime_ns = fd_nanoseconds(st->ST_MTIM.tv_sec, st->ST_MTIM.tv_nsec),
        .ctime_ns = fd_nanoseconds(st->ST_CTIM.tv_sec, st->ST_CTIM.tv_nsec),
        .dev = (uint64_t)st->st_dev,
        .ino = st->st_ino,
    };
}

int fd_facts_at(int dir, const char *name, struct source_facts *facts)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    facts_of_stat(&st, facts);
    return 0;
}

int fd_facts(int fd, struct source_facts *facts)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -1;
    facts_of_stat(&st, facts);
    return 0;
}

/* No call here reserves room without a chance of writing over what is there: a full disk shows at write. */
int fd_reserve(int fd, uint64_t size)
{
    (void)fd;
    (void)size;
    return 0;
}

int fd_reopen_read(int fd)
{
    (void)fd;
    errno = ENOTSUP;
    return -1;
}

size_t fd_xattr_names(int fd, char *buf, size_t size)
{
#ifdef __APPLE__
    ssize_t n = flistxattr(fd, buf, size, 0);
    return n <= 0 || buf[n - 1] != 0 ? 0 : (size_t)n;
#else
    (void)fd;
    (void)buf;
    (void)size;
    return 0;
#endif
}

enum lease fd_lease_take(int fd)
{
    (void)fd;
    return LEASE_NONE;
}

bool fd_lease_intact(int fd)
{
    (void)fd;
    return false;
}
