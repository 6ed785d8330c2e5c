/* SPDX-License-Identifier: ISC
 * What becomes of one object that the walk saw: its item, the findings on it, and the tallies over all of
 * them. Opens nothing. Between collect_walk.c and its judge; nobody else includes it. */
#ifndef SALLYPORT_COLLECT_WALK_JUDGE_H
#define SALLYPORT_COLLECT_WALK_JUDGE_H

#include "collect/collect_walk.h"

/* A regular file with more than one name: all of them must be seen before any may leave. */
struct linked {
    uint64_t dev, ino, names;
};

struct walk_state {
    const struct root *root; /* NULL: objects of no directory */
    const struct contract *contract;
    struct walk_result *out;
    uint64_t *seen; /* per output: objects that it matched */
    uint64_t *met;  /* per output: those that can leave */
    struct linked *links;
    size_t links_n, links_cap;
    char **names; /* unlisted ones under `count` */
    size_t names_n, names_cap;
};

int walk_state_init(struct walk_state *s, const struct root *root, const struct contract *contract,
                    struct walk_result *out) MUST_CHECK;
void walk_state_free(struct walk_state *s);
/* Takes one object: an item with its findings, or by the contract's `unlisted` only a count. fault: what stat
 * said. */
int walk_take(struct walk_state *s, char *take_path, const struct source_facts *facts,
              const struct output *output, bool hidden, enum finding_code fault) MUST_CHECK;
/* The same for an object that lies in no directory: matched here, marked with its origin. */
int walk_take_listed(struct walk_state *s, const struct walk_options *options,
                     const struct listed_object *object) MUST_CHECK;
/* An exact path is not there; error: why. */
int walk_unmet(struct walk_state *s, const struct output *output, int error) MUST_CHECK;
/* Sorts, then judges what needs all of it: links, counts, limits. cut: the bound that ended the walk, or
 * NULL. */
int walk_finish(struct walk_state *s, const char *cut) MUST_CHECK;

#endif
