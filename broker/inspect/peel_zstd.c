/* SPDX-License-Identifier: ISC
 * zstd through libzstd, frame after frame (RFC 8878). The header is read here first, so that a window beyond
 * DECODER_MEMORY and a dictionary are refused before the library sees the frame; it verifies sizes and
 * checksums. */
#include "inspect/archive_peel.h"

#include <inttypes.h>
#include <zstd.h>

enum {
    ZSTD_HEADER_LEAST = 5,
    ZSTD_HEADER_MOST = 18,
    SKIPPABLE_FIRST = 0x184d2a50,
    /* The library allots the window, its tail and the tables; half of DECODER_MEMORY's next power of two
       fits. */
    ZSTD_WINDOW_LOG = 26
};

static bool zstd_open(struct peel *p)
{
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    if (ctx && ZSTD_isError(ZSTD_DCtx_setParameter(ctx, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG))) {
        ZSTD_freeDCtx(ctx);
        ctx = NULL;
    }
    p->state = ctx;
    return ctx != NULL;
}

static void zstd_close(struct peel *p)
{
    ZSTD_freeDCtx(p->state);
}

static uint64_t little(const uint8_t *b, unsigned n)
{
    uint64_t v = 0;
    while (n-- > 0)
        v = v << 8 | b[n];
    return v;
}

/* The window a frame asks for; *dictionary whether it needs one. h holds as many bytes as the header may
 * have. */
static uint64_t zstd_window(const uint8_t *h, bool *dictionary)
{
    static const uint8_t dictionary_size[4] = {0, 1, 2, 4}, content_size[4] = {0, 2, 4, 8};
    uint8_t descriptor = h[4];
    bool single = descriptor & 0x20;
    unsigned at = single ? 5 : 6, dict = dictionary_size[descriptor & 3];
    *dictionary = little(h + at, dict) != 0;
    at += dict;
    if (!single) {
        uint64_t base = (uint64_t)1 << (10 + (h[5] >> 3));
        return base + base / 8 * (h[5] & 7);
    }
    unsigned n = descriptor >> 6 ? content_size[descriptor >> 6] : 1;
    return little(h + at, n) + (n == 2 ? 256 : 0);
}

static enum peel_begin zstd_skippable(struct peel *p)
{
    const uint8_t *h = peel_peek(p, 8);
    uint64_t len = h ? little(h + 4, 4) + 8 : UINT64_MAX;
    if (len > p->size - p->at) {
        peel_cut(p);
        return BEGIN_FAULT;
    }
    for (uint64_t done = 8; done < len;) {
        peel_skip(p, done == 8 ? 8 : 0);
        if (!peel_fetch(p))
            break;
        size_t n = p->avail < len - done ? p->avail : (size_t)(len - done);
        inspect_loose(p->in, "!zstd-skippable", p->next, n);
        peel_skip(p, n);
        done += n;
    }
    if (len == 8)
        peel_skip(p, 8);
    return BEGIN_SKIPPED;
}

static enum peel_begin zstd_begin(struct peel *p)
{
    const uint8_t *h = peel_peek(p, 4);
    if (h && (little(h, 4) & 0xfffffff0u) == SKIPPABLE_FIRST)
        return zstd_skippable(p);
    if (!h || little(h, 4) != ZSTD_MAGICNUMBER)
        return BEGIN_FOREIGN;
    uint8_t header[ZSTD_HEADER_MOST] = {0};
    uint64_t left = p->size - p->at;
    size_t len = left < ZSTD_HEADER_MOST ? (size_t)left : (size_t)ZSTD_HEADER_MOST;
    h = peel_peek(p, len);
    for (size_t i = 0; h && i < len; i++)
        header[i] = h[i];
    bool dictionary;
    uint64_t window = zstd_window(header, &dictionary);
    if (!h || len < ZSTD_HEADER_LEAST)
        peel_cut(p);
    else if (dictionary)
        peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED, "the zstd frame needs a dictionary");
    else if (window > (uint64_t)1 << ZSTD_WINDOW_LOG)
        peel_fault(p, FINDING_ARCHIVE_MEMORY,
                   "the zstd frame asks for a window of %" PRIu64 " bytes; a decoder may have %" PRIu64
                   " in all, which is a window of %" PRIu64,
                   window, DECODER_MEMORY, (uint64_t)1 << ZSTD_WINDOW_LOG);
    if (p->fault != FINDING_NONE)
        return BEGIN_FAULT;
    (void)ZSTD_DCtx_reset(p->state, ZSTD_reset_session_only);
    return BEGIN_FRAME;
}

static size_t zstd_step(struct peel *p, uint8_t *out, size_t cap)
{
    bool more = peel_fetch(p);
    ZSTD_inBuffer input = {p->next, more ? p->avail : 0, 0};
    ZSTD_outBuffer output = {out, cap, 0};
    size_t rc = ZSTD_decompressStream(p->state, &output, &input);
    if (more)
        peel_skip(p, input.pos);
    if (ZSTD_isError(rc))
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the zstd frame is damaged or its checksum does not hold");
    else if (rc == 0)
        p->in_frame = false;
    else if (!more && output.pos == 0)
        peel_cut(p);
    return output.pos;
}

const struct peel_codec peel_codec_zstd = {"zstd", false, zstd_open, zstd_begin, zstd_step, zstd_close};
