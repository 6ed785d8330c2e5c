/* SPDX-License-Identifier: ISC
 * The files of a 7z header: names, what each is, and which of them have content. Worker child. */
#include <stdlib.h>
#include <string.h>

#include "inspect/archive_sevenzip.h"

enum property {
    PROPERTY_EMPTY_STREAM = 0x0e,
    PROPERTY_EMPTY_FILE = 0x0f,
    PROPERTY_ANTI = 0x10,
    PROPERTY_NAMES = 0x11,
    PROPERTY_CREATED = 0x12,
    PROPERTY_ACCESSED = 0x13,
    PROPERTY_MODIFIED = 0x14,
    PROPERTY_ATTRIBUTES = 0x15,
    PROPERTY_DUMMY = 0x19
};

struct files {
    struct sevenzip *z;
    size_t empty;        /* files without a stream */
    const uint8_t *names;
    size_t names_len;
    uint32_t seen;       /* one bit for each property */
};

static bool bad(struct files *f, enum finding_code code, const char *text)
{
    return sevenzip_fault(f->z, code, text);
}

static bool broken(struct files *f)
{
    return bad(f, FINDING_ARCHIVE_CORRUPT, "the list of files in the 7z header does not hold");
}

static bool empty_streams(struct files *f, struct reader *r)
{
    uint8_t *bits = sevenzip_bits(r, f->z->files_n, false);
    if (!bits)
        return false;
    for (size_t i = 0; i < f->z->files_n; i++) {
        f->z->files[i].has_stream = !bits[i];
        f->empty += bits[i] != 0;
    }
    free(bits);
    return true;
}

/* Of the files without a stream these are files; the others are directories. */
static bool empty_files(struct files *f, struct reader *r)
{
    uint8_t *bits = sevenzip_bits(r, f->empty, false);
    size_t at = 0;
    if (!bits)
        return false;
    for (size_t i = 0; i < f->z->files_n; i++)
        if (!f->z->files[i].has_stream)
            f->z->files[i].empty_file = bits[at++];
    free(bits);
    return true;
}

static bool names(struct files *f, struct reader *r)
{
    if (reader_u8(r) != 0)
        return false;
    f->names_len = r->left;
    f->names = reader_take(r, r->left);
    return f->names != NULL;
}

static bool attributes(struct files *f, struct reader *r)
{
    uint8_t *bits = sevenzip_bits(r, f->z->files_n, true);
    bool external = !bits || reader_u8(r) != 0;
    for (size_t i = 0; !external && i < f->z->files_n; i++)
        if (bits[i])
            f->z->files[i].attributes = reader_u32(r);
    free(bits);
    return !external;
}

static bool times(struct files *f, struct reader *r)
{
    uint8_t *bits = sevenzip_bits(r, f->z->files_n, true);
    bool external = !bits || reader_u8(r) != 0;
    for (size_t i = 0; !external && i < f->z->files_n; i++)
        if (bits[i])
            (void)reader_u64(r);
    free(bits);
    return !external;
}

static bool dummy(struct files *f, struct reader *r)
{
    const uint8_t *p = reader_take(r, r->left);
    (void)f;
    for (size_t i = 0; p && i < (size_t)(r->at - p); i++)
        if (p[i])
            return false;
    return p != NULL;
}

static const struct {
    enum property id;
    bool (*take)(struct files *f, struct reader *r);
} properties[] = {
    {PROPERTY_EMPTY_STREAM, empty_streams}, {PROPERTY_EMPTY_FILE, empty_files}, {PROPERTY_NAMES, names},
    {PROPERTY_CREATED, times},              {PROPERTY_ACCESSED, times},         {PROPERTY_MODIFIED, times},
    {PROPERTY_ATTRIBUTES, attributes},      {PROPERTY_DUMMY, dummy},
};

static bool property(struct files *f, struct reader *r, uint64_t id)
{
    uint64_t size = sevenzip_number(r);
    const uint8_t *data = size <= r->left ? reader_take(r, (size_t)size) : NULL;
    struct reader body;
    if (!data)
        return broken(f);
    reader_init(&body, data, (size_t)size);
    if (id == PROPERTY_ANTI)
        return bad(f, FINDING_ARCHIVE_UNSUPPORTED, "a 7z with anti-items, which delete files");
    for (size_t i = 0; i < ARRAY_LEN(properties); i++) {
        if (properties[i].id != id)
            continue;
        if (id != PROPERTY_DUMMY && f->seen & 1u << id)
            return bad(f, FINDING_ARCHIVE_AMBIGUOUS, "the 7z header says one thing about its files twice");
        f->seen |= 1u << id;
        return (properties[i].take(f, &body) && reader_done(&body)) || broken(f);
    }
    return bad(f, FINDING_ARCHIVE_UNSUPPORTED, "the 7z header has a property that is not known");
}

static size_t utf8_of(uint32_t c, uint8_t out[4])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (uint8_t)(0x80 | (c & 0x3f));
    out[0] = (uint8_t)(lead[n] | c);
    return n;
}

/* One UTF-16LE name up to its NUL, as UTF-8. False: it is none. */
static bool name_of(struct reader *r, struct buf *out)
{
    for (;;) {
        uint32_t c = reader_u16(r);
        if (r->failed)
            return false;
        if (c == 0)
            return !out->failed;
        if (c >= 0xdc00 && c < 0xe000)
            return false;
        if (c >= 0xd800 && c < 0xdc00) {
            uint32_t low = reader_u16(r);
            if (low < 0xdc00 || low >= 0xe000)
                return false;
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
        uint8_t bytes[4];
        buf_bytes(out, bytes, utf8_of(c, bytes));
    }
}

enum { ATTRIBUTE_DIRECTORY = 0x10 };

static bool names_list(struct files *f)
{
    struct sevenzip *z = f->z;
    struct reader r;
    struct buf text;
    bool holds = true;
    reader_init(&r, f->names, f->names_len);
    buf_init(&text, 4 * PATH_BYTES);
    for (size_t i = 0; holds && i < z->files_n; i++) {
        const struct sevenzip_file *file = &z->files[i];
        buf_reset(&text);
        if (!name_of(&r, &text)) {
            buf_free(&text);
            return bad(f, FINDING_ARCHIVE_AMBIGUOUS, "a name in the 7z header is no UTF-16, or far too long");
        }
        const char *name = text.len > 0 ? (const char *)text.data : "";
        size_t len = text.len;
        bool directory = !file->has_stream && !file->empty_file;
        name_trim(&name, &len);
        holds = names_add(&z->names, z->in, name, len, directory ? NAME_DIRECTORY : NAME_FILE);
    }
    buf_free(&text);
    return holds && (reader_done(&r) || broken(f));
}

/* As many files with content as there is content. */
static bool streams_match(struct files *f)
{
    size_t with = f->z->files_n - f->empty;
    if (with != f->z->streams_n)
        return bad(f, FINDING_ARCHIVE_AMBIGUOUS, "the 7z header has more files than contents, or fewer");
    for (size_t i = 0; i < f->z->files_n; i++)
        if (f->z->files[i].has_stream && f->z->files[i].attributes & ATTRIBUTE_DIRECTORY)
            return bad(f, FINDING_ARCHIVE_AMBIGUOUS, "a directory has content");
    return true;
}

bool sevenzip_files(struct sevenzip *z, struct reader *r)
{
    struct files f = {.z = z};
    uint64_t id;
    z->files_n = sevenzip_count(r);
    if (r->failed)
        return broken(&f);
    if (!archive_count(z->in, z->files_n))
        return false;
    z->files = calloc(z->files_n + 1, sizeof(*z->files));
    if (!z->files)
        return bad(&f, FINDING_INSPECT_LIMIT, "no memory for the list of members");
    for (size_t i = 0; i < z->files_n; i++)
        z->files[i].has_stream = true;
    while ((id = sevenzip_number(r)) != 0 && !r->failed)
        if (!property(&f, r, id))
            return false;
    if (r->failed || (!f.names && z->files_n > 0))
        return broken(&f);
    return names_list(&f) && streams_match(&f);
}
