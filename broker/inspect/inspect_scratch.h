/* SPDX-License-Identifier: ISC
 * Unnamed files of the broker's that children of the first reader unpack into (broker side). One child has one; nobody
 * else ever reads it, but for the second reader, which lists archives that lie in it. */
#ifndef SALLYPORT_INSPECT_SCRATCH_H
#define SALLYPORT_INSPECT_SCRATCH_H

#include "inspect/inspect_pool.h"

/* The batch gets an empty spool, where the pool has a directory for it: queues the frame. 0 or -1 with errno. */
int scratch_hand(struct inspect_pool *pool, struct batch *b) MUST_CHECK;
/* Jobs of the batch that named archives in its spool keep a read-only descriptor of it; the batch gives it up.
 * 0 or -1 with errno. */
int scratch_keep(struct batch *b) MUST_CHECK;

#endif
