/* SPDX-License-Identifier: ISC
 * xz through liblzma, stream after stream; dictionary memory is refused by the library's limit before it is
 * allocated, block checks and the index are verified by it. Padding between streams is ours to judge. Worker
 * child. */
#include "inspect/archive_peel.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t xz_magic[6] = {0xfd, '7', 'z', 'X', 'Z', 0};

static bool xz_open(struct peel *p)
{
    lzma_stream *lz = malloc(sizeof(*lz));
    if (!lz)
        return false;
    *lz = (lzma_stream)LZMA_STREAM_INIT;
    p->state = lz;
    return true;
}

static void xz_close(struct peel *p)
{
    lzma_stream *lz = p->state;
    if (lz)
        lzma_end(lz);
    free(lz);
}

static enum peel_begin xz_begin(struct peel *p)
{
    const uint8_t *h = peel_peek(p, sizeof(xz_magic));
    if (!h || memcmp(h, xz_magic, sizeof(xz_magic)) != 0) {
        /* stream padding (xz format 2.2): NUL in groups of four, another stream may follow */
        h = p->frames > 0 ? peel_peek(p, 4) : NULL;
        if (!h || memcmp(h, "\0\0\0\0", 4) != 0)
            return BEGIN_FOREIGN;
        p->padded = true;
        peel_skip(p, 4);
        return BEGIN_SKIPPED;
    }
    if (lzma_stream_decoder(p->state, DECODER_MEMORY, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK) {
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the xz decoder had no memory");
        return BEGIN_FAULT;
    }
    return BEGIN_FRAME;
}

static void xz_fault(struct peel *p, lzma_ret rc)
{
    if (rc == LZMA_MEMLIMIT_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY,
                   "the xz stream asks for %" PRIu64 " bytes of memory, a decoder may have %" PRIu64,
                   lzma_memusage(p->state), DECODER_MEMORY);
    else if (rc == LZMA_MEM_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the xz decoder had no memory");
    else if (rc == LZMA_UNSUPPORTED_CHECK || rc == LZMA_OPTIONS_ERROR)
        peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED,
                   "the xz stream uses a check or filter that is not supported");
    else
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the xz stream is damaged or its check does not hold");
}

static size_t xz_step(struct peel *p, uint8_t *out, size_t cap)
{
    lzma_stream *lz = p->state;
    bool more = peel_fetch(p);
    lz->next_in = p->next;
    lz->avail_in = more ? p->avail : 0;
    lz->next_out = out;
    lz->avail_out = cap;
    lzma_ret rc = lzma_code(lz, LZMA_RUN);
    size_t got = cap - lz->avail_out;
    if (more)
        peel_skip(p, p->avail - lz->avail_in);
    if (rc == LZMA_STREAM_END)
        p->in_frame = false;
    else if (!more && (rc == LZMA_BUF_ERROR || (rc == LZMA_OK && got == 0)))
        peel_cut(p);
    else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
        xz_fault(p, rc);
    return got;
}

const struct peel_codec peel_codec_xz = {"xz", false, xz_open, xz_begin, xz_step, xz_close};
