/* SPDX-License-Identifier: ISC
 * One file into our own hands: open once beneath the root, lease, fstat, read and digest and write in one
 * pass, fstat again. Bytes are decided on once: what was digested is what was written. */
#ifndef SALLYPORT_COLLECT_COPY_H
#define SALLYPORT_COLLECT_COPY_H

#include "base/digest.h"
#include "base/fd.h"
#include "base/item.h"

struct copy_job {
    const struct root *root;
    struct digest_state *digest;
    uint8_t *block; /* COPY_BLOCK bytes, the caller's */
    enum hard_links hard_links;
    uint64_t max;        /* bound of this file */
    uint64_t total_left; /* of the contract's total */
    bool streamed;       /* extents came through a stream: how they lay at their source cannot be known */
    bool quiesced;       /* the runner proved that nobody is left */
    int64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none */
};

/* Copies item->path into the empty staged file staged_fd (borrowed, writable). 0: item->copied, digest,
 * source and stability are set; 1: refused, with a finding on the item; -1 with errno: the broker itself
 * failed (staging full, ENOSPC, EIO on our side). */
int collect_copy(const struct copy_job *job, struct item *item, int staged_fd) MUST_CHECK;
/* The same for bytes that are already in a private file of ours (captured output, a member of a spooled
 * stream): `length` bytes of from_fd at `offset`. A file that ends early is -1 with errno ENODATA: nobody
 * else could have cut it. */
int collect_copy_extent(const struct copy_job *job, struct item *item, int from_fd, uint64_t offset,
                        uint64_t length, int staged_fd) MUST_CHECK;

#endif
