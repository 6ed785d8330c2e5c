/* SPDX-License-Identifier: ISC
 * In a worker child: hostile formulas. Texts in quotes are blanked first: what a formula shows is not what it does. A link
 * to a fixed address passes, as links do elsewhere; one that is put together can carry cells away. */
#include "inspect/office_formula.h"

#include <string.h>

#include "inspect/scan.h"
#include "inspect/weburl.h"

/* Functions by name; they count in front of '('. */
static const char *const functions[] = {"webservice", "dde",       "rtd",        "call",        "register",  "register.id",
                                        "exec",       "execute",   "fopen",      "image",       "importxml", "importdata",
                                        "importhtml", "importfeed", "importrange", "sql.request", "initiate",  "poke"};

/* Where the function stands in [from, end), behind its '('; NULL: nowhere. */
static const uint8_t *find_call(const uint8_t *text, const uint8_t *from, const uint8_t *end, const char *name)
{
    size_t n = strlen(name);
    while ((size_t)(end - from) >= n && (from = memmem(from, (size_t)(end - from), name, n)) != NULL) {
        const uint8_t *after = from + n;
        bool begins = from == text || !(ascii_letter(from[-1]) || ascii_digit(from[-1]));
        while (after < end && ascii_space(*after))
            after++;
        if (begins && after < end && *after == '(')
            return after + 1;
        from++;
    }
    return NULL;
}

/* Is the first argument one text in quotes, and an address that only leads somewhere? */
static bool fixed_link(const uint8_t *p, const uint8_t *end)
{
    while (p < end && ascii_space(*p))
        p++;
    const uint8_t *close = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p) - 1) : NULL;
    if (!close)
        return false;
    const uint8_t *next = close + 1;
    while (next < end && ascii_space(*next))
        next++;
    if (next < end && !strchr(",;)", *next))
        return false;
    enum weburl kind = weburl_classify(p + 1, (size_t)(close - p) - 1);
    return kind == WEBURL_LOCAL || kind == WEBURL_OUTSIDE || kind == WEBURL_PLAIN;
}

static bool links_follow(const uint8_t *text, const uint8_t *end)
{
    for (const uint8_t *p = text; (p = find_call(text, p, end, "hyperlink")) != NULL;)
        if (!fixed_link(p, end))
            return true;
    return false;
}

static void blank_quoted(uint8_t *text, size_t len)
{
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted)
            text[i] = ' ';
    }
}

/* "program|topic!item". */
static bool names_program(const uint8_t *text, const uint8_t *end)
{
    const uint8_t *bar = memchr(text, '|', (size_t)(end - text));
    return bar && memchr(bar, '!', (size_t)(end - bar));
}

/* 'file:///a.ods'#$Sheet.A1: a cell of another file. */
static bool names_file(const uint8_t *text, size_t len)
{
    static const char *const starts[] = {"'file:", "'http:", "'https:", "'ftp:", "'smb:", "'//", "'\\\\"};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (memmem(text, len, starts[i], strlen(starts[i])))
            return true;
    return false;
}

void office_formula(struct tally *t, uint8_t *text, size_t len, uint64_t at)
{
    const uint8_t *end = text + len;
    if (links_follow(text, end))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, at, "a formula puts an address together, which can carry cells away");
    blank_quoted(text, len);
    bool calls = false;
    for (size_t i = 0; i < ARRAY_LEN(functions) && !calls; i++)
        calls = find_call(text, text, end, functions[i]) != NULL;
    if (calls || names_file(text, len))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, at, "a formula loads something from outside or calls a program");
    if (names_program(text, end))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, at, "a formula starts another program (DDE)");
}
