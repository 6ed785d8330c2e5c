/* SPDX-License-Identifier: ISC
 * Is this well-formed XML, as far as nesting goes? A state that survives the borders of windows; names, values, text and
 * sections are taken in stretches; open tags are kept as hashes. Runs in the confined child on hostile bytes. What the
 * document does is for the active scanners; here only its form counts. */
#include <string.h>

#include "base/limits.h"
#include "inspect/octet_run.h"
#include "inspect/type_text.h"

enum state {
    STATE_TEXT,
    STATE_OPEN,        /* behind '<' */
    STATE_NAME,        /* of a start tag */
    STATE_END_NAME,    /* of an end tag */
    STATE_END_SPACE,
    STATE_TAG,         /* between attributes */
    STATE_ATTRIBUTE,   /* in an attribute's name */
    STATE_EQUALS,      /* behind it */
    STATE_QUOTE,       /* a quote must come */
    STATE_VALUE,       /* in a quoted value */
    STATE_EMPTY,       /* behind '/', '>' must come */
    STATE_BANG,        /* behind "<!" */
    STATE_COMMENT, STATE_CDATA, STATE_PI,
    STATE_DOCTYPE,
    STATE_FAULT
};

struct xml {
    enum state state;
    uint32_t open[XML_NESTING_MAX]; /* hashes of the names of open tags */
    unsigned depth;
    uint32_t name;
    bool root;             /* a root was seen */
    bool spaced;           /* a blank stands before the next attribute */
    uint8_t quote;         /* of a value or inside a document type; 0: none */
    unsigned brackets;     /* inside a document type */
    char last[8];          /* the last bytes of a section, or what follows "<!" */
    unsigned last_n;
};

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_name(uint8_t c, bool first)
{
    enum { FIRST = 1, LATER = 2, BOTH = 3 };
    static const uint8_t in_names[256] = {['a' ... 'z'] = BOTH, ['A' ... 'Z'] = BOTH, ['_'] = BOTH,  [':'] = BOTH,
                                          [0x80 ... 0xFF] = BOTH, ['0' ... '9'] = LATER, ['-'] = LATER, ['.'] = LATER};
    return in_names[c] & (first ? FIRST : LATER);
}

#define NO_NAME 2166136261u /* where the hash starts (FNV-1a) */

static uint32_t hash(uint32_t h, uint8_t c)
{
    return (h ^ c) * 16777619u;
}

static void open_tag(struct xml *x)
{
    if (x->depth == XML_NESTING_MAX || (x->depth == 0 && x->root)) {
        x->state = STATE_FAULT;
        return;
    }
    x->root = true;
    x->open[x->depth++] = x->name;
    x->state = STATE_TEXT;
}

static void close_tag(struct xml *x)
{
    x->state = x->depth > 0 && x->open[x->depth - 1] == x->name ? STATE_TEXT : STATE_FAULT;
    if (x->state == STATE_TEXT)
        x->depth--;
}

static void in_open(struct xml *x, uint8_t c)
{
    x->name = NO_NAME;
    x->last_n = 0;
    if (c == '!') {
        x->state = STATE_BANG;
    } else if (c == '?') {
        x->state = STATE_PI;
    } else if (c == '/') {
        x->state = STATE_END_NAME;
    } else if (is_name(c, true)) {
        x->name = hash(x->name, c);
        x->state = STATE_NAME;
    } else {
        x->state = STATE_FAULT;
    }
}

/* Start tags, from their name to '>'. */
static void in_tag(struct xml *x, uint8_t c)
{
    bool space = is_space(c);
    if (x->state == STATE_EMPTY) {
        x->state = c == '>' ? STATE_TEXT : STATE_FAULT;
        if (c == '>') {
            open_tag(x);
            x->depth -= x->state == STATE_TEXT;
        }
    } else if (x->state == STATE_NAME && is_name(c, false)) {
        x->name = hash(x->name, c);
    } else if (c == '>') {
        open_tag(x);
    } else if (c == '/') {
        x->state = STATE_EMPTY;
    } else if (space) {
        x->state = STATE_TAG;
        x->spaced = true;
    } else if (x->state == STATE_TAG && x->spaced && is_name(c, true)) {
        x->state = STATE_ATTRIBUTE;
    } else {
        x->state = STATE_FAULT;
    }
}

static void in_attribute(struct xml *x, uint8_t c)
{
    if (x->state == STATE_ATTRIBUTE && is_name(c, false))
        return;
    if (x->state == STATE_VALUE) {
        x->state = c == x->quote ? STATE_TAG : c == '<' ? STATE_FAULT : STATE_VALUE;
        x->spaced = false;
    } else if (x->state == STATE_QUOTE) {
        x->quote = c;
        x->state = c == '"' || c == '\'' ? STATE_VALUE : is_space(c) ? STATE_QUOTE : STATE_FAULT;
    } else {
        x->state = c == '=' ? STATE_QUOTE : is_space(c) ? STATE_EQUALS : STATE_FAULT;
    }
}

static void in_end(struct xml *x, uint8_t c)
{
    if (x->state == STATE_END_NAME && is_name(c, x->name == NO_NAME))
        x->name = hash(x->name, c);
    else if (c == '>')
        close_tag(x);
    else
        x->state = is_space(c) ? STATE_END_SPACE : STATE_FAULT;
}

static void in_bang(struct xml *x, uint8_t c)
{
    x->last[x->last_n++] = (char)c;
    unsigned n = x->last_n;
    bool comment = n <= 2 && memcmp(x->last, "--", n) == 0;
    bool cdata = n <= 7 && memcmp(x->last, "[CDATA[", n) == 0;
    bool doctype = n <= 7 && memcmp(x->last, "DOCTYPE", n) == 0;
    if (comment && n == 2) {
        x->state = STATE_COMMENT;
        x->last_n = 0;
    } else if (cdata && n == 7) {
        x->state = x->depth > 0 ? STATE_CDATA : STATE_FAULT;
        x->last_n = 0;
    } else if (doctype && n == 7) {
        x->state = x->root ? STATE_FAULT : STATE_DOCTYPE;
        x->quote = 0;
        x->last_n = 0;
    } else if (!comment && !cdata && !doctype) {
        x->state = STATE_FAULT;
    }
}

static const char *section_end(const struct xml *x)
{
    return x->state == STATE_COMMENT ? "-->" : x->state == STATE_CDATA ? "]]>" : "?>";
}

static void leave_section(struct xml *x)
{
    x->last_n = 0;
    x->state = x->brackets > 0 ? STATE_DOCTYPE : STATE_TEXT;
}

/* Sections end with a fixed word; last_n counts how much of it was seen. */
static void in_section(struct xml *x, uint8_t c)
{
    const char *end = section_end(x);
    unsigned len = (unsigned)strlen(end);
    if ((char)c == end[x->last_n])
        x->last_n++;
    else if (!((char)c == end[0] && x->last_n == len - 1 && len == 3))
        x->last_n = (char)c == end[0];
    if (x->last_n < len)
        return;
    leave_section(x);
}

/* A document type: quotes, comments and instructions may hide its end. */
static void in_doctype(struct xml *x, uint8_t c)
{
    if (x->quote) {
        x->quote = c == x->quote ? 0 : x->quote;
        return;
    }
    x->last[0] = x->last[1];
    x->last[1] = x->last[2];
    x->last[2] = x->last[3];
    x->last[3] = (char)c;
    if (x->brackets > 0 && (memcmp(x->last, "<!--", 4) == 0 || memcmp(x->last + 2, "<?", 2) == 0)) {
        x->state = x->last[3] == '?' ? STATE_PI : STATE_COMMENT;
        x->last_n = 0;
        x->last[3] = 0;
    } else if (c == '"' || c == '\'') {
        x->quote = c;
    } else if (c == '[') {
        x->brackets++;
    } else if (c == ']' && x->brackets > 0) {
        x->brackets--;
    } else if (c == '>' && x->brackets == 0) {
        x->state = STATE_TEXT;
    }
}

static void in_text(struct xml *x, uint8_t c)
{
    if (c == '<')
        x->state = STATE_OPEN;
    else if (x->depth == 0 && !is_space(c))
        x->state = STATE_FAULT;
}

/* Where c is first in p, or len. */
static size_t place(const uint8_t *p, size_t len, uint8_t c)
{
    const uint8_t *hit = memchr(p, c, len);
    return hit ? (size_t)(hit - p) : len;
}

/* A name, into the hash. */
static size_t take_name(struct xml *x, const uint8_t *p, size_t len)
{
    uint32_t name = x->name;
    size_t i = 0;
    for (; i < len && is_name(p[i], false); i++)
        name = hash(name, p[i]);
    x->name = name;
    return i;
}

/* A whole tag's name from behind its '<', with what ends it; 0: the steps look at it. */
static size_t take_tag(struct xml *x, const uint8_t *p, size_t len)
{
    bool end = p[0] == '/';
    size_t i = end;
    if (i == len || !is_name(p[i], true))
        return 0;
    x->name = NO_NAME;
    i += take_name(x, p + i, len - i);
    x->state = end ? STATE_END_NAME : STATE_NAME;
    if (i == len || (p[i] != '>' && !is_space(p[i])))
        return i;
    if (p[i] != '>') {
        x->state = end ? STATE_END_SPACE : STATE_TAG;
        x->spaced = true;
    } else if (end) {
        close_tag(x);
    } else {
        open_tag(x);
    }
    return i + 1;
}

/* Attributes as most are written, whole ones alone. */
static size_t take_attributes(struct xml *x, const uint8_t *p, size_t len)
{
    for (size_t i = 0;;) {
        size_t at = i, value;
        while (at < len && is_space(p[at]))
            at++;
        if (at == len || (at == i && !x->spaced) || !is_name(p[at], true))
            return i;
        while (at < len && is_name(p[at], false))
            at++;
        if (len - at < 3 || p[at] != '=' || (p[at + 1] != '"' && p[at + 1] != '\''))
            return i;
        value = at + 2;
        value += octet_run_until(p + value, len - value, p[at + 1], '<');
        if (value == len || p[value] == '<')
            return i;
        x->spaced = false;
        i = value + 1;
    }
}

/* To behind a section's end, or as far as none can have begun. */
static size_t take_section(struct xml *x, const uint8_t *p, size_t len)
{
    const char *end = section_end(x);
    size_t n = strlen(end);
    const uint8_t *hit = octet_find(p, len, (const uint8_t *)end, n);
    if (!hit)
        return len < n ? 0 : len - (n - 1);
    leave_section(x);
    return (size_t)(hit - p) + n;
}

/* Bytes of a document type that neither end anything nor begin a comment, an instruction or a quote. */
static size_t take_doctype(struct xml *x, const uint8_t *p, size_t len)
{
    static const bool marks[256] = {['"'] = true, ['\''] = true, ['['] = true, [']'] = true, ['<'] = true,
                                    ['>'] = true, ['!'] = true,  ['-'] = true, ['?'] = true};
    size_t i = 0;
    if (x->quote)
        return place(p, len, x->quote);
    while (i < len && !marks[p[i]])
        i++;
    if (i > 0)
        memset(x->last, 0, sizeof(x->last));
    return i;
}

/* Bytes in one go: whole tags and attributes, or a stretch that cannot change the state. 0: a step is due. */
static size_t skip_plain(struct xml *x, const uint8_t *p, size_t len)
{
    size_t i = 0;
    if (x->state == STATE_TEXT)
        return x->depth > 0 ? place(p, len, '<') : 0;
    if (x->state == STATE_OPEN)
        return take_tag(x, p, len);
    if (x->state == STATE_TAG)
        return take_attributes(x, p, len);
    if (x->state == STATE_NAME || (x->state == STATE_END_NAME && x->name != NO_NAME))
        return take_name(x, p, len);
    if (x->state == STATE_VALUE)
        return place(p, place(p, len, x->quote), '<');
    if (x->state == STATE_ATTRIBUTE)
        while (i < len && is_name(p[i], false))
            i++;
    if (x->state >= STATE_COMMENT && x->state <= STATE_PI && x->last_n == 0)
        return take_section(x, p, len);
    if (x->state == STATE_DOCTYPE)
        return take_doctype(x, p, len);
    return i;
}

static void step(struct xml *x, uint8_t c)
{
    static void (*const rows[])(struct xml *, uint8_t) = {
        [STATE_TEXT] = in_text,       [STATE_OPEN] = in_open,      [STATE_NAME] = in_tag,
        [STATE_END_NAME] = in_end,    [STATE_END_SPACE] = in_end,  [STATE_TAG] = in_tag,
        [STATE_ATTRIBUTE] = in_attribute, [STATE_EQUALS] = in_attribute, [STATE_QUOTE] = in_attribute,
        [STATE_VALUE] = in_attribute, [STATE_EMPTY] = in_tag,      [STATE_BANG] = in_bang,
        [STATE_COMMENT] = in_section, [STATE_CDATA] = in_section,  [STATE_PI] = in_section,
        [STATE_DOCTYPE] = in_doctype,
    };
    rows[x->state](x, c);
}

struct xml_shape type_xml_shape(struct bytes *b)
{
    struct xml x = {.state = STATE_TEXT};
    uint64_t fault = b->size;
    size_t len = 0;
    for (uint64_t at = 0; at < b->size && x.state != STATE_FAULT; at += len) {
        const uint8_t *p = bytes_chunk(b, at, &len);
        size_t i = at == 0 && len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        while (i < len && x.state != STATE_FAULT) {
            size_t n = skip_plain(&x, p + i, len - i);
            i += n;
            if (n == 0)
                step(&x, p[i++]);
        }
        fault = x.state == STATE_FAULT ? at + i - 1 : fault;
    }
    bool valid = x.state == STATE_TEXT && x.root && x.depth == 0;
    return (struct xml_shape){valid, valid ? 1 : bytes_line(b, fault)};
}
