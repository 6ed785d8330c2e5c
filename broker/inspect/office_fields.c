/* SPDX-License-Identifier: ISC
 * In a worker child: field instructions, gathered over runs (a split "DD" "E" is one instruction for the program) into
 * one bounded text, words of which decide. */
#include "inspect/office_fields.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "inspect/markup.h"
#include "inspect/office_formula.h"
#include "inspect/weburl.h"

static void put_lower(struct buf *b, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_u8(b, (uint8_t)ascii_lower(p[i] ? p[i] : ' '));
}

/* Moves over a comment or an instruction; what a CDATA section holds is text. False: the text ends here. */
static bool pass_over(struct scan *s, struct buf *text)
{
    int c;
    if (scan_starts(s, "<!--", false))
        return scan_past(s, "-->");
    if (scan_starts(s, "<?", false))
        return scan_past(s, "?>");
    if (!scan_starts(s, "<![CDATA[", false))
        return false;
    scan_skip(s, 9);
    while (!scan_starts(s, "]]>", false) && (c = scan_next(s)) >= 0)
        buf_u8(text, (uint8_t)c);
    scan_skip(s, 3);
    return true;
}

/* The text behind a tag, up to the next one, decoded. */
static void take_text(struct buf *text, struct bytes *content, uint64_t from)
{
    struct scan s;
    int c;
    buf_reset(text);
    scan_init(&s, content, from);
    while (!text->failed && (c = scan_peek(&s)) >= 0) {
        if (c != '<')
            buf_u8(text, (uint8_t)scan_next(&s));
        else if (!pass_over(&s, text))
            break;
    }
    if (text->len > 0)
        text->len = charref_decode(text->data, text->len);
    for (size_t i = 0; i < text->len; i++)
        text->data[i] = (uint8_t)ascii_lower(text->data[i] ? text->data[i] : ' ');
}

/* Letters alone delimit a word; apart: it stands between blanks, where no part of an address is one. */
static bool has_word(const struct buf *b, const char *word, bool apart)
{
    size_t n = strlen(word);
    const uint8_t *p = b->data, *end = b->data + b->len;
    while ((size_t)(end - p) >= n && (p = memmem(p, (size_t)(end - p), word, n)) != NULL) {
        bool before = p > b->data && ascii_letter(p[-1]);
        bool after = p + n < end && ascii_letter(p[n]);
        if (apart) {
            before = p > b->data && !ascii_space(p[-1]);
            after = p + n < end && !ascii_space(p[n]) && p[n] != '"' && p[n] != '\\';
        }
        if (!before && !after)
            return true;
        p++;
    }
    return false;
}

/* "QUOTE 68 68 69": a field that is spelled in character codes. */
static bool spells(const struct buf *b)
{
    const uint8_t *p = b->data, *end = b->data + b->len;
    while ((p = memmem(p, (size_t)(end - p), "quote", 5)) != NULL) {
        unsigned numbers = 0;
        for (p += 5; p < end && (*p == ' ' || ascii_digit(*p)); p++)
            numbers += ascii_digit(*p) && !ascii_digit(p[-1]);
        if (numbers >= 3)
            return true;
    }
    return false;
}

static void judge(struct tally *t, const struct buf *b)
{
    if (b->failed)
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "more field instructions than are looked at");
    if (b->len == 0)
        return;
    if (spells(b))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, 0, "a field is spelled in character codes");
    if (has_word(b, "dde", false) || has_word(b, "ddeauto", false))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, 0, "a field starts another program (DDE)");
    if (has_word(b, "link", true) || has_word(b, "database", true))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, 0, "a field takes data from another file or program");
    bool includes = has_word(b, "includetext", true) || has_word(b, "includepicture", true) ||
                    has_word(b, "import", true) || has_word(b, "rd", true);
    if (includes && (memmem(b->data, b->len, "://", 3) || memmem(b->data, b->len, "\\\\\\\\", 4)))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, 0, "a field includes something from another host");
}

/* Elements of spreadsheets, charts and validations that hold a formula. */
static bool holds_formula(const struct markup_tag *tag)
{
    static const char *const names[] = {"f",        "formula",      "formula1", "formula2", "definedname", "calculatedcolumnformula",
                                        "oldformula", "totalsrowformula"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!tag->closing && strcmp(tag->name, names[i]) == 0)
            return true;
    return false;
}

struct part {
    struct tally *tally;
    struct bytes *content;
    struct markup *m;
    struct buf fields, text;
};

/* VML: a picture or a filling by address, without a relationship that would name it. */
static bool paints(const struct markup_tag *tag)
{
    return strcmp(tag->name, "imagedata") == 0 || strcmp(tag->name, "fill") == 0 || strcmp(tag->name, "stroke") == 0;
}

static void look_at_attributes(struct part *p, const struct markup_tag *tag)
{
    static const char *const acts[] = {"ppaction://program", "ppaction://macro", "ppaction://ole"};
    const struct markup_attribute *a;
    struct buf value;
    buf_init(&value, MARKUP_VALUE);
    while ((a = markup_attribute(p->m)) != NULL) {
        buf_reset(&value);
        put_lower(&value, a->value, a->value_len);
        if (strcmp(a->name, "instr") == 0) {
            buf_u8(&p->fields, ' ');
            buf_bytes(&p->fields, value.data, value.len);
        }
        enum weburl kind = paints(tag) && strcmp(a->name, "src") == 0 ? weburl_classify(value.data, value.len) : WEBURL_LOCAL;
        if (kind == WEBURL_OUTSIDE || kind == WEBURL_FILE)
            tally_refuse(p->tally, FINDING_ACTIVE_OFFICE_EXTERNAL, a->at, "a picture is loaded from outside");
        for (size_t i = 0; i < ARRAY_LEN(acts) && value.len > 0; i++)
            if (memmem(value.data, value.len, acts[i], strlen(acts[i])))
                tally_refuse(p->tally, FINDING_ACTIVE_OFFICE_MACRO, a->at, "a click starts a program or a macro");
        bool opens = value.len >= 5 && (memmem(value.data, value.len, "auto_open", 9) || memmem(value.data, value.len, "auto_close", 10));
        if (strcmp(tag->name, "definedname") == 0 && opens)
            tally_refuse(p->tally, FINDING_ACTIVE_OFFICE_MACRO, a->at, "a name makes a macro sheet run when the document is opened");
    }
    buf_free(&value);
}

static void look_at_tag(struct part *p, const struct markup_tag *tag)
{
    bool instruction = !tag->closing && strcmp(tag->name, "instrtext") == 0, formula = holds_formula(tag);
    bool apart = strcmp(tag->name, "fldchar") == 0 || strcmp(tag->name, "p") == 0;
    uint64_t at = tag->at;
    if (!tag->closing && strcmp(tag->name, "altchunk") == 0)
        tally_refuse(p->tally, FINDING_ACTIVE_OFFICE_OBJECT, at, "another document is put in when this one is opened");
    if (apart && p->fields.len > 0 && p->fields.data[p->fields.len - 1] != ' ')
        buf_u8(&p->fields, ' ');
    look_at_attributes(p, tag);
    if (!instruction && !formula)
        return;
    take_text(&p->text, p->content, markup_offset(p->m));
    if (p->text.failed)
        inspect_find(p->tally->in, FINDING_INSPECT_LIMIT, "a formula or field is longer than is looked at");
    if (instruction)
        buf_bytes(&p->fields, p->text.data, p->text.len);
    else if (p->text.len > 0)
        office_formula(p->tally, p->text.data, p->text.len, at);
    markup_forget(p->m);
}

void office_fields(struct tally *t, struct bytes *content)
{
    const struct markup_tag *tag;
    struct part p = {.tally = t, .content = content};
    p.m = markup_new(content, 0, content->size, true);
    if (!p.m) {
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    buf_init(&p.fields, (size_t)OFFICE_FIELDS);
    buf_init(&p.text, OFFICE_TEXT);
    while ((tag = markup_next(p.m)) != NULL)
        look_at_tag(&p, tag);
    if (p.m->exhausted)
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "tags within tags without end");
    judge(t, &p.fields);
    buf_free(&p.fields);
    buf_free(&p.text);
    markup_free(&p.m);
}
