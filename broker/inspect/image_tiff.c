/* SPDX-License-Identifier: ISC
 * TIFF 6.0 and BigTIFF: directories, whether their values and strips lie inside the file, dimensions. A directory is read
 * once; a chain that goes on for too long is a loop. Bytes behind the last that anything refers to are no part of the
 * picture. Runs in the confined child on hostile bytes. */
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/image.h"
#include "inspect/octets.h"

struct tiff {
    const struct image *image;
    bool little, big;
    uint64_t entries; /* seen so far, over all directories */
    uint64_t width, height;
    uint64_t end;     /* of all that was referred to */
    uint64_t values;  /* offsets of picture data that were read */
    bool vague;       /* something refers to places in a way that is not followed here */
    struct values {
        uint64_t at, n;
        unsigned size;
    } offsets, lengths; /* of the directory's picture data */
};

static uint64_t number(const struct tiff *t, const uint8_t *p, unsigned size)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v = v << 8 | p[t->little ? size - 1 - i : i];
    return v;
}

static unsigned size_of(uint64_t type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < sizeof(sizes) ? sizes[type] : 0;
}

static void reach(struct tiff *t, uint64_t end)
{
    t->end = end > t->end ? end : t->end;
}

/* What a tag's values say about places in the file. */
static void note_places(struct tiff *t, uint64_t tag, struct values values)
{
    /* more directories, and tables of the older JPEG */
    static const uint16_t unfollowed[] = {330, 34665, 34853, 40965, 512, 513, 519, 520, 521};
    enum { STRIPS = 273, STRIP_BYTES = 279, TILES = 324, TILE_BYTES = 325 };
    reach(t, values.at + values.n * values.size);
    if (tag == STRIPS || tag == TILES)
        t->offsets = values;
    if (tag == STRIP_BYTES || tag == TILE_BYTES)
        t->lengths = values;
    for (size_t i = 0; i < ARRAY_LEN(unfollowed); i++)
        t->vague = t->vague || tag == unfollowed[i];
}

static uint64_t value_of(const struct tiff *t, const struct values *values, uint64_t i)
{
    const uint8_t *p = bytes_at(t->image->b, values->at + i * values->size, values->size);
    return p ? number(t, p, values->size) : UINT64_MAX;
}

/* How far the picture data of a directory goes. */
static void note_data(struct tiff *t)
{
    t->values += t->offsets.n;
    t->vague = t->vague || t->offsets.n != t->lengths.n || t->values > t->image->b->size;
    for (uint64_t i = 0; !t->vague && i < t->offsets.n; i++) {
        uint64_t at = value_of(t, &t->offsets, i), len = value_of(t, &t->lengths, i);
        t->vague = at > t->image->b->size || len > t->image->b->size - at;
        reach(t, t->vague ? 0 : at + len);
    }
}

static bool entry(struct tiff *t, const uint8_t *p, uint64_t at)
{
    enum { WIDTH = 256, HEIGHT = 257 };
    unsigned word = t->big ? 8 : 4;
    uint64_t tag = number(t, p, 2), type = number(t, p + 2, 2), count = number(t, p + 4, word);
    const uint8_t *value = p + 4 + word;
    unsigned size = size_of(type);
    struct values values = {at + 4 + word, count, size};
    if (size == 0)
        return true; /* readers skip types that they do not know */
    if (count > t->image->b->size)
        return image_malformed(t->image, at, "an entry has more values than the file has bytes");
    if (count * size > word) {
        uint64_t offset = number(t, value, word);
        if (offset > t->image->b->size || count * size > t->image->b->size - offset)
            return image_malformed(t->image, at, "the values of an entry lie outside the file");
        values.at = offset;
        note_places(t, tag, values);
        return true;
    }
    note_places(t, tag, values);
    if (tag == WIDTH)
        t->width = number(t, value, size);
    if (tag == HEIGHT)
        t->height = number(t, value, size);
    return true;
}

/* One directory; *next is the offset of the following one. */
static bool directory(struct tiff *t, uint64_t at, uint64_t *next)
{
    unsigned word = t->big ? 8 : 4, head = t->big ? 8 : 2, row = t->big ? 20 : 12;
    const uint8_t *p = image_need(t->image, at, head);
    if (!p)
        return false;
    uint64_t count = number(t, p, head);
    t->entries += count;
    if (count == 0 || count > TIFF_ENTRIES || t->entries > TIFF_ENTRIES_ALL)
        return image_malformed(t->image, at, "a directory has no entries, or there are too many");
    t->width = t->height = 0;
    t->offsets = t->lengths = (struct values){.n = 0};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = at + head + i * row;
        if (!(p = image_need(t->image, place, row)) || !entry(t, p, place))
            return false;
    }
    if (!image_pixels(t->image, at, t->width, t->height) || !(p = image_need(t->image, at + head + count * row, word)))
        return false;
    *next = number(t, p, word);
    reach(t, at + head + count * row + word);
    note_data(t);
    return true;
}

bool image_tiff_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_TIFF);
}

void image_tiff_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0, false};
    struct tiff t = {.image = &image};
    const uint8_t *p = image_need(&image, 0, 16);
    if (!p)
        return;
    t.little = p[0] == 'I';
    t.big = number(&t, p + 2, 2) == 43;
    uint64_t at = t.big ? number(&t, p + 8, 8) : number(&t, p + 4, 4);
    for (unsigned directories = 0; at != 0; directories++) {
        if (directories == TIFF_DIRECTORIES) {
            image_malformed(&image, at, "the directories go round in a circle, or are too many");
            return;
        }
        if (!directory(&t, at, &at))
            return;
    }
    if (!t.vague)
        image_end(&image, t.end);
}
