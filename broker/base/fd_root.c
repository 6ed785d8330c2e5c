/* SPDX-License-Identifier: ISC
 * Opening beneath a hostile directory. Broker. Trusts the root descriptor and nothing below it. Invariant: no
 * link is followed in any component and the root's mount is never left, in both tiers. */
#define FD_ROOT_INTERNAL 1
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/item.h"
#include "base/limits.h"
#include "base/path.h"

enum { OPEN_ALWAYS = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* A filter answers EPERM, an old kernel ENOSYS, one that lacks a flag EINVAL: the second tier serves them
 * all. Asked once and on the root itself, so that no single file can move the tier. */
static int probe_tier(int fd, enum resolve_tier force, enum resolve_tier *tier)
{
    *tier = RESOLVE_COMPONENTS;
    if (force == RESOLVE_COMPONENTS)
        return 0;
    AUTO_FD probe = fd_openat2(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (probe >= 0)
        *tier = RESOLVE_OPENAT2;
    else if (force == RESOLVE_OPENAT2 || (errno != ENOSYS && errno != EPERM && errno != EINVAL))
        return -1;
    return 0;
}

int root_adopt(struct root *root, int *fd, enum resolve_tier force)
{
    AUTO_FD mine = *fd;
    struct source_facts facts;
    struct root_place place;
    *fd = -1;
    *root = (struct root){.fd = -1};
    if (fd_facts(mine, &facts) < 0)
        return -1;
    if (facts.kind != OBJECT_DIRECTORY) {
        errno = ENOTDIR;
        return -1;
    }
    fd_place(mine, &place);
    if (place.pseudo) {
        errno = ENOTSUP;
        return -1;
    }
    if (probe_tier(mine, force, &root->tier) < 0)
        return -1;
    root->dev = facts.dev;
    root->ino = facts.ino;
    root->has_mount_id = fd_mount_id(mine, &root->mount_id);
    root->remote = place.remote;
    root->overlay = place.overlay;
    root->fd = mine;
    mine = -1;
    return 0;
}

int root_open(struct root *root, const char *path, enum resolve_tier force)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *root = (struct root){.fd = -1};
    return fd < 0 ? -1 : root_adopt(root, &fd, force);
}

void root_close(struct root *root)
{
    fd_close(&root->fd);
}

bool root_foreign(const struct root *root, const struct source_facts *facts)
{
    return root->has_mount_id && facts->mount_id != 0 && facts->mount_id != root->mount_id;
}

/* The opened object is on the root's mount, by mount id, or by device where the system knows no mount ids. */
static bool same_mount(const struct root *root, int fd)
{
    uint64_t id;
    struct stat st;
    if (root->has_mount_id)
        return fd_mount_id(fd, &id) && id == root->mount_id;
    return fstat(fd, &st) == 0 && (uint64_t)st.st_dev == root->dev;
}

/* O_DIRECTORY on a link says ENOTDIR, without it ELOOP. Callers see one language. */
static void name_the_link(int dir, const char *name)
{
    struct stat st;
    int saved = errno;
    if (saved == ENOTDIR && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        saved = ELOOP;
    errno = saved;
}

static int open_component(const struct root *root, int dir, const char *name, int flags)
{
    AUTO_FD fd = openat(dir, name, flags | OPEN_ALWAYS);
    if (fd < 0) {
        name_the_link(dir, name);
        return -1;
    }
    if (!same_mount(root, fd)) {
        errno = EXDEV;
        return -1;
    }
    int opened = fd;
    fd = -1;
    return opened;
}

static int open_components(const struct root *root, const char *path, int flags)
{
    AUTO_FD held = -1;
    int dir = root->fd;
    for (const char *at = path;;) {
        char name[COMPONENT_BYTES + 1];
        size_t len = strcspn(at, "/");
        if (len > COMPONENT_BYTES) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, at, len);
        name[len] = 0;
        bool last = at[len] == 0;
        int next = open_component(root, dir, name, last ? flags : fd_search_flags);
        if (next < 0 || last)
            return next;
        fd_close(&held);
        held = dir = next;
        at += len + 1;
    }
}

int root_openat(const struct root *root, const char *path, int flags)
{
    if (path_grammar(path, strlen(path)) != PATH_OK || (flags & O_CREAT)) {
        errno = EINVAL;
        return -1;
    }
    if (root->tier != RESOLVE_OPENAT2)
        return open_components(root, path, flags);
    int fd = fd_openat2(root->fd, path, flags | OPEN_ALWAYS);
    if (fd >= 0 || errno != ENOTDIR || !(flags & O_DIRECTORY))
        return fd;
    struct source_facts facts;
    AUTO_FD last = fd_openat2(root->fd, path, fd_search_flags & ~O_DIRECTORY);
    errno = last >= 0 && fd_facts(last, &facts) == 0 && facts.kind == OBJECT_SYMLINK ? ELOOP : ENOTDIR;
    return -1;
}

int root_facts(const struct root *root, const char *path, struct source_facts *facts)
{
    char parent[PATH_BYTES + 1];
    const char *slash = strrchr(path, '/');
    if (path_grammar(path, strlen(path)) != PATH_OK) {
        errno = EINVAL;
        return -1;
    }
    if (!slash)
        return fd_facts_at(root->fd, path, facts);
    memcpy(parent, path, (size_t)(slash - path));
    parent[slash - path] = 0;
    AUTO_FD dir = root_openat(root, parent, fd_search_flags);
    return dir < 0 ? -1 : fd_facts_at(dir, slash + 1, facts);
}

int fd_beneath(int fd, uint64_t dev, uint64_t ino)
{
    AUTO_FD held = -1;
    uint64_t last_dev = 0, last_ino = 0;
    for (unsigned step = 0; step < PATH_BYTES; step++) {
        struct stat st;
        if (fstat(fd, &st) < 0)
            return -1;
        if ((uint64_t)st.st_dev == dev && (uint64_t)st.st_ino == ino)
            return 1;
        if (step > 0 && (uint64_t)st.st_dev == last_dev && (uint64_t)st.st_ino == last_ino)
            return 0;
        last_dev = (uint64_t)st.st_dev;
        last_ino = (uint64_t)st.st_ino;
        int up = openat(fd, "..", fd_search_flags);
        if (up < 0)
            return -1;
        fd_close(&held);
        held = fd = up;
    }
    errno = ELOOP;
    return -1;
}
