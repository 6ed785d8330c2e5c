/* SPDX-License-Identifier: ISC
 * Packed and divided descriptions in pictures and media. Runs in the confined child on hostile bytes; what is unpacked or
 * put together is bounded, and a piece is read once. */
#include "inspect/image_meta.h"

#include <string.h>
#include <zlib.h>

#include "base/limits.h"

enum { PIECE = 8 * 1024, NEAR = 128, STREAMS = 4 };

/* --- in pieces ---------------------------------------------------------------------------------------------------- */

void image_meta_init(struct image_meta *m)
{
    buf_init(&m->text, IMAGE_TEXT);
    m->pieces = 0;
}

void image_meta_add(struct image_meta *m, struct bytes *b, uint64_t at, uint64_t len)
{
    size_t n = 0;
    m->pieces++;
    for (uint64_t done = 0; done < len && !m->text.failed; done += n) {
        n = len - done < PIECE ? (size_t)(len - done) : PIECE;
        const uint8_t *p = bytes_at(b, at + done, n);
        if (!p)
            return;
        buf_bytes(&m->text, p, n);
    }
}

bool image_meta_say(struct image_meta *m, const struct image *image)
{
    bool fits = !m->text.failed;
    if (!fits)
        inspect_find(image->in, FINDING_INSPECT_LIMIT, "text in pieces that is longer than 16 MiB");
    else if (m->pieces > 1 && m->text.len > 0)
        inspect_loose(image->in, "!text", m->text.data, m->text.len);
    buf_free(&m->text);
    image_meta_init(m);
    return fits;
}

/* --- packed ------------------------------------------------------------------------------------------------------- */

/* Everything that is in hand. */
static int inflate_piece(z_stream *z, struct buf *text)
{
    uint8_t out[PIECE];
    int status;
    do {
        z->next_out = out;
        z->avail_out = sizeof(out);
        status = inflate(z, Z_NO_FLUSH);
        buf_bytes(text, out, sizeof(out) - z->avail_out);
    } while (status == Z_OK && z->avail_out == 0 && !text->failed);
    return status == Z_BUF_ERROR ? Z_OK : status;
}

enum image_packed image_unpack(struct bytes *b, uint64_t at, uint64_t len, struct buf *text)
{
    enum { ZLIB_OR_GZIP = 15 + 32 };
    uint8_t in[PIECE / 2];
    z_stream z = {.next_in = in};
    uint64_t end = at + len;
    int status = inflateInit2(&z, ZLIB_OR_GZIP);
    while (status == Z_OK && at < end && !text->failed) {
        size_t n = end - at < sizeof(in) ? (size_t)(end - at) : sizeof(in);
        if (!bytes_copy(b, at, in, n))
            break;
        at += n;
        z.next_in = in;
        z.avail_in = (uInt)n;
        status = inflate_piece(&z, text);
    }
    inflateEnd(&z);
    return text->failed ? IMAGE_PACKED_BOMB : status == Z_STREAM_END ? IMAGE_UNPACKED : IMAGE_PACKED_BROKEN;
}

static bool packed_head(const uint8_t *p)
{
    bool zlib = (p[0] & 0x0F) == 8 && p[0] >> 4 <= 7 && (p[0] << 8 | p[1]) % 31 == 0 && !(p[1] & 0x20);
    return zlib || (p[0] == 0x1F && p[1] == 0x8B);
}

bool image_meta_private(const struct image *image, uint64_t at, uint64_t len, uint64_t *left)
{
    uint8_t start[NEAR];
    size_t n = len < NEAR ? (size_t)len : NEAR;
    unsigned streams = 0;
    bool fits = bytes_copy(image->b, at, start, n);
    for (size_t i = 0; fits && i + 1 < n && streams < STREAMS; i++) {
        if (!packed_head(start + i))
            continue;
        struct buf text;
        buf_init(&text, *left);
        fits = image_unpack(image->b, at + i, len - i, &text) != IMAGE_PACKED_BOMB;
        *left -= text.len;
        streams += text.len > 0;
        if (text.len > 0)
            inspect_loose(image->in, "!packed", text.data, text.len);
        buf_free(&text);
    }
    return fits || image_malformed(image, at, "a packed chunk unpacks to more than 16 MiB");
}
