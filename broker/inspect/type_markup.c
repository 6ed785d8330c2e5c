/* SPDX-License-Identifier: ISC
 * How markup starts. Browsers decide on the first tag, so this looks where they look: at the first byte that is not
 * blank, and behind comments, instructions and a document type. Pure; hostile bytes.
 * Invariant: a start that cannot be read to its end gives no root, which bears nothing out. */
#include <ctype.h>
#include <string.h>

#include "inspect/type_text.h"

static size_t skip_space(const uint8_t *p, size_t len, size_t at)
{
    while (at < len && (isspace(p[at]) || p[at] == 0))
        at++;
    return at;
}

static bool starts(const uint8_t *p, size_t len, size_t at, const char *word)
{
    size_t n = strlen(word);
    if (len - at < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (tolower(p[at + i]) != word[i])
            return false;
    return true;
}

/* Behind the next `end`, or len. */
static size_t behind(const uint8_t *p, size_t len, size_t at, const char *end)
{
    size_t n = strlen(end);
    for (; at + n <= len; at++)
        if (memcmp(p + at, end, n) == 0)
            return at + n;
    return len;
}

/* A document type with its internal subset. */
static size_t behind_doctype(const uint8_t *p, size_t len, size_t at)
{
    uint8_t quote = 0;
    unsigned brackets = 0;
    for (; at < len; at++) {
        if (quote) {
            quote = p[at] == quote ? 0 : quote;
        } else if (p[at] == '"' || p[at] == '\'') {
            quote = p[at];
        } else if (p[at] == '[') {
            brackets++;
        } else if (p[at] == ']' && brackets > 0) {
            brackets--;
        } else if (p[at] == '>' && brackets == 0) {
            return at + 1;
        }
    }
    return len;
}

static void take_name(const uint8_t *p, size_t len, size_t at, struct markup_start *start)
{
    size_t n = 0;
    for (; at < len && !isspace(p[at]) && p[at] != '>' && p[at] != '/'; at++) {
        if (p[at] == ':' && n < sizeof(start->prefix)) {
            memcpy(start->prefix, start->root, n);
            start->prefix[n] = 0;
            n = 0;
        } else if (n + 1 < sizeof(start->root)) {
            start->root[n++] = (char)tolower(p[at]);
        }
    }
    start->root[at < len ? n : 0] = 0;
}

struct markup_start type_markup_start(const uint8_t *p, size_t len)
{
    struct markup_start start = {.markup = false};
    size_t at = len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    start.xml = starts(p, len, at, "<?xml") && at + 5 < len && isspace(p[at + 5]);
    at = skip_space(p, len, at);
    start.markup = at < len && p[at] == '<';
    while (at + 1 < len && p[at] == '<') {
        if (starts(p, len, at, "<!--"))
            at = behind(p, len, at + 2, "-->");
        else if (p[at + 1] == '?')
            at = behind(p, len, at, start.xml ? "?>" : ">");
        else if (starts(p, len, at, "<!doctype")) {
            size_t name = skip_space(p, len, at + 9);
            start.doctype_html = start.doctype_html || starts(p, len, name, "html");
            at = behind_doctype(p, len, at + 9);
        } else {
            if (isalpha(p[at + 1]) || p[at + 1] == '_')
                take_name(p, len, at + 1, &start);
            break;
        }
        at = skip_space(p, len, at);
    }
    return start;
}

/* What makes a browser take unlabelled text for a page (WHATWG MIME sniffing, 7.1), and what acts by its nature. A text
 * that starts with another tag is a fragment: it is looked through, and may be text. */
bool type_markup_is_html(const char *root)
{
    static const char *const names[] = {
        "html",  "head",   "body",   "script", "iframe",   "h1",    "div",      "font",     "table",   "a",
        "style", "title",  "b",      "br",     "p",        "meta",  "link",     "base",     "form",    "input",
        "button", "object", "embed", "applet", "frameset", "frame", "noscript", "template", "marquee", "math",
        "dialog"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(root, names[i]) == 0)
            return true;
    return false;
}
