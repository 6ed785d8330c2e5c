/* SPDX-License-Identifier: ISC
 * The type inspector: everything that the name and the bytes claim. Runs first in the confined child, on hostile bytes;
 * the table is rules/types. It does not judge: type_judge() does.
 * Invariant: every file ends with a claim by content, if only that it is an unknown binary. */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/inspector.h"
#include "inspect/type_name.h"
#include "inspect/type_table.h"
#include "inspect/type_text.h"

/* What was learnt on the way; the extension's claims are in in->claims. */
struct look {
    struct inspection *in;
    struct text_shape text;
    struct markup_start start;
    size_t head_len;
    uint8_t first;      /* byte of the file */
    uint8_t head[4096]; /* narrowed to ASCII where the text is UTF-16 or UTF-32 */
};

static bool named(const struct look *look, enum type type)
{
    return look->in->claims.of[type] & (1u << EVIDENCE_EXTENSION);
}

/* --- signatures -------------------------------------------------------------------------------------------------- */

/* A few letters at the start of a text are a word, not a signature. */
static bool is_word(const struct type_signature *s)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->mask[i] && (s->bytes[i] < 0x20 || s->bytes[i] > 0x7E))
            return false;
    return s->len < 5;
}

/* The end of the file comes last, so that a large one is not read back and forth. */
static void match_signatures(struct look *look, bool tail)
{
    struct bytes *b = look->in->bytes;
    uint8_t first = look->first;
    for (size_t i = 0; i < type_signatures_n; i++) {
        const struct type_signature *s = &type_signatures[i];
        if ((s->evidence == EVIDENCE_TAIL) != tail || !type_signature_begins(s, first))
            continue;
        bool late_pdf = s->type == TYPE_PDF && s->evidence == EVIDENCE_WINDOW;
        if (look->text.plain && is_word(s) && !late_pdf)
            continue;
        if (type_signature_matches(s, b))
            inspect_claim(look->in, s->type, s->evidence);
    }
}

/* --- words at the start of text ------------------------------------------------------------------------------------ */

static size_t skip_blank(const struct look *look, size_t at)
{
    while (at < look->head_len && isspace(look->head[at]))
        at++;
    return at;
}

/* The first line that is no comment, as ini-like formats have them. */
static size_t skip_comments(const struct look *look, size_t at)
{
    while (at < look->head_len && (look->head[at] == '#' || look->head[at] == ';')) {
        const uint8_t *end = memchr(look->head + at, '\n', look->head_len - at);
        at = skip_blank(look, end ? (size_t)(end - look->head) : look->head_len);
    }
    return at;
}

static bool mark_at(const struct look *look, size_t at, const struct type_mark *mark)
{
    if (look->head_len - at < mark->len)
        return false;
    for (size_t i = 0; i < mark->len; i++)
        if (tolower(look->head[at + i]) != mark->text[i])
            return false;
    return true;
}

static void match_marks(struct look *look)
{
    size_t start = skip_blank(look, 0), line = skip_comments(look, start);
    for (size_t i = 0; i < type_marks_n; i++)
        if (mark_at(look, type_marks[i].line ? line : start, &type_marks[i]))
            inspect_claim(look->in, type_marks[i].type, EVIDENCE_HEAD);
}

/* --- markup and data forms of text ----------------------------------------------------------------------------------- */

/* Root elements that say more than XML: what opens such a file acts on it. */
static void claim_root(struct look *look)
{
    static const struct {
        const char *root;
        enum type type;
    } roots[] = {{"svg", TYPE_SVG},
                 {"html", TYPE_HTML_STATIC},
                 {"asx", TYPE_PLAYLIST},
                 {"smil", TYPE_PLAYLIST},
                 {"playlist", TYPE_PLAYLIST},
                 {"jnlp", TYPE_SHORTCUT},
                 {"librarydescription", TYPE_SHORTCUT},
                 {"searchconnectordescription", TYPE_SHORTCUT},
                 {"persistedquery", TYPE_SHORTCUT},
                 {"pcsettings", TYPE_SHORTCUT},
                 {"worddocument", TYPE_OTHER_DOCUMENT},
                 {"workbook", TYPE_OTHER_DOCUMENT}};
    if (named(look, TYPE_MARKDOWN))
        return;
    /* A workbook alone is an Excel 2003 document; in a package it is a part of one that is walked. */
    for (size_t i = 0; i < ARRAY_LEN(roots); i++)
        if (strcmp(look->start.root, roots[i].root) == 0 &&
            !(look->in->package_part && roots[i].type == TYPE_OTHER_DOCUMENT))
            inspect_claim(look->in, roots[i].type, EVIDENCE_HEAD);
    if (strcmp(look->start.prefix, "pkg") == 0 && strcmp(look->start.root, "package") == 0)
        inspect_claim(look->in, TYPE_OTHER_DOCUMENT, EVIDENCE_HEAD);
    if (strcmp(look->start.prefix, "office") == 0 && strcmp(look->start.root, "document") == 0)
        inspect_claim(look->in, TYPE_OTHER_DOCUMENT, EVIDENCE_HEAD);
}

/* Templates of source code and data in XML start with tags by nature. */
static bool free_form(const struct look *look)
{
    return !look->start.xml && !named(look, TYPE_SOURCE) && !named(look, TYPE_XML) && !named(look, TYPE_SVG);
}

/* A page by its start. Markdown and templates of source code start with tags by nature: there a page needs its document
 * type or root. */
static bool starts_page(const struct look *look)
{
    if (!look->start.markup || named(look, TYPE_MARKDOWN))
        return false;
    if (look->start.doctype_html)
        return true;
    return free_form(look) && type_markup_is_html(look->start.root);
}

static void look_at_xml(struct look *look)
{
    bool wanted = named(look, TYPE_XML) || named(look, TYPE_SVG);
    if (look->start.xml)
        inspect_claim(look->in, TYPE_XML, EVIDENCE_HEAD);
    if (!look->text.plain || (named(look, TYPE_HTML_STATIC) && !look->start.xml))
        return;
    struct xml_shape shape = type_xml_shape(look->in->bytes);
    if (shape.valid)
        inspect_claim(look->in, TYPE_XML, EVIDENCE_TEXT);
    else if (wanted)
        inspect_find_at(look->in, FINDING_TYPE_CONFLICT, LEVEL_REFUSE, 0, shape.line, "not well-formed XML");
}

static void look_at_markup(struct look *look)
{
    look->start = type_markup_start(look->head, look->head_len);
    if (look->start.root[0] == 0 && look->start.markup && look->in->bytes->size > look->head_len) {
        size_t len = 0;
        const uint8_t *p = bytes_chunk(look->in->bytes, 0, &len);
        look->start = type_markup_start(p, len);
    }
    if (!look->start.markup) {
        if (named(look, TYPE_XML) || named(look, TYPE_SVG))
            look_at_xml(look); /* which finds that it is none */
        return;
    }
    claim_root(look);
    if (starts_page(look))
        inspect_claim(look->in, TYPE_HTML_STATIC, EVIDENCE_HEAD);
    else if (look->start.root[0] && free_form(look))
        look->in->fragment = true;
    look_at_xml(look);
}

static void claim_json_kind(struct look *look, unsigned keys)
{
    if ((keys & JSON_KEY_NBFORMAT) && (keys & (JSON_KEY_CELLS | JSON_KEY_WORKSHEETS)))
        inspect_claim(look->in, TYPE_NOTEBOOK, EVIDENCE_STRUCTURE);
    if ((keys & JSON_KEY_SNAPSHOT) && (keys & JSON_KEY_NODES) && (keys & JSON_KEY_EDGES) && (keys & JSON_KEY_STRINGS))
        inspect_claim(look->in, TYPE_MEMORY_DUMP, EVIDENCE_STRUCTURE);
}

/* What nests too deep is as much JSON as was looked at: the depth alone refuses it, not a conflict as well. */
static void say_json_fault(struct look *look, const struct json_shape *shape, bool lines)
{
    if (shape->deep) {
        inspect_claim(look->in, lines ? TYPE_JSONL : TYPE_JSON, EVIDENCE_TEXT);
        inspect_find_at(look->in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, 0, shape->line,
                        "JSON that nests deeper than 512 levels is not followed");
        return;
    }
    inspect_find_at(look->in, FINDING_TYPE_CONFLICT, LEVEL_REFUSE, 0, shape->line,
                    lines ? "not one well-formed JSON value a line" : "not well-formed JSON");
}

static void look_at_json(struct look *look)
{
    static const enum type forms[] = {TYPE_JSON, TYPE_NOTEBOOK, TYPE_JSONL};
    size_t at = skip_blank(look, look->text.bom ? 3 : 0);
    bool likely = at < look->head_len && (look->head[at] == '{' || look->head[at] == '[');
    bool lines = named(look, TYPE_JSONL), wanted = false;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        wanted = wanted || named(look, forms[i]);
    if (!wanted && !likely)
        return;
    struct json_shape shape = type_json_shape(look->in->bytes, lines);
    if (!shape.valid && wanted)
        say_json_fault(look, &shape, lines);
    if (!shape.valid && !wanted && type_set_has(look->in->admitted, TYPE_JSONL)) {
        shape = type_json_shape(look->in->bytes, true);
        lines = true;
    }
    if (!shape.valid)
        return;
    inspect_claim(look->in, lines ? TYPE_JSONL : TYPE_JSON, EVIDENCE_TEXT);
    if (!lines)
        claim_json_kind(look, shape.keys);
}

/* --- encodings --------------------------------------------------------------------------------------------------------- */

/* What style sheets and sources declare; the scanners of pages and XML judge what those do. */
static void look_at_declaration(struct look *look, const uint8_t *p, size_t len)
{
    unsigned forms = named(look, TYPE_CSS) ? DECLARATION_CSS : 0;
    forms |= named(look, TYPE_SOURCE) || claims_has(&look->in->claims, TYPE_SCRIPT) ? DECLARATION_SOURCE : 0;
    if (forms && type_text_declared(p, len, forms) == DECLARED_OTHER)
        inspect_find(look->in, FINDING_TYPE_CONFLICT, "it declares an encoding other than UTF-8, ASCII or Latin-1");
}

/* Latin-1 is no UTF-8, so nothing else bears it out. */
static void look_at_latin1(struct look *look, const uint8_t *p, size_t len)
{
    bool page = claims_has(&look->in->claims, TYPE_HTML_STATIC);
    bool source = named(look, TYPE_SOURCE), style = named(look, TYPE_CSS);
    unsigned forms = (look->start.xml ? DECLARATION_XML : 0u) | (page ? DECLARATION_HTML : 0u) |
                     (source ? DECLARATION_SOURCE : 0u) | (style ? DECLARATION_CSS : 0u);
    if (look->text.plain || type_text_declared(p, len, forms) != DECLARED_LATIN1)
        return;
    if (page)
        inspect_claim(look->in, TYPE_HTML_STATIC, EVIDENCE_TEXT);
    if (look->start.xml)
        inspect_claim(look->in, TYPE_XML, EVIDENCE_TEXT);
    if ((source || style) && type_text_eight_bit(look->in->bytes, 0xA0))
        inspect_claim(look->in, source ? TYPE_SOURCE : TYPE_CSS, EVIDENCE_TEXT);
}

/* What a package's author wrote before UTF-8, under a name that promises no more than text. It is looked through as if it
 * were UTF-8, so that one odd byte hides nothing. */
static void look_at_legacy(struct look *look)
{
    static const enum type forms[] = {TYPE_TEXT, TYPE_LOG, TYPE_SOURCE, TYPE_SCRIPT, TYPE_MARKDOWN, TYPE_CSV,
                                      TYPE_TSV,  TYPE_CSS, TYPE_JS};
    if (!look->in->package_part || look->text.plain || !type_text_eight_bit(look->in->bytes, 0x80))
        return;
    for (size_t i = 0; i < ARRAY_LEN(forms); i++)
        if (named(look, forms[i])) {
            inspect_claim(look->in, forms[i], EVIDENCE_TEXT);
            look->in->legacy = true;
        }
    /* where a page may do all that pages can, no encoding can hide more of it */
    if (named(look, TYPE_HTML_STATIC) && type_html_profile(look->in->admitted) == HTML_PROFILE_ANY) {
        inspect_claim(look->in, TYPE_HTML_STATIC, EVIDENCE_TEXT);
        look->in->legacy = true;
    }
}

static void look_at_encoding(struct look *look)
{
    size_t len = look->in->bytes->size < BYTES_WINDOW ? (size_t)look->in->bytes->size : BYTES_WINDOW;
    const uint8_t *p = look->text.bytes ? bytes_at(look->in->bytes, 0, len) : NULL;
    if (p) {
        look_at_declaration(look, p, len);
        look_at_latin1(look, p, len);
        look_at_legacy(look);
    }
}

/* How a file starts is looked at even where binary data follows: shells, servers and browsers go by the start. */
static void look_at_start(struct look *look)
{
    if (look->text.plain) {
        look->in->text = TYPE_PLAIN;
        inspect_claim(look->in, TYPE_PLAIN, EVIDENCE_TEXT);
    }
    if (look->text.wide)
        look->head_len = type_text_narrow(look->in->bytes, look->text.wide, look->head, sizeof(look->head));
    if (look->text.bom && look->head_len >= 3) { /* marks stand behind it */
        look->head_len -= 3;
        memmove(look->head, look->head + 3, look->head_len);
    }
    match_marks(look);
    look_at_markup(look);
    if (look->text.plain)
        look_at_json(look);
    look_at_encoding(look);
}

static bool claimed_by_content(const struct inspection *in)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (claims_by_content(&in->claims, (enum type)t))
            return true;
    return false;
}

void type_inspect(struct inspection *in)
{
    struct look look; /* the head is large and filled before it is read */
    memset(&look, 0, offsetof(struct look, head));
    look.in = in;
    /* Packages hold empty parts under any name (ODF: Configurations2/accelerator/current.xml). */
    if (in->bytes->size > 0 || !in->package_part)
        type_name_claims(in, type_extensions, type_extensions_n);
    if (in->bytes->size == 0) {
        inspect_claim(in, TYPE_EMPTY, EVIDENCE_TEXT);
        return;
    }
    look.text = type_text_shape(in->bytes);
    in->clean = look.text.clean;
    look.head_len = in->bytes->size < sizeof(look.head) ? (size_t)in->bytes->size : sizeof(look.head);
    if (!bytes_copy(in->bytes, 0, look.head, look.head_len))
        return; /* no DONE can follow a failed read */
    look.first = look.head[0];
    match_signatures(&look, false);
    look_at_start(&look);
    match_signatures(&look, true);
    type_structure(in);
    if (!claimed_by_content(in))
        inspect_claim(in, TYPE_BINARY, EVIDENCE_HEAD);
}
