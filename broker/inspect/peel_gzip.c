/* SPDX-License-Identifier: ISC
 * Deflate through zlib, raw (a zip member) and in gzip members (RFC 1952), whose header, CRC-32 and length
 * are read here because zlib's own gzip reader tells neither names nor extra fields. Worker child. */
#include "inspect/archive_peel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inspect/octets.h"

/* Longest header that is read: FEXTRA is at most 64 KiB, names are far shorter. */
enum { GZIP_HEADER_MAX = 128 * 1024, GZIP_FIXED = 10, GZIP_TRAILER = 8 };
enum { GZIP_HCRC = 2, GZIP_EXTRA = 4, GZIP_NAME = 8, GZIP_COMMENT = 16, GZIP_RESERVED = 0xe0 };

struct deflate {
    z_stream z;
    uint32_t crc;
};

static bool deflate_open(struct peel *p)
{
    struct deflate *d = calloc(1, sizeof(*d));
    if (!d || inflateInit2(&d->z, -MAX_WBITS) != Z_OK) {
        free(d);
        return false;
    }
    p->state = d;
    return true;
}

static void deflate_close(struct peel *p)
{
    struct deflate *d = p->state;
    if (!d)
        return;
    (void)inflateEnd(&d->z);
    free(d);
}

static enum peel_begin deflate_begin(struct peel *p)
{
    struct deflate *d = p->state;
    if (inflateReset(&d->z) != Z_OK) {
        peel_fault(p, FINDING_INSPECT_INCOMPLETE, "the deflate decoder could not be reset");
        return BEGIN_FAULT;
    }
    d->crc = 0;
    return BEGIN_FRAME;
}

/* One call of inflate; true at the end of the deflate data. */
static bool deflate_some(struct peel *p, uint8_t *out, size_t cap, size_t *got)
{
    struct deflate *d = p->state;
    bool more = peel_fetch(p);
    d->z.next_in = (z_const Bytef *)(uintptr_t)p->next;
    d->z.avail_in = more ? (uInt)p->avail : 0;
    d->z.next_out = out;
    d->z.avail_out = cap < UINT32_MAX ? (uInt)cap : UINT32_MAX;
    uInt asked = d->z.avail_out;
    int rc = inflate(&d->z, Z_NO_FLUSH);
    *got = asked - d->z.avail_out;
    if (more)
        peel_skip(p, p->avail - d->z.avail_in);
    d->crc = (uint32_t)crc32(d->crc, out, (uInt)*got);
    if (rc == Z_STREAM_END)
        return true;
    if (rc == Z_BUF_ERROR && !more)
        peel_cut(p);
    else if (rc == Z_MEM_ERROR)
        peel_fault(p, FINDING_ARCHIVE_MEMORY, "the deflate decoder had no memory");
    else if (rc != Z_OK && rc != Z_BUF_ERROR)
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the deflate data is damaged");
    return false;
}

static size_t deflate_step(struct peel *p, uint8_t *out, size_t cap)
{
    size_t got;
    if (deflate_some(p, out, cap, &got))
        p->in_frame = false;
    return got;
}

/* Length of a NUL-terminated text in [at, len), without the NUL; len where there is no end. */
static size_t text_end(const uint8_t *h, size_t at, size_t len)
{
    while (at < len && h[at])
        at++;
    return at;
}

/* The name is where `gunzip -N` and some unpackers put the content: a plain file name, or a lure. */
static void judge_name(struct peel *p, const char *name, size_t len)
{
    bool plain = !(len == 1 && name[0] == '.') && !(len == 2 && memcmp(name, "..", 2) == 0);
    for (size_t i = 0; plain && i < len; i++)
        plain = (uint8_t)name[i] >= ' ' && name[i] != 0x7f && name[i] != '/' && name[i] != '\\';
    if (!plain)
        archive_find(p->in, FINDING_ARCHIVE_PATH, p->at, "the name in the gzip header is no plain file name");
}

/* Walks the optional fields: returns where the deflate data begins, 0 where the header does not hold. */
static size_t gzip_header(struct peel *p, const uint8_t *h, size_t len)
{
    size_t at = GZIP_FIXED, end;
    if (h[3] & GZIP_EXTRA) {
        size_t n = at + 2 <= len ? (size_t)h[at] | (size_t)h[at + 1] << 8 : len;
        if (n + 2 > len - at)
            return 0;
        inspect_loose(p->in, "!gzip-extra", h + at + 2, n);
        at += 2 + n;
    }
    static const struct {
        uint8_t flag;
        const char *label;
    } texts[] = {{GZIP_NAME, "!gzip-name"}, {GZIP_COMMENT, "!gzip-comment"}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (!(h[3] & texts[i].flag))
            continue;
        end = text_end(h, at, len);
        if (end == len)
            return 0;
        inspect_loose(p->in, texts[i].label, h + at, end - at);
        if (texts[i].flag == GZIP_NAME)
            judge_name(p, (const char *)h + at, end - at);
        at = end + 1;
    }
    if (h[3] & GZIP_HCRC) {
        if (len - at < 2 || (crc32(0, h, (uInt)at) & 0xffff) != ((uint32_t)h[at] | (uint32_t)h[at + 1] << 8))
            return 0;
        at += 2;
    }
    return at;
}

static enum peel_begin gzip_begin(struct peel *p)
{
    const uint8_t *h = peel_peek(p, 2);
    if (!h || h[0] != 0x1f || h[1] != 0x8b)
        return BEGIN_FOREIGN;
    uint64_t left = p->size - p->at;
    size_t len = left < GZIP_HEADER_MAX ? (size_t)left : (size_t)GZIP_HEADER_MAX;
    h = peel_peek(p, len);
    if (!h || len < GZIP_FIXED) {
        peel_cut(p);
        return BEGIN_FAULT;
    }
    if (h[2] != 8 || (h[3] & GZIP_RESERVED)) {
        peel_fault(p, FINDING_ARCHIVE_UNSUPPORTED, "a gzip method or flag that is not in RFC 1952");
        return BEGIN_FAULT;
    }
    size_t data = gzip_header(p, h, len);
    if (data == 0) {
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the gzip header is damaged or longer than %d bytes",
                   GZIP_HEADER_MAX);
        return BEGIN_FAULT;
    }
    peel_skip(p, data);
    return deflate_begin(p);
}

static size_t gzip_step(struct peel *p, uint8_t *out, size_t cap)
{
    struct deflate *d = p->state;
    size_t got;
    if (!deflate_some(p, out, cap, &got))
        return got;
    p->in_frame = false;
    const uint8_t *trailer = peel_peek(p, GZIP_TRAILER);
    if (!trailer)
        peel_cut(p);
    else if (get_le32(trailer) != d->crc)
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the gzip member's CRC-32 is not that of its content");
    else if (get_le32(trailer + 4) != (uint32_t)d->z.total_out)
        peel_fault(p, FINDING_ARCHIVE_CORRUPT, "the gzip member's length is not that of its content");
    else
        peel_skip(p, GZIP_TRAILER);
    return got;
}

const struct peel_codec peel_codec_deflate = {"deflate",     true,         deflate_open,
                                              deflate_begin, deflate_step, deflate_close};
const struct peel_codec peel_codec_gzip = {"gzip", false, deflate_open, gzip_begin, gzip_step, deflate_close};
