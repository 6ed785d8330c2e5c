/* SPDX-License-Identifier: ISC
 * In a worker child: the tag reader. Hostile text; work is bounded by a multiple of the size, since a nested '<' makes
 * a stretch be read again. Invariant: every '<' in [offset, stop) is tried once as the start of a tag. */
#include "inspect/markup.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/octet_run.h"

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

/* What most names are made of, in one go. The first byte is known to be one that names may start with. */
static void take_plain_name(struct scan *s, struct name *n)
{
    static const uint8_t plain[256] = {
        ['a'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
        ['A'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
        ['0'] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ['-'] = '-', ['_'] = '_', ['.'] = '.'};
    size_t left = (size_t)(s->end - s->p), most = left < MARKUP_NAME ? left : MARKUP_NAME, i = 0;
    for (; i < most && plain[s->p[i]]; i++)
        n->text[i] = (char)plain[s->p[i]];
    n->len = i;
    s->p += i;
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
    take_plain_name(&m->scan, &name);
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
        int c = scan_peek(s);
        if (m->exact && (c == '!' || c == '?') && pass_over(s))
            continue;
        m->tag.closing = c == '/';
        if (m->tag.closing)
            scan_next(s);
        if (!(m->tag.closing && m->openings) && starts_name(m, scan_peek(s)))
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
    struct scan *s = &m->scan;
    do {
        while (s->p < s->end && (ascii_space(*s->p) || *s->p == '/'))
            s->p++;
    } while (s->p == s->end && scan_fill(s));
    if (s->p == s->end)
        return false;
    bool ended = *s->p == '>';
    s->p += ended;
    return !ended;
}

static void read_attribute_name(struct markup *m)
{
    struct markup_attribute *a = &m->attribute;
    struct name name;
    bool first = true;
    int c;
    name.len = name.local = 0;
    name.cut = false;
    if (ascii_letter(scan_peek(&m->scan))) {
        take_plain_name(&m->scan, &name);
        first = false;
    }
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
    a->plain = a->plain && !(keep > 0 && memchr(p, '&', keep));
    a->value_len += keep;
    a->cut = a->cut || keep < n;
    m->scan.p += n;
}

/* The start of a value as far as nothing in it needs a look: neither its quote nor '<' nor '&'. */
static void take_plain_value(struct markup *m, uint8_t quote)
{
    const uint8_t *p = m->scan.p;
    size_t left = (size_t)(m->scan.end - p), most = left < MARKUP_VALUE ? left : MARKUP_VALUE, i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t word = get_le64(p + i), stop = octet_equal(word, quote) | octet_equal(word, '<') | octet_equal(word, '&');
        memcpy(m->value + i, p + i, 8);
        if (stop) {
            i += (size_t)__builtin_ctzll(stop) / 8;
            break;
        }
    }
    m->attribute.value_len = i;
    m->scan.p += i;
}

static void read_quoted(struct markup *m, int quote)
{
    scan_next(&m->scan);
    take_plain_value(m, (uint8_t)quote);
    while (scan_peek(&m->scan) >= 0) {
        size_t left = (size_t)(m->scan.end - m->scan.p);
        const uint8_t *end = *m->scan.p == quote ? m->scan.p : memchr(m->scan.p, quote, left);
        if (end != m->scan.p)
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
    struct scan *s = &m->scan;
    do {
        while (s->p < s->end && ascii_space(*s->p))
            s->p++;
    } while (s->p == s->end && scan_fill(s));
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
    a->plain = true;
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
    if (!a->plain)
        a->value_len = charref_decode(m->value, a->value_len);
    return a;
}
