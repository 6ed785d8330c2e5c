/* SPDX-License-Identifier: ISC
 * A 7z folder's chain of coders: LZMA or LZMA2 under branch and delta filters through liblzma's raw decoder, or a plain
 * copy. What the chain would need is computed and bounded before any of it is allotted. Worker child. */
#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/archive_sevenzip.h"

enum { CODER_COPY = 0x00, CODER_DEFLATE = 0x040108, CODER_BZIP2 = 0x040202, CODER_AES = 0x06f10701 };

struct chain {
    lzma_stream lz;
    lzma_filter filters[SEVENZIP_CODERS + 1];
    bool copy;
};

static const struct {
    uint64_t coder;
    lzma_vli filter;
    bool last; /* unpacks, so nothing can follow it */
} coders[] = {
    {0x030101, LZMA_FILTER_LZMA1, true},   {0x21, LZMA_FILTER_LZMA2, true}, {0x03, LZMA_FILTER_DELTA, false},
    {0x04, LZMA_FILTER_X86, false},        {0x03030103, LZMA_FILTER_X86, false},
    {0x05, LZMA_FILTER_POWERPC, false},    {0x03030205, LZMA_FILTER_POWERPC, false},
    {0x06, LZMA_FILTER_IA64, false},       {0x03030401, LZMA_FILTER_IA64, false},
    {0x07, LZMA_FILTER_ARM, false},        {0x03030501, LZMA_FILTER_ARM, false},
    {0x08, LZMA_FILTER_ARMTHUMB, false},   {0x03030701, LZMA_FILTER_ARMTHUMB, false},
    {0x09, LZMA_FILTER_SPARC, false},      {0x03030805, LZMA_FILTER_SPARC, false},
#ifdef LZMA_FILTER_ARM64
    {0x0a, LZMA_FILTER_ARM64, false},
#endif
};

enum peel_kind sevenzip_peel(const struct sevenzip_folder *folder)
{
    uint64_t id = folder->coders == 1 ? folder->coder[0].id : UINT64_MAX;
    return id == CODER_DEFLATE ? PEEL_DEFLATE : id == CODER_BZIP2 ? PEEL_BZIP2 : PEEL_CHAIN;
}

static void chain_forget(struct chain *c)
{
    for (size_t i = 0; i <= SEVENZIP_CODERS; i++) {
        free(c->filters[i].options);
        c->filters[i] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
    }
}

/* Plain LZMA has no end of its own in a 7z: its size is part of its options. */
static bool lzma_sized(lzma_filter *filter, uint64_t size)
{
#ifdef LZMA_FILTER_LZMA1EXT
    lzma_options_lzma *options = filter->options;
    filter->id = LZMA_FILTER_LZMA1EXT;
    options->ext_flags = LZMA_LZMA1EXT_ALLOW_EOPM;
    lzma_set_ext_size(*options, size);
    return true;
#else
    (void)filter;
    (void)size;
    return false;
#endif
}

static bool unsupported(struct peel *p)
{
    peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED,
               "a 7z coder that cannot be looked into; LZMA, LZMA2, BZip2, Deflate, Copy and the branch filters can");
    return false;
}

static bool add(struct peel *p, const struct sevenzip_coder *coder, bool last, lzma_filter *filter)
{
    if (coder->id == CODER_AES) {
        peel_fault(p, FINDING_ARCHIVE_ENCRYPTED, "the 7z is encrypted");
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(coders); i++) {
        if (coders[i].coder != coder->id || coders[i].last != last)
            continue;
        filter->id = coders[i].filter;
        if (lzma_properties_decode(filter, NULL, coder->properties, coder->properties_len) != LZMA_OK) {
            peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the properties of a 7z coder do not hold");
            return false;
        }
        return filter->id != LZMA_FILTER_LZMA1 || lzma_sized(filter, coder->size) || unsupported(p);
    }
    return unsupported(p);
}

bool sevenzip_chain(struct peel *p, const struct sevenzip_folder *folder)
{
    struct chain *c = p->state;
    chain_forget(c);
    c->copy = folder->coders == 1 && folder->coder[0].id == CODER_COPY;
    if (c->copy)
        return true;
    for (unsigned i = 0; i < folder->coders; i++)
        if (!add(p, &folder->coder[i], i + 1 == folder->coders, &c->filters[i]))
            return false;
    uint64_t need = lzma_raw_decoder_memusage(c->filters);
    if (need == UINT64_MAX)
        return unsupported(p);
    if (need <= DECODER_MEMORY)
        return true;
    peel_fault(p, FINDING_ARCHIVE_MEMORY,
               "a 7z folder asks for %" PRIu64 " bytes of memory, a decoder may have %" PRIu64, need, DECODER_MEMORY);
    return false;
}

static bool chain_open(struct peel *p)
{
    struct chain *c = calloc(1, sizeof(*c));
    if (!c)
        return false;
    c->lz = (lzma_stream)LZMA_STREAM_INIT;
    chain_forget(c);
    p->state = c;
    return true;
}

static void chain_close(struct peel *p)
{
    struct chain *c = p->state;
    if (!c)
        return;
    chain_forget(c);
    lzma_end(&c->lz);
    free(c);
}

static enum peel_begin chain_begin(struct peel *p)
{
    struct chain *c = p->state;
    if (c->copy || lzma_raw_decoder(&c->lz, c->filters) == LZMA_OK)
        return BEGIN_FRAME;
    peel_fault(p, FINDING_ARCHIVE_MEMORY, "the 7z decoder had no memory");
    return BEGIN_FAULT;
}

static size_t copy_step(struct peel *p, uint8_t *out, size_t cap)
{
    size_t n = peel_fetch(p) ? (p->avail < cap ? p->avail : cap) : 0;
    if (n > 0)
        memcpy(out, p->next, n);
    peel_skip(p, n);
    p->in_frame = p->at < p->size;
    return n;
}

static size_t chain_step(struct peel *p, uint8_t *out, size_t cap)
{
    struct chain *c = p->state;
    if (c->copy)
        return copy_step(p, out, cap);
    bool more = peel_fetch(p);
    c->lz.next_in = p->next;
    c->lz.avail_in = more ? p->avail : 0;
    c->lz.next_out = out;
    c->lz.avail_out = cap;
    lzma_ret rc = lzma_code(&c->lz, LZMA_RUN);
    size_t got = cap - c->lz.avail_out;
    if (more)
        peel_skip(p, p->avail - c->lz.avail_in);
    if (rc == LZMA_STREAM_END)
        p->in_frame = false;
    else if (!more && (rc == LZMA_BUF_ERROR || (rc == LZMA_OK && got == 0)))
        peel_cut(p);
    else if (rc == LZMA_MEM_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the 7z decoder had no memory");
    else if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "a packed stream of the 7z is damaged");
    return got;
}

const struct peel_codec peel_codec_chain = {"7z", true, chain_open, chain_begin, chain_step, chain_close};
