/* SPDX-License-Identifier: ISC
 * Bytes of a tar for its walker: from a file or memory without copying, or from a decoder as they come,
 * counted against the bounds. Worker child. */
#include <string.h>

#include "inspect/archive_tar.h"

enum { DRAIN_STEP = 8192, HOLD_STEP = 64 * 1024 };

static size_t from_bytes(struct tar_source *source, uint8_t *out, size_t len)
{
    uint64_t left = source->bytes->size - source->at;
    size_t n = len < left ? len : (size_t)left;
    if (!bytes_copy(source->bytes, source->at, out, n))
        n = 0;
    source->at += n;
    return n;
}

static size_t from_peel(struct tar_source *source, uint8_t *out, size_t len)
{
    size_t n = len < source->ahead_len ? len : source->ahead_len;
    memcpy(out, source->ahead, n);
    source->ahead += n;
    source->ahead_len -= n;
    if (n < len && !source->stopped) {
        size_t got = peel_read(source->peel, out + n, len - n);
        source->stopped = !archive_spend(source->in, source->meter, got);
        n += got;
    }
    source->at += n;
    return n;
}

size_t tar_source_read(struct tar_source *source, uint8_t *out, size_t len)
{
    if (source->stopped)
        return 0;
    return source->bytes ? from_bytes(source, out, len) : from_peel(source, out, len);
}

static bool cut(struct tar_source *source)
{
    if (!source->stopped && (!source->peel || source->peel->fault == FINDING_NONE))
        archive_find(source->in, FINDING_ARCHIVE_CORRUPT, source->at, "the tar ends inside a member");
    return false;
}

/* A member's size is a claim until its bytes are there; the bounds are asked first all the same. */
static bool admits(struct tar_source *source, uint64_t len)
{
    struct archive_meter member = {.packed = UINT64_MAX, .member = true};
    source->stopped = !archive_admits(source->in, &member, len);
    return !source->stopped;
}

static bool full(struct tar_source *source)
{
    archive_hold_full(source->in, source->at);
    source->stopped = true;
    return false;
}

static bool hold_content(struct tar_source *source, uint64_t len)
{
    struct archive_hold *hold = &source->hold;
    archive_hold_reset(hold);
    for (uint64_t done = 0; done < len;) {
        uint64_t left = len - done;
        size_t step = left < HOLD_STEP ? (size_t)left : (size_t)HOLD_STEP;
        if (!archive_hold_room(hold, step))
            return full(source);
        size_t got = tar_source_read(source, hold->data + hold->len, step);
        hold->len += got;
        done += got;
        if (got < step || source->stopped)
            return cut(source);
    }
    return true;
}

bool tar_source_content(struct tar_source *source, uint64_t len, struct bytes *content)
{
    if (!source->bytes) {
        if (!admits(source, len) || !hold_content(source, len))
            return false;
        return archive_hold_bytes(&source->hold, content) || full(source);
    }
    if (len > source->bytes->size - source->at)
        return cut(source);
    bool fits = source->survey ? bytes_init_slice(content, source->bytes, source->at, len)
                               : archive_stored(source->in, content, source->at, len);
    source->stopped = !fits;
    source->at += fits ? len : 0;
    return fits;
}

void tar_source_drain(struct tar_source *source, bool *zeros)
{
    uint8_t block[DRAIN_STEP];
    static const uint8_t nul[DRAIN_STEP];
    size_t n;
    *zeros = true;
    while (*zeros && (n = tar_source_read(source, block, sizeof(block))) > 0)
        *zeros = memcmp(block, nul, n) == 0;
}

void tar_source_free(struct tar_source *source)
{
    if (source->hold.budget)
        archive_hold_free(&source->hold);
}
