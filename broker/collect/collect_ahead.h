/* SPDX-License-Identifier: ISC
 * collect_copy() in threads: the next files are read, digested and written while the caller stages, hands over and places
 * others. Each file is copied by one thread from its opening to its second fstat, so nothing that collect_copy() promises
 * changes; files end in any order. */
#ifndef SALLYPORT_COLLECT_AHEAD_H
#define SALLYPORT_COLLECT_AHEAD_H

#include "collect/collect_copy.h"

/* One file. Until it is taken back the item belongs to its thread. */
struct copy_order {
    struct item *item;
    int staged;                 /* borrowed */
    uint64_t max, total_left;   /* as in struct copy_job */
    int result;                 /* of collect_copy() */
    int error;                  /* errno where the result is -1 */
};

struct copy_ahead;

/* Threads that copy as `job` says, with blocks and digests of their own; the root is borrowed until the end. NULL with
 * errno: there are none, and the caller copies by itself. */
struct copy_ahead *copy_ahead_begin(const struct copy_job *job, unsigned threads) MUST_CHECK;
/* Is there room for one more? At most COPY_AHEAD are given and not yet taken. */
bool copy_ahead_room(const struct copy_ahead *c);
size_t copy_ahead_pending(const struct copy_ahead *c);
void copy_ahead_give(struct copy_ahead *c, const struct copy_order *order);
/* One that is finished; waits at most wait_ms for it (0: not at all). False: none is. */
bool copy_ahead_take(struct copy_ahead *c, unsigned wait_ms, struct copy_order *out);
/* Ends the threads after the files they are at; the others are not copied and not taken. */
void copy_ahead_end(struct copy_ahead **c);

#endif
