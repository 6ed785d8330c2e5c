/* SPDX-License-Identifier: ISC
 * A sink that keeps what inspectors say, for unit tests and fuzzing, and the whole run over a piece of memory. */
#ifndef SALLYPORT_SINK_H
#define SALLYPORT_SINK_H

#include "inspect/inspector.h"

struct sink_list {
    struct sink sink;
    struct budget budget;
    struct finding_list findings; /* copies; freed by sink_list_free */
    struct claims claims;         /* of the file itself */
    unsigned listings, extents;   /* how many were said */
    uint8_t listing[32];          /* the last one */
    uint64_t listing_count;
    struct stream_member last;    /* the last extent; its path is not kept (NULL) */
};

void sink_list_init(struct sink_list *list);
void sink_list_free(struct sink_list *list);
/* How many findings of this code were said, at any depth. */
size_t sink_list_count(const struct sink_list *list, enum finding_code code);
/* The first finding of this code, or NULL. */
const struct finding *sink_list_find(const struct sink_list *list, enum finding_code code);

/* A task with the contract's defaults: path, everything passive admitted inside, `types` (NULL-terminated names of types
 * or groups, NULL: none) admitted for the file. */
void sink_task(struct task *task, const char *path, const char *const *types);

/* Runs inspectors over memory as the frame would over a file: all of `table` (ending with a NULL name). */
void sink_run(struct sink_list *list, const struct inspector *table, const struct task *task, const void *data,
              size_t len);

#endif
