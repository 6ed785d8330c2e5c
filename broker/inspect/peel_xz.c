/* SPDX-License-Identifier: ISC
 * xz and .lzma through liblzma; dictionary memory is refused by the library's limit before it is allocated. Of xz, stream
 * after stream, block checks and the index are verified by it; padding between streams is ours to judge. A .lzma is one
 * stream without a checksum, which ends where its header or its end marker says. Worker child. */
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

/* Begins a stream with what setting up its decoder returned. */
static enum peel_begin begun(struct peel *p, lzma_ret rc)
{
    if (rc == LZMA_OK)
        return BEGIN_FRAME;
    peel_fault(p, FINDING_ARCHIVE_MEMORY, "the %s decoder had no memory", p->codec->name);
    return BEGIN_FAULT;
}

static enum peel_begin lzma_begin(struct peel *p)
{
    return p->frames > 0 ? BEGIN_FOREIGN : begun(p, lzma_alone_decoder(p->state, DECODER_MEMORY));
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
    return begun(p, lzma_stream_decoder(p->state, DECODER_MEMORY, LZMA_TELL_UNSUPPORTED_CHECK));
}

static void xz_fault(struct peel *p, lzma_ret rc)
{
    if (rc == LZMA_MEMLIMIT_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY,
                   "the %s stream asks for %" PRIu64 " bytes of memory, a decoder may have %" PRIu64, p->codec->name,
                   lzma_memusage(p->state), DECODER_MEMORY);
    else if (rc == LZMA_MEM_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the %s decoder had no memory", p->codec->name);
    else if (rc == LZMA_UNSUPPORTED_CHECK || rc == LZMA_OPTIONS_ERROR)
        peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED,
                   "the %s stream uses a check or filter that is not supported", p->codec->name);
    else
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the %s stream is damaged or its check does not hold", p->codec->name);
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
const struct peel_codec peel_codec_lzma = {"lzma", false, xz_open, lzma_begin, xz_step, xz_close};
