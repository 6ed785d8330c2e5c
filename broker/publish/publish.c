/* SPDX-License-Identifier: ISC
 * One promotion under construction: staging, placing, committing. Broker. Trusts its own staging directory
 * and nothing that others can reach. Invariant: what is not placed with leave is not in the bag, and a commit
 * replaces nothing. */
#include "publish/publish.h"

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

static int open_bag(struct publish *p)
{
    if (mkdirat(p->s.fd, STAGING_BAG, 0700) < 0 && errno != EEXIST)
        return -1;
    p->bag = openat(p->s.fd, STAGING_BAG, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return p->bag < 0 ? -1 : fchmod(p->bag, 0755);
}

struct publish *publish_begin(struct destination *d)
{
    struct publish *p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    *p = (struct publish){.d = d, .bag = -1, .parent = -1, .s = d->first, .dirty = true};
    d->first = (struct staging){.fd = -1, .lock_fd = -1};
    if ((p->s.fd < 0 && staging_make(d->fd, &p->s) < 0) || open_bag(p) < 0)
        publish_end(&p);
    return p;
}

void publish_set_time(struct publish *p, int64_t seconds)
{
    p->has_time = true;
    p->time = seconds;
}

bool publish_join(const char *dir, const char *path, char out[PATH_BYTES + 1])
{
    int n = snprintf(out, PATH_BYTES + 1, "%s%s%s", dir, *dir ? "/" : "", path);
    return n > 0 && n <= (int)PATH_BYTES && path_grammar(out, (size_t)n) == PATH_OK;
}

static int descend(struct publish *p, const char *parent)
{
    int dir = openat(p->bag, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *at = parent; dir >= 0 && *at;) {
        char name[COMPONENT_BYTES + 1];
        size_t len = strcspn(at, "/");
        bool made;
        memcpy(name, at, len);
        name[len] = 0;
        int next = staging_open_directory(dir, name, true, &made);
        if (next >= 0 && made && p->held && fchmod(next, 0700) < 0)
            fd_close(&next);
        fd_close(&dir);
        dir = next;
        at += len + (at[len] == '/');
    }
    return dir;
}

int publish_parent(struct publish *p, const char *path, const char **name)
{
    char parent[PATH_BYTES + 1];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    *name = slash ? slash + 1 : path;
    memcpy(parent, path, len);
    parent[len] = 0;
    p->dirty = true;
    if (p->parent >= 0 && strcmp(parent, p->parent_path) == 0)
        return p->parent;
    fd_close(&p->parent);
    p->parent = descend(p, parent);
    memcpy(p->parent_path, parent, len + 1);
    return p->parent;
}

static struct slot *slot_of(struct publish *p, int fd)
{
    return fd >= 0 && (size_t)fd < p->slots_n ? &p->slots[fd] : NULL;
}

static void slot_clear(struct publish *p, struct slot *slot)
{
    p->unsettled -= slot->state == SLOT_IN_PLACE;
    free(slot->path);
    *slot = (struct slot){0};
}

/* A descriptor that was closed elsewhere may come back under its number: a file in place then stays unsettled
 * and the commit fails, which is the safe side. */
static int slot_take(struct publish *p, int fd, struct slot slot)
{
    size_t need = (size_t)fd + 1;
    if (need > p->slots_n) {
        struct slot *grown = realloc(p->slots, 2 * need * sizeof(*grown));
        if (!grown)
            return -1;
        memset(grown + p->slots_n, 0, (2 * need - p->slots_n) * sizeof(*grown));
        p->slots = grown;
        p->slots_n = 2 * need;
    }
    free(p->slots[fd].path);
    p->slots[fd] = slot;
    return 0;
}

static void serial_name(uint64_t serial, char out[24])
{
    snprintf(out, 24, "%llu", (unsigned long long)serial);
}

int publish_stage(struct publish *p)
{
    char name[24];
    struct slot slot = {.state = SLOT_SERIAL, .serial = p->serial};
    AUTO_FD fd = -1;
    if (p->d->unnamed && p->d->grade.tmpfile) {
        slot.state = SLOT_UNNAMED;
        fd = sys_open_unnamed(p->s.fd);
    } else {
        serial_name(p->serial++, name);
        fd = openat(p->s.fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (fd < 0 || slot_take(p, fd, slot) < 0)
        return -1;
    int staged = fd;
    fd = -1;
    return staged;
}

static int stage_in_place(struct publish *p, const char *full)
{
    const char *name;
    int parent = publish_parent(p, full, &name);
    struct slot slot = {.state = SLOT_IN_PLACE, .path = strdup(full)};
    AUTO_FD fd = -1;
    if (parent >= 0 && slot.path)
        fd = openat(parent, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || slot_take(p, fd, slot) < 0) {
        free(slot.path);
        return -1;
    }
    p->unsettled++;
    int staged = fd;
    fd = -1;
    return staged;
}

/* What the destination will not have under this name, or has already, may still be refused for another
 * reason: the name only counts when the file is placed. */
int publish_stage_at(struct publish *p, const char *dir, const char *path)
{
    char full[PATH_BYTES + 1];
    int staged = -1;
    if (p->d->unnamed || !publish_join(dir, path, full))
        return publish_stage(p);
    staged = stage_in_place(p, full);
    if (staged < 0 &&
        (errno == EEXIST || errno == EILSEQ || errno == EINVAL || errno == ENOTDIR || errno == ENAMETOOLONG))
        return publish_stage(p);
    return staged;
}

void publish_copied(struct publish *p, int staged, uint64_t bytes)
{
    /* Where each file is synced at the end, an error that is told early would not be told again. */
    if (bytes < WRITE_OUT_FILE || !p->d->grade.syncfs)
        return;
    if (!p->out)
        p->out = write_out_begin();
    write_out_file(p->out, staged);
}

/* By name where there is one: the staging directory is private, so the name is the file. */
int publish_reopen(struct publish *p, int staged)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
    const struct slot *slot = slot_of(p, staged);
    char name[24];
    if (slot && slot->state == SLOT_SERIAL) {
        serial_name(slot->serial, name);
        return openat(p->s.fd, name, flags);
    }
    if (slot && slot->state == SLOT_IN_PLACE) {
        const char *last;
        int parent = publish_parent(p, slot->path, &last);
        return parent < 0 ? -1 : openat(parent, last, flags);
    }
    return fd_reopen_read(staged);
}

/* Directories that were made for this file alone go with it: a bag holds no empty ones. */
static void prune(struct publish *p, char *path)
{
    char *slash;
    fd_close(&p->parent); /* may be one of them */
    while ((slash = strrchr(path, '/'))) {
        *slash = 0;
        if (unlinkat(p->bag, path, AT_REMOVEDIR) < 0)
            return;
    }
}

static int take_out(struct publish *p, char *path)
{
    const char *last;
    int parent = publish_parent(p, path, &last);
    if (parent < 0 || unlinkat(parent, last, 0) < 0)
        return -1;
    prune(p, path);
    return 0;
}

void publish_discard(struct publish *p, int *staged)
{
    int saved = errno;
    struct slot *slot = slot_of(p, *staged);
    char name[24];
    if (slot && slot->state == SLOT_SERIAL) {
        serial_name(slot->serial, name);
        (void)unlinkat(p->s.fd, name, 0);
    }
    /* A file that cannot be taken out again stays unsettled: nothing is committed. */
    if (slot && slot->state == SLOT_IN_PLACE && take_out(p, slot->path) < 0)
        slot->state = SLOT_FREE;
    if (slot)
        slot_clear(p, slot);
    fd_close(staged);
    errno = saved;
}

int publish_seal(struct publish *p, int *fd, unsigned mode, const int64_t *mtime_ns)
{
    AUTO_FD mine = *fd;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
    *fd = -1;
    if (p->has_time)
        times[1] = (struct timespec){.tv_sec = p->time};
    else if (mtime_ns)
        times[1] = (struct timespec){.tv_sec = *mtime_ns / 1000000000 - (*mtime_ns % 1000000000 < 0),
                                     .tv_nsec = (*mtime_ns % 1000000000 + 1000000000) % 1000000000};
    if (fchmod(mine, mode) < 0)
        return -1;
    if (times[1].tv_nsec != UTIME_OMIT && futimens(mine, times) < 0)
        return -1;
    int closing = mine;
    mine = -1;
    return close(closing); /* NFS and quotas tell of a failed write here */
}

/* Is this still the file that was digested? Its bytes are ours; its length is a cheap second look. */
static bool is_the_copy(int fd, const struct item *item)
{
    struct stat st;
    return item->copied && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink <= 1 &&
           (uint64_t)st.st_size == item->digest.bytes;
}

/* Within private staging nobody races: a filesystem without RENAME_NOREPLACE only needs the name looked up
 * first. */
static int move_new(struct publish *p, int from_dir, const char *from, int to_dir, const char *to)
{
    struct stat st;
    if (p->d->grade.noreplace)
        return sys_rename_new(from_dir, from, to_dir, to);
    if (fstatat(to_dir, to, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return errno == ENOENT ? renameat(from_dir, from, to_dir, to) : -1;
}

static int move_into_place(struct publish *p, const struct slot *slot, int fd, const char *full)
{
    char serial[24];
    const char *name;
    if (slot->state == SLOT_IN_PLACE && strcmp(slot->path, full) == 0)
        return 0;
    if (slot->state != SLOT_SERIAL && slot->state != SLOT_UNNAMED) {
        errno = EINVAL;
        return -1;
    }
    int parent = publish_parent(p, full, &name);
    if (parent < 0)
        return -1;
    if (slot->state == SLOT_UNNAMED)
        return sys_link_unnamed(fd, parent, name);
    serial_name(slot->serial, serial);
    return move_new(p, p->s.fd, serial, parent, name);
}

int publish_place(struct publish *p, const char *dir, const struct item *item,
                  const struct clearance *clearance, int *staged)
{
    char full[PATH_BYTES + 1];
    struct slot *slot = slot_of(p, *staged);
    errno = EPERM;
    bool allowed = clearance && clearance_covers(clearance, &item->digest) && is_the_copy(*staged, item);
    if (allowed && (!slot || !publish_join(dir, item->path, full))) {
        errno = EINVAL;
        allowed = false;
    }
    if (!allowed || move_into_place(p, slot, *staged, full) < 0) {
        publish_discard(p, staged);
        return -1;
    }
    slot_clear(p, slot);
    return publish_seal(p, staged, clearance_executable(clearance) ? 0555 : 0444,
                        item->source.known ? &item->source.mtime_ns : NULL);
}

int publish_write(struct publish *p, const char *path, const void *data, size_t len)
{
    const char *name;
    if (path_grammar(path, strlen(path)) != PATH_OK) {
        errno = EINVAL;
        return -1;
    }
    int parent = publish_parent(p, path, &name);
    AUTO_FD fd =
        parent < 0 ? -1 : openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fd_write_full(fd, data, len) < 0)
        return -1;
    int mine = fd;
    fd = -1;
    return publish_seal(p, &mine, 0444, NULL);
}

int publish_directory(struct publish *p, const char *path)
{
    const char *name;
    if (path_grammar(path, strlen(path)) != PATH_OK) {
        errno = EINVAL;
        return -1;
    }
    int parent = publish_parent(p, path, &name);
    AUTO_FD fd = parent < 0 ? -1 : staging_open_directory(parent, name, true, NULL);
    return fd < 0 ? -1 : fchmod(fd, p->held ? 0700 : 0755);
}

int publish_private(struct publish *p, const char *name)
{
    char own[COMPONENT_BYTES + 1];
    int n = snprintf(own, sizeof(own), "private-%s", name);
    if (n < 0 || n > (int)COMPONENT_BYTES || strchr(name, '/')) {
        errno = EINVAL;
        return -1;
    }
    if (mkdirat(p->s.fd, own, 0700) < 0)
        return -1;
    return staging_open_directory(p->s.fd, own, false, NULL);
}

void publish_end(struct publish **p)
{
    struct publish *mine = *p;
    int saved = errno;
    *p = NULL;
    if (!mine)
        return;
    write_out_end(&mine->out);
    fd_close(&mine->bag);
    fd_close(&mine->parent);
    staging_remove(mine->d->fd, &mine->s);
    for (size_t i = 0; i < mine->slots_n; i++)
        free(mine->slots[i].path);
    free(mine->slots);
    free(mine);
    errno = saved;
}
