/* SPDX-License-Identifier: ISC
 * In a worker child: hostile ID3 tags. Players show pictures and save objects, so both are members; a frame that is packed
 * or locked is not looked into. Source: ID3v2.2, 2.3 and 2.4 (id3.org). */
#include "inspect/media_id3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/octets.h"

struct tag {
    struct inspection *in;
    unsigned version, files;
    bool apart; /* a zero stands behind every 0xFF */
};

/* Behind the text that ends at a zero, or two of them in UTF-16; NULL: it does not end. */
static const uint8_t *behind_text(const uint8_t *p, const uint8_t *end, unsigned encoding)
{
    bool wide = encoding == 1 || encoding == 2;
    for (; p && p < end; p += wide ? 2 : 1)
        if (*p == 0 && (!wide || (p + 1 < end && p[1] == 0)))
            return p + (wide ? 2 : 1);
    return NULL;
}

/* A name's ASCII characters; those that lead elsewhere are left out. */
static size_t put_name(const uint8_t *p, const uint8_t *end, char *out, size_t size)
{
    size_t n = 0;
    for (; p < end && n < size; p++)
        if (*p > 0x20 && *p < 0x7F && *p != '/' && *p != '\\')
            out[n++] = (char)*p;
    return n;
}

/* [p, end): the content of a frame; object: else a picture. Returns where its file begins; NULL: nowhere. */
static const uint8_t *find_file(const struct tag *tag, const uint8_t *p, const uint8_t *end, bool object, char *name, size_t *len)
{
    unsigned encoding = p < end ? *p++ : 0;
    const uint8_t *file = tag->version == 2 && !object ? (end - p > 3 ? p + 3 : NULL) : behind_text(p, end, 0);
    if (!file || (!object && file == end))
        return NULL;
    if (!object)
        return behind_text(file + 1, end, encoding); /* its kind, then its description */
    const uint8_t *after = behind_text(file, end, encoding);
    if (after)
        *len += put_name(file, after, name + *len, 64);
    return behind_text(after, end, encoding);
}

static void look_at_file(struct tag *tag, uint8_t *data, size_t len, bool object)
{
    char name[96];
    struct bytes content;
    size_t n = 0;
    for (size_t i = 0; tag->apart && i < len; i++) {
        data[n++] = data[i];
        i += data[i] == 0xFF && i + 1 < len && data[i + 1] == 0;
    }
    len = tag->apart ? n : len;
    n = (size_t)snprintf(name, sizeof(name), object ? "object-%u/" : "picture-%u", ++tag->files);
    const uint8_t *file = find_file(tag, data, data + len, object, name, &n);
    if (!file)
        inspect_find(tag->in, FINDING_INSPECT_INCOMPLETE, "a file in the tag of a sound has no place where it begins");
    if (!file || file == data + len)
        return;
    n -= name[n - 1] == '/';
    bytes_init_memory(&content, file, len - (size_t)(file - data));
    (void)inspect_member(tag->in, name, n, &content, NULL, false);
    bytes_free(&content);
}

static void frame(struct tag *tag, struct bytes *bytes, uint64_t at, uint64_t len, bool object, unsigned flags)
{
    unsigned locked = tag->version == 4 ? 0x0C : tag->version == 3 ? 0xC0 : 0;
    uint8_t *data = len <= BYTES_WINDOW * 64u && len > 0 ? malloc((size_t)len) : NULL;
    if (flags & locked)
        inspect_find_at(tag->in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, at, 0, "a file in the tag of a sound is packed or locked");
    else if (!data && len > 0)
        inspect_find_at(tag->in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, at, 0, "a file in the tag of a sound is longer than is looked at");
    else if (data && bytes_copy(bytes, at, data, (size_t)len))
        look_at_file(tag, data, (size_t)len, object);
    free(data);
}

static uint32_t synchsafe(const uint8_t *p)
{
    return (uint32_t)(p[0] & 0x7F) << 21 | (uint32_t)(p[1] & 0x7F) << 14 | (uint32_t)(p[2] & 0x7F) << 7 | (p[3] & 0x7F);
}

void media_id3(struct inspection *in, struct bytes *bytes, uint64_t at, uint64_t len)
{
    struct tag tag = {.in = in};
    const uint8_t *p = bytes_at(bytes, at, 10);
    uint64_t end = at + len < bytes->size ? at + len : bytes->size;
    if (!p)
        return;
    tag.version = p[3];
    tag.apart = p[5] & 0x80;
    size_t head = tag.version == 2 ? 6 : 10;
    bool extended = tag.version > 2 && (p[5] & 0x40);
    at += 10;
    if (extended && (p = bytes_at(bytes, at, 4)))
        at += tag.version == 4 ? synchsafe(p) : 4 + (uint64_t)get_be32(p);
    while (at < end && end - at > head && (p = bytes_at(bytes, at, head)) && p[0] && inspect_wants_more(in)) {
        uint64_t size = tag.version == 2   ? (uint64_t)p[3] << 16 | (uint64_t)p[4] << 8 | p[5]
                        : tag.version == 4 ? synchsafe(p + 4)
                                           : get_be32(p + 4);
        bool picture = memcmp(p, "APIC", 4) == 0 || (tag.version == 2 && memcmp(p, "PIC", 3) == 0);
        bool object = memcmp(p, "GEOB", 4) == 0 || (tag.version == 2 && memcmp(p, "GEO", 3) == 0);
        unsigned flags = head == 10 ? p[9] : 0;
        at += head;
        size = size < end - at ? size : end - at;
        if (picture || object)
            frame(&tag, bytes, at, size, object, flags);
        at += size;
    }
}
