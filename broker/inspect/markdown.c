/* SPDX-License-Identifier: ISC
 * In a worker child: hostile Markdown, by lines and brackets; no tree. */
#include "inspect/markdown.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "inspect/markup.h"

static const uint8_t *line_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return nl ? nl : end;
}

static bool is_blank(const uint8_t *p, const uint8_t *eol)
{
    while (p < eol && ascii_space(*p))
        p++;
    return p == eol;
}

/* A run of backticks or tildes that opens or closes code at the margin; n is 0 where there is none. */
struct fence {
    size_t n, indent;
    uint8_t mark;
    bool bare; /* nothing follows it: without that it closes none */
};

static struct fence fence_at(const uint8_t *p, const uint8_t *eol)
{
    struct fence f = {.n = 0};
    for (; p < eol && *p == ' ' && f.indent < 4; p++)
        f.indent++;
    if (p == eol || f.indent > 3 || (*p != '`' && *p != '~'))
        return f;
    f.mark = *p;
    for (; p < eol && *p == f.mark; p++)
        f.n++;
    f.bare = is_blank(p, eol);
    if (f.n < 3 || (f.mark == '`' && memchr(p, '`', (size_t)(eol - p))))
        f.n = 0; /* a span of code in one line */
    return f;
}

/* Past blanks and what begins lists and quotations. */
static const uint8_t *inside_containers(const uint8_t *p, const uint8_t *eol)
{
    while (p < eol && *p && strchr(" \t>-+*.)0123456789", *p))
        p++;
    return p;
}

/* The line that closes the fence, or NULL. *dips: a line before it stands further left, where a list would have ended. */
static uint8_t *closing_fence(uint8_t *from, uint8_t *end, const struct fence *open, bool *dips)
{
    *dips = false;
    for (uint8_t *p = from; p < end;) {
        uint8_t *eol = p + (line_end(p, end) - p), *text = p;
        struct fence f = fence_at(p, eol);
        while (text < eol && *text == ' ')
            text++;
        *dips = *dips || (!is_blank(text, eol) && (size_t)(text - p) < open->indent && *text != '\t');
        if (f.n >= open->n && f.mark == open->mark && f.bare)
            return p;
        p = eol + (eol < end);
    }
    return NULL;
}

/* What is left of the bound on looking for ends of code. At 0 no more code is blanked, so all that follows is looked at. */
static void spend(uint64_t *work, size_t n)
{
    *work = n < *work ? *work - n : 0;
}

static void blank(uint8_t *from, const uint8_t *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* Does a tag, a comment or the like begin here? */
static bool begins_tag(const uint8_t *p, const uint8_t *end)
{
    return end - p > 1 && p[0] == '<' && (ascii_letter(p[1]) || p[1] == '/' || p[1] == '!' || p[1] == '?');
}

/* Might [p, end) break off inside a tag? Backticks there are none. */
static bool breaks_tag(const uint8_t *p, const uint8_t *end)
{
    int quote = 0;
    for (bool tag = false;; p++) {
        if (!tag && !(p = p < end ? memchr(p, '<', (size_t)(end - p)) : NULL))
            return false;
        if (p == end)
            return true;
        if (!tag) {
            tag = begins_tag(p, end);
            if (tag && (p[1] == '!' || p[1] == '?'))
                return true;
        } else if (quote) {
            quote = *p == quote ? 0 : quote;
        } else if (*p == '>') {
            tag = false;
        } else {
            quote = *p == '"' || *p == '\'' ? *p : 0;
        }
    }
}

/* Behind the run of exactly n backticks that closes a span; NULL: none does. */
static uint8_t *span_end(uint8_t *p, const uint8_t *eol, size_t n)
{
    for (size_t run = 0; p < eol; p++) {
        run = *p == '`' ? run + 1 : 0;
        if (run == n && (p + 1 == eol || p[1] != '`'))
            return p + 1;
    }
    return NULL;
}

/* Code spans of one line. False: another reading of it pairs its backticks otherwise, with each other or with some of the
 * lines that follow. */
static bool blank_spans_of(uint8_t *p, uint8_t *eol)
{
    uint8_t *seen = p, *open, *close;
    while ((open = p < eol ? memchr(p, '`', (size_t)(eol - p)) : NULL) != NULL) {
        size_t escapes = 0;
        while (escapes < (size_t)(open - seen) && open[-1 - (ptrdiff_t)escapes] == '\\')
            escapes++;
        p = open + 1;
        if (escapes % 2 == 1)
            continue;
        if (breaks_tag(seen, open))
            return false;
        while (p < eol && *p == '`')
            p++;
        close = span_end(p, eol, (size_t)(p - open));
        if (!close || memchr(open, '|', (size_t)(close - open))) /* in a table a bar ends the cell */
            return false;
        blank(open, close);
        p = seen = close;
    }
    return !breaks_tag(seen, eol);
}

/* Does a list's item begin here, and with it a new text? */
static bool is_item(const uint8_t *p, const uint8_t *eol)
{
    size_t indent = 0;
    for (; p < eol && *p == ' ' && indent < 4; p++)
        indent++;
    return indent < 4 && eol - p > 1 && strchr("-+*", *p ? *p : 'x') && p[1] == ' ';
}

/* Only spans that end in their line: blocks end where this looks at none. */
static void blank_spans(uint8_t *p, uint8_t *end, uint64_t *work)
{
    for (bool clear = true; *work > 0 && p < end;) {
        uint8_t *eol = p + (line_end(p, end) - p);
        clear = clear || is_blank(p, eol) || is_item(p, eol);
        spend(work, (size_t)(eol - p));
        clear = clear && blank_spans_of(p, eol);
        p = eol + (eol < end);
    }
}

/* --- blocks -------------------------------------------------------------------------------------------------------- */

/* "<https://..." and "<a.person@example.org>" are links, no tags. */
static bool begins_html(const uint8_t *p, const uint8_t *eol)
{
    if (!begins_tag(p, eol))
        return false;
    for (p++; p < eol && (ascii_letter(*p) || ascii_digit(*p) || (*p && strchr("+.-_", *p))); p++)
        ;
    return p == eol || (*p != ':' && *p != '@');
}

/* Where HTML that begins a line ends: at its own mark, or at a blank line. */
static uint8_t *raw_end(const uint8_t *start, uint8_t *p, uint8_t *end)
{
    static const struct {
        const char *start, *end;
    } kinds[] = {{"<!--", "-->"},         {"<![cdata[", "]]>"},  {"<?", "?>"},          {"<!", ">"},
                 {"<script", "</script>"}, {"<style", "</style>"}, {"<pre", "</pre>"}, {"<textarea", "</textarea>"}};
    size_t left = (size_t)(end - start);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        size_t n = strlen(kinds[i].start), m = strlen(kinds[i].end);
        if (left < n || strncasecmp((const char *)start, kinds[i].start, n) != 0)
            continue;
        for (const uint8_t *q = start + n; (size_t)(end - q) >= m; q++)
            if (strncasecmp((const char *)q, kinds[i].end, m) == 0)
                return p + (line_end(q + m, end) - p);
        return end;
    }
    for (uint8_t *eol = p; p < end && !is_blank(p, eol = p + (line_end(p, end) - p));)
        p = eol + (eol < end);
    return p;
}

/* The walk over lines. Readers differ in where lists and HTML end: behind a fence that may be in one, a bare fence may open
 * or close code. One with a word behind it closes none, so that code follows in either case. */
struct code {
    uint8_t *plain, *end; /* text whose spans are still to be looked for; of all */
    uint64_t work;
    bool sure;
    bool open[2]; /* by mark: no fence closes one any more */
};

/* Returns the start of the line that comes next. */
static uint8_t *blank_fenced(struct code *c, uint8_t *p, uint8_t *eol, const struct fence *f)
{
    bool *hopeless = &c->open[f->mark == '~'], dips = false;
    uint8_t *next = eol + (eol < c->end), *close = NULL;
    if (f->bare && !c->sure)
        return next;
    if (!*hopeless)
        close = closing_fence(next, c->end, f, &dips);
    *hopeless = *hopeless || (f->n == 3 && !close);
    spend(&c->work, (size_t)((close ? close : c->end) - eol));
    c->sure = c->sure && close && !dips;
    if (!close || dips)
        return next;
    blank_spans(c->plain, p, &c->work);
    blank(p, close);
    eol = close + (line_end(close, c->end) - close);
    c->plain = eol;
    return eol + (eol < c->end);
}

static bool has_fence(const uint8_t *p, const uint8_t *end)
{
    for (const uint8_t *eol; p < end; p = eol + (eol < end)) {
        eol = line_end(p, end);
        p = inside_containers(p, eol);
        if (fence_at(p, eol).n > 0)
            return true;
    }
    return false;
}

/* A fence that is never closed runs to the end for a renderer; here it hides nothing. Returns the work that it was. */
static uint64_t blank_code(uint8_t *text, size_t len)
{
    const uint64_t most = MARKDOWN_WORK_FLOOR + MARKDOWN_WORK_FACTOR * (uint64_t)len;
    struct code c = {.plain = text, .end = text + len, .work = most, .sure = true};
    for (uint8_t *p = text, *eol; p < c.end && c.work > 0;) {
        eol = p + (line_end(p, c.end) - p);
        const uint8_t *inside = inside_containers(p, eol);
        struct fence f = fence_at(p, eol);
        if (f.n > 0) {
            p = blank_fenced(&c, p, eol, &f);
            continue;
        }
        if (begins_html(inside, eol)) {
            blank_spans(c.plain, p, &c.work);
            eol = raw_end(inside, p, c.end);
            c.sure = c.sure && !has_fence(p, eol); /* some of which may be none to a renderer */
            spend(&c.work, (size_t)(eol - p));
            c.plain = eol;
        }
        c.sure = c.sure && fence_at(inside, eol).n == 0;
        p = eol + (eol < c.end);
    }
    if (c.plain < c.end)
        blank_spans(c.plain, c.end, &c.work);
    return most - c.work;
}

/* --- indented code ------------------------------------------------------------------------------- */

static bool is_indented(const uint8_t *p, const uint8_t *eol)
{
    size_t n = 0;
    while (p < eol && n < 4 && *p == ' ')
        p++, n++;
    return n == 4 || (p < eol && *p == '\t');
}

/* Text or a heading. Anything else may be a list, note or quotation, where indented text is no code; "a." too. */
static bool is_plain(const uint8_t *p, const uint8_t *eol)
{
    const uint8_t *start = p;
    while (p < eol && *p == '#')
        p++;
    if (p > start)
        return p < eol && *p == ' ';
    while (p < eol && (ascii_letter(*p) || *p >= 0x80))
        p++;
    return p > start && (p == eol || (*p != '.' && *p != ')'));
}

/* HTML in which a blank line and an indented one are nothing special. */
static bool opens_raw(const uint8_t *p, const uint8_t *eol)
{
    static const char *const starts[] = {"<!", "<?", "<pre", "<script", "<style", "<textarea"};
    while ((p = p < eol ? memchr(p, '<', (size_t)(eol - p)) : NULL) != NULL) {
        for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
            size_t n = 0;
            while (starts[i][n] && p + n < eol && ascii_lower(p[n]) == starts[i][n])
                n++;
            if (!starts[i][n])
                return true;
        }
        p++;
    }
    return false;
}

/* Only what is code for every renderer: behind a blank line, below plain text at the margin, and not within raw HTML. */
static void blank_indented(uint8_t *text, size_t len)
{
    uint8_t *end = text + len;
    bool gap = true, plain = true, code = false, raw = false;
    for (uint8_t *p = text; p < end && !raw;) {
        uint8_t *eol = p + (line_end(p, end) - p);
        bool empty = is_blank(p, eol);
        if (!empty && is_indented(p, eol)) {
            code = plain && (gap || code);
            if (code)
                blank(p, eol);
        } else if (!empty) {
            code = false;
            plain = is_plain(p, eol) && (gap || plain);
        }
        raw = !code && opens_raw(p, eol);
        gap = empty;
        p = eol + (eol < end);
    }
}

/* --- links --------------------------------------------------------------------------------------- */

static void look_at_target(const struct page *page, const uint8_t *text, size_t len, uint64_t at, bool image)
{
    switch (weburl_classify(text, len)) {
    case WEBURL_OUTSIDE:
        if (image)
            page_act(page, ACT_LOAD, at);
        break;
    case WEBURL_SCRIPT:
        page_act(page, ACT_SCRIPT_URL, at);
        break;
    case WEBURL_SVG:
        if (!image)
            page_act(page, ACT_DOCUMENT_URL, at);
        break;
    case WEBURL_DOCUMENT:
        page_act(page, ACT_DOCUMENT_URL, at);
        break;
    case WEBURL_HANDLER:
        page_act(page, ACT_SCHEME, at);
        break;
    case WEBURL_FILE:
        page_act(page, image ? ACT_LOAD : ACT_FILE_LINK, at);
        break;
    case WEBURL_LOCAL:
    case WEBURL_PLAIN:
    case WEBURL_IMAGE:
        break;
    }
}

enum { LABEL_BYTES = 300 }; /* longer labels are none */

/* Open brackets on the way through a text; more than fit into a label never close as one. */
struct brackets {
    size_t n, at[LABEL_BYTES];
};

/* Goes on to the next ']'; len where there is none. *image: its bracket opened as one, "![", within LABEL_BYTES. */
static size_t next_bracket(struct brackets *open, const uint8_t *text, size_t len, size_t from, bool *image)
{
    *image = false;
    for (size_t i = from; i < len; i++) {
        if (text[i] == '[') {
            open->at[open->n % LABEL_BYTES] = i;
            open->n++;
        } else if (text[i] == ']') {
            size_t opened = open->n > 0 ? open->at[--open->n % LABEL_BYTES] : i;
            *image = opened < i && i - opened <= LABEL_BYTES && opened > 0 && text[opened - 1] == '!';
            return i;
        }
    }
    return len;
}

/* Is any image named by a label, "![..][label]" or "![label]"? Then every label's target may be one. */
static bool has_labelled_image(const uint8_t *text, size_t len)
{
    struct brackets open = {.n = 0};
    bool image;
    for (size_t i = next_bracket(&open, text, len, 0, &image); i < len; i = next_bracket(&open, text, len, i + 1, &image))
        if (image && (i + 1 == len || text[i + 1] != '('))
            return true;
    return false;
}

/* "[name]: target": nothing but a title or attributes follows, else it is prose for every renderer. */
static bool is_definition(const uint8_t *text, size_t len, size_t at)
{
    while (at < len && ascii_space(text[at]))
        at++;
    if (at < len && text[at] == '<')
        return true;
    while (at < len && !ascii_space(text[at]))
        at++;
    while (at < len && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at == len || text[at] == 0 || strchr("\r\n\"'({", text[at]);
}

static void look_at_link(const struct page *page, const uint8_t *text, size_t len, size_t at, bool image)
{
    uint8_t start[WEBURL_START];
    size_t n = 0;
    while (at < len && (ascii_space(text[at]) || text[at] == '<'))
        at++;
    for (; at < len && n < WEBURL_START && text[at] != ')' && !ascii_space(text[at]); at++) {
        bool escapes = text[at] == '\\' && at + 1 < len && text[at + 1] > ' ' && !ascii_letter(text[at + 1]) &&
                       !ascii_digit(text[at + 1]);
        at += escapes; /* the mark behind it is meant */
        start[n++] = text[at];
    }
    look_at_target(page, start, charref_decode(start, n), at, image);
}

/* "](target" and "]: target". */
static void look_at_links(const struct page *page, const uint8_t *text, size_t len)
{
    struct brackets open = {.n = 0};
    bool labelled = has_labelled_image(text, len), image;
    for (size_t i = next_bracket(&open, text, len, 0, &image); i + 2 < len;
         i = next_bracket(&open, text, len, i + 1, &image)) {
        if (text[i + 1] == '(')
            look_at_link(page, text, len, i + 2, image);
        else if (text[i + 1] == ':' && is_definition(text, len, i + 2))
            look_at_link(page, text, len, i + 2, labelled);
    }
}

/* "<scheme:target>" is a link of any scheme. */
static void look_at_autolinks(const struct page *page, const uint8_t *text, size_t len)
{
    const uint8_t *p = text, *end = text + len;
    while (p < end && (p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        size_t n = 0, left = (size_t)(end - ++p);
        while (n < left && (ascii_letter(p[n]) || ascii_digit(p[n]) || (p[n] && strchr("+.-", p[n]))))
            n++;
        if (n >= 2 && n < left && p[n] == ':')
            look_at_target(page, p, left < WEBURL_START ? left : WEBURL_START, (uint64_t)(p - text), false);
    }
}

enum page_context markdown_context(const struct inspection *in)
{
    enum page_context context = page_context_of(in);
    return context == PAGE_STATIC ? PAGE_PROSE : context;
}

void markdown_examine(const struct page *page, uint8_t *text, size_t len)
{
    struct bytes bytes;
    for (size_t i = 0; i < len; i++) /* a carriage return alone ends a line, too */
        if (text[i] == '\r' && (i + 1 == len || text[i + 1] != '\n'))
            text[i] = '\n';
    page->tally->in->budget->work += blank_code(text, len);
    blank_indented(text, len);
    bytes_init_memory(&bytes, text, len);
    page_examine(page, &bytes);
    look_at_links(page, text, len);
    look_at_autolinks(page, text, len);
}
