/* SPDX-License-Identifier: ISC
 * From a cleared copy to a published bag or tree, built in a private staging directory (mode 0700, held by a
 * lock) on the destination's filesystem. Killed at any point, the final name is absent or complete, and the next
 * run clears the leftovers. Order: destination_open; publish_begin; per file publish_stage_at, (copy, inspect,
 * decide), publish_place or publish_discard; publish_write for lists and record; publish_sync; destination_lock;
 * publish_commit; the ledger; close the lock; publish_end; destination_close. */
#ifndef SALLYPORT_PUBLISH_H
#define SALLYPORT_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clearance.h"
#include "base/item.h"

/* What the destination's filesystem can do; measured when it is opened, recorded. */
struct destination_grade {
    bool tmpfile;        /* O_TMPFILE works */
    bool noreplace;      /* renameat2(RENAME_NOREPLACE) works */
    bool syncfs;         /* one call makes everything durable; else every file is synced by itself */
    bool dir_sync;       /* fsync of a directory works */
    bool modes;          /* modes are kept */
    bool shared;         /* others can write to it, and the operator said so */
    char filesystem[32]; /* "ext4", "tmpfs", ... or "0x...." */
};

/* A private directory in the destination, named .sallyport- and 16 digits, and the lock that holds it. */
struct staging {
    int fd, lock_fd; /* owned; -1: none */
    char name[40];
};

struct destination {
    int fd; /* owned */
    uint64_t dev, ino;
    struct destination_grade grade;
    bool created;         /* by this run */
    size_t made;          /* the path as far as to the first directory that this run made on the way to it; 0: it made none */
    bool unnamed;         /* stage with O_TMPFILE where the grade has it; default named, which is faster */
    char *path;           /* owned; as the operator gave it */
    struct staging first; /* where the grade was measured; the first promotion takes it */
};

/* Opens or creates (0755) the operator's directory and grades it; refuses one that others can write to unless
 * shared. -1 with errno: EACCES (others can write), else the system's. Clears leftovers of dead runs. */
int destination_open(struct destination *d, const char *path, bool shared) MUST_CHECK;
/* Also removes a directory that was created here and is still empty. */
void destination_close(struct destination *d);
/* The destination's own lock, held for the rename and the ledger line only. A descriptor to close, or -1 with
 * errno (EWOULDBLOCK: somebody else holds it and wait is false, or held it for DEST_LOCK_MS). */
int destination_lock(const struct destination *d, bool wait) MUST_CHECK;

struct publish;

/* Staging for one promotion. NULL with errno. */
struct publish *publish_begin(struct destination *d) MUST_CHECK;
/* Every published time becomes this one (SOURCE_DATE_EPOCH), in seconds. */
void publish_set_time(struct publish *p, int64_t seconds);
/* An empty private file to copy into: exclusively named in staging, or unnamed. -1 with errno. */
int publish_stage(struct publish *p) MUST_CHECK;
/* The same, but born under its later name `dir`/path where the filesystem lets it: saves a rename per file.
 * It must be placed or discarded: until then publish_commit fails with EBUSY. */
int publish_stage_at(struct publish *p, const char *dir, const char *path) MUST_CHECK;
/* Forgets a staged file (one that is refused) and closes it. */
void publish_discard(struct publish *p, int *staged);
/* The staged file has all its bytes: the system may begin to write them. A hint; publish_sync() is what counts. */
void publish_copied(struct publish *p, int staged, uint64_t bytes);
/* The same file, read-only, for inspection. -1 with errno. */
int publish_reopen(struct publish *p, int staged) MUST_CHECK;
/* Places a cleared copy at `dir`/item->path (dir "data" for a bag, "" for a tree) in staging: parents 0755,
 * mode 0444 or 0555, the source's time or SOURCE_DATE_EPOCH, never replacing. EPERM: the clearance does not
 * cover the item's digest, or the file is not the one that was digested. *fd is taken (a failure discards
 * it). */
int publish_place(struct publish *p, const char *dir, const struct item *item,
                  const struct clearance *clearance, int *fd) MUST_CHECK;
/* The same for a second target on any filesystem: copies the bytes of fd (borrowed, read from its start),
 * checks them against the item's digest, and places that copy. */
int publish_copy(struct publish *p, const char *dir, const struct item *item,
                 const struct clearance *clearance, int fd) MUST_CHECK;
/* --hold: keeps the bytes of a staged file at `dir`/item->path whatever its verdict, mode 0600, parents 0700,
 * also the directory that is renamed: a promotion that keeps anything is readable by its owner alone. */
int publish_keep(struct publish *p, const char *dir, const struct item *item, int fd) MUST_CHECK;
/* Opens a private directory (0700) of this promotion that is never published. -1 with errno. */
int publish_private(struct publish *p, const char *name) MUST_CHECK;
/* An empty directory in staging, with its parents. */
int publish_directory(struct publish *p, const char *path) MUST_CHECK;
/* A file of our own (lists, record) at a relative path in staging. */
int publish_write(struct publish *p, const char *path, const void *data, size_t len) MUST_CHECK;
/* Begins to make durable what is there, while lists and record are written. A hint, as publish_copied() is. */
void publish_sync_begin(struct publish *p);
/* Makes everything durable, before the lock is taken; publish_commit does it where it was not done. */
int publish_sync(struct publish *p) MUST_CHECK;
/* Syncs everything, renames the staged directory to `name` without replacing, syncs the destination. EEXIST:
 * the name is taken. ESTALE: the operator's path no longer leads to this destination. EBUSY:
 * publish_stage_at() left something open. */
int publish_commit(struct publish *p, const char *name) MUST_CHECK;
/* --tree: moves what lies below `dir` in staging into the destination itself under its own paths; all or
 * nothing, never replacing. EEXIST: a path is taken (nothing was moved). A run that is killed in between is
 * rolled back by the next destination_open(). */
int publish_commit_tree(struct publish *p, const char *dir) MUST_CHECK;
/* Removes staging; also after a successful commit. */
void publish_end(struct publish **p);

/* A report at the operator's path, complete or not at all: a temporary name, synced, and a rename that
 * replaces a regular file. EEXIST: the name is something else, which is left alone. */
int publish_report_file(const char *path, const void *data, size_t len) MUST_CHECK;

#endif
