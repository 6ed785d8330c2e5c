/* SPDX-License-Identifier: ISC
 * See snappy.h. Runs in the confined child on hostile bytes. Invariant: nothing is read behind the data or written
 * behind the output, and every step moves one of the two. */
#include "inspect/snappy.h"

#include <string.h>

#include "inspect/octets.h"
#include "inspect/thrift.h"

enum tag { TAG_LITERAL = 0, TAG_COPY1, TAG_COPY2, TAG_COPY4 };
enum { LITERAL_SHORT = 60 };

struct snappy {
    const uint8_t *at, *end;
    uint8_t *out;
    size_t done, want;
};

static bool literal(struct snappy *s, uint8_t tag)
{
    size_t n = tag >> 2;
    if (n >= LITERAL_SHORT) {
        size_t bytes = n - LITERAL_SHORT + 1;
        if ((size_t)(s->end - s->at) < bytes)
            return false;
        n = 0;
        for (size_t i = 0; i < bytes; i++)
            n |= (size_t)s->at[i] << (8 * i);
        s->at += bytes;
    }
    if (n >= (size_t)(s->end - s->at) || n >= s->want - s->done)
        return false;
    memcpy(s->out + s->done, s->at, n + 1);
    s->at += n + 1;
    s->done += n + 1;
    return true;
}

/* From what came out before; where it reaches into itself it repeats. */
static bool copy(struct snappy *s, size_t offset, size_t n)
{
    if (offset == 0 || offset > s->done || n > s->want - s->done)
        return false;
    uint8_t *to = s->out + s->done;
    if (offset >= n)
        memcpy(to, to - offset, n);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = (to - offset)[i];
    s->done += n;
    return true;
}

static bool step(struct snappy *s)
{
    static const uint8_t follow[] = {[TAG_LITERAL] = 0, [TAG_COPY1] = 1, [TAG_COPY2] = 2, [TAG_COPY4] = 4};
    uint8_t tag = *s->at++, kind = tag & 3;
    const uint8_t *p = s->at;
    if ((size_t)(s->end - p) < follow[kind])
        return false;
    s->at += follow[kind];
    if (kind == TAG_LITERAL)
        return literal(s, tag);
    if (kind == TAG_COPY1)
        return copy(s, (size_t)(tag >> 5) << 8 | p[0], (size_t)(tag >> 2 & 7) + 4);
    return copy(s, kind == TAG_COPY2 ? get_le16(p) : get_le32(p), (size_t)(tag >> 2) + 1);
}

bool snappy_unpack(const uint8_t *data, size_t len, uint8_t *out, size_t out_len)
{
    struct snappy s = {.at = data, .end = data + len, .out = out, .want = out_len};
    uint64_t says;
    if (!thrift_varint(&s.at, s.end, &says) || says != out_len)
        return false;
    while (s.at < s.end)
        if (!step(&s))
            return false;
    return s.done == s.want;
}
