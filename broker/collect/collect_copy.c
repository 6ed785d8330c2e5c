/* SPDX-License-Identifier: ISC
 * One pass over one hostile file: open, lease, fstat, read and digest and write, fstat. Broker. Trusts no
 * size, no hole and no block count; what is not proven stable is graded, what is seen to change is refused.
 */
#include "collect/collect_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "collect/collect_fault.h"

enum { DONE = 0, REFUSED = 1, BROKEN = -1 };

/* REFUSED with the finding on the item; BROKEN where there is no memory even for that. */
static int refuse(struct item *item, enum finding_code code, const char *message)
{
    return finding_list_note(&item->findings, code, message) < 0 ? BROKEN : REFUSED;
}

static int refuse_error(struct item *item, enum finding_code code, const char *what, int error)
{
    char message[MESSAGE_BYTES];
    snprintf(message, sizeof(message), "%s: %s", what, strerror(error));
    return refuse(item, code, message);
}

static bool past(int64_t deadline_ns)
{
    struct timespec now;
    if (deadline_ns == 0)
        return false;
    return clock_gettime(CLOCK_MONOTONIC, &now) < 0 ||
           (int64_t)now.tv_sec * 1000000000 + now.tv_nsec > deadline_ns;
}

static int open_once(const struct root *root, struct item *item)
{
    int fd = root_openat(root, item->path, O_RDONLY | fd_noatime);
    item->source.atime_moved = fd_noatime == 0;
    if (fd < 0 && errno == EPERM && fd_noatime != 0) {
        fd = root_openat(root, item->path, O_RDONLY);
        item->source.atime_moved = true;
    }
    return fd;
}

/* A lease held against readers breaks after a moment where its holder is honest. */
static int open_source(const struct copy_job *job, struct item *item)
{
    for (unsigned try = 0;; try++) {
        int fd = open_once(job->root, item);
        if (fd >= 0 || errno != EAGAIN || try == COPY_BUSY_TRIES || past(job->deadline_ns))
            return fd;
        nanosleep(&(struct timespec){.tv_nsec = COPY_BUSY_WAIT_NS}, NULL);
    }
}

/* The walk counted the names of that inode; another inode of many names was never counted. */
static bool links_known(const struct copy_job *job, const struct source_facts *walked,
                        const struct source_facts *now)
{
    return job->hard_links == HARD_LINKS_WITHIN && walked->known && walked->dev == now->dev &&
           walked->ino == now->ino && walked->links == now->links;
}

/* What the opened object is decides, not what its name was. */
static int judge_opened(const struct copy_job *job, struct item *item, const struct source_facts *walked)
{
    char message[MESSAGE_BYTES];
    const struct source_facts *now = &item->source;
    if (now->kind != OBJECT_FILE)
        return refuse(item, FINDING_FILE_NOT_REGULAR, NULL);
    if (root_foreign(job->root, now))
        return refuse(item, FINDING_FILE_OTHER_MOUNT, NULL);
    if (now->links == 0)
        return refuse(item, FINDING_FILE_CHANGED, "the file was deleted while it was opened");
    if (now->links > 1 && !links_known(job, walked, now))
        return refuse(item, FINDING_FILE_HARD_LINK, NULL);
    if (now->size > job->max) {
        snprintf(message, sizeof(message), "%llu bytes, at most %llu may leave under this name",
                 (unsigned long long)now->size, (unsigned long long)job->max);
        return refuse(item, FINDING_FILE_TOO_LARGE, message);
    }
    if (now->size > job->total_left)
        return refuse(item, FINDING_FILE_TOO_LARGE, "`limits: total` is exhausted, in path order");
    return DONE;
}

/* Is the source as stable as the output demands? */
static int demand(struct item *item, enum lease lease)
{
    const struct output *o = item->output;
    if (o && o->require_quiesced && item->stability < STABILITY_QUIESCED)
        return refuse(item, FINDING_FILE_WRITER_OPEN,
                      "the output demands a source that nobody can write to any more");
    if (o && o->require_leased && item->stability < STABILITY_LEASED)
        return refuse(item, FINDING_FILE_WRITER_OPEN,
                      lease == LEASE_WRITER ? "the file is held open or mapped for writing"
                                            : "the kernel grants no lease on this file");
    return DONE;
}

/* How much the two fstats can be believed, and whether that is enough for the output. */
static int grade(const struct copy_job *job, struct item *item, int fd, bool *leased)
{
    enum lease lease = LEASE_NONE;
    *leased = false;
    item->stability = STABILITY_STAT_ONLY;
    if (job->quiesced)
        item->stability = STABILITY_QUIESCED;
    else if (job->root->remote)
        item->stability = STABILITY_REMOTE;
    else if (!job->root->overlay)
        lease = fd_lease_take(fd);
    if (lease == LEASE_HELD) {
        item->stability = STABILITY_LEASED;
        *leased = true;
    }
    return demand(item, lease);
}

/* Reads to the end of the file, never by its size: one byte more than promised ends the copy. */
static int pump(const struct copy_job *job, struct item *item, int from, int to)
{
    uint64_t promised = item->source.size, done = 0;
    digest_reset(job->digest);
    for (;;) {
        ssize_t n = read(from, job->block, COPY_BLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse_error(item, errno == EAGAIN ? FINDING_FILE_BUSY : FINDING_FILE_UNREADABLE, "read",
                                errno);
        if (n == 0)
            break;
        done += (uint64_t)n;
        if (done > promised)
            break;
        digest_update(job->digest, job->block, (size_t)n);
        if (fd_write_full(to, job->block, (size_t)n) < 0)
            return BROKEN;
        if (past(job->deadline_ns))
            return refuse(item, FINDING_FILE_UNREADABLE, "`limits: time` ran out while the file was read");
    }
    digest_final(job->digest, &item->digest);
    return done == promised ? DONE
                            : refuse(item, FINDING_FILE_SIZE_MISMATCH,
                                     done > promised ? "the file gave more bytes than its size"
                                                     : "the file gave fewer bytes than its size");
}

static const char *difference(const struct source_facts *a, const struct source_facts *b)
{
    if (a->dev != b->dev || a->ino != b->ino)
        return "its identity changed while it was read";
    if (a->size != b->size)
        return b->size > a->size ? "it grew while it was read" : "it shrank while it was read";
    if (a->links != b->links)
        return b->links == 0 ? "it was deleted while it was read" : "its links changed while it was read";
    if (a->kind != b->kind || a->mode != b->mode || a->uid != b->uid || a->gid != b->gid)
        return "its mode or owner changed while it was read";
    if (a->mtime_ns != b->mtime_ns)
        return "it was written to while it was read";
    return a->ctime_ns != b->ctime_ns ? "its change time moved while it was read" : NULL;
}

/* A change explains a wrong size better than the size itself does. */
static int judge_after(struct item *item, int fd, bool leased, int pumped)
{
    struct source_facts after;
    if (pumped == BROKEN)
        return BROKEN;
    if (fd_facts(fd, &after) < 0)
        return refuse_error(item, FINDING_FILE_CHANGED, "fstat after the copy", errno);
    const char *changed = difference(&item->source, &after);
    if (!changed && leased && !fd_lease_intact(fd))
        changed = "somebody opened it for writing while it was read";
    return changed ? refuse(item, FINDING_FILE_CHANGED, changed) : pumped;
}

/* Names only: values may be anything and never leave. */
static int record_xattrs(const struct copy_job *job, struct item *item, int fd)
{
    char *names = (char *)job->block;
    size_t len = fd_xattr_names(fd, names, COPY_BLOCK), count = 0;
    for (size_t i = 0; i < len; i++)
        count += names[i] == 0;
    if (count == 0)
        return DONE;
    item->source.xattrs = calloc(count, sizeof(*item->source.xattrs));
    if (!item->source.xattrs)
        return BROKEN;
    for (const char *at = names; at < names + len; at += strlen(at) + 1) {
        char *name = strdup(at);
        if (!name)
            return BROKEN;
        item->source.xattrs[item->source.xattrs_n++] = name;
    }
    return DONE;
}

static int copy_opened(const struct copy_job *job, struct item *item, int fd, int staged_fd)
{
    struct source_facts walked = item->source;
    bool leased;
    if (fd_facts(fd, &item->source) < 0)
        return refuse_error(item, FINDING_FILE_UNREADABLE, "fstat", errno);
    item->source.atime_moved = walked.atime_moved;
    int result = judge_opened(job, item, &walked);
    if (result == DONE)
        result = grade(job, item, fd, &leased);
    if (result != DONE)
        return result;
    if (item->source.size > COPY_BLOCK && fd_reserve(staged_fd, item->source.size) < 0)
        return BROKEN;
    result = judge_after(item, fd, leased, pump(job, item, fd, staged_fd));
    return result == DONE ? record_xattrs(job, item, fd) : result;
}

int collect_copy(const struct copy_job *job, struct item *item, int staged_fd)
{
    AUTO_FD fd = open_source(job, item);
    if (fd < 0)
        return collect_is_ours(errno) ? BROKEN : refuse_error(item, collect_fault(errno), "open", errno);
    int result = copy_opened(job, item, fd, staged_fd);
    item->copied = result == DONE;
    return result;
}

int collect_copy_extent(const struct copy_job *job, struct item *item, int from_fd, uint64_t offset,
                        uint64_t length, int staged_fd)
{
    if (length > job->max || length > job->total_left)
        return refuse(item, FINDING_FILE_TOO_LARGE,
                      length > job->max ? NULL : "`limits: total` is exhausted, in path order");
    item->stability = job->streamed ? STABILITY_REMOTE : STABILITY_QUIESCED;
    if (demand(item, LEASE_NONE) != DONE)
        return REFUSED;
    if (length > COPY_BLOCK && fd_reserve(staged_fd, length) < 0)
        return BROKEN;
    digest_reset(job->digest);
    for (uint64_t left = length; left > 0;) {
        size_t n = left < COPY_BLOCK ? (size_t)left : (size_t)COPY_BLOCK;
        if (fd_pread_full(from_fd, job->block, n, offset) < 0)
            return BROKEN;
        digest_update(job->digest, job->block, n);
        if (fd_write_full(staged_fd, job->block, n) < 0)
            return BROKEN;
        if (past(job->deadline_ns))
            return refuse(item, FINDING_FILE_UNREADABLE, "`limits: time` ran out while the file was read");
        offset += n;
        left -= n;
    }
    digest_final(job->digest, &item->digest);
    item->copied = true;
    return DONE;
}
