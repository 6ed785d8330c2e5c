/* SPDX-License-Identifier: ISC
 * BMP, and ICO and CUR whose entries are BMP without a file header or whole PNG files. Runs in the confined child on
 * hostile bytes. */
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/image.h"
#include "inspect/octets.h"

static uint64_t magnitude(uint32_t v)
{
    return v > INT32_MAX ? (uint64_t)UINT32_MAX - v + 1 : v;
}

/* Bytes of the rows of an uncompressed bitmap. */
static uint64_t rows(uint64_t width, uint64_t height, unsigned bits)
{
    return (width * bits + 31) / 32 * 4 * height;
}

static void bmp(const struct image *image)
{
    const uint8_t *p = image_need(image, 0, 30);
    if (!p)
        return;
    uint64_t declared = get_le32(p + 2), start = get_le32(p + 10), header = get_le32(p + 14), packed = 0;
    bool core = header == 12;
    uint64_t width = core ? get_le16(p + 18) : magnitude(get_le32(p + 18));
    uint64_t height = core ? get_le16(p + 20) : magnitude(get_le32(p + 22));
    unsigned bits = core ? get_le16(p + 24) : get_le16(p + 28);
    if (!core) {
        if (!(p = image_need(image, 30, 8)))
            return;
        bool plain = get_le32(p) == 0 || get_le32(p) == 3 || get_le32(p) == 6;
        packed = plain ? 0 : get_le32(p + 4);
    }
    if (width == 0 || height == 0 || bits == 0 || bits > 64) {
        image_malformed(image, 18, "the header's values are none that the format has");
        return;
    }
    if (!image_pixels(image, 18, width, height))
        return;
    uint64_t end = start + (packed ? packed : rows(width, height, bits));
    if (end > image->b->size) {
        image_malformed(image, start, "the picture is longer than the file");
        return;
    }
    /* Profiles and tables stand behind the picture only where the file's own size covers them. */
    image_end(image, declared > end && declared <= image->b->size && header >= 124 ? declared : end);
}

static bool icon_entry(const struct image *image, const uint8_t *row, uint64_t at, uint64_t *end)
{
    uint64_t size = get_le32(row + 8), offset = get_le32(row + 12);
    struct bytes part;
    if (size < 40 || !bytes_init_slice(&part, image->b, offset, size))
        return image_malformed(image, at, "an entry lies outside the file");
    *end = offset + size > *end ? offset + size : *end;
    struct image inner = {image->in, &part, image->base + offset, false};
    const uint8_t *p = image_need(&inner, 0, 40);
    bool ok;
    if (p && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0)
        ok = image_png_walk(&inner);
    else if (p && get_le32(p) == 40)
        ok = image_pixels(&inner, 4, magnitude(get_le32(p + 4)), magnitude(get_le32(p + 8)) / 2);
    else
        ok = image_malformed(image, offset, "an entry is neither a bitmap nor a PNG");
    bytes_free(&part);
    return ok;
}

static void icon(const struct image *image)
{
    const uint8_t *p = image_need(image, 0, 6);
    if (!p)
        return;
    uint64_t count = get_le16(p + 4), end = 6 + count * 16;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t row[16];
        if (!(p = image_need(image, 6 + i * 16, 16)))
            return;
        memcpy(row, p, sizeof(row));
        if (!icon_entry(image, row, 6 + i * 16, &end))
            return;
    }
    image_end(image, end);
}

bool image_bmp_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_BMP) || claims_by_content(&in->claims, TYPE_ICO);
}

void image_bmp_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0, false};
    if (claims_by_content(&in->claims, TYPE_BMP))
        bmp(&image);
    else
        icon(&image);
}
