/* SPDX-License-Identifier: ISC
 * The 7z inspector: headers first, every byte of the file accounted for, then folder after folder, each unpacked once and
 * cut into its members, whose checksums are verified. Worker child. */
#include "inspect/archive_sevenzip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inspect/archive_package.h"
#include "inspect/octets.h"

enum { UNIX_EXTENSION = 0x8000, REPARSE_POINT = 0x400, MODE_TYPE = 0170000, READ_STEP = 64 * 1024 };

struct walk {
    struct inspection *in;
    struct sevenzip z;
    struct package_rule rule;
    uint64_t packed_end; /* the packed streams of members end here, behind the start header */
    struct archive_hold hold;
};

static bool fault(struct inspection *in, enum finding_code code, uint64_t at, const char *text)
{
    archive_find(in, code, at, "%s", text);
    return false;
}

/* --- the headers --------------------------------------------------------------------------- */

/* Opens the decoder of a folder whose packed stream begins at `at` in the file. */
static bool folder_open(struct inspection *in, const struct sevenzip_folder *f, uint64_t at, struct peel *peel)
{
    if (peel_open(peel, sevenzip_peel(f), in, in->bytes, at, f->packed) &&
        (sevenzip_peel(f) != PEEL_CHAIN || sevenzip_chain(peel, f)))
        return true;
    peel_report(peel, in);
    peel_close(peel);
    return false;
}

/* Reads exactly len bytes, spent against the bounds. */
static bool folder_read(struct inspection *in, struct peel *peel, struct archive_meter *meter, uint8_t *out, size_t len)
{
    for (size_t done = 0; done < len;) {
        size_t step = len - done < READ_STEP ? len - done : (size_t)READ_STEP;
        size_t got = peel_read(peel, out + done, step);
        if (!archive_spend(in, meter, got))
            return false;
        done += got;
        if (got < step) {
            if (peel->fault == FINDING_NONE)
                return fault(in, FINDING_ARCHIVE_CORRUPT, peel->at, "a folder of the 7z unpacks to less than its header says");
            peel_report(peel, in);
            return false;
        }
    }
    return true;
}

/* Nothing may be left behind the last member. */
static bool folder_ended(struct inspection *in, struct peel *peel)
{
    uint8_t more;
    if (peel_read(peel, &more, 1) > 0)
        return fault(in, FINDING_ARCHIVE_AMBIGUOUS, peel->at, "a folder of the 7z unpacks to more than its header says");
    peel_report(peel, in);
    return peel->fault == FINDING_NONE;
}

/* A packed header, unpacked; it stands at the end of the packed streams. NULL after a finding. */
static uint8_t *unpack_header(struct walk *walk, const uint8_t *data, size_t *len)
{
    struct inspection *in = walk->in;
    struct sevenzip z = {.in = in};
    struct peel peel;
    uint8_t *out = NULL;
    if (sevenzip_encoded(&z, data, *len)) {
        struct sevenzip_folder *f = &z.folders[0];
        struct archive_meter meter = {.packed = f->packed};
        if (f->packed > walk->packed_end || z.pack_at != walk->packed_end - f->packed || !f->has_crc)
            (void)fault(in, FINDING_ARCHIVE_AMBIGUOUS, 0, "bytes of the 7z belong to neither members nor header");
        else if (f->size > SEVENZIP_HEADER_BYTES)
            archive_find(in, FINDING_INSPECT_LIMIT, 0, "the 7z header is larger than %" PRIu64 " bytes", SEVENZIP_HEADER_BYTES);
        else if (archive_admits(in, &meter, f->size) && (out = malloc((size_t)f->size + 1)) &&
                 folder_open(in, f, SEVENZIP_START + z.pack_at, &peel)) {
            bool whole = folder_read(in, &peel, &meter, out, (size_t)f->size) && folder_ended(in, &peel) &&
                         (crc32(0, out, (uInt)f->size) == f->crc ||
                          fault(in, FINDING_ARCHIVE_CORRUPT, 0, "the checksum of the 7z header does not hold"));
            peel_close(&peel);
            walk->packed_end = z.pack_at;
            *len = (size_t)f->size;
            if (whole) {
                sevenzip_free(&z);
                return out;
            }
        }
    }
    free(out);
    sevenzip_free(&z);
    return NULL;
}

/* The end header's bytes, checked against the start header. NULL after a finding. */
static uint8_t *raw_header(struct walk *walk, size_t *len)
{
    struct inspection *in = walk->in;
    uint8_t start[SEVENZIP_START];
    if (!bytes_copy(in->bytes, 0, start, sizeof(start)) || crc32(0, start + 12, 20) != get_le32(start + 8) || start[6] != 0) {
        (void)fault(in, FINDING_ARCHIVE_CORRUPT, 0, "the start header of the 7z does not hold");
        return NULL;
    }
    uint64_t at = get_le64(start + 12), size = get_le64(start + 20), room = in->bytes->size - SEVENZIP_START;
    if (at > room || size > room - at)
        (void)fault(in, FINDING_ARCHIVE_CORRUPT, 0, "the 7z is cut short: its header lies behind its end");
    else if (at + size != room)
        (void)fault(in, FINDING_ARCHIVE_TRAILING_DATA, SEVENZIP_START + at + size, "bytes follow the header of the 7z");
    else if (size > SEVENZIP_HEADER_BYTES)
        archive_find(in, FINDING_INSPECT_LIMIT, 0, "the 7z header is larger than %" PRIu64 " bytes", SEVENZIP_HEADER_BYTES);
    else {
        uint8_t *data = malloc((size_t)size + 1);
        walk->packed_end = at;
        *len = (size_t)size;
        if (data && bytes_copy(in->bytes, SEVENZIP_START + at, data, *len) &&
            crc32(0, data, (uInt)size) == get_le32(start + 28))
            return data;
        free(data);
        (void)fault(in, FINDING_ARCHIVE_CORRUPT, SEVENZIP_START + at, "the checksum of the 7z header does not hold");
    }
    return NULL;
}

/* The packed streams of members lie one behind the other from the start header to what was found to follow them. */
static bool tiles(struct walk *walk)
{
    uint64_t end = 0;
    for (size_t i = 0; i < walk->z.folders_n; i++) {
        if (walk->z.folders[i].packed > walk->packed_end - end)
            return fault(walk->in, FINDING_ARCHIVE_CORRUPT, 0, "a packed stream of the 7z lies outside of it");
        end += walk->z.folders[i].packed;
    }
    return (end == walk->packed_end && (walk->z.pack_at == 0 || walk->z.folders_n == 0)) ||
           fault(walk->in, FINDING_ARCHIVE_AMBIGUOUS, SEVENZIP_START, "bytes of the 7z belong to no member");
}

static bool headers(struct walk *walk)
{
    size_t len = 0;
    uint8_t *data = raw_header(walk, &len);
    if (!data)
        return false;
    if (len > 0 && data[0] != 0x01) {
        uint8_t *unpacked = unpack_header(walk, data, &len);
        free(data);
        data = unpacked;
        if (!data)
            return false;
        inspect_loose(walk->in, "!header", data, len);
    }
    bool holds = (len == 0 || sevenzip_header(&walk->z, data, len)) && tiles(walk);
    free(data);
    return holds;
}

/* --- members --------------------------------------------------------------------------------- */

static enum object_kind kind_of(const struct sevenzip_file *file)
{
    uint32_t type = file->attributes & UNIX_EXTENSION ? file->attributes >> 16 & MODE_TYPE : 0;
    if (type == 0120000 || file->attributes & REPARSE_POINT)
        return OBJECT_SYMLINK;
    if (!file->has_stream && !file->empty_file)
        return OBJECT_DIRECTORY;
    return type == 0 || type == 0100000 ? OBJECT_FILE : OBJECT_DEVICE;
}

static void say_listing(struct walk *walk)
{
    struct listing listing = {.max = walk->z.files_n + 1};
    size_t stream = 0;
    for (size_t i = 0; i < walk->z.files_n; i++) {
        size_t len;
        const char *name = names_text(&walk->z.names, i, &len);
        uint64_t size = walk->z.files[i].has_stream ? walk->z.streams[stream++].size : 0;
        listing_add(&listing, name, len, size, kind_of(&walk->z.files[i]));
    }
    archive_list(walk->in, TYPE_SEVENZIP, &listing);
}

static bool deliver(struct walk *walk, size_t index, struct bytes *content)
{
    struct archive_view view;
    size_t len;
    const char *name = names_text(&walk->z.names, index, &len);
    enum object_kind kind = kind_of(&walk->z.files[index]);
    if (len > 0 || kind != OBJECT_DIRECTORY)
        (void)name_check(walk->in, name, len, walk->rule.names);
    uint32_t attributes = walk->z.files[index].attributes;
    if (kind == OBJECT_FILE)
        archive_privilege(walk->in, name, len, attributes & UNIX_EXTENSION ? attributes >> 16 : 0, false,
                          walk->rule.package);
    if (kind == OBJECT_FILE)
        return package_member(walk->in, &walk->rule, TYPE_SEVENZIP, name, len, content);
    archive_view_init(&view, walk->in, name, len);
    if (kind == OBJECT_SYMLINK && !name_link_inside(walk->in, name, len, content))
        inspect_find(&view.in, FINDING_ARCHIVE_LINK, "the member is a symbolic link");
    else if (kind == OBJECT_DEVICE)
        inspect_find(&view.in, FINDING_ARCHIVE_SPECIAL, NULL);
    return inspect_entries(walk->in, 1) && inspect_wants_more(walk->in);
}

/* The next member of the folder under way, into the hold. */
static bool member_content(struct walk *walk, struct peel *peel, struct archive_meter *meter,
                           const struct sevenzip_stream *s, struct bytes *content)
{
    struct archive_meter one = {.packed = UINT64_MAX, .member = true};
    uint32_t crc = 0;
    archive_hold_reset(&walk->hold);
    if (!archive_admits(walk->in, &one, s->size))
        return false;
    for (uint64_t left = s->size; left > 0;) {
        size_t step = left < READ_STEP ? (size_t)left : (size_t)READ_STEP;
        if (!archive_hold_room(&walk->hold, step)) {
            archive_hold_full(walk->in, 0);
            return false;
        }
        uint8_t *to = walk->hold.data + walk->hold.len;
        if (!folder_read(walk->in, peel, meter, to, step))
            return false;
        crc = (uint32_t)crc32(crc, to, (uInt)step);
        walk->hold.len += step;
        left -= step;
    }
    if (s->has_crc && crc != s->crc)
        return fault(walk->in, FINDING_ARCHIVE_CORRUPT, 0, "a member's CRC-32 is not that of its content");
    if (archive_hold_bytes(&walk->hold, content))
        return true;
    archive_hold_full(walk->in, 0);
    return false;
}

/* Members without content before `*index`, then the next one with content. False: stop. */
static bool empties(struct walk *walk, size_t *index)
{
    struct bytes none;
    bytes_init_memory(&none, NULL, 0);
    for (; *index < walk->z.files_n && !walk->z.files[*index].has_stream; ++*index)
        if (!deliver(walk, *index, &none))
            return false;
    return true;
}

static bool folder_members(struct walk *walk, size_t folder, uint64_t at, size_t *stream, size_t *index)
{
    const struct sevenzip_folder *f = &walk->z.folders[folder];
    struct archive_meter meter = {.packed = f->packed};
    struct peel peel;
    if (!folder_open(walk->in, f, at, &peel))
        return false;
    bool go_on = true;
    for (uint64_t s = 0; go_on && s < f->streams; s++) {
        struct bytes content;
        go_on = empties(walk, index) && member_content(walk, &peel, &meter, &walk->z.streams[*stream], &content);
        if (!go_on)
            break;
        go_on = deliver(walk, *index, &content);
        bytes_free(&content);
        ++*stream;
        ++*index;
    }
    go_on = go_on && folder_ended(walk->in, &peel);
    peel_close(&peel);
    return go_on;
}

static void members(struct walk *walk)
{
    uint64_t at = SEVENZIP_START;
    size_t stream = 0, index = 0;
    for (size_t i = 0; i < walk->z.folders_n; i++) {
        if (!folder_members(walk, i, at, &stream, &index))
            return;
        at += walk->z.folders[i].packed;
    }
    (void)empties(walk, &index);
}

/* Declared sizes first: a bomb is refused before it is lit. */
static bool sizes_admitted(struct walk *walk)
{
    uint64_t total = 0;
    for (size_t i = 0; i < walk->z.folders_n; i++) {
        const struct sevenzip_folder *f = &walk->z.folders[i];
        struct archive_meter one = {.packed = f->packed};
        if (!archive_admits(walk->in, &one, f->size))
            return false;
        total = f->size < UINT64_MAX - total ? total + f->size : UINT64_MAX;
    }
    struct archive_meter all = {.packed = UINT64_MAX};
    return archive_admits(walk->in, &all, total);
}

void archive_sevenzip(struct inspection *in)
{
    struct walk walk = {.in = in, .z = {.in = in}, .hold = {.budget = in->budget}};
    inspect_claim(in, TYPE_SEVENZIP, EVIDENCE_STRUCTURE);
    if (!type_set_has(in->admitted, TYPE_SEVENZIP))
        return;
    package_rule_plain(in, &walk.rule);
    if (headers(&walk)) {
        names_judge(&walk.z.names, in, walk.rule.names);
        say_listing(&walk);
        if (sizes_admitted(&walk))
            members(&walk);
    }
    archive_hold_free(&walk.hold);
    sevenzip_free(&walk.z);
}
