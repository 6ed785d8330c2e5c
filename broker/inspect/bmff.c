/* SPDX-License-Identifier: ISC
 * Walks the boxes of MP4, QuickTime and AVIF files without decoding. Runs in the confined child on hostile bytes; depth
 * and number of boxes are bounded.
 * Invariant: boxes tile their parents exactly; a byte in no box is said. */
#include "inspect/bmff.h"

#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/octets.h"

struct box {
    char type[5];
    uint64_t at, body, end;
};

struct walk {
    const struct image *image;
    unsigned boxes;
    bool movie, picture;
};

static bool read_box(struct walk *w, uint64_t at, uint64_t limit, struct box *box)
{
    const uint8_t *p = limit - at >= 8 ? bytes_at(w->image->b, at, 8) : NULL;
    if (!p || ++w->boxes > BMFF_BOXES)
        return image_malformed(w->image, at, p ? "more boxes than are walked" : "a box is cut off");
    uint64_t size = get_be32(p), head = 8;
    memcpy(box->type, p + 4, 4);
    box->type[4] = 0;
    if (size == 1) {
        if (limit - at < 16 || !(p = image_need(w->image, at, 16)))
            return image_malformed(w->image, at, "a box is cut off");
        size = get_be64(p + 8);
        head = 16;
    } else if (size == 0) {
        size = limit - at;
    }
    if (size < head || size > limit - at)
        return image_malformed(w->image, at, "a box is longer than what holds it");
    box->at = at;
    box->body = at + head;
    box->end = at + size;
    return true;
}

/* Boxes that hold boxes, and how many bytes stand before them. */
static int inner_offset(const char *type)
{
    static const struct {
        const char *type;
        int skip;
    } holders[] = {{"moov", 0}, {"trak", 0}, {"mdia", 0}, {"minf", 0}, {"dinf", 0}, {"dref", 8},
                   {"meta", 4}, {"iprp", 0}, {"ipco", 0}, {"rmra", 0}, {"rmda", 0}};
    for (size_t i = 0; i < ARRAY_LEN(holders); i++)
        if (strcmp(type, holders[i].type) == 0)
            return holders[i].skip;
    return -1;
}

/* A data reference that is not "in this file" makes the player open another. */
static bool reference(struct walk *w, const struct box *box)
{
    const uint8_t *p = bytes_at(w->image->b, box->body, 4);
    if (p && (p[3] & 1))
        return true;
    inspect_find_at(w->image->in, FINDING_ACTIVE_EXTERNAL_LOAD, LEVEL_REFUSE, w->image->base + box->at, 0,
                    "a track takes its data from another file or address");
    return false;
}

static bool leaf(struct walk *w, const struct box *box)
{
    const uint8_t *p;
    if (strcmp(box->type, "url ") == 0 || strcmp(box->type, "urn ") == 0 || strcmp(box->type, "alis") == 0)
        return reference(w, box);
    if (strcmp(box->type, "rdrf") == 0) {
        inspect_find_at(w->image->in, FINDING_ACTIVE_EXTERNAL_LOAD, LEVEL_REFUSE, w->image->base + box->at, 0,
                        "a reference movie makes the player open another file or address");
        return false;
    }
    if (strcmp(box->type, "ispe") == 0)
        return (p = image_need(w->image, box->body, 12)) && image_pixels(w->image, box->at, get_be32(p + 4), get_be32(p + 8));
    return true;
}

/* Is what stands in `meta` at 4 a box? QuickTime leaves the version out. */
static uint64_t meta_body(struct walk *w, const struct box *box)
{
    const uint8_t *p = bytes_at(w->image->b, box->body, 8);
    return p && memcmp(p + 4, "hdlr", 4) == 0 ? box->body : box->body + 4;
}

static bool walk_boxes(struct walk *w, uint64_t at, uint64_t end, unsigned depth)
{
    while (at < end) {
        struct box box;
        if (depth > 0 && end - at < 8) /* QuickTime ends lists of boxes with four zero bytes */
            return true;
        if (!read_box(w, at, end, &box))
            return false;
        w->movie = w->movie || strcmp(box.type, "moov") == 0 || strcmp(box.type, "moof") == 0;
        w->picture = w->picture || strcmp(box.type, "meta") == 0;
        int skip = inner_offset(box.type);
        if (skip >= 0 && depth < BMFF_DEPTH && box.end - box.body >= (uint64_t)skip) {
            uint64_t body = strcmp(box.type, "meta") == 0 ? meta_body(w, &box) : box.body + (uint64_t)skip;
            if (!walk_boxes(w, body, box.end, depth + 1))
                return false;
        } else if (!leaf(w, &box)) {
            return false;
        }
        at = box.end;
    }
    return true;
}

bool bmff_walk(const struct image *image)
{
    struct walk w = {.image = image};
    uint64_t end = image->b->size;
    if (!walk_boxes(&w, 0, end, 0))
        return false;
    return w.movie || w.picture || image_malformed(image, 0, "there is neither a movie nor a picture");
}

bool bmff_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_MP4) || claims_by_content(&in->claims, TYPE_AVIF);
}

void bmff_scan(struct inspection *in)
{
    struct image image = {in, in->bytes, 0};
    bmff_walk(&image);
}
