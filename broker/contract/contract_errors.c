/* SPDX-License-Identifier: ISC
 * Broker. Messages about a contract: collected with their place, sorted, and written with the source line and a caret.
 * The text is the operator's but may have been pasted from anywhere, so nothing of it reaches a terminal unescaped. */
#include "contract/contract_errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/say.h"
#include "base/utf8.h"

_Static_assert(ARRAY_LEN(((struct contract_errors *)0)->v) == CONTRACT_ERRORS, "the header states the number");

struct quoted contract_quote(const char *text, size_t len)
{
    struct quoted q = {""};
    struct buf out;
    size_t cut = 0;
    uint32_t code;
    /* 48 bytes escape to at most 192; a character is never cut in two. */
    while (cut < len) {
        size_t n = utf8_decode((const uint8_t *)text + cut, len - cut, &code);
        if (cut + (n ? n : 1) > 45)
            break;
        cut += n ? n : 1;
    }
    buf_init(&out, sizeof(q.text));
    say_escape(&out, text, cut);
    AUTO_FREE char *escaped = buf_take_text(&out);
    snprintf(q.text, sizeof(q.text), "%s%s", escaped ? escaped : "", cut < len ? "..." : "");
    return q;
}

void contract_errors_add(struct contract_errors *errors, unsigned line, unsigned column, const char *fmt, ...)
{
    char sentence[MESSAGE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof(sentence), fmt, args);
    va_end(args);
    char *copy = errors->n < CONTRACT_ERRORS ? strdup(sentence) : NULL;
    if (copy)
        errors->v[errors->n++] = (struct contract_error){line, column, copy};
    else
        errors->more = true;
}

static bool after(const struct contract_error *a, const struct contract_error *b)
{
    return a->line != b->line ? a->line > b->line : a->column > b->column;
}

void contract_errors_sort(struct contract_errors *errors)
{
    for (size_t i = 1; i < errors->n; i++)
        for (size_t j = i; j > 0 && after(&errors->v[j - 1], &errors->v[j]); j--) {
            struct contract_error swap = errors->v[j];
            errors->v[j] = errors->v[j - 1];
            errors->v[j - 1] = swap;
        }
}

void contract_errors_free(struct contract_errors *errors)
{
    for (size_t i = 0; i < errors->n; i++)
        free(errors->v[i].sentence);
    *errors = (struct contract_errors){.n = 0};
}

/* The bytes of a line without its end; false where the text has no such line. */
static bool line_find(const uint8_t *text, size_t len, unsigned line, const uint8_t **start, size_t *size)
{
    size_t at = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (unsigned i = 1; i < line; i++) {
        const uint8_t *end = memchr(text + at, '\n', len - at);
        if (!end)
            return false;
        at = (size_t)(end - text) + 1;
    }
    const uint8_t *end = at < len ? memchr(text + at, '\n', len - at) : NULL;
    *start = text + at;
    *size = end ? (size_t)(end - *start) : len - at;
    if (*size && (*start)[*size - 1] == '\r')
        --*size;
    return *size > 0;
}

enum { SHOWN_BEFORE = 60, SHOWN_COLUMNS = 100 };

/* One character of the source line as it is shown; returns how many bytes of the line it took. */
static size_t show_character(struct buf *out, const uint8_t *p, size_t left)
{
    uint32_t code;
    size_t n = utf8_decode(p, left, &code);
    n = n ? n : 1;
    if (p[0] == '\t')
        buf_u8(out, ' ');
    else if (p[0] == '\\')
        buf_u8(out, '\\');
    else
        say_escape(out, (const char *)p, n);
    return n;
}

/* Columns that bytes take on a terminal, near enough: one for each character. */
static size_t columns_of(const uint8_t *p, size_t len)
{
    size_t columns = 0;
    for (size_t i = 0; i < len; i++)
        columns += (p[i] & 0xC0) != 0x80;
    return columns;
}

static void show_line(struct buf *out, const uint8_t *line, size_t len, unsigned column)
{
    struct buf shown;
    size_t caret = 0, at = 0;
    unsigned first = column > SHOWN_BEFORE + 1 ? column - SHOWN_BEFORE : 1;
    buf_init(&shown, (size_t)SHOWN_COLUMNS * 16);
    if (first > 1)
        buf_text(&shown, "...");
    for (unsigned c = 1; at < len && c < first + SHOWN_COLUMNS; c++) {
        struct buf skipped = {.max = 16};
        if (c == column)
            caret = columns_of(shown.data, shown.len);
        at += show_character(c < first ? &skipped : &shown, line + at, len - at);
        buf_free(&skipped);
        if (c + 1 == column)
            caret = columns_of(shown.data, shown.len);
    }
    buf_text(out, "    ");
    buf_bytes(out, shown.data, shown.len);
    buf_printf(out, "%s\n    %*s^\n", at < len ? "..." : "", (int)caret, "");
    buf_free(&shown);
}

void contract_errors_print(const struct contract_errors *errors, const char *file, const uint8_t *text, size_t len,
                           struct buf *out)
{
    for (size_t i = 0; i < errors->n; i++) {
        const struct contract_error *e = &errors->v[i];
        const uint8_t *line;
        size_t size;
        say_escape(out, file, strlen(file));
        buf_printf(out, ":%u:%u: %s\n", e->line, e->column, e->sentence);
        if (text && line_find(text, len, e->line, &line, &size))
            show_line(out, line, size, e->column);
    }
    if (errors->more)
        buf_printf(out, "%s: there are more errors; these were the first %zu\n", "sallyport", errors->n);
}
