/* SPDX-License-Identifier: ISC
 * Promoted files into a directory that may hold others already: all or none. Broker. A journal of what is
 * about to move is durable before the first file moves; whoever finds it with its run dead takes the moved
 * files back. */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/path.h"
#include "publish/publish_private.h"
#include "publish/publish_sys.h"

/* Journal: for each entry 'd' or 'f', the inode in decimal, a blank, the path, NUL. Directories come before
 * what is in them and stand there only where the destination lacks them. */
struct plan {
    struct buf journal;
    int dest;
};

/* The directory that holds the last component of path, without following anything. */
static int open_parent(int root, const char *path, const char **name)
{
    int dir = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *at = path;
    for (const char *slash; dir >= 0 && (slash = strchr(at, '/')); at = slash + 1) {
        char component[COMPONENT_BYTES + 1];
        size_t len = (size_t)(slash - at);
        int next = -1;
        if (len <= COMPONENT_BYTES) {
            memcpy(component, at, len);
            component[len] = 0;
            next = staging_open_directory(dir, component, false, NULL);
        } else {
            errno = ENAMETOOLONG;
        }
        fd_close(&dir);
        dir = next;
    }
    *name = at;
    return dir;
}

/* One planned path against the destination: 0 free, 1 a directory that is there already, -1 taken or
 * unreadable. */
static int look(const struct plan *plan, const char *path, bool directory)
{
    struct stat st;
    const char *name;
    AUTO_FD dir = open_parent(plan->dest, path, &name);
    if (dir < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -1;
    if (directory && S_ISDIR(st.st_mode))
        return 1;
    errno = EEXIST;
    return -1;
}

static int plan_below(struct plan *plan, int dir, const char *prefix, unsigned depth);

static int plan_one(struct plan *plan, int dir, const char *prefix, const char *name, unsigned depth)
{
    char path[PATH_BYTES + 1];
    struct stat st;
    if (!publish_join(prefix, name, path) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    bool directory = S_ISDIR(st.st_mode);
    int there = look(plan, path, directory);
    if (there < 0)
        return -1;
    if (there == 0) {
        buf_printf(&plan->journal, "%c%llu %s", directory ? 'd' : 'f', (unsigned long long)st.st_ino, path);
        buf_u8(&plan->journal, 0);
    }
    if (!directory)
        return 0;
    AUTO_FD below = staging_open_directory(dir, name, false, NULL);
    return below < 0 ? -1 : plan_below(plan, below, path, depth + 1);
}

static int plan_below(struct plan *plan, int dir, const char *prefix, unsigned depth)
{
    int result = 0, again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    const struct dirent *e;
    if (!list || depth > WALK_DEPTH_MAX) {
        if (list)
            closedir(list);
        else
            fd_close(&again);
        return -1;
    }
    while (result == 0 && (e = readdir(list)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = plan_one(plan, dir, prefix, e->d_name, depth);
    closedir(list);
    return result;
}

static int write_journal(struct publish *p, const struct buf *journal)
{
    AUTO_FD fd = openat(p->s.fd, STAGING_JOURNAL, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fd_write_full(fd, journal->data, journal->len) < 0 || sys_fsync(fd) < 0)
        return -1;
    return p->d->grade.dir_sync ? sys_fsync(p->s.fd) : 0;
}

/* A filesystem that cannot rename without replacing may still link without replacing. */
static int move_file(int from_dir, int to_dir, const char *name)
{
    if (sys_rename_new(from_dir, name, to_dir, name) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return linkat(from_dir, name, to_dir, name, 0) < 0 ? -1 : unlinkat(from_dir, name, 0);
}

static int apply_entry(int bag, int dest, const char *entry)
{
    const char *path = strchr(entry, ' ') + 1, *name, *same;
    AUTO_FD to = open_parent(dest, path, &name);
    if (to < 0)
        return -1;
    if (entry[0] == 'f') {
        AUTO_FD from = open_parent(bag, path, &same);
        return from < 0 ? -1 : move_file(from, to, name);
    }
    if (mkdirat(to, name, 0755) < 0)
        return -1;
    AUTO_FD made = staging_open_directory(to, name, false, NULL);
    return made < 0 ? -1 : fchmod(made, 0755);
}

/* Takes back one entry: a file only where it is the very inode that staging lost, a directory only where it
 * is empty. */
static void undo_entry(int bag, int dest, const char *entry)
{
    struct stat st;
    unsigned long long inode = 0;
    const char *path = strchr(entry, ' '), *name, *same;
    if (!path || sscanf(entry + 1, "%llu", &inode) != 1)
        return;
    AUTO_FD to = open_parent(dest, path + 1, &name);
    if (to < 0)
        return;
    if (entry[0] == 'd') {
        (void)unlinkat(to, name, AT_REMOVEDIR);
        return;
    }
    AUTO_FD from = open_parent(bag, path + 1, &same);
    bool left = from >= 0 && fstatat(from, same, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
    bool linked = from >= 0 && !left && st.st_nlink > 1;
    if ((left || linked) && fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == inode)
        (void)unlinkat(to, name, 0);
}

static int undo(int bag, int dest, const uint8_t *journal, size_t len)
{
    /* Backwards: files before the directories that hold them. */
    for (size_t end = len; end > 0;) {
        size_t start = end - 1;
        while (start > 0 && journal[start - 1] != 0)
            start--;
        undo_entry(bag, dest, (const char *)journal + start);
        end = start;
    }
    return 0;
}

int publish_tree_undo(int dest, int staging)
{
    AUTO_FREE uint8_t *journal = NULL;
    size_t len = 0;
    AUTO_FD fd = openat(staging, STAGING_JOURNAL, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    AUTO_FD bag = openat(staging, STAGING_MOVING, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (bag < 0 || fd_read_all(fd, TREE_JOURNAL_BYTES, &journal, &len) < 0)
        return -1;
    /* A journal that was cut short belongs to a run that had moved nothing yet. */
    if (len == 0 || journal[len - 1] != 0)
        return 0;
    return undo(bag, dest, journal, len);
}

/* What moves lies below STAGING_MOVING, so that an undo knows where to look. */
static int apply(struct publish *p, int bag, const struct buf *journal)
{
    int result = 0;
    for (size_t at = 0; result == 0 && at < journal->len;) {
        const char *entry = (const char *)journal->data + at;
        result = apply_entry(bag, p->d->fd, entry);
        at += strlen(entry) + 1;
    }
    if (result == 0)
        result = p->d->grade.syncfs ? sys_syncfs(p->d->fd) : staging_sync(p->d->fd);
    if (result < 0) {
        int saved = errno;
        (void)undo(bag, p->d->fd, journal->data, journal->len);
        errno = saved;
        return -1;
    }
    /* Here it is decided: without its journal the next run leaves everything where it is. */
    return unlinkat(p->s.fd, STAGING_JOURNAL, 0);
}

static int commit_planned(struct publish *p, int bag, struct plan *plan)
{
    if (plan_below(plan, bag, "", 0) < 0)
        return -1;
    if (plan->journal.failed) {
        errno = EFBIG;
        return -1;
    }
    return write_journal(p, &plan->journal) < 0 ? -1 : apply(p, bag, &plan->journal);
}

static int open_moving(struct publish *p, const char *dir)
{
    if (*dir) {
        const char *name;
        int parent = path_grammar(dir, strlen(dir)) == PATH_OK ? publish_parent(p, dir, &name) : -1;
        if (parent < 0 || renameat(parent, name, p->s.fd, STAGING_MOVING) < 0)
            return -1;
        fd_close(&p->parent); /* may lie below what has moved */
    } else if (renameat(p->s.fd, STAGING_BAG, p->s.fd, STAGING_MOVING) < 0) {
        return -1;
    }
    return staging_open_directory(p->s.fd, STAGING_MOVING, false, NULL);
}

int publish_commit_tree(struct publish *p, const char *dir)
{
    struct plan plan = {.dest = p->d->fd};
    if (p->unsettled > 0) {
        errno = EBUSY;
        return -1;
    }
    if (publish_sync(p) < 0)
        return -1;
    AUTO_FD bag = open_moving(p, dir);
    if (bag < 0)
        return -1;
    buf_init(&plan.journal, TREE_JOURNAL_BYTES);
    int result = commit_planned(p, bag, &plan);
    buf_free(&plan.journal);
    return result;
}
