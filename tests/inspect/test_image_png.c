/* SPDX-License-Identifier: ISC */
#include "binary_cases.h"

#include <zlib.h>

#include "base/buf.h"

struct png {
    struct buf b;
};

static void be32(struct buf *b, uint32_t v)
{
    const uint8_t p[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
    buf_bytes(b, p, 4);
}

static void chunk(struct buf *b, const char *type, const void *data, size_t len)
{
    be32(b, (uint32_t)len);
    size_t at = b->len;
    buf_bytes(b, type, 4);
    buf_bytes(b, data, len);
    be32(b, (uint32_t)crc32(0, b->data + at, (uInt)(len + 4)));
}

static void start(struct buf *b, uint32_t width, uint32_t height, uint8_t depth, uint8_t colour, uint8_t interlaced)
{
    uint8_t head[13] = {(uint8_t)(width >> 24), (uint8_t)(width >> 16), (uint8_t)(width >> 8), (uint8_t)width,
                        (uint8_t)(height >> 24), (uint8_t)(height >> 16), (uint8_t)(height >> 8), (uint8_t)height,
                        depth, colour, 0, 0, interlaced};
    buf_init(b, 8 << 20);
    buf_bytes(b, "\x89PNG\r\n\x1a\n", 8);
    chunk(b, "IHDR", head, sizeof(head));
}

/* A zlib stream of n zero bytes, as picture data (two chunks) or behind a prefix in another chunk. */
static void packed(struct buf *b, const char *type, const char *prefix, size_t prefix_len, size_t n)
{
    uLongf len = compressBound((uLong)n);
    uint8_t *zeros = calloc(1, n + 1), *out = malloc(prefix_len + len);
    cr_assert(zeros && out);
    memcpy(out, prefix, prefix_len);
    cr_assert_eq(compress(out + prefix_len, &len, zeros, (uLong)n), Z_OK);
    if (strcmp(type, "IDAT") == 0) {
        chunk(b, "IDAT", out, 3);
        chunk(b, "IDAT", out + 3, len - 3);
    } else {
        chunk(b, type, out, prefix_len + len);
    }
    free(zeros);
    free(out);
}

static void finish(struct buf *b, const char *name, const char *want)
{
    chunk(b, "IEND", "", 0);
    binary_check(name, "a.png", "png", b->data, b->len, want);
    buf_free(b);
}

Test(image_png, picture_data_is_exactly_as_long_as_the_picture)
{
    static const struct {
        uint8_t depth, colour, interlaced;
        size_t bytes; /* of 5 x 3 */
    } kinds[] = {{8, 2, 0, 3 * 16}, {1, 0, 0, 3 * 2}, {16, 6, 0, 3 * 41}, {8, 3, 0, 3 * 6},
                 {8, 0, 1, 2 + 2 + 0 + (1 + 1) + (1 + 3) + (1 + 2) * 2 + (1 + 5)}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        for (size_t off = 0; off < 3; off++) {
            struct buf b;
            start(&b, 5, 3, kinds[i].depth, kinds[i].colour, kinds[i].interlaced);
            if (kinds[i].colour == 3)
                chunk(&b, "PLTE", "abc", 3);
            packed(&b, "IDAT", "", 0, kinds[i].bytes + off - 1);
            finish(&b, "length", off == 1 ? "" : "image-malformed refuse");
        }
}

Test(image_png, chunks_and_their_order)
{
    static const struct {
        const char *name, *type, *data;
        size_t len;
        bool behind; /* behind the picture data */
        const char *want;
    } rows[] = {{"text", "tEXt", "Software\0x", 10, false, ""},
                {"private", "prVt", "anything", 8, false, ""},
                {"unknown and critical", "CgBI", "x", 1, false, "image-malformed refuse"},
                {"not letters", "a1b2", "", 0, false, "image-malformed refuse"},
                {"palette behind the data", "PLTE", "abc", 3, true, "image-malformed refuse"},
                {"a second header", "IHDR", "\0\0\0\1\0\0\0\1\10\2\0\0\0", 13, true, "image-malformed refuse"},
                {"two pieces of data", "IDAT", "x", 1, true, "image-malformed refuse"},
                {"an early end", "IEND", "", 0, false, "image-malformed refuse"},
                {"text that does not unpack", "zTXt", "a\0\0nonsense", 11, false, "image-malformed refuse"},
                {"uncompressed international text", "iTXt", "a\0\0\0\0\0hello", 11, false, ""}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf b;
        start(&b, 2, 2, 8, 2, 0);
        if (!rows[i].behind)
            chunk(&b, rows[i].type, rows[i].data, rows[i].len);
        packed(&b, "IDAT", "", 0, 14);
        if (rows[i].behind) {
            chunk(&b, "tIME", "1234567", 7);
            chunk(&b, rows[i].type, rows[i].data, rows[i].len);
        }
        finish(&b, rows[i].name, rows[i].want);
    }
}

Test(image_png, compressed_text_is_bounded)
{
    for (size_t mib = 15; mib <= 17; mib += 2) {
        struct buf b;
        start(&b, 2, 2, 8, 2, 0);
        packed(&b, "zTXt", "c\0\0", 3, mib << 20);
        packed(&b, "IDAT", "", 0, 14);
        finish(&b, "bomb", mib < 16 ? "" : "image-malformed refuse");
    }
}

Test(image_png, pixels_checksums_and_what_trails)
{
    struct buf b;
    start(&b, 60000, 60000, 8, 2, 0);
    packed(&b, "IDAT", "", 0, 1);
    finish(&b, "pixels", "image-pixels refuse");
    start(&b, 2, 2, 8, 2, 0);
    packed(&b, "IDAT", "", 0, 14);
    chunk(&b, "IEND", "", 0);
    for (size_t cut = 8; cut < b.len; cut++)
        binary_check("cut", "a.png", "png", b.data, cut, "image-malformed refuse");
    b.data[b.len - 1] ^= 1;
    binary_check("checksum", "a.png", "png", b.data, b.len, "image-malformed refuse");
    b.data[b.len - 1] ^= 1;
    buf_text(&b, "\n");
    binary_check("a line end", "a.png", "png", b.data, b.len, "");
    buf_text(&b, "<?php system('id'); ?>");
    binary_check("trailing", "a.png", "png", b.data, b.len, "image-trailing refuse");
    buf_free(&b);
}
