/* SPDX-License-Identifier: ISC
 * One buffer of a batch: as it lies in the file, or behind its own size and packed as LZ4 or zstd frames, which are undone
 * as it is read and paid for. Runs in the confined child on hostile bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/archive_peel.h"
#include "inspect/arrow.h"
#include "inspect/octets.h"

enum { PIECE = 16 * 1024, SIZE = 8 };

struct arrow_buffer {
    struct arrow *a;
    struct peel peel;
    struct bytes plain; /* where it is not packed: a window of its own, for others are read beside it */
    uint64_t at;        /* in the file */
    uint64_t left; /* bytes that were not fetched yet */
    bool packed;
    size_t next, have; /* of piece */
    uint8_t piece[PIECE];
};

/* Behind the last byte there may be no other. */
static bool ends(struct arrow_buffer *b)
{
    uint8_t more;
    if (!b->packed || b->left > 0)
        return true;
    if (peel_read(&b->peel, &more, 1) != 0)
        return arrow_fail(b->a, FINDING_ARCHIVE_CORRUPT, b->peel.at, "a buffer is longer than it says");
    if (b->peel.fault != FINDING_NONE)
        peel_report(&b->peel, b->a->in);
    b->a->stop = b->peel.fault != FINDING_NONE;
    return !b->a->stop;
}

static bool open_packed(struct arrow_buffer *b, uint64_t at, uint64_t len, enum arrow_codec codec)
{
    const uint8_t *p = len >= SIZE ? bytes_at(&b->a->bytes, at, SIZE) : NULL;
    uint64_t size = p ? get_le64(p) : 0;
    b->at = at + SIZE;
    b->left = len - SIZE;
    if (!p)
        return arrow_fail(b->a, FINDING_INSPECT_INCOMPLETE, at, "a packed buffer is cut off");
    if (size == UINT64_MAX || (size == 0 && len == SIZE)) /* packing would have made it longer */
        return true;
    b->packed = true;
    b->left = size;
    if (peel_open(&b->peel, codec == ARROW_LZ4 ? PEEL_LZ4 : PEEL_ZSTD, b->a->in, &b->a->bytes, at + SIZE, len - SIZE))
        return ends(b);
    peel_report(&b->peel, b->a->in);
    b->a->stop = true;
    return false;
}

struct arrow_buffer *arrow_buffer_open(struct arrow *a, uint64_t at, uint64_t len, enum arrow_codec codec)
{
    struct arrow_buffer *b = malloc(sizeof(*b));
    if (!b) {
        (void)arrow_fail(a, FINDING_INSPECT_LIMIT, at, "no memory for a buffer");
        return NULL;
    }
    b->a = a;
    b->at = at;
    b->left = len;
    b->packed = false;
    b->next = b->have = 0;
    if (!bytes_init_slice(&b->plain, &a->bytes, 0, a->bytes.size))
        bytes_init_memory(&b->plain, NULL, 0); /* the whole is always inside */
    if (codec != ARROW_STORED && len > 0 && !open_packed(b, at, len, codec))
        arrow_buffer_close(&b);
    return b;
}

bool arrow_buffer_packed(const struct arrow_buffer *b)
{
    return b->packed;
}

uint64_t arrow_buffer_left(const struct arrow_buffer *b)
{
    return b->left + (b->have - b->next);
}

static bool refill(struct arrow_buffer *b)
{
    struct arrow *a = b->a;
    size_t n = b->left < PIECE ? (size_t)b->left : PIECE;
    b->next = b->have = 0;
    if (n == 0)
        return arrow_fail(a, FINDING_TYPE_CONFLICT, b->at, "a buffer is shorter than its column");
    if (!b->packed) {
        if (!bytes_copy(&b->plain, b->at, b->piece, n))
            return arrow_fail(a, FINDING_INSPECT_INCOMPLETE, b->at, "a buffer could not be read");
        b->at += n;
    } else {
        size_t got = peel_read(&b->peel, b->piece, n);
        if (b->peel.fault == FINDING_NONE && got < n)
            return arrow_fail(a, FINDING_ARCHIVE_CORRUPT, b->peel.at, "a buffer is shorter than it says");
        a->stop = b->peel.fault != FINDING_NONE || !archive_spend(a->in, &a->meter, n);
        if (b->peel.fault != FINDING_NONE)
            peel_report(&b->peel, a->in);
    }
    b->left -= n;
    b->have = n;
    return !a->stop && ends(b);
}

bool arrow_buffer_read(struct arrow_buffer *b, void *out, size_t n)
{
    uint8_t *to = out;
    while (n > 0) {
        if (b->next == b->have && !refill(b))
            return false;
        size_t k = b->have - b->next < n ? b->have - b->next : n;
        memcpy(to, b->piece + b->next, k);
        b->next += k;
        to += k;
        n -= k;
    }
    return true;
}

bool arrow_buffer_show(struct arrow_buffer *b, uint64_t n)
{
    while (n > 0) {
        if (b->next == b->have && !refill(b))
            return false;
        size_t k = b->have - b->next < n ? b->have - b->next : (size_t)n;
        shown_bytes(&b->a->shown, b->piece + b->next, k);
        b->next += k;
        n -= k;
    }
    return true;
}

void arrow_buffer_close(struct arrow_buffer **buffer)
{
    struct arrow_buffer *b = *buffer;
    *buffer = NULL;
    if (b && b->packed)
        peel_close(&b->peel);
    if (b)
        bytes_free(&b->plain);
    free(b);
}
