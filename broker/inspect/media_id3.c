/* SPDX-License-Identifier: ISC
 * In a worker child: hostile ID3 tags. Players show pictures and save objects, so both are members; text that is packed
 * is unpacked and searched, what is locked is not looked into. Source: ID3v2.2, 2.3 and 2.4 (id3.org). */
#include "inspect/media_id3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/image_meta.h"
#include "inspect/octets.h"

struct tag {
    struct inspection *in;
    unsigned version, files;
    bool apart; /* a zero stands behind every 0xFF */
    uint64_t left; /* what packed frames may still unpack to */
    bool fault;    /* something was not looked into, which was said: once is enough */
};

static void say(struct tag *tag, enum finding_code code, uint64_t at, const char *message)
{
    inspect_find_at(tag->in, code, LEVEL_REFUSE, at, 0, message);
    tag->fault = true;
}

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

/* Takes out the zeros that keep a frame's bytes apart from the sound's; the new length. */
static size_t without_zeros(const struct tag *tag, uint8_t *data, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; tag->apart && i < len; i++) {
        data[n++] = data[i];
        i += data[i] == 0xFF && i + 1 < len && data[i + 1] == 0;
    }
    return tag->apart ? n : len;
}

/* What a frame's flags say, by the version of its tag: zlib, a cipher, and how many bytes of fields stand before it. */
static const struct {
    unsigned packed, locked, group, counted;
} forms[] = {{0}, {0}, {0}, {0x80, 0x40, 0x20, 0x80}, {0x08, 0x04, 0x40, 0x01}};

struct frame {
    uint64_t at, len;
    bool file, object; /* a picture or an object; the latter */
    bool packed, locked;
    size_t before;     /* of a packed one: where its stream begins */
};

static void look_at_file(struct tag *tag, uint8_t *data, size_t len, const struct frame *frame)
{
    char name[96];
    struct bytes content;
    size_t n = (size_t)snprintf(name, sizeof(name), frame->object ? "object-%u/" : "picture-%u", ++tag->files);
    const uint8_t *file = find_file(tag, data, data + len, frame->object, name, &n);
    if (!file)
        say(tag, FINDING_INSPECT_INCOMPLETE, frame->at, "a file in the tag of a sound has no place where it begins");
    if (!file || file == data + len)
        return;
    n -= name[n - 1] == '/';
    bytes_init_memory(&content, file, len - (size_t)(file - data));
    (void)inspect_member(tag->in, name, n, &content, NULL, false);
    bytes_free(&content);
}

static void look_at_packed(struct tag *tag, uint8_t *data, size_t len, const struct frame *frame)
{
    struct bytes content;
    struct buf text;
    bytes_init_memory(&content, data, len);
    buf_init(&text, tag->left);
    bool whole = frame->before < len &&
                 image_unpack(&content, frame->before, len - frame->before, &text) == IMAGE_UNPACKED;
    tag->left -= text.len;
    if (!whole)
        say(tag, FINDING_INSPECT_INCOMPLETE, frame->at, "text in the tag of a sound does not unpack, or to more than 16 MiB");
    else if (text.len > 0)
        inspect_loose(tag->in, "!packed", text.data, text.len);
    buf_free(&text);
}

static void look_at_frame(struct tag *tag, struct bytes *bytes, const struct frame *frame)
{
    uint64_t len = frame->len;
    uint8_t *data = len <= BYTES_WINDOW * 64u && len > 0 ? malloc((size_t)len) : NULL;
    if (frame->locked || (frame->file && frame->packed))
        say(tag, FINDING_INSPECT_INCOMPLETE, frame->at, "a part of the tag of a sound is packed or locked");
    else if (!data && len > 0)
        say(tag, FINDING_INSPECT_LIMIT, frame->at, "a part of the tag of a sound is longer than is looked at");
    else if (data && bytes_copy(bytes, frame->at, data, (size_t)len)) {
        size_t n = without_zeros(tag, data, (size_t)len);
        if (frame->file)
            look_at_file(tag, data, n, frame);
        else
            look_at_packed(tag, data, n, frame);
    }
    free(data);
}

static uint32_t synchsafe(const uint8_t *p)
{
    return (uint32_t)(p[0] & 0x7F) << 21 | (uint32_t)(p[1] & 0x7F) << 14 | (uint32_t)(p[2] & 0x7F) << 7 | (p[3] & 0x7F);
}

/* The frame whose head is at p, its content at `at`. */
static struct frame read_frame(const struct tag *tag, const uint8_t *p, uint64_t at, uint64_t end)
{
    struct frame f = {.at = at};
    bool old = tag->version == 2;
    unsigned flags = old ? 0 : p[9], v = tag->version < ARRAY_LEN(forms) ? tag->version : 0;
    f.len = old ? (uint64_t)p[3] << 16 | (uint64_t)p[4] << 8 | p[5] : tag->version == 4 ? synchsafe(p + 4) : get_be32(p + 4);
    f.len = f.len < end - at ? f.len : end - at;
    f.object = memcmp(p, "GEOB", 4) == 0 || (old && memcmp(p, "GEO", 3) == 0);
    f.file = f.object || memcmp(p, "APIC", 4) == 0 || (old && memcmp(p, "PIC", 3) == 0);
    f.packed = flags & forms[v].packed;
    f.locked = flags & forms[v].locked;
    f.before = (flags & forms[v].group ? 1u : 0u) + (flags & forms[v].counted ? 4u : 0u);
    return f;
}

bool media_id3(struct inspection *in, struct bytes *bytes, uint64_t at, uint64_t len)
{
    struct tag tag = {.in = in, .left = IMAGE_TEXT};
    const uint8_t *p = bytes_at(bytes, at, 10);
    uint64_t end = at + len < bytes->size ? at + len : bytes->size;
    if (!p)
        return true;
    tag.version = p[3];
    tag.apart = p[5] & 0x80;
    size_t head = tag.version == 2 ? 6 : 10;
    bool extended = tag.version > 2 && (p[5] & 0x40);
    at += 10;
    if (extended && (p = bytes_at(bytes, at, 4)))
        at += tag.version == 4 ? synchsafe(p) : 4 + (uint64_t)get_be32(p);
    while (at < end && end - at > head && (p = bytes_at(bytes, at, head)) && p[0] && !tag.fault && inspect_wants_more(in)) {
        struct frame frame = read_frame(&tag, p, at + head, end);
        if (frame.file || frame.packed || frame.locked)
            look_at_frame(&tag, bytes, &frame);
        at = frame.at + frame.len;
    }
    return !tag.fault;
}
