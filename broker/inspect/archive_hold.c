/* SPDX-License-Identifier: ISC
 * Where one unpacked member lies: in memory, or, from WORKER_HELD on, in the child's spool. Worker child; what is held is
 * bounded whatever the bytes claim. */
#include <inttypes.h>
#include <stdlib.h>

#include "inspect/archive.h"

/* Memory that this hold may have beside the others. */
static uint64_t hold_share(const struct archive_hold *hold)
{
    const struct budget *budget = hold->budget;
    uint64_t all = budget->spool ? WORKER_HELD : WORKER_MEMBER_MEMORY, others = budget->held - hold->cap;
    uint64_t least = budget->spool ? WORKER_HELD_LEAST : 0;
    return others + least < all ? all - others : least;
}

static bool hold_grow(struct archive_hold *hold, uint64_t want, uint64_t share)
{
    uint64_t cap = want > 2 * (uint64_t)hold->cap ? want : 2 * (uint64_t)hold->cap;
    cap = cap > share ? share : cap;
    uint8_t *data = realloc(hold->data, (size_t)cap);
    if (!data)
        return false;
    hold->budget->held += cap - hold->cap;
    hold->data = data;
    hold->cap = (size_t)cap;
    return true;
}

/* What is in memory goes behind what is in the spool. */
static bool hold_spill(struct archive_hold *hold)
{
    struct spool *spool = hold->budget->spool;
    if (!spool)
        return false;
    if (hold->spooled == 0)
        hold->at = spool->used;
    /* somebody else wrote in between: that is our own fault, and must not show as content */
    if (spool->used != hold->at + hold->spooled || !spool_write(spool, hold->data, hold->len))
        return false;
    hold->spooled += hold->len;
    hold->len = 0;
    return true;
}

bool archive_hold_room(struct archive_hold *hold, size_t more)
{
    if (more <= hold->cap - hold->len)
        return true;
    uint64_t share = hold_share(hold), want = (uint64_t)hold->len + more;
    if (want <= share)
        return hold_grow(hold, want, share);
    if (!hold_spill(hold))
        return false;
    return more <= hold->cap || (more <= share && hold_grow(hold, more, share));
}

bool archive_hold_bytes(struct archive_hold *hold, struct bytes *bytes)
{
    if (hold->spooled == 0) {
        bytes_init_memory(bytes, hold->data, hold->len);
        return true;
    }
    if (hold->len > 0 && !hold_spill(hold))
        return false;
    bytes_init_fd(bytes, hold->budget->spool->fd, hold->at, hold->spooled);
    return true;
}

void archive_hold_reset(struct archive_hold *hold)
{
    if (hold->spooled > 0)
        spool_back(hold->budget->spool, hold->at);
    hold->spooled = 0;
    hold->len = 0;
}

void archive_hold_free(struct archive_hold *hold)
{
    archive_hold_reset(hold);
    hold->budget->held -= hold->cap;
    free(hold->data);
    hold->data = NULL;
    hold->cap = 0;
}

void archive_hold_full(struct inspection *in, uint64_t at)
{
    if (in->budget->spool)
        archive_find(in, FINDING_INSPECT_LIMIT, at,
                     "there is no room left to unpack into (%" PRIu64 " bytes, or less where the disk is full)",
                     WORKER_SPOOL);
    else
        archive_find(in, FINDING_INSPECT_LIMIT, at,
                     "what is unpacked in memory at one time is bounded at %" PRIu64 " bytes", WORKER_MEMBER_MEMORY);
}
