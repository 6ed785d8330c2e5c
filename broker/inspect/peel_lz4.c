/* SPDX-License-Identifier: ISC
 * lz4 through liblz4's frame decoder, frame after frame; it verifies header, block and content checksums and
 * the content size. Blocks are at most 4 MiB, so a decoder stays below DECODER_MEMORY by construction. Worker
 * child. */
#include "inspect/archive_peel.h"

#include <lz4frame.h>
#include <stdlib.h>

#include "inspect/octets.h"

enum { LZ4_MAGIC = 0x184d2204, LZ4_LEGACY = 0x184c2102, LZ4_SKIPPABLE = 0x184d2a50, LZ4_DICTIONARY = 1 };

static bool lz4_open(struct peel *p)
{
    LZ4F_dctx *ctx = NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&ctx, LZ4F_VERSION)))
        return false;
    p->state = ctx;
    return true;
}

static void lz4_close(struct peel *p)
{
    if (p->state)
        (void)LZ4F_freeDecompressionContext(p->state);
}

static enum peel_begin lz4_skippable(struct peel *p)
{
    const uint8_t *h = peel_peek(p, 8);
    uint64_t left = h ? get_le32(h + 4) : UINT64_MAX;
    if (left > p->size - p->at - 8) {
        peel_cut(p);
        return BEGIN_FAULT;
    }
    peel_skip(p, 8);
    while (left > 0 && peel_fetch(p)) {
        size_t n = p->avail < left ? p->avail : (size_t)left;
        inspect_loose(p->in, "!lz4-skippable", p->next, n);
        peel_skip(p, n);
        left -= n;
    }
    return BEGIN_SKIPPED;
}

static enum peel_begin lz4_begin(struct peel *p)
{
    const uint8_t *h = peel_peek(p, 5);
    uint32_t magic = h ? get_le32(h) : 0;
    if (h && (magic & 0xfffffff0u) == LZ4_SKIPPABLE)
        return lz4_skippable(p);
    if (magic == LZ4_LEGACY) {
        peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED,
                   "the legacy lz4 format, which has no checksums and no end");
        return BEGIN_FAULT;
    }
    if (magic != LZ4_MAGIC)
        return BEGIN_FOREIGN;
    if (h[4] & LZ4_DICTIONARY) {
        peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED, "the lz4 frame needs a dictionary");
        return BEGIN_FAULT;
    }
    LZ4F_resetDecompressionContext(p->state);
    return BEGIN_FRAME;
}

static size_t lz4_step(struct peel *p, uint8_t *out, size_t cap)
{
    static const LZ4F_decompressOptions_t plain;
    bool more = peel_fetch(p);
    size_t in = more ? p->avail : 0, got = cap;
    size_t rc = LZ4F_decompress(p->state, out, &got, p->next, &in, &plain);
    if (more)
        peel_skip(p, in);
    if (LZ4F_isError(rc)) {
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the lz4 frame is damaged or its checksum does not hold");
        return 0;
    }
    if (rc == 0)
        p->in_frame = false;
    else if (!more && got == 0)
        peel_cut(p);
    return got;
}

const struct peel_codec peel_codec_lz4 = {"lz4", false, lz4_open, lz4_begin, lz4_step, lz4_close};
