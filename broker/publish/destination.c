/* SPDX-License-Identifier: ISC
 * The operator's destination: opened once, graded by doing, locked for the commit. Broker. Trusts the
 * operator's path once; afterwards only the descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "publish/publish.h"
#include "publish/publish_sys.h"
#include "publish/staging.h"

/* Without the slashes behind it: "new/" is to be made as "new" is. */
static char *plain_path(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return strndup(path, n);
}

/* Makes what is missing of the path; d->made is its length as far as to the first directory that was made on the way. */
static int make_path(struct destination *d, const char *path)
{
    AUTO_FREE char *copy = plain_path(path);
    if (!copy)
        return -1;
    for (char *at = copy + 1; copy[0] && (at = strchr(at, '/')); at++) {
        *at = 0;
        if (mkdir(copy, 0755) == 0)
            d->made = d->made ? d->made : strlen(copy);
        else if (errno != EEXIST)
            return -1;
        *at = '/';
    }
    d->created = mkdir(copy, 0755) == 0;
    return d->created || errno == EEXIST ? 0 : -1;
}

/* Only where they are empty. */
static void remove_made(const struct destination *d)
{
    AUTO_FREE char *copy = plain_path(d->path);
    if (!copy || rmdir(copy) < 0 || d->made == 0)
        return;
    for (char *slash; (slash = strrchr(copy, '/')) && slash >= copy + d->made;) {
        *slash = 0;
        if (rmdir(copy) < 0 && errno != ENOENT)
            return;
    }
}

static int open_or_make(struct destination *d, const char *path)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC;
    d->fd = open(path, flags);
    if (d->fd < 0 && errno == ENOENT && make_path(d, path) == 0)
        d->fd = open(path, flags);
    if (d->fd < 0)
        return -1;
    return d->created ? fchmod(d->fd, 0755) : 0;
}

/* The group bits of the mode bound every ACL entry but the owner's, so they speak for ACLs too. */
static bool others_can_write(const struct stat *st)
{
    return (st->st_mode & (S_IWGRP | S_IWOTH)) || (st->st_uid != geteuid() && st->st_uid != 0);
}

/* Each ability is shown on this very filesystem, with what the promotion needs anyway: the staging directory. The syncs
 * alone are taken as known where they are: to try one would write out whatever others left to be written. */
static int measure(struct destination *d)
{
    struct stat st;
    struct filesystem kind;
    struct destination_grade *g = &d->grade;
    sys_filesystem(d->fd, &kind);
    memcpy(g->filesystem, kind.name, sizeof(g->filesystem));
    if (staging_make(d->fd, &d->first) < 0 || fstat(d->first.fd, &st) < 0)
        return -1;
    g->syncfs = kind.syncfs;
    g->dir_sync = kind.dir_sync || sys_fsync(d->first.fd) == 0;
    g->modes = (st.st_mode & 07777) == 0700;
    AUTO_FD unnamed = sys_open_unnamed(d->first.fd);
    g->tmpfile = unnamed >= 0;
    if (mkdirat(d->first.fd, STAGING_BAG ".new", 0700) < 0)
        return -1;
    g->noreplace = sys_rename_new(d->first.fd, STAGING_BAG ".new", d->first.fd, STAGING_BAG) == 0;
    return g->noreplace ? 0 : renameat(d->first.fd, STAGING_BAG ".new", d->first.fd, STAGING_BAG);
}

static int open_and_grade(struct destination *d, const char *path, bool shared)
{
    struct stat st;
    d->path = strdup(path);
    if (!d->path || open_or_make(d, path) < 0 || fstat(d->fd, &st) < 0)
        return -1;
    d->dev = (uint64_t)st.st_dev;
    d->ino = (uint64_t)st.st_ino;
    if (others_can_write(&st)) {
        d->grade.shared = true;
        if (!shared) {
            errno = EACCES;
            return -1;
        }
    }
    staging_clear_dead(d->fd);
    return measure(d);
}

int destination_open(struct destination *d, const char *path, bool shared)
{
    *d = (struct destination){.fd = -1, .first = {.fd = -1, .lock_fd = -1}};
    int result = open_and_grade(d, path, shared);
    if (result < 0)
        destination_close(d);
    return result;
}

void destination_close(struct destination *d)
{
    int saved = errno;
    if (d->fd >= 0 && d->first.fd >= 0) /* in one that was never opened it is 0 */
        staging_remove(d->fd, &d->first);
    if (d->created)
        remove_made(d);
    fd_close(&d->fd);
    free(d->path);
    d->path = NULL;
    d->created = false;
    errno = saved;
}

int destination_lock(const struct destination *d, bool wait)
{
    return staging_lock_directory(d->fd, wait ? DEST_LOCK_MS : 0);
}
