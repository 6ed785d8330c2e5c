/* SPDX-License-Identifier: ISC
 * The ar walker: 60-byte headers, members at even offsets, GNU's and BSD's long names, nothing left over.
 * Worker child. */
#include "inspect/archive_ar.h"

#include <inttypes.h>
#include <string.h>

#include "inspect/archive_name.h"
#include "inspect/archive_package.h"

enum {
    AR_MAGIC = 8,
    AR_HEADER = 60,
    AR_NAME = 16,
    AR_SIZE_AT = 48,
    AR_SIZE_LEN = 10,
    AR_END_AT = 58,
    AR_MODE_AT = 40
};

struct ar_member {
    char name[256];
    size_t name_len;
    uint64_t at, size; /* of the content */
    uint64_t next;
    uint64_t mode;
    bool table; /* symbol or name table, no member */
};

struct ar_walk {
    struct inspection *in;
    uint64_t names_at, names_size; /* GNU's table of long names */
    bool library;                  /* it has a symbol table */
    struct names names;
    struct listing listing;
};

static bool number(const uint8_t *p, size_t len, unsigned base, uint64_t *out)
{
    size_t i = 0;
    *out = 0;
    for (; i < len && p[i] >= '0' && p[i] < (uint8_t)('0' + base); i++)
        *out = *out * base + (uint64_t)(p[i] - '0');
    bool digits = i > 0;
    for (; i < len; i++)
        if (p[i] != ' ')
            return false;
    return digits;
}

static bool fault(struct ar_walk *walk, uint64_t at, enum finding_code code, const char *text)
{
    archive_find(walk->in, code, at, "%s", text);
    return false;
}

static bool set_name(struct ar_member *m, const uint8_t *p, size_t len)
{
    if (len == 0 || len >= sizeof(m->name))
        return false;
    memcpy(m->name, p, len);
    m->name[len] = 0;
    m->name_len = len;
    return true;
}

/* "/123": a name in the table, ended by "/\n". */
static bool gnu_name(struct ar_walk *walk, struct ar_member *m, uint64_t offset)
{
    uint64_t left = offset < walk->names_size ? walk->names_size - offset : 0;
    size_t n = left < sizeof(m->name) ? (size_t)left : sizeof(m->name);
    const uint8_t *p = n ? bytes_at(walk->in->bytes, walk->names_at + offset, n) : NULL;
    const uint8_t *end = p ? memchr(p, '\n', n) : NULL;
    size_t len = end ? (size_t)(end - p) : 0;
    if (len > 1 && p[len - 1] == '/')
        len--;
    return set_name(m, p, len);
}

/* "#1/20": the name stands before the content, NUL-padded. */
static bool bsd_name(struct ar_walk *walk, struct ar_member *m, uint64_t len)
{
    const uint8_t *p =
        len <= m->size && len < sizeof(m->name) ? bytes_at(walk->in->bytes, m->at, (size_t)len) : NULL;
    if (!p || !set_name(m, p, strnlen((const char *)p, (size_t)len)))
        return false;
    m->at += len;
    m->size -= len;
    m->table = strcmp(m->name, "__.SYMDEF") == 0 || strcmp(m->name, "__.SYMDEF SORTED") == 0;
    walk->library = walk->library || m->table;
    return true;
}

static bool name_of(struct ar_walk *walk, struct ar_member *m, const uint8_t field[AR_NAME])
{
    size_t len = AR_NAME;
    uint64_t n;
    while (len > 0 && field[len - 1] == ' ')
        len--;
    if (len >= 1 && field[0] == '/' && (len == 1 || (len == 7 && memcmp(field, "/SYM64/", 7) == 0))) {
        m->table = walk->library = true;
        return true;
    }
    if (len == 2 && memcmp(field, "//", 2) == 0) {
        m->table = true;
        walk->names_at = m->at;
        walk->names_size = m->size;
        return true;
    }
    if (len > 1 && field[0] == '/')
        return number(field + 1, AR_NAME - 1, 10, &n) && gnu_name(walk, m, n);
    if (len > 3 && memcmp(field, "#1/", 3) == 0)
        return number(field + 3, AR_NAME - 3, 10, &n) && bsd_name(walk, m, n);
    if (len > 1 && field[len - 1] == '/')
        len--;
    return set_name(m, field, len);
}

static bool header(struct ar_walk *walk, uint64_t at, struct ar_member *m)
{
    struct bytes *bytes = walk->in->bytes;
    const uint8_t *p = bytes_at(bytes, at, AR_HEADER);
    uint8_t h[AR_HEADER];
    *m = (struct ar_member){0};
    if (!p)
        return fault(walk, at, FINDING_ARCHIVE_CORRUPT, "the ar archive ends inside a header");
    memcpy(h, p, sizeof(h));
    if (h[AR_END_AT] != '`' || h[AR_END_AT + 1] != '\n' || !number(h + AR_SIZE_AT, AR_SIZE_LEN, 10, &m->size))
        return fault(walk, at, FINDING_ARCHIVE_CORRUPT, "an ar header does not hold");
    m->at = at + AR_HEADER;
    if (m->size > bytes->size - m->at)
        return fault(walk, at, FINDING_ARCHIVE_CORRUPT, "the ar archive ends inside a member");
    m->next = m->at + m->size;
    if (!number(h + AR_MODE_AT, 8, 8, &m->mode))
        m->mode = 0;
    if (!name_of(walk, m, h))
        return fault(walk, at, FINDING_ARCHIVE_AMBIGUOUS, "an ar member's name does not hold");
    if (m->next & 1 && m->next < bytes->size) {
        p = bytes_at(bytes, m->next, 1);
        if (!p || (*p != '\n' && *p != 0))
            return fault(walk, at, FINDING_ARCHIVE_AMBIGUOUS,
                         "the padding behind an ar member is not a newline");
        m->next++;
    }
    return true;
}

/* First pass: every header, every name. */
static bool list(struct ar_walk *walk)
{
    struct ar_member m;
    for (uint64_t at = AR_MAGIC; at < walk->in->bytes->size; at = m.next) {
        if (!header(walk, at, &m))
            return false;
        if (m.table)
            continue;
        if (!archive_count(walk->in, walk->names.n + 1) ||
            !names_add(&walk->names, walk->in, m.name, m.name_len, NAME_FILE))
            return false;
        listing_add(&walk->listing, m.name, m.name_len, m.size, OBJECT_FILE);
    }
    return true;
}

/* deb(5): "debian-binary" first, then control.tar and data.tar. */
static bool is_deb(const struct names *names)
{
    size_t len;
    const char *first = names->n >= 3 ? names_text(names, 0, &len) : NULL;
    if (!first || len != 13 || memcmp(first, "debian-binary", 13) != 0)
        return false;
    unsigned seen = 0;
    for (size_t i = 1; i < names->n; i++) {
        const char *name = names_text(names, i, &len);
        seen |= len >= 11 && memcmp(name, "control.tar", 11) == 0 ? 1u : 0;
        seen |= len >= 8 && memcmp(name, "data.tar", 8) == 0 ? 2u : 0;
    }
    return seen == 3;
}

static void deliver(struct ar_walk *walk, const struct package_rule *rule, enum type package)
{
    struct ar_member m;
    for (uint64_t at = AR_MAGIC; at < walk->in->bytes->size; at = m.next) {
        struct bytes content;
        if (!header(walk, at, &m))
            return;
        if (m.table)
            continue;
        (void)name_check(walk->in, m.name, m.name_len, rule->names);
        if (!archive_stored(walk->in, &content, m.at, m.size))
            return;
        bool go_on = package_member(walk->in, rule, package, m.name, m.name_len, &content);
        bytes_free(&content);
        if (!go_on)
            return;
    }
}

void archive_ar(struct inspection *in)
{
    struct ar_walk walk = {.in = in, .listing = {.max = inspect_entries_left(in)}};
    struct package_rule rule;
    inspect_claim(in, TYPE_AR, EVIDENCE_STRUCTURE);
    if (list(&walk)) {
        bool deb = is_deb(&walk.names);
        package_rule_plain(in, &rule);
        if (deb) {
            inspect_claim(in, TYPE_DEB, EVIDENCE_STRUCTURE);
            package_rule_of(in, TYPE_DEB, &rule);
        }
        names_judge(&walk.names, in, walk.library ? NAMES_OF_LIBRARY : rule.names);
        archive_list(in, TYPE_AR, &walk.listing);
        deliver(&walk, &rule, deb ? TYPE_DEB : TYPE_AR);
    }
    listing_free(&walk.listing);
    names_free(&walk.names);
}
