/* SPDX-License-Identifier: ISC
 * Bounds of unpacking, and findings with a place. Worker child; every bound that is
 * passed is said with its key and value, and the container is given up. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/archive.h"

void archive_find(struct inspection *in, enum finding_code code, uint64_t at, const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    inspect_find_at(in, code, finding_default_level(code), at, 0, text);
}

void archive_view_init(struct archive_view *view, const struct inspection *in, const char *name, size_t len)
{
    size_t used = 0;
    view->in = *in;
    if (in->member) {
        used = strnlen(in->member, MEMBER_BYTES - 1);
        memcpy(view->member, in->member, used);
        view->member[used++] = '!';
    }
    size_t take = len < MEMBER_BYTES - used ? len : MEMBER_BYTES - used;
    for (size_t i = 0; i < take; i++) /* a NUL would cut the path short */
        view->member[used + i] = name[i] ? name[i] : '?';
    view->member[used + take] = 0;
    view->in.member = view->member;
}

enum { MODE_SETID = 06000 };

void archive_privilege(struct inspection *in, const char *name, size_t len, uint64_t mode, bool capability, bool package)
{
    struct archive_view view;
    if (!(mode & MODE_SETID) && !capability)
        return;
    archive_view_init(&view, in, name, len);
    inspect_find_at(&view.in, FINDING_ARCHIVE_SPECIAL, package ? LEVEL_NOTE : LEVEL_WARN, 0, 0,
                    capability ? "the member carries file capabilities, which root would restore"
                               : "the member is set-user-ID or set-group-ID, which root would restore");
}

bool archive_zeros(struct bytes *bytes, uint64_t at, uint64_t len)
{
    while (len > 0) {
        size_t n;
        const uint8_t *p = bytes_chunk(bytes, at, &n);
        if (!p || n == 0)
            return false;
        if (n > len)
            n = (size_t)len;
        if (p[0] || memcmp(p, p + 1, n - 1) != 0)
            return false;
        at += n;
        len -= n;
    }
    return true;
}

/* Has `out` bytes passed ratio times the packed size? Only asked above the floor. */
static bool over_ratio(const struct inspection *in, uint64_t packed, uint64_t out)
{
    uint64_t ratio = in->inside.ratio;
    if (out <= RATIO_FLOOR || (packed > 0 && ratio > UINT64_MAX / packed))
        return false;
    return out > packed * ratio;
}

/* All that came of the file at every depth, against the file itself: many members below the floor, or layers of which
 * each keeps to its ratio, are a bomb together. */
static bool over_ratio_together(const struct inspection *in, uint64_t more)
{
    const struct inspection *file = in;
    while (file->parent)
        file = file->parent;
    uint64_t spent = in->budget->unpacked, all = more <= UINT64_MAX - spent ? spent + more : UINT64_MAX;
    return all > RATIO_FLOOR_ALL && all / (in->inside.ratio ? in->inside.ratio : 1) > file->bytes->size;
}

bool archive_admits(struct inspection *in, const struct archive_meter *meter, uint64_t more)
{
    const struct inside *inside = &in->inside;
    uint64_t spent = in->budget->unpacked;
    uint64_t out = more <= UINT64_MAX - meter->out ? meter->out + more : UINT64_MAX;
    if (meter->member && out > inside->member)
        archive_find(in, FINDING_ARCHIVE_UNPACKED, 0,
                     "a member is larger than `inside: member` admits (%" PRIu64 " bytes)", inside->member);
    else if (spent > inside->unpacked || more > inside->unpacked - spent)
        archive_find(in, FINDING_ARCHIVE_UNPACKED, 0,
                     "it unpacks to more than `inside: unpacked` admits (%" PRIu64 " bytes)",
                     inside->unpacked);
    else if (over_ratio(in, meter->packed, out))
        archive_find(in, FINDING_ARCHIVE_RATIO, 0,
                     "%" PRIu64 " bytes unpack to more than `inside: ratio` admits (%" PRIu64
                     " to one, above 1 MiB)",
                     meter->packed, inside->ratio);
    else if (over_ratio_together(in, more))
        archive_find(in, FINDING_ARCHIVE_RATIO, 0,
                     "the file unpacks to more than `inside: ratio` admits of all its members (%" PRIu64
                     " to one, above 64 MiB)",
                     inside->ratio);
    else
        return true;
    return false;
}

bool archive_spend(struct inspection *in, struct archive_meter *meter, uint64_t more)
{
    if (!archive_admits(in, meter, more))
        return false;
    meter->out += more;
    in->budget->unpacked += more;
    return true;
}

bool archive_stored(struct inspection *in, struct bytes *content, uint64_t at, uint64_t size)
{
    bool spent = in->depth > 0;
    struct archive_meter meter = {.packed = UINT64_MAX, .out = spent ? size : 0, .member = true};
    return archive_spend(in, &meter, spent ? 0 : size) && bytes_init_slice(content, in->bytes, at, size);
}

void archive_list(struct inspection *in, enum type container, struct listing *listing)
{
    uint8_t digest[SHA256_SIZE];
    uint64_t count;
    if (listing_finish(listing, digest, &count))
        inspect_listing(in, container, digest, count);
    listing_free(listing);
}

bool archive_count(struct inspection *in, uint64_t entries)
{
    if (entries <= inspect_entries_left(in))
        return true;
    archive_find(in, FINDING_ARCHIVE_ENTRIES, 0, "more members than `inside: entries` admits (%" PRIu64 ")",
                 in->inside.entries);
    return false;
}
