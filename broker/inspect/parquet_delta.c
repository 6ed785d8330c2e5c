/* SPDX-License-Identifier: ISC
 * Texts that Parquet writes as lengths in one place and bytes in another, or as what they share with the text before.
 * Numbers are decoded one at a time and never kept. Runs in the confined child on hostile bytes.
 * Source: apache/parquet-format, Encodings.md (DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY). */
#include <string.h>

#include "base/limits.h"
#include "inspect/parquet.h"

/* One run of numbers: blocks of so many, in parts that each have their own width in bits. */
struct delta {
    const uint8_t *at, *end;
    uint64_t part, parts; /* numbers in one part, parts in one block */
    uint64_t left;        /* numbers still to come */
    uint64_t in_part;     /* of the part under way */
    uint64_t next_part;   /* its successor's number in the block; parts: a block is to begin */
    const uint8_t *widths;
    unsigned width, bit;
    uint64_t value, least;
    bool first, bad;
};

static bool delta_init(struct delta *d, const uint8_t *data, const uint8_t *end, uint64_t most)
{
    uint64_t block, first;
    *d = (struct delta){.at = data, .end = end, .first = true};
    bool read = thrift_varint(&d->at, end, &block) && thrift_varint(&d->at, end, &d->parts) &&
                thrift_varint(&d->at, end, &d->left) && thrift_varint(&d->at, end, &first);
    if (!read || d->parts == 0 || block == 0 || block > DELTA_BLOCK || block % d->parts != 0 || d->left > most)
        return false;
    d->part = block / d->parts;
    d->next_part = d->parts;
    d->value = (uint64_t)thrift_zigzag(first);
    return d->part % 8 == 0;
}

static bool begin_part(struct delta *d)
{
    uint64_t least;
    if (d->next_part == d->parts) {
        if (!thrift_varint(&d->at, d->end, &least) || d->parts > (uint64_t)(d->end - d->at))
            return false;
        d->least = (uint64_t)thrift_zigzag(least);
        d->widths = d->at;
        d->at += d->parts;
        d->next_part = 0;
    }
    d->width = d->widths[d->next_part++];
    d->in_part = d->part;
    d->bit = 0;
    return d->width <= 64 && d->width * d->part / 8 <= (uint64_t)(d->end - d->at);
}

/* The bits of one number: the lowest first. */
static uint64_t take_bits(struct delta *d)
{
    uint64_t value = 0;
    for (unsigned have = 0; have < d->width;) {
        unsigned n = 8 - d->bit < d->width - have ? 8 - d->bit : d->width - have;
        value |= (uint64_t)(*d->at >> d->bit & ((1u << n) - 1)) << have;
        have += n;
        d->bit += n;
        if (d->bit == 8) {
            d->at++;
            d->bit = 0;
        }
    }
    return value;
}

/* False: there are no more, or it is broken (d->bad). */
static bool delta_next(struct delta *d, uint64_t *value)
{
    if (d->left == 0 || d->bad)
        return false;
    if (!d->first && d->in_part == 0 && !begin_part(d)) {
        d->bad = true;
        return false;
    }
    if (!d->first) {
        d->value += d->least + take_bits(d);
        d->in_part--;
    }
    d->first = false;
    d->left--;
    if (d->left == 0) /* the part is whole, whether it is full or not */
        for (; d->in_part > 0; d->in_part--)
            (void)take_bits(d);
    *value = d->value;
    return true;
}

/* Where the run ends; the sum of its numbers. NULL: it is broken, or a number is none of a length. */
static const uint8_t *delta_end(struct delta d, uint64_t *sum)
{
    uint64_t n;
    *sum = 0;
    while (delta_next(&d, &n)) {
        if (n > INT32_MAX)
            return NULL;
        *sum += n;
    }
    return d.bad ? NULL : d.at;
}

static bool broken(struct parquet *p, const struct parquet_page *page)
{
    return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, page->at, "the lengths of a page's texts do not hold");
}

/* What is told by few bits is paid for as it comes out. */
static bool spend(struct parquet *p, uint64_t n)
{
    p->stop = p->stop || !archive_spend(p->in, &p->meter, n);
    return !p->stop;
}

bool parquet_delta_lengths(struct parquet *p, const struct parquet_page *page)
{
    struct delta lengths;
    const uint8_t *end = page->data + page->len;
    uint64_t sum, n;
    if (!delta_init(&lengths, page->data, end, page->values))
        return broken(p, page);
    if (!spend(p, lengths.left))
        return false;
    const uint8_t *text = delta_end(lengths, &sum);
    if (!text || sum != (uint64_t)(end - text))
        return broken(p, page);
    while (delta_next(&lengths, &n)) {
        shown_bytes(&p->shown, text, (size_t)n);
        shown_byte(&p->shown, '\n');
        text += n;
    }
    return true;
}

/* One text after another in p->value, each from the one before. */
static bool rebuild(struct parquet *p, const struct parquet_page *page, struct delta *shared, struct delta *lengths,
                    const uint8_t *text)
{
    uint64_t keep, more, len = 0;
    while (delta_next(shared, &keep) && delta_next(lengths, &more)) {
        if (keep > len)
            return broken(p, page);
        if (keep + more > p->value.cap) { /* moves what is kept */
            struct parquet_room old = p->value;
            p->value = (struct parquet_room){.cap = 0};
            uint8_t *grown = parquet_room(p, &p->value, 2 * (keep + more));
            if (grown && keep > 0)
                memcpy(grown, old.data, (size_t)keep);
            free_auto(&old.data);
            if (!grown)
                return false;
        }
        if (!spend(p, keep))
            return false;
        if (more > 0)
            memcpy(p->value.data + keep, text, (size_t)more);
        text += more;
        len = keep + more;
        shown_bytes(&p->shown, p->value.data, (size_t)len);
        shown_byte(&p->shown, '\n');
    }
    return true;
}

bool parquet_delta_strings(struct parquet *p, const struct parquet_page *page)
{
    struct delta shared, lengths;
    const uint8_t *end = page->data + page->len;
    uint64_t sum;
    if (!delta_init(&shared, page->data, end, page->values))
        return broken(p, page);
    if (!spend(p, shared.left))
        return false;
    const uint8_t *behind = delta_end(shared, &sum);
    if (!behind || !delta_init(&lengths, behind, end, page->values) || lengths.left != shared.left)
        return broken(p, page);
    const uint8_t *text = delta_end(lengths, &sum);
    if (!text || sum != (uint64_t)(end - text))
        return broken(p, page);
    return parquet_room(p, &p->value, 1) && rebuild(p, page, &shared, &lengths, text);
}
