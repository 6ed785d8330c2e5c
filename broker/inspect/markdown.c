/* SPDX-License-Identifier: ISC
 * In a worker child: hostile Markdown, by lines and brackets; no tree. */
#include "inspect/markdown.h"

#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/markup.h"

static const uint8_t *line_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return nl ? nl : end;
}

/* Length of a fence at the start of this line, 0 where there is none; *mark is its character. */
static size_t fence(const uint8_t *p, const uint8_t *end, uint8_t *mark)
{
    size_t indent = 0, n = 0;
    while (p < end && *p == ' ' && indent < 4)
        p++, indent++;
    if (p == end || indent > 3 || (*p != '`' && *p != '~'))
        return 0;
    *mark = *p;
    while (p < end && *p == *mark)
        p++, n++;
    if (*mark == '`' && p < end && memchr(p, '`', (size_t)(end - p)))
        return 0; /* a span of code in one line */
    return n >= 3 ? n : 0;
}

/* Start of the line that closes the fence, or NULL. */
static uint8_t *closing_fence(uint8_t *from, uint8_t *end, uint8_t mark, size_t n)
{
    for (uint8_t *p = from; p < end;) {
        uint8_t *eol = p + (line_end(p, end) - p), other = 0;
        size_t m = fence(p, eol, &other);
        if (m >= n && other == mark)
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

enum { SPAN_BYTES = 16 * 1024 }; /* longer spans are looked at as text */

/* Code spans: a run of backticks up to a run of the same length, within one block of text. */
static void blank_spans(uint8_t *p, uint8_t *end, uint64_t *work)
{
    while (*work > 0 && p < end && (p = memchr(p, '`', (size_t)(end - p))) != NULL) {
        uint8_t *open = p, *close;
        while (p < end && *p == '`')
            p++;
        size_t n = (size_t)(p - open), run = 0;
        const uint8_t *stop = end - p > SPAN_BYTES ? p + SPAN_BYTES : end;
        for (close = p; close < stop && !(close[0] == '\n' && close + 1 < end && close[1] == '\n'); close++) {
            run = *close == '`' ? run + 1 : 0;
            if (run == n && (close + 1 == end || close[1] != '`') && close[-(ptrdiff_t)run] != '`')
                break;
        }
        spend(work, (size_t)(close - p));
        if (close < stop && *close == '`') {
            blank(open, close + 1);
            p = close + 1;
        }
    }
}

/* A fence that is never closed runs to the end for a renderer; here it hides nothing. One that could not be closed is
 * remembered per mark, so that many open fences do not mean many searches. Returns the work that it was. */
static uint64_t blank_code(uint8_t *text, size_t len)
{
    uint8_t *end = text + len, *plain = text;
    const uint64_t most = MARKDOWN_WORK_FLOOR + MARKDOWN_WORK_FACTOR * (uint64_t)len;
    uint64_t work = most;
    bool open[2] = {false, false};
    for (uint8_t *p = text; p < end && work > 0;) {
        uint8_t *eol = p + (line_end(p, end) - p), mark = 0;
        size_t n = fence(p, eol, &mark);
        bool *hopeless = &open[mark == '~'];
        uint8_t *close = n > 0 && !*hopeless ? closing_fence(eol, end, mark, n) : NULL;
        *hopeless = *hopeless || (n == 3 && !close);
        if (n > 0 && !close)
            spend(&work, (size_t)(end - eol));
        if (close) {
            blank_spans(plain, p, &work);
            blank(p, close);
            eol = close + (line_end(close, end) - close);
            plain = eol;
        }
        p = eol + (eol < end);
    }
    blank_spans(plain, end, &work);
    return most - work;
}

/* --- indented code ------------------------------------------------------------------------------- */

static bool is_blank(const uint8_t *p, const uint8_t *eol)
{
    while (p < eol && ascii_space(*p))
        p++;
    return p == eol;
}

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
    case WEBURL_SVG:
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

static void look_at_link(const struct page *page, const uint8_t *text, size_t len, size_t at, bool image)
{
    uint8_t start[WEBURL_START];
    size_t n = 0;
    while (at < len && (ascii_space(text[at]) || text[at] == '<'))
        at++;
    while (at + n < len && n < WEBURL_START && text[at + n] != ')' && !ascii_space(text[at + n])) {
        start[n] = text[at + n];
        n++;
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
        else if (text[i + 1] == ':')
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
    page->tally->in->budget->work += blank_code(text, len);
    blank_indented(text, len);
    bytes_init_memory(&bytes, text, len);
    page_examine(page, &bytes);
    look_at_links(page, text, len);
    look_at_autolinks(page, text, len);
}
