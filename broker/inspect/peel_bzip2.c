/* SPDX-License-Identifier: ISC
 * bzip2 through libbz2, stream after stream; the library verifies block and stream checksums. A decoder takes
 * at most 3.7 MiB by construction (900 KiB blocks), below DECODER_MEMORY. Worker child. */
#include "inspect/archive_peel.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

static bool bzip2_open(struct peel *p)
{
    p->state = calloc(1, sizeof(bz_stream));
    return p->state != NULL;
}

static void bzip2_close(struct peel *p)
{
    bz_stream *bz = p->state;
    if (bz && bz->state)
        (void)BZ2_bzDecompressEnd(bz);
    free(bz);
}

static enum peel_begin bzip2_begin(struct peel *p)
{
    bz_stream *bz = p->state;
    const uint8_t *h = peel_peek(p, 4);
    if (!h || memcmp(h, "BZh", 3) != 0 || h[3] < '1' || h[3] > '9')
        return BEGIN_FOREIGN;
    if (bz->state)
        (void)BZ2_bzDecompressEnd(bz);
    *bz = (bz_stream){0};
    if (BZ2_bzDecompressInit(bz, 0, 0) != BZ_OK) {
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the bzip2 decoder had no memory");
        return BEGIN_FAULT;
    }
    return BEGIN_FRAME;
}

static size_t bzip2_step(struct peel *p, uint8_t *out, size_t cap)
{
    bz_stream *bz = p->state;
    bool more = peel_fetch(p);
    bz->next_in = (char *)(uintptr_t)p->next;
    bz->avail_in = more ? (unsigned)p->avail : 0;
    bz->next_out = (char *)out;
    unsigned asked = cap < UINT32_MAX ? (unsigned)cap : UINT32_MAX;
    bz->avail_out = asked;
    int rc = BZ2_bzDecompress(bz);
    size_t got = asked - bz->avail_out;
    if (more)
        peel_skip(p, p->avail - bz->avail_in);
    if (rc == BZ_STREAM_END)
        p->in_frame = false;
    else if (rc == BZ_MEM_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the bzip2 decoder had no memory");
    else if (rc != BZ_OK)
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the bzip2 data is damaged or its checksum does not hold");
    else if (!more && got == 0)
        peel_cut(p);
    return got;
}

const struct peel_codec peel_codec_bzip2 = {"bzip2", false, bzip2_open, bzip2_begin, bzip2_step, bzip2_close};
