/* SPDX-License-Identifier: ISC
 * Walks the boxes of MP4, QuickTime and AVIF files without decoding. Runs in the confined child on hostile bytes; depth
 * and number of boxes are bounded.
 * Invariant: boxes tile their parents exactly; a byte in no box is said. */
#include "inspect/bmff.h"

#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/image_meta.h"
#include "inspect/octets.h"

struct box {
    char type[5];
    uint64_t at, body, end;
};

struct walk {
    const struct image *image;
    unsigned boxes;
    bool movie, picture;
    bool packed;   /* these boxes were unpacked from one */
    uint64_t left; /* what packed headers may still unpack to */
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
                   {"meta", 4}, {"cmov", 0}, {"iinf", 6}, {"iprp", 0}, {"ipco", 0}, {"rmra", 0}, {"rmda", 0}};
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
    inspect_find_at(w->image->in, FINDING_ACTIVE_EXTERNAL_LOAD, LEVEL_REFUSE, image_place(w->image, box->at), 0,
                    "a track takes its data from another file or address");
    return false;
}

static bool walk_boxes(struct walk *w, uint64_t at, uint64_t end, unsigned depth);

static bool bmff_packed_walk(const struct image *image)
{
    struct walk w = {.image = image, .packed = true};
    return walk_boxes(&w, 0, image->b->size, 0);
}

/* A QuickTime header that is packed ("cmvd": its length, then zlib) hides boxes, whose references count like any other. */
static bool packed_movie(struct walk *w, const struct box *box)
{
    struct bytes movie;
    struct buf text;
    buf_init(&text, w->left);
    uint64_t len = box->end - box->body;
    if (len < 4 || image_unpack(w->image->b, box->body + 4, len - 4, &text) != IMAGE_UNPACKED) {
        buf_free(&text);
        return image_malformed(w->image, box->at, "a packed header does not unpack, or to more than 16 MiB");
    }
    w->left -= text.len;
    bytes_init_memory(&movie, text.data, text.len);
    struct image inner = {w->image->in, &movie, image_place(w->image, box->at), true};
    inspect_loose(w->image->in, "!packed", text.data, text.len);
    bool whole = !w->packed && bmff_packed_walk(&inner);
    if (w->packed)
        image_malformed(w->image, box->at, "a packed header inside a packed header");
    buf_free(&text);
    return whole;
}

/* An item of HEIF (ISO 14496-12, 8.11.6.2) says behind its name and content type how it is packed. */
static bool item(struct walk *w, const struct box *box)
{
    enum { LONGEST = 4096 };
    static const uint8_t heads[] = {8, 8, 12, 14}; /* by version */
    size_t n = box->end - box->body < LONGEST ? (size_t)(box->end - box->body) : LONGEST;
    const uint8_t *p = bytes_at(w->image->b, box->body, n), *end;
    size_t at = p && n > 0 && p[0] < sizeof(heads) ? heads[p[0]] : n;
    bool typed = at > 8 && at < n;
    if (typed && memcmp(p + at - 4, "mime", 4) != 0)
        return true;
    for (int strings = 0; strings < 2 && at < n; strings++)
        at = (end = memchr(p + at, 0, n - at)) ? (size_t)(end - p) + 1 : n;
    if (at < n ? p[at] == 0 : n < LONGEST)
        return true;
    inspect_find_at(w->image->in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, image_place(w->image, box->at), 0,
                    "an item of the picture is packed, and was not looked into");
    return false;
}

static bool leaf(struct walk *w, const struct box *box)
{
    const uint8_t *p;
    if (strcmp(box->type, "cmvd") == 0)
        return packed_movie(w, box);
    if (strcmp(box->type, "infe") == 0)
        return item(w, box);
    if (strcmp(box->type, "url ") == 0 || strcmp(box->type, "urn ") == 0 || strcmp(box->type, "alis") == 0)
        return reference(w, box);
    if (strcmp(box->type, "rdrf") == 0) {
        inspect_find_at(w->image->in, FINDING_ACTIVE_EXTERNAL_LOAD, LEVEL_REFUSE, image_place(w->image, box->at), 0,
                        "a reference movie makes the player open another file or address");
        return false;
    }
    if (strcmp(box->type, "ispe") == 0)
        return (p = image_need(w->image, box->body, 12)) && image_pixels(w->image, box->at, get_be32(p + 4), get_be32(p + 8));
    return true;
}

/* Where the boxes inside begin: QuickTime leaves the version of `meta` out, the count of `iinf` is of two widths. */
static uint64_t inner_body(struct walk *w, const struct box *box, unsigned skip)
{
    const uint8_t *p = bytes_at(w->image->b, box->body, 8);
    if (strcmp(box->type, "iinf") == 0)
        return box->body + (p && p[0] == 0 ? 6u : 8u);
    if (strcmp(box->type, "meta") != 0)
        return box->body + skip;
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
            if (!walk_boxes(w, inner_body(w, &box, (unsigned)skip), box.end, depth + 1))
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
    struct walk w = {.image = image, .left = IMAGE_TEXT};
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
    struct image image = {in, in->bytes, 0, false};
    bmff_walk(&image);
}
