/* SPDX-License-Identifier: ISC
 * The cpio walker: header after header to the trailer, then only NULs. Sums of the crc format are verified.
 * Worker child; two passes, so that nothing is looked into before the whole structure holds. */
#include "inspect/archive_cpio.h"

#include <string.h>

#include "inspect/archive_name.h"
#include "inspect/archive_package.h"

enum { NEWC_HEADER = 110, ODC_HEADER = 76, MODE_TYPE = 0170000 };
static const char trailer[] = "TRAILER!!!";

struct cpio_member {
    char name[PATH_BYTES + 1];
    size_t name_len; /* without the NUL */
    uint64_t mode, links, at, size, sum, next;
    bool summed, end;
    enum object_kind kind;
};

struct cpio_walk {
    struct inspection *in;
    struct names names;
    struct listing listing;
    struct package_rule rule;
};

static bool number(const uint8_t *p, size_t len, unsigned base, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < len; i++) {
        int c = p[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : base;
        if (digit >= base)
            return false;
        *out = *out * base + digit;
    }
    return true;
}

static bool fault(struct cpio_walk *walk, uint64_t at, enum finding_code code, const char *text)
{
    archive_find(walk->in, code, at, "%s", text);
    return false;
}

/* The fixed part: sizes are claims until the bytes are there. *unit: what headers and contents are aligned
 * to. */
static bool fixed(const uint8_t *h, struct cpio_member *m, uint64_t *name_size, uint64_t *unit, size_t *len)
{
    bool odc = memcmp(h, "070707", 6) == 0;
    *unit = odc ? 1 : 4;
    *len = odc ? ODC_HEADER : NEWC_HEADER;
    m->summed = memcmp(h, "070702", 6) == 0;
    if (odc)
        return number(h + 18, 6, 8, &m->mode) && number(h + 36, 6, 8, &m->links) &&
               number(h + 59, 6, 8, name_size) && number(h + 65, 11, 8, &m->size);
    return (m->summed || memcmp(h, "070701", 6) == 0) && number(h + 14, 8, 16, &m->mode) &&
           number(h + 38, 8, 16, &m->links) && number(h + 54, 8, 16, &m->size) &&
           number(h + 94, 8, 16, name_size) && number(h + 102, 8, 16, &m->sum);
}

static enum object_kind kind_of(uint64_t mode)
{
    static const struct {
        unsigned type;
        enum object_kind kind;
    } kinds[] = {{0100000, OBJECT_FILE}, {0040000, OBJECT_DIRECTORY}, {0120000, OBJECT_SYMLINK}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if ((mode & MODE_TYPE) == kinds[i].type)
            return kinds[i].kind;
    return OBJECT_DEVICE;
}

static uint64_t aligned(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool header(struct cpio_walk *walk, uint64_t at, struct cpio_member *m)
{
    struct bytes *bytes = walk->in->bytes;
    uint64_t name_size = 0, unit, left = bytes->size - at;
    size_t len;
    const uint8_t *p = bytes_at(bytes, at, left < NEWC_HEADER ? (size_t)left : (size_t)NEWC_HEADER);
    m->end = false;
    if (!p || left < ODC_HEADER || (left < NEWC_HEADER && memcmp(p, "070707", 6) != 0) ||
        !fixed(p, m, &name_size, &unit, &len))
        return fault(walk, at, FINDING_ARCHIVE_CORRUPT,
                     "a cpio header does not hold, or the archive is cut short");
    if (name_size < 2 || name_size > PATH_BYTES + 1)
        return fault(walk, at, FINDING_ARCHIVE_AMBIGUOUS, "a cpio member's name is empty or too long");
    if (!bytes_copy(bytes, at + len, m->name, (size_t)name_size))
        return fault(walk, at, FINDING_ARCHIVE_CORRUPT, "the cpio archive ends inside a name");
    m->name_len = (size_t)name_size - 1;
    if (memchr(m->name, 0, (size_t)name_size) != m->name + m->name_len)
        return fault(walk, at, FINDING_ARCHIVE_AMBIGUOUS,
                     "a cpio member's name does not end at its NUL byte");
    m->at = aligned(at + len + name_size, unit);
    m->next = aligned(m->at + m->size, unit);
    if (m->at > bytes->size || m->size > bytes->size - m->at)
        return fault(walk, at, FINDING_ARCHIVE_CORRUPT, "the cpio archive ends inside a member");
    if (!archive_zeros(bytes, at + len + name_size, m->at - (at + len + name_size)) ||
        (m->next <= bytes->size && !archive_zeros(bytes, m->at + m->size, m->next - (m->at + m->size))))
        return fault(walk, at, FINDING_ARCHIVE_AMBIGUOUS, "the padding of a cpio member is not NUL");
    m->kind = kind_of(m->mode);
    if (m->size > 0 && m->kind != OBJECT_FILE && m->kind != OBJECT_SYMLINK)
        return fault(walk, at, FINDING_ARCHIVE_AMBIGUOUS, "a cpio member that is no file has content");
    m->end = m->name_len == sizeof(trailer) - 1 && memcmp(m->name, trailer, m->name_len) == 0;
    return true;
}

static bool sum_holds(struct cpio_walk *walk, const struct cpio_member *m)
{
    uint32_t sum = 0;
    size_t n = 0;
    for (uint64_t done = 0; m->summed && done < m->size; done += n) {
        const uint8_t *p = bytes_chunk(walk->in->bytes, m->at + done, &n);
        if (!p || n == 0)
            return false;
        n = n < m->size - done ? n : (size_t)(m->size - done);
        for (size_t i = 0; i < n; i++)
            sum += p[i];
    }
    if (m->kind != OBJECT_FILE || !m->summed || sum == m->sum)
        return true;
    return fault(walk, m->at, FINDING_ARCHIVE_CORRUPT, "a cpio member's sum is not that of its content");
}

static enum name_kind name_kind(const struct cpio_member *m)
{
    if (m->kind == OBJECT_DIRECTORY)
        return NAME_DIRECTORY;
    return m->kind == OBJECT_FILE ? NAME_FILE : NAME_LINK;
}

/* First pass: everything but the contents. */
static bool survey(struct cpio_walk *walk)
{
    struct cpio_member m = {.end = false};
    uint64_t at = 0, size = walk->in->bytes->size;
    for (;; at = m.next) {
        if (at >= size)
            return fault(walk, at, FINDING_ARCHIVE_CORRUPT,
                         "the cpio archive has no trailer: it is cut short");
        if (!header(walk, at, &m))
            return false;
        if (m.end)
            break;
        const char *name = m.name;
        size_t len = m.name_len;
        name_trim(&name, &len);
        if (!archive_count(walk->in, walk->names.n + 1) || !sum_holds(walk, &m) ||
            !names_add(&walk->names, walk->in, name, len, name_kind(&m)))
            return false;
        listing_add(&walk->listing, name, len, m.size, m.kind);
    }
    if (m.size != 0 || (m.next < size && !archive_zeros(walk->in->bytes, m.next, size - m.next)))
        return fault(walk, m.at, FINDING_ARCHIVE_TRAILING_DATA, "bytes follow the cpio trailer");
    return true;
}

/* A link stores its target as content. */
static void judge_other(struct cpio_walk *walk, const struct cpio_member *m, const char *name, size_t len)
{
    struct archive_view view;
    struct bytes target;
    archive_view_init(&view, walk->in, name, len);
    if (m->kind == OBJECT_DEVICE)
        inspect_find(&view.in, FINDING_ARCHIVE_SPECIAL, NULL);
    else if (m->kind == OBJECT_FILE)
        inspect_find(&view.in, FINDING_ARCHIVE_LINK, "the member is a hard link");
    else if (m->kind == OBJECT_SYMLINK && bytes_init_slice(&target, walk->in->bytes, m->at, m->size)) {
        if (!name_link_inside(walk->in, name, len, &target))
            inspect_find(&view.in, FINDING_ARCHIVE_LINK, "the member is a symbolic link");
        bytes_free(&target);
    }
}

static bool deliver(struct cpio_walk *walk, const struct cpio_member *m)
{
    const char *name = m->name;
    size_t len = m->name_len;
    struct bytes content;
    name_trim(&name, &len);
    if (len > 0 || m->kind != OBJECT_DIRECTORY)
        (void)name_check(walk->in, name, len, walk->rule.names);
    if (m->kind != OBJECT_FILE || m->links > 1) {
        judge_other(walk, m, name, len);
        return inspect_entries(walk->in, 1);
    }
    if (!archive_stored(walk->in, &content, m->at, m->size))
        return false;
    archive_privilege(walk->in, name, len, m->mode, false, walk->rule.package);
    bool go_on = package_member(walk->in, &walk->rule, TYPE_CPIO, name, len, &content);
    bytes_free(&content);
    return go_on;
}

void archive_cpio(struct inspection *in)
{
    struct cpio_walk walk = {.in = in, .listing = {.max = inspect_entries_left(in)}};
    inspect_claim(in, TYPE_CPIO, EVIDENCE_STRUCTURE);
    package_rule_plain(in, &walk.rule);
    if (survey(&walk)) {
        struct cpio_member m;
        names_judge(&walk.names, in, walk.rule.names);
        archive_list(in, TYPE_CPIO, &walk.listing);
        for (uint64_t at = 0; header(&walk, at, &m) && !m.end; at = m.next)
            if (!deliver(&walk, &m) || !inspect_wants_more(in))
                break;
    }
    listing_free(&walk.listing);
    names_free(&walk.names);
}
