/* SPDX-License-Identifier: ISC
 * The thing that flows: one object that the walk saw, from its name to its verdict. From the copy on, the item *is*
 * its staged descriptor and digest; the scratch name is never used again. */
#ifndef SALLYPORT_ITEM_H
#define SALLYPORT_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/contract.h"
#include "base/digest.h"
#include "base/finding.h"
#include "base/type.h"
#include "base/verdict.h"

enum object_kind { OBJECT_UNKNOWN = 0, OBJECT_FILE, OBJECT_DIRECTORY, OBJECT_SYMLINK, OBJECT_FIFO, OBJECT_SOCKET,
                   OBJECT_DEVICE, OBJECT_OTHER };

/* How stable the source was while it was read, worst first. */
enum stability { STABILITY_UNKNOWN = 0, STABILITY_REMOTE, STABILITY_STAT_ONLY, STABILITY_LEASED, STABILITY_QUIESCED };

/* What the source carried; recorded, never copied. Times are nanoseconds since the epoch. */
struct source_facts {
    bool known;
    enum object_kind kind;
    uint32_t mode, uid, gid;
    uint64_t links, size;
    int64_t mtime_ns, ctime_ns;
    uint64_t dev, ino, mount_id;
    char **xattrs;      /* names only; owned */
    size_t xattrs_n;
    bool atime_moved;   /* could not be read with O_NOATIME */
};

/* One bit per inspector of the fixed set; an item is inspected when all are set. */
enum inspector_id { INSPECTOR_TYPE = 0, INSPECTOR_ARCHIVE, INSPECTOR_ACTIVE, INSPECTOR_SECRET, INSPECTOR_COUNT };
enum { INSPECTORS_ALL = (1u << INSPECTOR_COUNT) - 1u };

struct item {
    char *path;                   /* raw bytes, relative, '/'-separated; owned. An unmet output: its path or glob */
    const struct output *output;  /* NULL: unlisted */
    bool unmet;                   /* stands for an output that was not met */
    bool skipped;                 /* recorded and deliberately not copied (symlinks: skip) */
    size_t origin;                /* 1-based place in the caller's list where it is no object of a directory; 0: walked */
    bool copied;
    char *shown;                  /* owned; the name as it may be shown where it holds a credential; NULL: path */
    bool inspected;               /* every inspector of the set said DONE */
    struct source_facts source;
    enum stability stability;
    int staged;                   /* the staged copy as publish knows it; -1: none */
    int fd;                       /* the same, read-only, for inspection; -1: none */
    struct digest digest;         /* valid where copied */
    struct claims claims;
    uint32_t done;                /* bits of enum inspector_id */
    uint64_t inner_entries, inner_bytes; /* members seen and bytes unpacked */
    struct finding_list findings;
    struct verdict verdict;
    bool executable;              /* set by decide: published with mode 0555 */
};

struct item_list {
    struct item *v;
    size_t n, cap;
};

/* Appends a zeroed item with fd -1 that owns `path` (freed on failure too); the pointer is good until the next add.
 * NULL with errno ENOMEM. */
struct item *item_list_add(struct item_list *list, char *take_path) MUST_CHECK;
/* Sorts by path bytes. */
void item_list_sort(struct item_list *list);
void item_list_free(struct item_list *list);
void item_clear(struct item *item);
bool item_refused(const struct item *item);
/* The name that may be shown: the path, or its masked form. */
const char *item_shown(const struct item *item);
/* A finding of level refuse whose code is a credential. */
bool item_has_secret(const struct item *item);
/* The entry's own verdict as the record says it: "promote", "refuse", "unlisted" or "missing". */
const char *item_verdict_name(const struct item *item);

#endif
