/* SPDX-License-Identifier: ISC
 * The end header of a 7z: packed streams, folders and their coders, members' sizes and checksums. Worker child; no list
 * is made before its length was checked against the bytes that must describe it and the bound on members. */
#include <stdlib.h>
#include <string.h>

#include "inspect/archive_sevenzip.h"

enum id {
    ID_END = 0x00,
    ID_HEADER = 0x01,
    ID_MAIN_STREAMS = 0x04,
    ID_FILES = 0x05,
    ID_PACK = 0x06,
    ID_FOLDERS = 0x07,
    ID_SUBSTREAMS = 0x08,
    ID_SIZE = 0x09,
    ID_CRC = 0x0a,
    ID_FOLDER = 0x0b,
    ID_UNPACK_SIZE = 0x0c,
    ID_COUNT = 0x0d,
    ID_ENCODED = 0x17
};
enum { CODER_ID = 0x0f, CODER_COMPLEX = 0x10, CODER_PROPERTIES = 0x20, CODER_RESERVED = 0xc0 };

static const char not_held[] = "the 7z header does not hold";

bool sevenzip_fault(struct sevenzip *z, enum finding_code code, const char *text)
{
    archive_find(z->in, code, 0, "%s", text);
    return false;
}

static bool corrupt(struct sevenzip *z)
{
    return sevenzip_fault(z, FINDING_ARCHIVE_CORRUPT, not_held);
}

void sevenzip_free(struct sevenzip *z)
{
    free(z->folders);
    free(z->streams);
    free(z->files);
    names_free(&z->names);
}

uint64_t sevenzip_number(struct reader *r)
{
    uint8_t first = reader_u8(r);
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned mask = 0x80u >> i;
        if (!(first & mask))
            return value | (uint64_t)(first & (mask - 1)) << (8 * i);
        value |= (uint64_t)reader_u8(r) << (8 * i);
    }
    return value;
}

size_t sevenzip_count(struct reader *r)
{
    uint64_t n = sevenzip_number(r);
    if (n > 8 * (uint64_t)r->left)
        r->failed = true;
    return r->failed ? 0 : (size_t)n;
}

uint8_t *sevenzip_bits(struct reader *r, size_t n, bool optional)
{
    bool all = optional && reader_u8(r) != 0;
    const uint8_t *p = all ? NULL : reader_take(r, (n + 7) / 8);
    uint8_t *bits = (all || p) && !r->failed ? calloc(n + 1, 1) : NULL;
    for (size_t i = 0; bits && i < n; i++)
        bits[i] = all || p[i / 8] & (0x80u >> (i & 7));
    return bits;
}

/* The packed streams: sizes alone; their own checksums are read over (the unpacked ones count). */
static bool pack_info(struct sevenzip *z, struct reader *r, uint64_t **sizes, size_t *n)
{
    z->pack_at = sevenzip_number(r);
    *n = sevenzip_count(r);
    *sizes = calloc(*n + 1, sizeof(**sizes));
    uint8_t id = reader_u8(r);
    if (!*sizes || r->failed || (id != ID_SIZE && *n > 0))
        return corrupt(z);
    for (size_t i = 0; i < *n; i++)
        (*sizes)[i] = sevenzip_number(r);
    if (id == ID_SIZE)
        id = reader_u8(r);
    if (id == ID_CRC) {
        uint8_t *defined = sevenzip_bits(r, *n, true);
        for (size_t i = 0; defined && i < *n; i++)
            if (defined[i])
                (void)reader_u32(r);
        free(defined);
        id = reader_u8(r);
    }
    return (!r->failed && id == ID_END) || corrupt(z);
}

static bool coder(struct sevenzip *z, struct reader *r, struct sevenzip_coder *c)
{
    uint8_t flags = reader_u8(r);
    unsigned len = flags & CODER_ID;
    if (flags & CODER_RESERVED || len > sizeof(c->id))
        return corrupt(z);
    for (unsigned i = 0; i < len; i++)
        c->id = c->id << 8 | reader_u8(r);
    if (flags & CODER_COMPLEX)
        return sevenzip_fault(z, FINDING_ARCHIVE_UNSUPPORTED,
                              "a 7z coder of several streams (BCJ2), which cannot be looked into");
    if (!(flags & CODER_PROPERTIES))
        return !r->failed || corrupt(z);
    uint64_t size = sevenzip_number(r);
    const uint8_t *p = size <= SEVENZIP_PROPERTIES ? reader_take(r, (size_t)size) : NULL;
    if (!p)
        return c->id == 0x06f10701 ? sevenzip_fault(z, FINDING_ARCHIVE_ENCRYPTED, "the 7z is encrypted") : corrupt(z);
    memcpy(c->properties, p, (size_t)size);
    c->properties_len = (uint8_t)size;
    return true;
}

/* Coders come in any order and are joined by pairs (input, output); we want them from the delivering one on. */
static bool chain(struct sevenzip *z, struct reader *r, struct sevenzip_folder *f, unsigned order[SEVENZIP_CODERS])
{
    unsigned feeds[SEVENZIP_CODERS], bound = 0; /* the coder that feeds this one; outputs that feed something */
    for (unsigned i = 0; i < f->coders; i++)
        feeds[i] = SEVENZIP_CODERS;
    for (unsigned i = 0; i + 1 < f->coders; i++) {
        uint64_t to = sevenzip_number(r), from = sevenzip_number(r);
        if (r->failed || to >= f->coders || from >= f->coders || feeds[to] != SEVENZIP_CODERS || bound & 1u << from)
            return corrupt(z);
        feeds[to] = (unsigned)from;
        bound |= 1u << from;
    }
    unsigned at = 0;
    while (at < f->coders && bound & 1u << at)
        at++;
    for (unsigned i = 0; i < f->coders; i++, at = feeds[at]) {
        if (at >= f->coders)
            return corrupt(z);
        order[i] = at;
    }
    return true;
}

static bool folder(struct sevenzip *z, struct reader *r, struct sevenzip_folder *f, unsigned order[SEVENZIP_CODERS])
{
    uint64_t n = sevenzip_number(r);
    if (r->failed || n == 0)
        return corrupt(z);
    if (n > SEVENZIP_CODERS)
        return sevenzip_fault(z, FINDING_ARCHIVE_UNSUPPORTED, "a 7z folder of more than four coders");
    f->coders = (unsigned)n;
    for (unsigned i = 0; i < f->coders; i++)
        if (!coder(z, r, &f->coder[i]))
            return false;
    return chain(z, r, f, order);
}

static bool folder_sizes(struct reader *r, struct sevenzip_folder *f, const unsigned order[SEVENZIP_CODERS])
{
    struct sevenzip_coder sorted[SEVENZIP_CODERS];
    for (unsigned i = 0; i < f->coders; i++)
        f->coder[i].size = sevenzip_number(r);
    for (unsigned i = 0; i < f->coders; i++)
        sorted[i] = f->coder[order[i]];
    memcpy(f->coder, sorted, f->coders * sizeof(sorted[0]));
    f->size = f->coder[0].size;
    f->streams = 1;
    return !r->failed && f->size <= INT64_MAX;
}

static bool folder_checksums(struct sevenzip *z, struct reader *r)
{
    uint8_t *defined = sevenzip_bits(r, z->folders_n, true);
    if (!defined)
        return corrupt(z);
    for (size_t i = 0; i < z->folders_n; i++)
        if ((z->folders[i].has_crc = defined[i]))
            z->folders[i].crc = reader_u32(r);
    free(defined);
    return true;
}

static bool folder_list(struct sevenzip *z, struct reader *r)
{
    if (reader_u8(r) != ID_FOLDER)
        return corrupt(z);
    z->folders_n = sevenzip_count(r);
    if (reader_u8(r) != 0 || r->failed || !archive_count(z->in, z->folders_n))
        return r->failed ? corrupt(z) : false;
    unsigned(*order)[SEVENZIP_CODERS] = calloc(z->folders_n + 1, sizeof(*order));
    z->folders = calloc(z->folders_n + 1, sizeof(*z->folders));
    bool holds = order && z->folders;
    for (size_t i = 0; holds && i < z->folders_n; i++)
        if (!folder(z, r, &z->folders[i], order[i])) {
            free(order);
            return false;
        }
    holds = holds && reader_u8(r) == ID_UNPACK_SIZE;
    for (size_t i = 0; holds && i < z->folders_n; i++)
        holds = folder_sizes(r, &z->folders[i], order[i]);
    free(order);
    return holds || corrupt(z);
}

static bool folder_info(struct sevenzip *z, struct reader *r)
{
    if (!folder_list(z, r))
        return false;
    uint8_t id = reader_u8(r);
    if (id == ID_CRC && folder_checksums(z, r))
        id = reader_u8(r);
    return (!r->failed && id == ID_END) || corrupt(z);
}

/* One packed stream for each folder, since a chain has one input. */
static bool assign(struct sevenzip *z, const uint64_t *sizes, size_t n)
{
    if (n != z->folders_n)
        return sevenzip_fault(z, FINDING_ARCHIVE_AMBIGUOUS, "the 7z has packed streams that belong to no folder");
    for (size_t i = 0; i < n; i++)
        z->folders[i].packed = sizes[i];
    return true;
}

static bool stream_sizes(struct sevenzip *z, struct reader *r, bool given)
{
    size_t at = 0;
    for (size_t i = 0; i < z->folders_n; i++) {
        uint64_t left = z->folders[i].size;
        for (uint64_t s = 0; s < z->folders[i].streams; s++, at++) {
            bool last = s + 1 == z->folders[i].streams;
            uint64_t size = last ? left : given ? sevenzip_number(r) : UINT64_MAX;
            if (r->failed || size > left)
                return corrupt(z);
            z->streams[at].size = size;
            left -= size;
        }
    }
    return true;
}

static bool stream_checksums(struct sevenzip *z, struct reader *r, bool given)
{
    size_t at = 0, unknown = 0;
    for (size_t i = 0; i < z->folders_n; i++)
        unknown += z->folders[i].streams == 1 && z->folders[i].has_crc ? 0 : (size_t)z->folders[i].streams;
    uint8_t *defined = given ? sevenzip_bits(r, unknown, true) : NULL;
    if (given && !defined)
        return corrupt(z);
    unknown = 0;
    for (size_t i = 0; i < z->folders_n; i++) {
        const struct sevenzip_folder *f = &z->folders[i];
        for (uint64_t s = 0; s < f->streams; s++, at++) {
            bool known = f->streams == 1 && f->has_crc;
            z->streams[at].has_crc = known || (defined && defined[unknown]);
            if (known)
                z->streams[at].crc = f->crc;
            else if (z->streams[at].has_crc)
                z->streams[at].crc = reader_u32(r);
            unknown += !known;
        }
    }
    free(defined);
    return !r->failed || corrupt(z);
}

static bool stream_counts(struct sevenzip *z, struct reader *r)
{
    for (size_t i = 0; i < z->folders_n; i++) {
        uint64_t n = sevenzip_number(r);
        if (r->failed)
            return corrupt(z);
        if (n > inspect_entries_left(z->in) || !archive_count(z->in, z->streams_n + n))
            return archive_count(z->in, UINT64_MAX);
        z->folders[i].streams = n;
        z->streams_n += (size_t)n;
    }
    return true;
}

/* Members of each folder; `id` is what was read last: ID_SUBSTREAMS, or ID_END where each folder is one member. */
static bool substreams(struct sevenzip *z, struct reader *r, uint8_t id)
{
    bool given = id == ID_SUBSTREAMS;
    if (given)
        id = reader_u8(r);
    if (given && id == ID_COUNT) {
        if (!stream_counts(z, r))
            return false;
        id = reader_u8(r);
    } else
        z->streams_n = z->folders_n;
    z->streams = calloc(z->streams_n + 1, sizeof(*z->streams));
    if (!z->streams || !stream_sizes(z, r, given && id == ID_SIZE))
        return z->streams ? false : corrupt(z);
    if (given && id == ID_SIZE)
        id = reader_u8(r);
    if (!stream_checksums(z, r, given && id == ID_CRC))
        return false;
    if (given && id == ID_CRC)
        id = reader_u8(r);
    return !given || id == ID_END || corrupt(z);
}

static bool streams_info(struct sevenzip *z, struct reader *r)
{
    uint64_t *sizes = NULL;
    size_t n = 0;
    uint8_t id = reader_u8(r);
    bool holds = id != ID_PACK || pack_info(z, r, &sizes, &n);
    if (holds && id == ID_PACK)
        id = reader_u8(r);
    if (holds && id == ID_FOLDERS) {
        holds = folder_info(z, r);
        id = holds ? reader_u8(r) : id;
    }
    holds = holds && assign(z, sizes, n);
    free(sizes);
    if (!holds || !substreams(z, r, id))
        return false;
    if (id == ID_SUBSTREAMS)
        id = reader_u8(r);
    return (!r->failed && id == ID_END) || corrupt(z);
}

bool sevenzip_encoded(struct sevenzip *z, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    if (reader_u8(&r) != ID_ENCODED || !streams_info(z, &r))
        return len > 0 && data[0] == ID_ENCODED ? false : corrupt(z);
    if (!reader_done(&r) || z->folders_n != 1 || z->streams_n != 1)
        return corrupt(z);
    return true;
}

bool sevenzip_header(struct sevenzip *z, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    uint8_t id = reader_u8(&r);
    if (id != ID_HEADER)
        return corrupt(z);
    id = reader_u8(&r);
    if (id == ID_MAIN_STREAMS) {
        if (!streams_info(z, &r))
            return false;
        id = reader_u8(&r);
    }
    if (id == ID_FILES) {
        if (!sevenzip_files(z, &r))
            return false;
        id = reader_u8(&r);
    }
    return (id == ID_END && reader_done(&r)) || corrupt(z);
}
