/* SPDX-License-Identifier: ISC
 * In a worker child: parts of office packages. Presence decides, not what a macro says: names of parts, content types
 * and relationships, their attributes read as markup (either quote, any blanks, references decoded). Sources: ECMA-376
 * parts 1 and 2, ODF 1.3 part 2. Other parts are members like any other: XML, images and fonts by their own scanners. */
#include "inspect/active_office.h"

#include <string.h>

#include "base/limits.h"
#include "inspect/markup.h"
#include "inspect/office_fields.h"
#include "inspect/office_formula.h"
#include "inspect/scan.h"
#include "inspect/tally.h"
#include "inspect/weburl.h"
#include "inspect/xml.h"

enum part { PART_OTHER = 0, PART_BOOK, PART_CONTENT_TYPES, PART_RELATIONSHIPS, PART_MARKUP, PART_ODF, PART_MANIFEST };

/* Fragments of a part's name, lower case. */
static const struct {
    const char *text;
    enum finding_code code;
    bool start; /* only at the start of the name */
} names[] = {
    {"vbaproject", FINDING_ACTIVE_OFFICE_MACRO, false},     {"vbadata", FINDING_ACTIVE_OFFICE_MACRO, false},
    {"macrosheets/", FINDING_ACTIVE_OFFICE_MACRO, false},   {"customui", FINDING_ACTIVE_OFFICE_MACRO, false},
    {"attachedtoolbars", FINDING_ACTIVE_OFFICE_MACRO, false}, {"basic/", FINDING_ACTIVE_OFFICE_MACRO, true},
    {"scripts/", FINDING_ACTIVE_OFFICE_MACRO, true},        {"dialogs/", FINDING_ACTIVE_OFFICE_MACRO, true},
    {"activex/", FINDING_ACTIVE_OFFICE_OBJECT, false},      {"embeddings/", FINDING_ACTIVE_OFFICE_OBJECT, false},
    {"oleobject", FINDING_ACTIVE_OFFICE_OBJECT, false},     {"objectreplacements/", FINDING_ACTIVE_OFFICE_OBJECT, true},
    {"object ", FINDING_ACTIVE_OFFICE_OBJECT, true},        {"webextensions/", FINDING_ACTIVE_OFFICE_OBJECT, false},
    {"externallinks/", FINDING_ACTIVE_OFFICE_EXTERNAL, false}, {"connections.xml", FINDING_ACTIVE_OFFICE_EXTERNAL, false},
    {"querytables/", FINDING_ACTIVE_OFFICE_EXTERNAL, false}, {"afchunk", FINDING_ACTIVE_OFFICE_OBJECT, false},
};

/* Fragments of a content type or of a relationship's type, lower case. */
static const struct {
    const char *text;
    enum finding_code code;
} kinds[] = {
    {"macroenabled", FINDING_ACTIVE_OFFICE_MACRO}, {"vbaproject", FINDING_ACTIVE_OFFICE_MACRO},
    {"macrosheet", FINDING_ACTIVE_OFFICE_MACRO},   {"worddata", FINDING_ACTIVE_OFFICE_MACRO},
    {"ui/extensibility", FINDING_ACTIVE_OFFICE_MACRO}, {"activex", FINDING_ACTIVE_OFFICE_OBJECT},
    {"oleobject", FINDING_ACTIVE_OFFICE_OBJECT},   {"relationships/package", FINDING_ACTIVE_OFFICE_OBJECT},
    {"relationships/control", FINDING_ACTIVE_OFFICE_OBJECT}, {"afchunk", FINDING_ACTIVE_OFFICE_OBJECT},
    {"webextension", FINDING_ACTIVE_OFFICE_OBJECT}, {"externallink", FINDING_ACTIVE_OFFICE_EXTERNAL},
};

static bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* The value of an attribute as text of our own: lower case, cut at size - 1. */
static void lower(const struct markup_attribute *a, char *out, size_t size)
{
    size_t n = a->value_len < size - 1 ? a->value_len : size - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = a->value[i] ? (char)ascii_lower(a->value[i]) : ' ';
    out[n] = '\0';
}

/* --- names --------------------------------------------------------------------------------------- */

static void look_at_name(struct tally *t, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i].text);
        if (names[i].start ? strncmp(name, names[i].text, n) == 0 : contains(name, names[i].text))
            tally_refuse(t, names[i].code, 0, NULL);
    }
}

static enum part part_of(const char *name)
{
    size_t n = strlen(name);
    if (strcmp(name, "[content_types].xml") == 0)
        return PART_CONTENT_TYPES;
    if (n >= 5 && strcmp(name + n - 5, ".rels") == 0)
        return PART_RELATIONSHIPS;
    if (strcmp(name, "content.xml") == 0 || strcmp(name, "styles.xml") == 0 || strcmp(name, "meta.xml") == 0 ||
        strncmp(name, "configurations2/", 16) == 0)
        return PART_ODF;
    if (strcmp(name, "meta-inf/manifest.xml") == 0)
        return PART_MANIFEST;
    return n >= 4 && strcmp(name + n - 4, ".opf") == 0 ? PART_BOOK : PART_OTHER;
}

/* --- markup -------------------------------------------------------------------------------------- */

static void look_at_kind(struct tally *t, const char *kind, uint64_t at)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (contains(kind, kinds[i].text))
            tally_refuse(t, kinds[i].code, at, NULL);
}

struct relationship {
    bool external;
    char type[256], target[256];
};

/* A drive or an absolute path, no share of another host. */
static bool own_disk(const char *target)
{
    bool path = strncmp(target, "file:///", 8) == 0;
    bool share = contains(target, "\\\\") || (path && (target[8] == '/' || target[8] == '\\'));
    return !share && (path || target[1] == ':');
}

static void judge_relationship(struct tally *t, const struct relationship *r, uint64_t at)
{
    look_at_kind(t, r->type, at);
    size_t n = strlen(r->type);
    enum weburl target = weburl_classify((const uint8_t *)r->target, strlen(r->target));
    bool link = n >= 10 && strcmp(r->type + n - 10, "/hyperlink") == 0;
    if (link && (target == WEBURL_SCRIPT || target == WEBURL_HANDLER))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, at, "a link runs script or starts a program");
    if (!r->external || link)
        return;
    bool template = contains(r->type, "attachedtemplate"), near = target == WEBURL_FILE && own_disk(r->target);
    tally_add(t, FINDING_ACTIVE_OFFICE_EXTERNAL, template && near ? LEVEL_WARN : LEVEL_REFUSE, at,
              template ? "a template from outside is loaded when the document is opened" : NULL);
}

static void look_at_relationship(struct tally *t, struct markup *m, uint64_t at)
{
    const struct markup_attribute *a;
    struct relationship r = {.external = false};
    char mode[32];
    while ((a = markup_attribute(m)) != NULL) {
        if (strcmp(a->name, "targetmode") == 0) {
            lower(a, mode, sizeof(mode));
            r.external = r.external || contains(mode, "external");
        } else if (strcmp(a->name, "type") == 0) {
            lower(a, r.type, sizeof(r.type));
        } else if (strcmp(a->name, "target") == 0) {
            lower(a, r.target, sizeof(r.target));
        }
    }
    judge_relationship(t, &r, at);
}

static void look_at_types(struct tally *t, struct markup *m)
{
    const struct markup_attribute *a;
    char value[512];
    while ((a = markup_attribute(m)) != NULL) {
        lower(a, value, sizeof(value));
        if (strcmp(a->name, "contenttype") == 0)
            look_at_kind(t, value, a->at);
        else if (strcmp(a->name, "partname") == 0)
            look_at_name(t, value[0] == '/' ? value + 1 : value);
    }
}

static void look_at_formula(struct tally *t, const struct markup_attribute *a)
{
    if (a->cut)
        inspect_find_at(t->in, FINDING_INSPECT_LIMIT, LEVEL_REFUSE, a->at, 0, "a formula is longer than is looked at");
    for (size_t i = 0; i < a->value_len; i++)
        a->value[i] = (uint8_t)ascii_lower(a->value[i] ? a->value[i] : ' ');
    office_formula(t, a->value, a->value_len, a->at);
}

/* Addresses that the office program itself acts on: macros, commands of its own. */
static bool commands(const char *address)
{
    static const char *const schemes[] = {"macro:", "vnd.libreoffice.", ".uno:", "service:", "slot:", "private:"};
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
        if (strncmp(address, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return contains(address, "vnd.sun.star.");
}

static void look_at_odf(struct tally *t, struct markup *m, const struct markup_tag *tag)
{
    const struct markup_attribute *a;
    char value[256];
    /* links are followed by people; the template of a document is looked for where it is near */
    bool follow = strcmp(tag->name, "a") == 0 && strcmp(tag->prefix, "meta") != 0, template = strcmp(tag->name, "template") == 0;
    if (strcmp(tag->name, "script") == 0 || strcmp(tag->name, "execute-macro") == 0)
        tally_refuse(t, FINDING_ACTIVE_OFFICE_MACRO, tag->at, NULL);
    if (strcmp(tag->name, "plugin") == 0 || strcmp(tag->name, "applet") == 0 || strcmp(tag->name, "object-ole") == 0)
        tally_refuse(t, FINDING_ACTIVE_OFFICE_OBJECT, tag->at, NULL);
    bool listens = strcmp(tag->name, "event-listener") == 0, bound = false, named = false;
    if (strcmp(tag->name, "dde-source") == 0 || strcmp(tag->name, "dde-link") == 0 ||
        strcmp(tag->name, "dde-connection-decl") == 0)
        tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, tag->at, "data comes from another program (DDE)");
    while ((a = markup_attribute(m)) != NULL) {
        lower(a, value, sizeof(value));
        enum weburl kind = weburl_classify(a->value, a->value_len);
        if (strcmp(a->name, "macro-name") == 0 || strcmp(a->full, "xlink:href") == 0) {
            bound = bound || a->value_len > 0;
            named = true;
        }
        if (strcmp(a->name, "formula") == 0)
            look_at_formula(t, a);
        if (commands(value) || kind == WEBURL_SCRIPT || (kind == WEBURL_HANDLER && strcmp(a->full, "xlink:href") == 0))
            tally_refuse(t, FINDING_ACTIVE_OFFICE_MACRO, a->at, "an address runs a macro or starts a program");
        else if (strcmp(a->full, "xlink:href") == 0 && !follow &&
                 (kind == WEBURL_OUTSIDE || (kind == WEBURL_FILE && !(template && own_disk(value)))))
            tally_refuse(t, FINDING_ACTIVE_OFFICE_EXTERNAL, a->at, NULL);
    }
    /* the office program writes listeners that name nothing, one for each event there is */
    if (listens && (bound || !named))
        tally_refuse(t, FINDING_ACTIVE_OFFICE_MACRO, tag->at, "an event runs a macro");
}

/* An item of a book that lies elsewhere is fetched when the book is opened. */
static void look_at_book(struct tally *t, struct markup *m, const struct markup_tag *tag)
{
    const struct markup_attribute *a;
    while (strcmp(tag->name, "item") == 0 && (a = markup_attribute(m)) != NULL) {
        enum weburl kind = strcmp(a->name, "href") == 0 ? weburl_classify(a->value, a->value_len) : WEBURL_LOCAL;
        if (kind == WEBURL_OUTSIDE || kind == WEBURL_FILE)
            tally_refuse(t, FINDING_ACTIVE_EXTERNAL_LOAD, a->at, NULL);
    }
}

static void look_at_tag(struct tally *t, enum part part, struct markup *m, const struct markup_tag *tag)
{
    if (part == PART_RELATIONSHIPS && strcmp(tag->name, "relationship") == 0)
        look_at_relationship(t, m, tag->at);
    else if (part == PART_CONTENT_TYPES)
        look_at_types(t, m);
    else if (part == PART_ODF)
        look_at_odf(t, m, tag);
    else if (part == PART_BOOK)
        look_at_book(t, m, tag);
    else if (part == PART_MANIFEST && strcmp(tag->name, "encryption-data") == 0)
        inspect_find_at(t->in, FINDING_ARCHIVE_ENCRYPTED, LEVEL_REFUSE, tag->at, 0, NULL);
}

static void walk(struct tally *t, enum part part, struct bytes *content)
{
    const struct markup_tag *tag;
    struct markup *m = markup_new(content, 0, content->size, true);
    if (!m) {
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    while ((tag = markup_next(m)) != NULL)
        if (!tag->closing)
            look_at_tag(t, part, m, tag);
    if (m->exhausted)
        inspect_find(t->in, FINDING_INSPECT_LIMIT, "tags within tags without end");
    markup_free(&m);
}

/* Relationships and content types make a part what it is, not its name: whatever is markup is looked at. */
static bool is_markup(struct bytes *content)
{
    struct scan s;
    scan_init(&s, content, 0);
    if (scan_starts(&s, "\xEF\xBB\xBF", false))
        scan_skip(&s, 3);
    while (ascii_space(scan_peek(&s)))
        scan_next(&s);
    return scan_peek(&s) == '<';
}

/* A part that decides about others must be readable here as it is for the office program. */
static bool is_utf8_xml(struct bytes *content)
{
    size_t len;
    const uint8_t *p = bytes_chunk(content, 0, &len);
    return p && (len == 0 || !memchr(p, 0, len));
}

/* An entity of plain text puts a field, a formula or a relationship together that nobody here reads as one. The rest of the
 * prolog is said by the scanner of XML, which looks at every part on its own. */
static void look_at_prolog(struct tally *t, struct bytes *content)
{
    struct tally unsaid;
    struct xml_texts texts = {.declared = false};
    struct page page = {.tally = &unsaid};
    tally_init(&unsaid, t->in);
    (void)xml_prolog(&page, content, &texts);
    if (texts.declared)
        tally_refuse(t, FINDING_ACTIVE_XML_ENTITY, texts.at, NULL);
}

void active_office_member(struct inspection *package, const char *name, size_t len, struct bytes *content)
{
    char path[512];
    struct tally t;
    size_t n = len < sizeof(path) - 1 ? len : sizeof(path) - 1;
    for (size_t i = 0; i < n; i++)
        path[i] = name[i] == '\\' ? '/' : name[i] ? (char)ascii_lower((uint8_t)name[i]) : ' ';
    path[n] = '\0';
    tally_init(&t, package);
    look_at_name(&t, path);
    enum part part = part_of(path);
    if (part == PART_OTHER && is_markup(content))
        part = PART_MARKUP;
    if (part != PART_OTHER)
        look_at_prolog(&t, content);
    if (part != PART_OTHER && !is_utf8_xml(content))
        inspect_find(package, FINDING_INSPECT_INCOMPLETE, "a part of the document is not XML in UTF-8");
    else if (part == PART_MARKUP)
        office_fields(&t, content);
    else if (part != PART_OTHER)
        walk(&t, part, content);
    tally_say(&t);
}
