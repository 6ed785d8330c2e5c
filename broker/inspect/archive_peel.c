/* SPDX-License-Identifier: ISC
 * The frame loop that all decoders share: frame after frame until the packed bytes end exactly, or in NUL
 * padding. Worker child; hostile bytes go in, the caller bounds what comes out. */
#include "inspect/archive_peel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct peel_codec *const codecs[PEEL_KINDS] = {
    [PEEL_DEFLATE] = &peel_codec_deflate, [PEEL_GZIP] = &peel_codec_gzip, [PEEL_BZIP2] = &peel_codec_bzip2,
    [PEEL_XZ] = &peel_codec_xz,           [PEEL_LZMA] = &peel_codec_lzma, [PEEL_ZSTD] = &peel_codec_zstd,
    [PEEL_LZ4] = &peel_codec_lz4,         [PEEL_CHAIN] = &peel_codec_chain,
};

/* Read at least and at most so much before the bounds are asked again. */
enum { WHOLE_STEP = 64 * 1024, WHOLE_MOST = 1024 * 1024 };

void peel_again(struct peel *p, uint64_t at, uint64_t len)
{
    uint64_t limit = p->src.size;
    p->at = at < limit ? at : limit;
    p->size = len < limit - p->at ? p->at + len : limit;
    p->next = NULL;
    p->avail = 0;
    p->out = p->frames = p->frame_at = 0;
    p->in_frame = p->ended = p->padded = false;
    p->fault = FINDING_NONE;
    p->why[0] = 0;
}

bool peel_open(struct peel *p, enum peel_kind kind, struct inspection *in, const struct bytes *from,
               uint64_t at, uint64_t len)
{
    *p = (struct peel){.codec = codecs[kind], .in = in};
    bool whole = bytes_init_slice(&p->src, from, 0, from->size);
    peel_again(p, at, len);
    if (whole && p->codec->open(p))
        return true;
    peel_fault(p, FINDING_INSPECT_LIMIT, "no memory for a %s decoder", p->codec->name);
    return false;
}

void peel_close(struct peel *p)
{
    p->codec->close(p);
    p->state = NULL;
    bytes_free(&p->src);
}

bool peel_fetch(struct peel *p)
{
    if (p->avail > 0)
        return true;
    if (p->at >= p->size)
        return false;
    size_t n = 0;
    p->next = bytes_chunk(&p->src, p->at, &n);
    if (!p->next || n == 0)
        return false;
    p->avail = n < p->size - p->at ? n : (size_t)(p->size - p->at);
    return true;
}

const uint8_t *peel_peek(struct peel *p, size_t len)
{
    if (len > p->size - p->at)
        return NULL;
    if (p->avail < len) {
        p->avail = 0;
        if (!peel_fetch(p) || p->avail < len)
            return NULL;
    }
    return p->next;
}

void peel_skip(struct peel *p, uint64_t len)
{
    if (len > p->size - p->at)
        len = p->size - p->at;
    p->at += len;
    if (len >= p->avail) {
        p->avail = 0;
        p->next = NULL;
    } else {
        p->avail -= (size_t)len;
        p->next += len;
    }
}

void peel_fault(struct peel *p, enum finding_code code, const char *fmt, ...)
{
    if (p->fault != FINDING_NONE)
        return;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(p->why, sizeof(p->why), fmt, args);
    va_end(args);
    p->fault = code;
    p->fault_at = p->at;
    p->in_frame = false;
}

void peel_cut(struct peel *p)
{
    peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the %s stream ends before its frame does", p->codec->name);
}

/* Bytes that begin no frame: padding, something else, or no stream of this kind at all. */
static void peel_foreign(struct peel *p)
{
    if (p->frames == 0)
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "no %s data frame", p->codec->name);
    else if (!archive_zeros(&p->src, p->at, p->size - p->at))
        peel_fault(p, FINDING_ARCHIVE_TRAILING_DATA, "%" PRIu64 " bytes follow the last %s frame",
                   p->size - p->at, p->codec->name);
    else
        p->ended = p->padded = true;
}

static void peel_next_frame(struct peel *p)
{
    if (p->frames > 0 && p->codec->single) {
        p->ended = true;
        if (p->at < p->size)
            peel_fault(p, FINDING_ARCHIVE_AMBIGUOUS, "bytes follow the end of the member's compressed data");
        return;
    }
    if (p->at >= p->size) {
        p->ended = true;
        if (p->frames == 0)
            peel_fault(p, FINDING_ARCHIVE_CORRUPT, "no %s data frame", p->codec->name);
        return;
    }
    p->frame_at = p->at;
    enum peel_begin begin = p->codec->begin(p);
    if (begin == BEGIN_FOREIGN)
        peel_foreign(p);
    else if (begin == BEGIN_FRAME) {
        p->frames++;
        p->in_frame = true;
    }
}

size_t peel_read(struct peel *p, uint8_t *out, size_t cap)
{
    size_t got = 0;
    while (got < cap && !p->ended && p->fault == FINDING_NONE) {
        if (!p->in_frame)
            peel_next_frame(p);
        else
            got += p->codec->step(p, out + got, cap - got);
    }
    p->out += got;
    return got;
}

void peel_report(const struct peel *p, struct inspection *in)
{
    if (p->fault != FINDING_NONE)
        archive_find(in, p->fault, p->fault_at, "%s", p->why);
    else if (p->padded)
        inspect_find_at(in, FINDING_ARCHIVE_TRAILING_DATA, LEVEL_NOTE, p->at, 0,
                        "NUL padding follows the last frame");
}

bool peel_whole(struct peel *p, struct inspection *in, struct archive_hold *hold, struct archive_meter *meter)
{
    while (!p->ended && p->fault == FINDING_NONE) {
        if (!archive_hold_room(hold, WHOLE_STEP)) {
            archive_hold_full(in, 0);
            return false;
        }
        size_t room = hold->cap - hold->len;
        size_t got = peel_read(p, hold->data + hold->len, room < WHOLE_MOST ? room : (size_t)WHOLE_MOST);
        hold->len += got;
        if (!archive_spend(in, meter, got))
            return false;
    }
    peel_report(p, in);
    return p->fault == FINDING_NONE;
}
