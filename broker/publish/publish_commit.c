/* SPDX-License-Identifier: ISC
 * The last steps: everything durable, then one rename that replaces nothing; and copies that go elsewhere.
 * Broker. Invariant: before the rename nothing is visible, after it everything is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "publish/publish_private.h"
#include "publish/publish_sys.h"

void publish_sync_begin(struct publish *p)
{
    if (p->d->grade.syncfs && !p->out)
        p->out = write_out_begin();
    if (p->d->grade.syncfs)
        write_out_all(p->out, p->s.fd);
}

int publish_sync(struct publish *p)
{
    if (!p->dirty)
        return 0;
    if (!p->d->grade.syncfs || sys_syncfs(p->s.fd) < 0) {
        if (p->d->grade.syncfs && errno != ENOSYS)
            return -1;
        if (staging_sync(p->s.fd) < 0)
            return -1;
    }
    write_out_end(&p->out); /* nobody else has a published file open for writing */
    p->dirty = false;
    return 0;
}

/* The operator's path must still lead to the directory that was opened: else the bag would appear somewhere
 * else. */
static int same_destination(const struct destination *d)
{
    struct stat st;
    if (stat(d->path, &st) == 0 && (uint64_t)st.st_dev == d->dev && (uint64_t)st.st_ino == d->ino)
        return 0;
    errno = ESTALE;
    return -1;
}

/* Without RENAME_NOREPLACE: under the lock no other run takes the name, and rename(2) of a directory never
 * replaces anything but an empty directory, so a stranger's data is safe too. */
static int rename_bag(struct publish *p, const char *name)
{
    struct stat st;
    if (p->d->grade.noreplace)
        return sys_rename_new(p->s.fd, STAGING_BAG, p->d->fd, name);
    if (fstatat(p->d->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        errno = EEXIST;
    else if (errno == ENOENT)
        return renameat(p->s.fd, STAGING_BAG, p->d->fd, name);
    return -1;
}

int publish_commit(struct publish *p, const char *name)
{
    if (path_grammar(name, strlen(name)) != PATH_OK || strchr(name, '/')) {
        errno = EINVAL;
        return -1;
    }
    if (p->unsettled > 0) {
        errno = EBUSY;
        return -1;
    }
    if (publish_sync(p) < 0 || same_destination(p->d) < 0 || rename_bag(p, name) < 0)
        return -1;
    return p->d->grade.dir_sync ? sys_fsync(p->d->fd) : 0;
}

/* Copies and digests in one pass, so that what is placed is what the clearance covers. */
static int copy_digested(int from, int to, struct digest *out)
{
    struct digest_state *state = digest_new();
    AUTO_FREE uint8_t *block = malloc(COPY_BLOCK);
    uint64_t at = 0;
    ssize_t n = -1;
    while (state && block) {
        n = pread(from, block, COPY_BLOCK, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        digest_update(state, block, (size_t)n);
        if (fd_write_full(to, block, (size_t)n) < 0) {
            n = -1;
            break;
        }
        at += (uint64_t)n;
    }
    if (n == 0)
        digest_final(state, out);
    digest_free(&state);
    return n == 0 ? 0 : -1;
}

static bool same_digest(const struct digest *a, const struct digest *b)
{
    return a->bytes == b->bytes && sha256_equal(a->sha256, b->sha256);
}

int publish_copy(struct publish *p, const char *dir, const struct item *item,
                 const struct clearance *clearance, int fd)
{
    struct digest digest;
    int staged = publish_stage_at(p, dir, item->path);
    if (staged < 0)
        return -1;
    if (copy_digested(fd, staged, &digest) < 0 || !same_digest(&digest, &item->digest)) {
        errno = errno ? errno : EPERM;
        publish_discard(p, &staged);
        return -1;
    }
    return publish_place(p, dir, item, clearance, &staged);
}

int publish_keep(struct publish *p, const char *dir, const struct item *item, int fd)
{
    char full[PATH_BYTES + 1];
    struct digest digest;
    const char *name;
    if (!publish_join(dir, item->path, full)) {
        errno = EINVAL;
        return -1;
    }
    p->held = true;
    if (fchmod(p->bag, 0700) < 0)
        return -1;
    int parent = publish_parent(p, full, &name);
    AUTO_FD kept =
        parent < 0 ? -1 : openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (kept < 0 || copy_digested(fd, kept, &digest) < 0)
        return -1;
    int mine = kept;
    kept = -1;
    return publish_seal(p, &mine, 0600, item->source.known ? &item->source.mtime_ns : NULL);
}

static int write_beside(int dir, const char *temporary, const void *data, size_t len)
{
    AUTO_FD fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || fd_write_full(fd, data, len) < 0 || sys_fsync(fd) < 0)
        return -1;
    int closing = fd;
    fd = -1;
    return close(closing);
}

int publish_report_file(const char *path, const void *data, size_t len)
{
    char temporary[48];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    AUTO_FREE char *parent = !slash ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    uint8_t random[8];
    char hex[2 * sizeof(random) + 1];
    AUTO_FD dir = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    struct stat st;
    if (dir < 0 || getentropy(random, sizeof(random)) < 0)
        return -1;
    /* A rename would replace a device, a FIFO or a link by a file of ours. */
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
        errno = EEXIST;
        return -1;
    }
    hex_encode(random, sizeof(random), hex);
    snprintf(temporary, sizeof(temporary), ".sallyport-report-%s", hex);
    if (write_beside(dir, temporary, data, len) == 0 && renameat(dir, temporary, dir, name) == 0)
        return 0;
    int saved = errno;
    (void)unlinkat(dir, temporary, 0);
    errno = saved;
    return -1;
}
