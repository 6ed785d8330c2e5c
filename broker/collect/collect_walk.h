/* SPDX-License-Identifier: ISC
 * Bounded, sorted walk of a hostile directory by descriptor. Every object seen becomes an item with its
 * findings; nothing is followed, nothing is opened but directories. */
#ifndef SALLYPORT_COLLECT_WALK_H
#define SALLYPORT_COLLECT_WALK_H

#include "base/fd.h"
#include "base/item.h"

/* An object that is no object of the directory: the caller's own, or a member of a stream. */
struct listed_object {
    const char *path; /* borrowed */
    struct source_facts facts;
    size_t origin; /* becomes item->origin; not 0 */
};

struct walk_options {
    const struct contract *contract;
    /* Which output takes this path (NULL: unlisted); *hidden is set when a glob skipped it for its leading
     * dot. */
    const struct output *(*match)(const void *ctx, const char *path, bool *hidden);
    /* Could any output match something below this directory? */
    bool (*enter)(const void *ctx, const char *dir);
    /* Is this directory left out for its leading dot alone? It is counted as hidden. NULL: never. */
    bool (*hides)(const void *ctx, const char *dir);
    const void *ctx;
    int64_t deadline_ns;                  /* CLOCK_MONOTONIC; 0: none */
    const struct listed_object *provided; /* stand among the files of the directory; one of the directory's
                                             own under the same path is a name/collision on both */
    size_t provided_n;
    bool skip; /* leave out the directory with the identity below (a destination inside scratch) */
    uint64_t skip_dev, skip_ino;
};

/* How a bound shows: too many names visited stand on every glob's entry (an item with `unmet`), since any of
 * them may have lost files, or in `findings` where the contract has no glob; so does a count. Files beyond
 * `limits: files` carry it themselves, in path order. `unlisted: ignore` opens exact paths directly and lists
 * directories only for globs. */
struct walk_result {
    struct item_list items; /* sorted by path bytes; unlisted ones by the contract's `unlisted` policy */
    struct finding_list findings; /* of no single object: an exhausted bound */
    uint64_t visited, unlisted, hidden, directories;
    uint8_t unlisted_sha256[SHA256_SIZE]; /* over the sorted unlisted names, each with a NUL */
};

/* 0, or -1 with errno where the root itself cannot be read. Bounds are findings, not errors. */
int collect_walk(const struct root *root, const struct walk_options *options,
                 struct walk_result *out) MUST_CHECK;
void walk_result_free(struct walk_result *result);

#endif
