/* SPDX-License-Identifier: ISC
 * In a worker child: the tag reader. Hostile text; work is bounded by a multiple of the size, since a nested '<' makes
 * a stretch be read again. Invariant: every '<' in [offset, stop) is tried once as the start of a tag. */
#include "inspect/markup.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

struct markup *markup_new(struct bytes *bytes, uint64_t offset, uint64_t stop, bool xml)
{
    struct markup *m = malloc(sizeof(*m));
    if (!m)
        return NULL;
    /* The value buffer is large and written before it is read: leave it as it is. */
    memset(m, 0, offsetof(struct markup, value));
    scan_init(&m->scan, bytes, offset);
    m->xml = xml;
    m->stop = stop < bytes->size ? stop : bytes->size;
    m->resume = offset;
    m->work_max = MARKUP_WORK_FLOOR + MARKUP_WORK_FACTOR * (m->stop > offset ? m->stop - offset : 0);
    return m;
}

void markup_free(struct markup **m)
{
    free(*m);
    *m = NULL;
}

uint64_t markup_offset(const struct markup *m)
{
    return scan_offset(&m->scan);
}

void markup_forget(struct markup *m)
{
    scan_forget(&m->scan);
}

/* --- names --------------------------------------------------------------------------------------- */

static bool starts_name(const struct markup *m, int c)
{
    return ascii_letter(c) || c == 0 || (m->xml && (c == '_' || c == ':' || c >= 0x80));
}

/* A name as it is read. A cut one becomes a name that matches nothing. */
struct name {
    char text[MARKUP_NAME + 1];
    size_t len, local; /* where the part behind the last ':' starts */
    bool cut;
};

static void name_put(struct name *n, int c)
{
    if (n->len == MARKUP_NAME) {
        n->cut = true;
        return;
    }
    n->text[n->len++] = (char)ascii_lower(c);
    if (c == ':')
        n->local = n->len;
}

static void name_local(struct name *n, char *out)
{
    n->text[n->len] = '\0';
    if (n->cut)
        memcpy(out, "?", 2);
    else
        memcpy(out, n->text + n->local, n->len - n->local + 1);
}

static void read_tag_name(struct markup *m)
{
    struct name name;
    int c;
    name.len = name.local = 0;
    name.cut = false;
    while ((c = scan_peek(&m->scan)) >= 0 && !ascii_space(c) && c != '/' && c != '>') {
        if (c == '<' && m->nested == 0)
            m->nested = scan_offset(&m->scan);
        scan_next(&m->scan);
        if (c != 0) /* old readers drop it, new ones do not know the element then */
            name_put(&name, c);
    }
    name_local(&name, m->tag.name);
    size_t prefix = name.local > 0 ? name.local - 1 : 0;
    memcpy(m->tag.prefix, name.text, prefix);
    m->tag.prefix[prefix] = '\0';
}

/* Behind a comment, CDATA section or instruction whose '<' was read; false where none starts here. */
static bool pass_over(struct scan *s)
{
    static const struct {
        const char *start, *end;
    } parts[] = {{"!--", "-->"}, {"![CDATA[", "]]>"}, {"?", "?>"}};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (scan_starts(s, parts[i].start, false)) {
            scan_skip(s, strlen(parts[i].start));
            scan_past(s, parts[i].end);
            return true;
        }
    return false;
}

/* Moves to the next '<' that a name follows, its name unread. */
static bool find_candidate(struct markup *m)
{
    struct scan *s = &m->scan;
    scan_seek(s, m->resume);
    while (scan_offset(s) < m->stop && scan_peek(s) >= 0) {
        const uint8_t *hit = memchr(s->p, '<', (size_t)(s->end - s->p));
        if (!hit) {
            s->p = s->end;
            continue;
        }
        s->p = hit;
        m->tag.at = scan_offset(s);
        if (m->tag.at >= m->stop)
            return false;
        scan_next(s);
        if (m->exact && pass_over(s))
            continue;
        m->tag.closing = scan_peek(s) == '/';
        if (m->tag.closing)
            scan_next(s);
        if (starts_name(m, scan_peek(s)))
            return true;
        scan_seek(s, m->tag.at + 1);
    }
    return false;
}

/* Charges what was read of a tag and decides where the search goes on: behind it, or at a '<' inside it. */
static void leave_tag(struct markup *m)
{
    uint64_t here = scan_offset(&m->scan);
    m->work += here - m->tag.at;
    m->exhausted = m->exhausted || m->work > m->work_max;
    m->resume = m->nested ? m->nested : here;
    m->in_tag = false;
}

const struct markup_tag *markup_next(struct markup *m)
{
    if (m->in_tag)
        leave_tag(m);
    if (m->exhausted || !find_candidate(m))
        return NULL;
    m->in_tag = true;
    m->nested = 0;
    read_tag_name(m);
    return &m->tag;
}

/* --- attributes ---------------------------------------------------------------------------------- */

/* To the first byte of a name; false at the end of the tag, which is read with it. */
static bool skip_to_attribute(struct markup *m)
{
    int c;
    while ((c = scan_peek(&m->scan)) >= 0) {
        if (c == '>') {
            scan_next(&m->scan);
            return false;
        }
        if (!ascii_space(c) && c != '/')
            return true;
        scan_next(&m->scan);
    }
    return false;
}

static void read_attribute_name(struct markup *m)
{
    struct markup_attribute *a = &m->attribute;
    struct name name;
    bool first = true;
    int c;
    name.len = name.local = 0;
    name.cut = false;
    while ((c = scan_peek(&m->scan)) >= 0 && !ascii_space(c) && c != '/' && c != '>' && (c != '=' || first)) {
        if (c == '<' && m->nested == 0)
            m->nested = scan_offset(&m->scan);
        scan_next(&m->scan);
        first = false;
        if (c == 0 || (name.len == 0 && !ascii_letter(c) && !(m->xml && (c == '_' || c >= 0x80))))
            continue; /* quotes and the like before the name */
        name_put(&name, c);
    }
    name_local(&name, a->name);
    memcpy(a->full, name.text, name.len + 1);
}

/* Takes up to n bytes at p into the value and notes a '<' among them. */
static void take_value(struct markup *m, const uint8_t *p, size_t n)
{
    struct markup_attribute *a = &m->attribute;
    size_t room = MARKUP_VALUE - a->value_len, keep = n < room ? n : room;
    if (m->nested == 0) {
        const uint8_t *lt = memchr(p, '<', n);
        if (lt)
            m->nested = scan_offset(&m->scan) + (uint64_t)(lt - p);
    }
    memcpy(m->value + a->value_len, p, keep);
    a->value_len += keep;
    a->cut = a->cut || keep < n;
    m->scan.p += n;
}

static void read_quoted(struct markup *m, int quote)
{
    scan_next(&m->scan);
    while (scan_peek(&m->scan) >= 0) {
        size_t left = (size_t)(m->scan.end - m->scan.p);
        const uint8_t *end = memchr(m->scan.p, quote, left);
        take_value(m, m->scan.p, end ? (size_t)(end - m->scan.p) : left);
        if (end) {
            scan_next(&m->scan);
            return;
        }
    }
}

static void read_unquoted(struct markup *m)
{
    while (scan_peek(&m->scan) >= 0) {
        const uint8_t *p = m->scan.p;
        while (p < m->scan.end && !ascii_space(*p) && *p != '>')
            p++;
        bool ended = p < m->scan.end;
        take_value(m, m->scan.p, (size_t)(p - m->scan.p));
        if (ended)
            return;
    }
}

static void skip_space(struct markup *m)
{
    while (ascii_space(scan_peek(&m->scan)))
        scan_next(&m->scan);
}

const struct markup_attribute *markup_attribute(struct markup *m)
{
    struct markup_attribute *a = &m->attribute;
    if (!m->in_tag || !skip_to_attribute(m)) {
        if (m->in_tag)
            leave_tag(m);
        return NULL;
    }
    a->at = scan_offset(&m->scan);
    a->has_value = a->cut = a->bare = false;
    a->value = m->value;
    a->value_len = 0;
    read_attribute_name(m);
    skip_space(m);
    if (scan_peek(&m->scan) != '=')
        return a;
    scan_next(&m->scan);
    skip_space(m);
    a->has_value = true;
    int c = scan_peek(&m->scan);
    if (c == '"' || c == '\'')
        read_quoted(m, c);
    else if (c != '>')
        read_unquoted(m);
    a->bare = c != '"' && c != '\'';
    a->value_len = charref_decode(m->value, a->value_len);
    return a;
}
