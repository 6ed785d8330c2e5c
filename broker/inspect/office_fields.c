/* SPDX-License-Identifier: ISC
 * In a worker child: field instructions, gathered over runs (a split "DD" "E" is one instruction for the program) into
 * one bounded text, words of which decide. */
#include "inspect/office_fields.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "inspect/markup.h"

static void put_lower(struct buf *b, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_u8(b, (uint8_t)ascii_lower(p[i] ? p[i] : ' '));
}

/* The text behind a tag, up to the next '<'. */
static void take_text(struct buf *b, struct bytes *content, uint64_t from)
{
    uint8_t text[4096];
    struct scan s;
    size_t n = 0;
    int c;
    scan_init(&s, content, from);
    while (n < sizeof(text) && (c = scan_next(&s)) >= 0 && c != '<')
        text[n++] = (uint8_t)c;
    put_lower(b, text, charref_decode(text, n));
}

static bool has_word(const struct buf *b, const char *word)
{
    size_t n = strlen(word);
    const uint8_t *p = b->data, *end = b->data + b->len;
    while ((size_t)(end - p) >= n && (p = memmem(p, (size_t)(end - p), word, n)) != NULL) {
        bool before = p > b->data && ascii_letter(p[-1]);
        bool after = p + n < end && ascii_letter(p[n]);
        if (!before && !after)
            return true;
        p++;
    }
    return false;
}

static void judge(struct tally *t, const struct buf *b)
{
    if (b->failed)
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "more field instructions than are looked at");
    if (b->len == 0)
        return;
    if (has_word(b, "dde") || has_word(b, "ddeauto"))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, 0, "a field starts another program (DDE)");
    bool includes = has_word(b, "includetext") || has_word(b, "includepicture") || has_word(b, "import") ||
                    has_word(b, "rd") || has_word(b, "database");
    if (includes && (memmem(b->data, b->len, "://", 3) || memmem(b->data, b->len, "\\\\\\\\", 4)))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, 0, "a field includes something from another host");
}

void office_fields(struct tally *t, struct bytes *content)
{
    const struct markup_tag *tag;
    const struct markup_attribute *a;
    struct buf text;
    struct markup *m = markup_new(content, 0, content->size, true);
    if (!m) {
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    buf_init(&text, (size_t)OFFICE_FIELDS);
    while ((tag = markup_next(m)) != NULL) {
        bool instruction = !tag->closing && strcmp(tag->name, "instrtext") == 0;
        bool apart = strcmp(tag->name, "fldchar") == 0 || strcmp(tag->name, "p") == 0;
        if (apart && text.len > 0 && text.data[text.len - 1] != ' ')
            buf_u8(&text, ' ');
        while ((a = markup_attribute(m)) != NULL)
            if (strcmp(a->name, "instr") == 0) {
                buf_u8(&text, ' ');
                put_lower(&text, a->value, a->value_len);
            }
        if (instruction) {
            take_text(&text, content, markup_offset(m));
            markup_forget(m);
        }
    }
    judge(t, &text);
    buf_free(&text);
    markup_free(&m);
}
