/* SPDX-License-Identifier: ISC
 * PNG and APNG (W3C PNG, third edition): chunks, their checksums and order, what compressed text unpacks to, and that
 * the picture data is as long as the picture. Runs in the confined child on hostile bytes; memory is constant.
 * Invariant: every byte of the file belongs to a chunk that was checked, or it is said to trail. */
#include <string.h>
#include <zlib.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/image_meta.h"
#include "inspect/octets.h"

enum { PIECE = 64 * 1024 };

struct png {
    const struct image *image;
    uint64_t text_left;      /* what compressed text may still unpack to, over all chunks */
    uint64_t expected;       /* bytes of picture data once unpacked, 0: unknown */
    uint64_t unpacked;
    z_stream data;
    uint8_t colour;
    bool data_ended, palette, seen_data, data_closed, ended, skip_data;
};

/* --- picture data ---------------------------------------------------------------------------------------------------- */

static uint64_t rows_of(uint64_t width, uint64_t height, unsigned bits)
{
    return width == 0 || height == 0 ? 0 : height * (1 + (width * bits + 7) / 8);
}

/* Unpacked length: one filter byte a row, seven passes where it is interlaced. */
static uint64_t data_length(uint64_t width, uint64_t height, unsigned bits, bool interlaced)
{
    static const uint8_t x0[] = {0, 4, 0, 2, 0, 1, 0}, dx[] = {8, 8, 4, 4, 2, 2, 1};
    static const uint8_t y0[] = {0, 0, 4, 0, 2, 0, 1}, dy[] = {8, 8, 8, 4, 4, 2, 2};
    if (!interlaced)
        return rows_of(width, height, bits);
    uint64_t sum = 0;
    for (int pass = 0; pass < 7; pass++) {
        uint64_t w = width > x0[pass] ? (width - x0[pass] + dx[pass] - 1u) / dx[pass] : 0;
        uint64_t h = height > y0[pass] ? (height - y0[pass] + dy[pass] - 1u) / dy[pass] : 0;
        sum += rows_of(w, h, bits);
    }
    return sum;
}

static bool header(struct png *png, const uint8_t *p)
{
    static const uint8_t samples[7] = {1, 0, 3, 1, 2, 0, 4};
    uint64_t width = get_be32(p), height = get_be32(p + 4);
    unsigned depth = p[8], colour = p[9];
    bool depth_ok = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    bool small = colour == 0 || (colour == 3 && depth <= 8) || depth >= 8;
    if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX || colour > 6 || samples[colour] == 0 ||
        !depth_ok || !small || p[10] != 0 || p[11] != 0 || p[12] > 1)
        return image_malformed(png->image, 16, "the header's values are none that the format has");
    png->colour = (uint8_t)colour;
    if (!image_pixels(png->image, 16, width, height))
        png->skip_data = true;
    else
        png->expected = data_length(width, height, depth * samples[colour], p[12] == 1);
    return true;
}

/* More is hidden data, less is a picture that readers complete as they like. */
static bool unpack(struct png *png, const uint8_t *p, size_t len, uint64_t at)
{
    uint8_t out[PIECE / 8];
    png->data.next_in = (Bytef *)(uintptr_t)p;
    png->data.avail_in = (uInt)len;
    while (!png->data_ended) {
        png->data.next_out = out;
        png->data.avail_out = sizeof(out);
        int status = inflate(&png->data, Z_NO_FLUSH);
        png->unpacked += sizeof(out) - png->data.avail_out;
        png->data_ended = status == Z_STREAM_END;
        if (status == Z_BUF_ERROR || (status == Z_OK && png->data.avail_in == 0 && png->data.avail_out > 0))
            return true;
        if (status != Z_OK && status != Z_STREAM_END)
            return image_malformed(png->image, at, "the picture data does not unpack");
        if (png->unpacked > png->expected)
            return image_malformed(png->image, at, "the picture data is longer than the picture");
    }
    return png->data.avail_in == 0 || image_malformed(png->image, at, "bytes follow the picture data inside its chunks");
}

/* --- text ------------------------------------------------------------------------------------------------------------------ */

/* What a compressed text or profile unpacks to is searched as well. */
static bool text(struct png *png, uint64_t at, uint64_t len)
{
    struct buf text;
    buf_init(&text, png->text_left);
    enum image_packed packed = image_unpack(png->image->b, at, len, &text);
    png->text_left -= text.len;
    if (text.len > 0 && packed != IMAGE_PACKED_BOMB)
        inspect_loose(png->image->in, "!text", text.data, text.len);
    buf_free(&text);
    if (packed == IMAGE_PACKED_BOMB)
        return image_malformed(png->image, at, "compressed text unpacks to more than 16 MiB");
    return packed == IMAGE_UNPACKED || image_malformed(png->image, at, "compressed text does not unpack");
}

enum { NOT_PACKED = 0, NO_START = 1 }; /* no chunk's content stands there */

/* Where the compressed part of zTXt, iCCP or iTXt begins: behind the keyword, the method and, in iTXt, a flag, a
 * language and a translated keyword. */
static uint64_t compressed_at(const struct png *png, const char *type, uint64_t at, uint32_t len)
{
    size_t n = len < PIECE ? len : PIECE;
    const uint8_t *p = bytes_at(png->image->b, at, n), *end = p ? memchr(p, 0, n) : NULL;
    if (!end)
        return NO_START;
    size_t i = (size_t)(end - p) + 1;
    if (strcmp(type, "iTXt") != 0)
        return i < n ? at + i + 1 : NO_START;
    if (i + 2 > n)
        return NO_START;
    if (p[i] == 0)
        return NOT_PACKED;
    i += 2;
    for (int field = 0; field < 2; field++) {
        end = i < n ? memchr(p + i, 0, n - i) : NULL;
        if (!end)
            return NO_START;
        i = (size_t)(end - p) + 1;
    }
    return at + i;
}

static bool text_chunk(struct png *png, const char *type, uint64_t at, uint32_t len)
{
    uint64_t from = compressed_at(png, type, at, len);
    if (from == NO_START)
        return image_malformed(png->image, at, "text without the fields that stand before it");
    return from == NOT_PACKED || text(png, from, at + len - from);
}

/* Chunks of numbers, and of text that is never packed: all others may hold what one program packs into them. */
static bool numbers_alone(const char *type)
{
    static const char *const types[] = {"tEXt", "tRNS", "gAMA", "cHRM", "sRGB", "bKGD", "pHYs", "sBIT", "hIST",
                                        "tIME", "acTL", "fcTL", "fdAT", "cICP", "oFFs", "IHDR", "PLTE", "IDAT", "IEND"};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* --- chunks ----------------------------------------------------------------------------------------------------------------- */

/* The checksum covers the type and the data; picture data is unpacked on the way. */
static bool checksum(struct png *png, const char *type, uint64_t at, uint32_t len)
{
    uLong crc = crc32(0, (const Bytef *)type, 4);
    bool data = strcmp(type, "IDAT") == 0 && !png->skip_data;
    size_t n = 0;
    for (uint64_t done = 0; done < len; done += n) {
        n = len - done < PIECE ? (size_t)(len - done) : PIECE;
        const uint8_t *p = image_need(png->image, at + done, n);
        if (!p)
            return false;
        crc = crc32(crc, p, (uInt)n);
        if (data && !unpack(png, p, n, at + done))
            return false;
    }
    const uint8_t *p = image_need(png->image, at + len, 4);
    return p && (get_be32(p) == crc || image_malformed(png->image, at + len, "a chunk's checksum does not hold"));
}

static bool known_critical(const char *type)
{
    return strcmp(type, "IHDR") == 0 || strcmp(type, "PLTE") == 0 || strcmp(type, "IDAT") == 0 || strcmp(type, "IEND") == 0;
}

static bool order(struct png *png, const char *type, uint64_t at, uint32_t len)
{
    bool is_data = strcmp(type, "IDAT") == 0;
    if (is_data && png->data_closed)
        return image_malformed(png->image, at, "the picture data is not in one piece");
    if (is_data && png->colour == 3 && !png->palette)
        return image_malformed(png->image, at, "a picture of palette colours has no palette");
    png->data_closed = png->data_closed || (png->seen_data && !is_data);
    png->seen_data = png->seen_data || is_data;
    if (!(type[0] & 0x20) && !known_critical(type))
        return image_malformed(png->image, at, "a chunk that readers must know is none that the format has");
    if (strcmp(type, "PLTE") == 0) {
        if (png->palette || png->seen_data || len % 3 != 0 || len > 768)
            return image_malformed(png->image, at, "the palette is out of place");
        png->palette = true;
    }
    if (strcmp(type, "IEND") == 0 && (len != 0 || !png->seen_data))
        return image_malformed(png->image, at, "the end is out of place");
    return strcmp(type, "IHDR") != 0 || at == 8 || image_malformed(png->image, at, "a second header");
}

static bool letters(const uint8_t *p)
{
    for (int i = 0; i < 4; i++)
        if (!((p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'z'))
            return false;
    return true;
}

/* One chunk at *at; moves behind it. */
static bool chunk(struct png *png, uint64_t *at)
{
    char type[5] = "";
    const uint8_t *p = image_need(png->image, *at, 8);
    if (!p)
        return false;
    uint32_t len = get_be32(p);
    if (len > INT32_MAX || !letters(p + 4))
        return image_malformed(png->image, *at, "a chunk's head is none");
    memcpy(type, p + 4, 4);
    if (*at == 8 && (strcmp(type, "IHDR") != 0 || len != 13))
        return image_malformed(png->image, *at, "the header does not come first");
    if (!order(png, type, *at, len))
        return false;
    if (*at == 8 && (!(p = image_need(png->image, 16, 13)) || !header(png, p)))
        return false;
    if (!checksum(png, type, *at + 8, len))
        return false;
    bool packed = strcmp(type, "zTXt") == 0 || strcmp(type, "iTXt") == 0 || strcmp(type, "iCCP") == 0;
    if (packed && !text_chunk(png, type, *at + 8, len))
        return false;
    if (strcmp(type, "tEXt") == 0 && len > 8 && (p = bytes_at(png->image->b, *at + 8, 8)) && memcmp(p, "profile", 8) == 0)
        inspect_find_at(png->image->in, FINDING_ACTIVE_EXTERNAL_LOAD, LEVEL_REFUSE, image_place(png->image, *at), 0,
                        "names a file that converters of pictures read into their output");
    if (!packed && !numbers_alone(type) && !image_meta_private(png->image, *at + 8, len, &png->text_left))
        return false;
    png->ended = strcmp(type, "IEND") == 0;
    *at += 12 + (uint64_t)len;
    return true;
}

bool image_png_walk(const struct image *image)
{
    struct png png = {.image = image, .text_left = IMAGE_TEXT};
    uint64_t at = 8;
    bool ok = inflateInit(&png.data) == Z_OK;
    while (ok && !png.ended)
        ok = chunk(&png, &at);
    inflateEnd(&png.data);
    if (ok && !png.skip_data && (!png.data_ended || png.unpacked != png.expected))
        ok = image_malformed(image, at, "the picture data is shorter than the picture");
    if (ok)
        image_end(image, at);
    return ok;
}

bool image_png_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_PNG);
}

void image_png_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0, false};
    image_png_walk(&image);
}
