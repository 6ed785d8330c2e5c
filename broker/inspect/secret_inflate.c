/* SPDX-License-Identifier: ISC
 * See secret_inflate.h. Runs in a worker child over hostile bytes; zlib's memory is fixed (44 KiB), its output is spent
 * from the scan's budget. */
#define ZLIB_CONST
#include "inspect/secret_inflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inspect/secret_class.h"

enum { SIGN = 24, PIECE = 3072, AUTO_DETECT = 15 + 32, GZIP_HEAD = 10 };

struct secret_inflate {
    struct scan *scan;
    struct text *text;
    const char *name;
    uint64_t from, to;
    z_stream z;
    bool live;
    uint32_t bits; /* of base64 that make no byte yet */
    unsigned have;
    size_t n;
    uint8_t out[SECRET_BLOCK + 64];
};

struct secret_inflate *secret_inflate_new(struct scan *scan, struct text *text, const char *name, uint64_t from)
{
    struct secret_inflate *f = calloc(1, sizeof(*f));
    if (f && inflateInit2(&f->z, AUTO_DETECT) == Z_OK) {
        f->scan = scan;
        f->text = text;
        f->name = name;
        f->from = f->to = from;
        f->live = true;
        return f;
    }
    free(f);
    scan->undecided = true;
    return NULL;
}

/* Shows what is full and keeps its end, which may be the beginning of something. */
static bool show(struct secret_inflate *f, bool last)
{
    bool room = f->n == 0 || secret_scan_view(f->scan, f->text, f->name, f->out, f->n, f->from, f->to);
    if (last || !room)
        return room;
    memmove(f->out, f->out + f->n - SECRET_TAIL, SECRET_TAIL);
    f->n = SECRET_TAIL;
    return true;
}

/* Members of gzip that follow each other are one text. */
static int step(struct secret_inflate *f)
{
    f->z.next_out = f->out + f->n;
    f->z.avail_out = (uInt)(SECRET_BLOCK - f->n);
    int rc = inflate(&f->z, Z_NO_FLUSH);
    f->n = SECRET_BLOCK - f->z.avail_out;
    return rc == Z_STREAM_END ? inflateReset(&f->z) : rc;
}

bool secret_inflate_feed(struct secret_inflate *f, const uint8_t *data, size_t len)
{
    bool full = false;
    f->z.next_in = data;
    f->z.avail_in = (uInt)len;
    while (f->live && (f->z.avail_in > 0 || full)) {
        int rc = step(f);
        if (rc == Z_BUF_ERROR)
            break; /* nothing was left inside */
        full = f->n == SECRET_BLOCK;
        f->live = rc == Z_OK && (!full || show(f, false));
    }
    return f->live;
}

bool secret_inflate_base64(struct secret_inflate *f, const uint8_t *c, size_t n)
{
    uint8_t piece[PIECE];
    for (size_t i = 0; i < n && f->live;) {
        size_t made = 0;
        for (; i < n && made < PIECE; i++) {
            f->bits = f->bits << 6 | (secret_class_base64(c[i]) & 63u);
            f->have += 6;
            if (f->have < 8)
                continue;
            f->have -= 8;
            piece[made++] = (uint8_t)(f->bits >> f->have);
        }
        secret_inflate_feed(f, piece, made);
    }
    return f->live;
}

void secret_inflate_end(struct secret_inflate **inflate, uint64_t to)
{
    struct secret_inflate *f = *inflate;
    *inflate = NULL;
    if (!f)
        return;
    f->to = to;
    if (!f->scan->exhausted)
        show(f, true);
    inflateEnd(&f->z);
    free(f);
}

bool secret_inflate_sign64(const uint8_t *c, size_t n)
{
    if (n < SIGN)
        return false;
    unsigned first = (secret_class_base64(c[0]) & 63u) << 2 | (secret_class_base64(c[1]) & 63u) >> 4;
    unsigned second = (secret_class_base64(c[1]) & 15u) << 4 | (secret_class_base64(c[2]) & 63u) >> 2;
    unsigned third = (secret_class_base64(c[2]) & 3u) << 6 | (secret_class_base64(c[3]) & 63u);
    bool zlib = first == 0x78 && (second == 0x01 || second == 0x5e || second == 0x9c || second == 0xda);
    return zlib || (first == 0x1f && second == 0x8b && third == 8);
}

bool secret_inflate_head(const uint8_t p[GZIP_HEAD])
{
    bool magic = p[0] == 0x1f && p[1] == 0x8b && p[2] == 8 && p[3] < 0x20;
    return magic && (p[8] == 0 || p[8] == 2 || p[8] == 4) && (p[9] <= 13 || p[9] == 255);
}
