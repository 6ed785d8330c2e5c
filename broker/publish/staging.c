/* SPDX-License-Identifier: ISC
 * Private directories in a destination. Broker. Trusts a staging directory only where it is ours, 0700 and
 * locked by us; in a shared destination others may plant anything else. */
#include "publish/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "publish/publish_sys.h"

#define PREFIX ".sallyport-"
#define LOCK_NAME ".lock"

static int flock_within(int fd, unsigned wait_ms)
{
    for (unsigned waited = 0;; waited += LOCK_STEP_MS) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -1;
        if (waited >= wait_ms) {
            errno = EAGAIN;
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOCK_STEP_MS * 1000000L}, NULL);
    }
}

/* NFS locks only what is open for writing, which a directory never is: there a file in it is locked. */
int staging_lock_directory(int dir, unsigned wait_ms)
{
    AUTO_FD fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (flock_within(fd, wait_ms) < 0) {
        if (errno == EAGAIN)
            return -1;
        fd_close(&fd);
        fd = openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd < 0 || flock_within(fd, wait_ms) < 0)
            return -1;
    }
    int held = fd;
    fd = -1;
    return held;
}

static int make_named(int dest, struct staging *s)
{
    uint8_t random[8];
    char hex[2 * sizeof(random) + 1];
    if (getentropy(random, sizeof(random)) < 0)
        return -1;
    hex_encode(random, sizeof(random), hex);
    snprintf(s->name, sizeof(s->name), PREFIX "%s", hex);
    if (mkdirat(dest, s->name, 0700) < 0)
        return -1;
    s->fd = openat(dest, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return s->fd < 0 ? -1 : 0;
}

/* Between mkdir and lock another run's clearing may take the directory: then it is its, and we make another.
 */
static bool ours(const struct staging *s)
{
    struct stat st;
    return s->lock_fd >= 0 && fstat(s->fd, &st) == 0 && st.st_nlink > 0;
}

int staging_make(int dest, struct staging *s)
{
    for (unsigned try = 0; try < STAGING_TRIES; try++) {
        *s = (struct staging){.fd = -1, .lock_fd = -1};
        if (make_named(dest, s) < 0) {
            if (errno == EEXIST || errno == ENOENT)
                continue;
            return -1;
        }
        s->lock_fd = staging_lock_directory(s->fd, 0);
        if (ours(s)) {
            sys_strip_acl(s->fd);
            return fchmod(s->fd, 0700); /* also drops an inherited setgid bit */
        }
        fd_close(&s->lock_fd);
        fd_close(&s->fd);
    }
    errno = EAGAIN;
    return -1;
}

int staging_open_directory(int dir, const char *name, bool create, bool *made)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (made)
        *made = false;
    if (fd >= 0 || errno != ENOENT || !create)
        return fd;
    if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST)
        return -1;
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fchmod(fd, 0755) < 0) /* whatever the umask says */
        fd_close(&fd);
    if (made)
        *made = fd >= 0;
    return fd;
}

/* Calls back for every name below, depth first, a directory after what is in it. Bounded by the walk's own
 * depth. */
static int each_below(int dir, unsigned depth, int (*act)(int dir, const char *name, bool directory))
{
    int result = 0;
    int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (!list) {
        fd_close(&again);
        return -1;
    }
    const struct dirent *e;
    while (result == 0 && (e = readdir(list))) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < WALK_DEPTH_MAX + 8) {
            AUTO_FD below = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            result = below < 0 ? -1 : each_below(below, depth + 1, act);
        }
        if (result == 0)
            result = act(dir, e->d_name, S_ISDIR(st.st_mode));
    }
    closedir(list);
    return result;
}

static int remove_one(int dir, const char *name, bool directory)
{
    return unlinkat(dir, name, directory ? AT_REMOVEDIR : 0);
}

static int sync_one(int dir, const char *name, bool directory)
{
    AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    /* A filesystem that cannot sync a directory says so in the grade; a file that cannot be synced is a
     * failure. */
    return sys_fsync(fd) == 0 || directory ? 0 : -1;
}

int staging_sync(int dir)
{
    return each_below(dir, 0, sync_one);
}

void staging_remove(int dest, struct staging *s)
{
    int saved = errno;
    if (s->fd >= 0) {
        (void)each_below(s->fd, 0, remove_one);
        (void)unlinkat(dest, s->name, AT_REMOVEDIR);
    }
    fd_close(&s->fd);
    fd_close(&s->lock_fd);
    errno = saved;
}

static void clear_one(int dest, const char *name)
{
    struct stat st;
    struct staging s = {.fd = -1, .lock_fd = -1};
    s.fd = openat(dest, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s.fd >= 0 && fstat(s.fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700)
        s.lock_fd = staging_lock_directory(s.fd, 0);
    if (s.lock_fd >= 0 && publish_tree_undo(dest, s.fd) == 0) {
        snprintf(s.name, sizeof(s.name), "%s", name);
        staging_remove(dest, &s);
    }
    fd_close(&s.lock_fd);
    fd_close(&s.fd);
}

void staging_clear_dead(int dest)
{
    int again = openat(dest, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    const struct dirent *e;
    if (!list) {
        fd_close(&again);
        return;
    }
    while ((e = readdir(list)))
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 && strlen(e->d_name) == strlen(PREFIX) + 16)
            clear_one(dest, e->d_name);
    closedir(list);
}
