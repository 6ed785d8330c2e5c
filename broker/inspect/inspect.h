/* SPDX-License-Identifier: ISC
 * Broker side: a pool of confined workers. Files go in as read-only descriptors of the broker's own copies, findings
 * and claims come back. A child that dies, hangs or answers badly costs its batch one more try, file by file; then the
 * culprit is refused with inspect/crashed or inspect/timeout. Never returns a verdict. */
#ifndef SALLYPORT_INSPECT_H
#define SALLYPORT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/item.h"
#include "base/task.h"

struct inspect_pool;

struct inspect_options {
    const char *libexec;   /* directory of the worker programs; NULL: beside the running executable, else libexecdir */
    unsigned children;     /* at most this many at once; 0: number of processors */
    int rules_fd;          /* extra rules, sealed table; borrowed until inspect_close; -1: none */
    uint64_t file_ms;      /* deadline of a file of no size; 0: WORKER_FILE_MS */
};

/* What the workers could apply to themselves; for the record. */
struct inspect_confinement {
    bool seccomp, landlock, rlimits;
    int landlock_abi;
    char version[64];
    char libraries[512]; /* "name version" pairs, comma-separated */
};

/* Starts the first reader and does not wait for it. NULL with errno; ENOENT: the program was not found, EPERM: it belongs
 * to somebody else or is writable by others. */
struct inspect_pool *inspect_open(const struct inspect_options *options) MUST_CHECK;
/* Waits until its first child says that it is confined; nothing is handed over before. 0 or -1 with errno; ENOTSUP: this
 * system cannot confine it (exit 4), EPROTO: it did not start (its rules are wrong, or it is no such program). */
int inspect_ready(struct inspect_pool *pool) MUST_CHECK;
void inspect_confinement(const struct inspect_pool *pool, struct inspect_confinement *out);

/* A private directory where members that are too large for memory are unpacked, in files without a name. Taken; without
 * it they are refused (inspect/limit). Before the first item. */
void inspect_scratch(struct inspect_pool *pool, int *dir);

/* Hands one staged item over. fd is read-only and borrowed until the item comes back. The item must stay where it is;
 * its findings, claims, done, inspected, inner_* are filled when it is returned by inspect_next(). */
int inspect_submit(struct inspect_pool *pool, struct item *item, const struct task *task) MUST_CHECK;
/* Sends what was queued and has not filled a batch. */
int inspect_flush(struct inspect_pool *pool) MUST_CHECK;
/* 1: *out is an item that is finished; 0: none yet (after at most timeout_ms; -1 waits for the next one as long as any
 * is under way) ; -1 with errno (EINTR: a signal came; whoever caught it decides). */
int inspect_next(struct inspect_pool *pool, struct item **out, int timeout_ms) MUST_CHECK;
/* How many items are queued or under way. */
size_t inspect_pending(const struct inspect_pool *pool);

/* Whose text it is: the operator's (the contract), or one that the source or the job had a hand in (names). */
enum scan_whose { SCAN_OURS = 0, SCAN_THEIRS };
/* Secret scan of a text. 0 with findings added; -1 with errno: it could not be scanned, which callers treat as a hit. A
 * child that saw a text of others never sees one of ours. */
int inspect_scan(struct inspect_pool *pool, enum scan_whose whose, const void *data, size_t len, struct finding_list *out)
    MUST_CHECK;

/* One regular member of a tar stream. */
struct extent {
    char *path;      /* as the stream names it, owned by the list */
    uint64_t offset, length;
    uint32_t mode, uid, gid;
    int64_t mtime_ns;
    enum object_kind kind;
    uint64_t links, ino; /* 0: the stream does not say */
};

struct extent_list {
    struct extent *v;
    size_t n, cap;
};

/* A spooled tar stream, read by a confined child; findings on the stream as a whole go to `out`. */
int inspect_stream(struct inspect_pool *pool, int fd, uint64_t size, uint64_t entries_max, struct extent_list *extents,
                   struct finding_list *out) MUST_CHECK;
void extent_list_free(struct extent_list *list);

/* Nothing more will be asked: what runs is killed and not waited for. inspect_confinement() still answers. */
void inspect_rest(struct inspect_pool *pool);
/* Kills what is left. */
void inspect_close(struct inspect_pool **pool);

#endif
