/* SPDX-License-Identifier: ISC
 * The values of one page of Parquet, each text on a line of its own: in the file they follow each other without a mark, or
 * behind a length whose first byte reads like a letter. Runs in the confined child on hostile bytes. */
#include "base/limits.h"
#include "inspect/octets.h"
#include "inspect/parquet.h"

enum { WIDTH_TEXT = 8 }; /* fixed texts that are shorter hold no credential, and numbers need no lines */

static bool broken(struct parquet *p, const struct parquet_page *page)
{
    return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, page->at, "the values of a page could not be told apart");
}

static bool show_lengths(struct parquet *p, const struct parquet_page *page)
{
    const uint8_t *at = page->data, *end = at + page->len;
    while ((size_t)(end - at) >= 4) {
        uint32_t n = get_le32(at);
        at += 4;
        if (n > (size_t)(end - at))
            break;
        shown_bytes(&p->shown, at, n);
        shown_byte(&p->shown, '\n');
        at += n;
    }
    return at == end ? true : broken(p, page);
}

static bool show_fixed(struct parquet *p, const struct parquet_page *page, uint32_t width)
{
    if (width == 0 || page->len % width != 0)
        return broken(p, page);
    for (size_t i = 0; i < page->len; i += width) {
        shown_bytes(&p->shown, page->data + i, width);
        shown_byte(&p->shown, '\n');
    }
    return true;
}

/* First bytes of all values, then second bytes, and so on. */
static bool show_streams(struct parquet *p, const struct parquet_page *page, uint32_t width)
{
    if (width == 0 || page->len % width != 0)
        return broken(p, page);
    size_t n = page->len / width;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < width; k++)
            shown_byte(&p->shown, page->data[k * n + i]);
        if (width >= WIDTH_TEXT)
            shown_byte(&p->shown, '\n');
    }
    return true;
}

static bool show_raw(struct parquet *p, const struct parquet_page *page)
{
    if (!page->plain)
        shown_bytes(&p->shown, page->data, page->len);
    return true;
}

static bool show_numbers(struct parquet *p, const struct parquet_leaf *leaf, const struct parquet_page *page)
{
    static const uint32_t widths[PARQUET_TYPES] = {
        [PARQUET_INT32] = 4, [PARQUET_INT64] = 8, [PARQUET_FLOAT] = 4, [PARQUET_DOUBLE] = 8};
    return page->encoding == ENCODING_STREAMS ? show_streams(p, page, widths[leaf->type]) : show_raw(p, page);
}

static bool show_texts(struct parquet *p, const struct parquet_page *page)
{
    if (page->encoding == ENCODING_DELTA_LENGTHS)
        return parquet_delta_lengths(p, page);
    return page->encoding == ENCODING_DELTA_STRINGS ? parquet_delta_strings(p, page) : show_lengths(p, page);
}

static bool show_values(struct parquet *p, const struct parquet_leaf *leaf, const struct parquet_page *page, bool dictionary)
{
    bool text = leaf->type == PARQUET_BYTES, fixed = leaf->type == PARQUET_FIXED;
    int64_t how = page->encoding;
    if (how >= PARQUET_ENCODINGS || how == 1)
        return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, page->at, "the values of a page are encoded in a way that is not known");
    if (dictionary || (!text && !fixed))
        return dictionary ? show_raw(p, page) : show_numbers(p, leaf, page);
    if (fixed && how == ENCODING_STREAMS)
        return show_streams(p, page, leaf->width);
    if (fixed && how == ENCODING_PLAIN)
        return leaf->width > 0 && leaf->width < WIDTH_TEXT ? show_raw(p, page) : show_fixed(p, page, leaf->width);
    bool possible = how == ENCODING_DELTA_STRINGS || (text && (how == ENCODING_PLAIN || how == ENCODING_DELTA_LENGTHS));
    return possible ? show_texts(p, page) : broken(p, page);
}

/* Levels stand in front, each kind behind its length; they are shown too, for nobody else looks at them. */
static bool skip_levels(struct parquet *p, struct parquet_page *page, uint16_t greatest)
{
    if (greatest == 0)
        return true;
    uint32_t n = page->len >= 4 ? get_le32(page->data) : UINT32_MAX;
    if (page->len < 4 || n > page->len - 4)
        return broken(p, page);
    if (!page->plain)
        shown_bytes(&p->shown, page->data, 4 + n);
    shown_byte(&p->shown, '\n');
    page->data += 4 + n;
    page->len -= 4 + n;
    return true;
}

bool parquet_values(struct parquet *p, const struct parquet_leaf *leaf, const struct parquet_page *page)
{
    struct parquet_page rest = *page;
    bool dictionary = page->encoding == ENCODING_DICTIONARY || page->encoding == ENCODING_PLAIN_DICTIONARY ||
                      page->encoding == ENCODING_RLE;
    if (!skip_levels(p, &rest, leaf->repeated) || !skip_levels(p, &rest, leaf->defined))
        return false;
    return show_values(p, leaf, &rest, dictionary);
}
