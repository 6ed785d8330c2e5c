/* SPDX-License-Identifier: ISC
 * In a worker child: every tag and attribute of a page against tables of what acts and what loads. Names are compared
 * without prefix and case, values after character references; an element unknown here does nothing in any reader. */
#include <stddef.h>
#include <string.h>

#include "inspect/markup.h"
#include "inspect/page.h"

enum element {
    E_SCRIPT = 1u << 0,
    E_EMBED = 1u << 1,
    E_META = 1u << 2,
    E_BASE = 1u << 3,
    E_LINK = 1u << 4,
    E_STYLE = 1u << 5,
    E_HREF_LOADS = 1u << 6, /* its href is fetched, not followed */
    E_SVG_IMAGE = 1u << 7,  /* shows data: SVG as a mere image */
    E_FOREIGN = 1u << 8
};

static const struct {
    char name[16]; /* in place: the tables are searched for every tag */
    unsigned what;
} elements[] = {
    {"script", E_SCRIPT | E_HREF_LOADS}, {"handler", E_SCRIPT | E_HREF_LOADS}, {"listener", E_SCRIPT | E_HREF_LOADS},
    {"applet", E_EMBED},                 {"object", E_EMBED},                  {"embed", E_EMBED},
    {"iframe", E_EMBED},                 {"frame", E_EMBED},                   {"frameset", E_EMBED},
    {"portal", E_EMBED},                 {"fencedframe", E_EMBED},             {"meta", E_META},
    {"base", E_BASE},                    {"link", E_LINK | E_SVG_IMAGE},       {"style", E_STYLE},
    {"foreignobject", E_FOREIGN},        {"img", E_SVG_IMAGE},                 {"source", E_SVG_IMAGE},
    {"input", E_SVG_IMAGE},              {"video", E_SVG_IMAGE},               {"image", E_HREF_LOADS | E_SVG_IMAGE},
    {"feimage", E_HREF_LOADS | E_SVG_IMAGE}, {"use", E_HREF_LOADS},            {"mpath", E_HREF_LOADS},
    {"textpath", E_HREF_LOADS},          {"pattern", E_HREF_LOADS},            {"lineargradient", E_HREF_LOADS},
    {"radialgradient", E_HREF_LOADS},    {"meshgradient", E_HREF_LOADS},       {"hatch", E_HREF_LOADS},
    {"filter", E_HREF_LOADS},            {"cursor", E_HREF_LOADS},             {"tref", E_HREF_LOADS},
    {"altglyph", E_HREF_LOADS},          {"glyphref", E_HREF_LOADS},           {"font-face-uri", E_HREF_LOADS},
    {"definition-src", E_HREF_LOADS},    {"color-profile", E_HREF_LOADS},      {"animate", E_HREF_LOADS},
    {"animatemotion", E_HREF_LOADS},     {"animatetransform", E_HREF_LOADS},   {"set", E_HREF_LOADS},
    {"audio", E_HREF_LOADS},             {"prefetch", E_HREF_LOADS},
};

enum use {
    USE_NONE = 0,
    USE_LOAD,    /* fetched when the page is shown */
    USE_FOLLOW,  /* fetched when somebody clicks */
    USE_HREF,    /* one of both, by element */
    USE_LIST,    /* several, with descriptors */
    USE_STYLE,   /* CSS */
    USE_PAINT,   /* a presentation attribute that may hold url() */
    USE_SRCDOC,
    USE_TARGET,  /* attributeName of an animation */
    USE_WORDS,   /* text for people: never an address */
    USE_REL,
    USE_EQUIV,
    USE_CONTENT,
    USE_CHARSET
};

static const struct {
    char name[16];
    enum use use;
} attributes[] = {
    {"class", USE_WORDS},       {"id", USE_WORDS},         {"href", USE_HREF},          {"src", USE_LOAD},
    {"srcset", USE_LIST},       {"imagesrcset", USE_LIST}, {"poster", USE_LOAD},        {"background", USE_LOAD},
    {"data", USE_LOAD},         {"ping", USE_LIST},        {"attributionsrc", USE_LIST}, {"manifest", USE_LOAD},
    {"archive", USE_LIST},      {"codebase", USE_LOAD},    {"dynsrc", USE_LOAD},        {"lowsrc", USE_LOAD},
    {"action", USE_FOLLOW},     {"formaction", USE_FOLLOW}, {"cite", USE_FOLLOW},       {"longdesc", USE_FOLLOW},
    {"style", USE_STYLE},       {"fill", USE_PAINT},       {"stroke", USE_PAINT},       {"filter", USE_PAINT},
    {"clip-path", USE_PAINT},   {"mask", USE_PAINT},       {"marker", USE_PAINT},       {"marker-start", USE_PAINT},
    {"marker-mid", USE_PAINT},  {"marker-end", USE_PAINT}, {"cursor", USE_PAINT},       {"srcdoc", USE_SRCDOC},
    {"attributename", USE_TARGET}, {"title", USE_WORDS},   {"alt", USE_WORDS},          {"placeholder", USE_WORDS},
    {"label", USE_WORDS},       {"summary", USE_WORDS},    {"value", USE_WORDS},        {"rel", USE_REL},
    {"http-equiv", USE_EQUIV},  {"content", USE_CONTENT},  {"charset", USE_CHARSET},
};

/* The tables by the first letters of their names, since every tag and attribute is looked up. */
enum { SLOTS = 64 };
struct index {
    uint8_t first[SLOTS], next[SLOTS]; /* a row and one; 0: none */
};

struct indices {
    struct index elements, attributes;
};

_Static_assert(ARRAY_LEN(elements) < SLOTS && ARRAY_LEN(attributes) < SLOTS, "rows have a place in an index");

static unsigned slot_of(const char *name)
{
    return ((uint8_t)name[0] * 7u + (uint8_t)name[1]) % SLOTS;
}

static void index_add(struct index *index, const char *name, size_t row)
{
    unsigned slot = slot_of(name);
    index->next[row] = index->first[slot];
    index->first[slot] = (uint8_t)(row + 1);
}

static void indices_make(struct indices *indices)
{
    memset(indices, 0, sizeof(*indices));
    for (size_t i = ARRAY_LEN(elements); i-- > 0;)
        index_add(&indices->elements, elements[i].name, i);
    for (size_t i = ARRAY_LEN(attributes); i-- > 0;)
        index_add(&indices->attributes, attributes[i].name, i);
}

/* What of one element counts only together. */
struct seen {
    const struct indices *indices;
    unsigned what;
    bool header, refresh, type_header;  /* an http-equiv that is not harmless; and which */
    bool away;                          /* content= names another host */
    bool href_outside, href_document, rel_loads;
    uint64_t charset_at, content_at;
    char charset[48], content[48]; /* encodings: of charset=, of content= */
};

static unsigned element_of(const struct index *index, const char *name)
{
    for (size_t i = index->first[slot_of(name)]; i > 0; i = index->next[i - 1])
        if (strcmp(elements[i - 1].name, name) == 0)
            return elements[i - 1].what;
    return 0;
}

static enum use use_of(const struct index *index, const char *name)
{
    for (size_t i = index->first[slot_of(name)]; i > 0; i = index->next[i - 1])
        if (strcmp(attributes[i - 1].name, name) == 0)
            return attributes[i - 1].use;
    bool words = (name[0] == 'a' || name[0] == 'd') && name[4] == '-' &&
                 (strncmp(name, "aria-", 5) == 0 || strncmp(name, "data-", 5) == 0);
    return words ? USE_WORDS : USE_NONE;
}

/* --- values -------------------------------------------------------------------------------------- */

static void look_at_address(const struct page *page, const struct seen *seen, const uint8_t *text, size_t len,
                            bool load, uint64_t at)
{
    switch (weburl_classify(text, len)) {
    case WEBURL_OUTSIDE:
        if (load)
            page_act(page, ACT_LOAD, at);
        break;
    case WEBURL_SCRIPT:
        page_act(page, ACT_SCRIPT_URL, at);
        break;
    case WEBURL_SVG:
        if (!load || !(seen->what & E_SVG_IMAGE))
            page_act(page, ACT_DOCUMENT_URL, at);
        break;
    case WEBURL_DOCUMENT:
        page_act(page, ACT_DOCUMENT_URL, at);
        break;
    case WEBURL_FILE:
        page_act(page, load ? ACT_LOAD : ACT_FILE_LINK, at);
        break;
    case WEBURL_HANDLER:
        page_act(page, ACT_SCHEME, at);
        break;
    case WEBURL_LOCAL:
    case WEBURL_PLAIN:
    case WEBURL_IMAGE:
        break;
    }
}

static void look_at_list(const struct page *page, const struct seen *seen, const struct markup_attribute *a)
{
    for (size_t i = 0; i < a->value_len;) {
        while (i < a->value_len && (ascii_space(a->value[i]) || a->value[i] == ','))
            i++;
        size_t first = i;
        while (i < a->value_len && !ascii_space(a->value[i]) && a->value[i] != ',')
            i++;
        if (i > first)
            look_at_address(page, seen, a->value + first, i - first, true, a->at);
    }
}

static void look_at_style(const struct page *page, const struct markup_attribute *a)
{
    struct bytes value;
    struct tally *t = page->tally;
    bool had = t->has_origin;
    uint64_t origin = t->origin;
    if (!memchr(a->value, '(', a->value_len) && !memchr(a->value, '\\', a->value_len) &&
        !memmem(a->value, a->value_len, "--", 2))
        return; /* nothing that names an address, nor a value that other styles take */
    bytes_init_memory(&value, a->value, a->value_len);
    if (!had) {
        t->has_origin = true;
        t->origin = a->at;
    }
    page_style(page, &value, 0, a->value_len, false);
    t->has_origin = had;
    t->origin = origin;
}

/* One token of rel that makes a reader fetch the link by itself. */
static bool rel_loads(const uint8_t *value, size_t len)
{
    static const char *const parts[] = {"style",  "icon",   "fetch",    "load",   "connect",    "render",
                                        "import", "worker", "manifest", "subres", "dictionary", "startup"};
    char text[128];
    size_t n = len < sizeof(text) - 1 ? len : sizeof(text) - 1;
    for (size_t i = 0; i < n; i++)
        text[i] = value[i] ? (char)ascii_lower(value[i]) : ' ';
    text[n] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (strstr(text, parts[i]))
            return true;
    return n < len || strcmp(text, "next") == 0;
}

static bool same_word(const uint8_t *value, size_t len, const char *word)
{
    while (len > 0 && ascii_space(value[0]))
        value++, len--;
    while (len > 0 && ascii_space(value[len - 1]))
        len--;
    if (len != strlen(word))
        return false;
    for (size_t i = 0; i < len; i++)
        if (ascii_lower(value[i]) != word[i])
            return false;
    return true;
}

static void note_equiv(struct seen *seen, const struct markup_attribute *a)
{
    /* What no reader acts on, or what only takes rights away. */
    static const char *const harmless[] = {
        "content-type",       "content-language",        "x-ua-compatible", "content-security-policy",
        "cache-control",      "expires",                 "pragma",          "content-style-type",
        "content-script-type", "default-style",          "imagetoolbar",    "last-modified",
        "content-security-policy-report-only", "cleartype", "page-enter",   "page-exit", "pics-label", "",
        "author",             "description",             "keywords",        "reply-to", "copyright", "date"};
    seen->refresh = seen->refresh || same_word(a->value, a->value_len, "refresh");
    seen->type_header = seen->type_header || same_word(a->value, a->value_len, "content-type");
    for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
        if (same_word(a->value, a->value_len, harmless[i]))
            return;
    seen->header = true;
}

static const uint8_t *find_word(const uint8_t *p, size_t len, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++) {
        size_t same = 0;
        while (same < n && ascii_lower(p[i + same]) == word[same])
            same++;
        if (same == n)
            return p + i + n;
    }
    return NULL;
}

static void note_charset(char out[48], const uint8_t *value, size_t len)
{
    while (len > 0 && (ascii_space(value[0]) || value[0] == '='))
        value++, len--;
    size_t n = 0;
    while (n < len && n < 47 && value[n] != ';' && value[n] != 0)
        n++;
    memcpy(out, value, n);
    out[n] = '\0';
}

/* content= of a meta element: where a refresh goes, and which encoding is declared. */
static void note_content(struct seen *seen, const struct markup_attribute *a)
{
    const uint8_t *end = a->value + a->value_len, *p = a->value;
    while (p < end && (ascii_space(*p) || ascii_digit(*p) || *p == '.' || *p == ';' || *p == ','))
        p++;
    if (end - p >= 3 && ascii_lower(p[0]) == 'u' && ascii_lower(p[1]) == 'r' && ascii_lower(p[2]) == 'l') {
        p += 3;
        while (p < end && (ascii_space(*p) || *p == '=' || *p == '"' || *p == '\''))
            p++;
    }
    enum weburl kind = weburl_classify(p, (size_t)(end - p));
    seen->away = seen->away || (kind != WEBURL_LOCAL && kind != WEBURL_IMAGE);
    const uint8_t *charset = find_word(a->value, a->value_len, "charset");
    if (charset) {
        note_charset(seen->content, charset, (size_t)(end - charset));
        seen->content_at = a->at;
    }
}

/* --- attributes ---------------------------------------------------------------------------------- */

static void look_at_href(const struct page *page, struct seen *seen, const struct markup_attribute *a)
{
    enum weburl kind = weburl_classify(a->value, a->value_len);
    if (seen->what & E_BASE)
        page_act(page, ACT_BASE, a->at);
    if (seen->what & E_LINK) {
        seen->href_outside = seen->href_outside || kind == WEBURL_OUTSIDE || kind == WEBURL_FILE;
        seen->href_document = seen->href_document || kind == WEBURL_DOCUMENT;
        if (kind == WEBURL_SCRIPT)
            page_act(page, ACT_SCRIPT_URL, a->at);
        return;
    }
    look_at_address(page, seen, a->value, a->value_len, seen->what & E_HREF_LOADS, a->at);
}

static void look_at_meta(struct seen *seen, const struct markup_attribute *a, enum use use)
{
    if (use == USE_EQUIV) {
        note_equiv(seen, a);
    } else if (use == USE_CONTENT) {
        note_content(seen, a);
    } else if (use == USE_CHARSET && (seen->what & E_META)) {
        note_charset(seen->charset, a->value, a->value_len);
        seen->charset_at = a->at;
    }
}

static bool is_handler(const struct markup_attribute *a)
{
    return a->name[0] == 'o' && a->name[1] == 'n' && ascii_letter(a->name[2]);
}

/* "src=x/onerror=..." and "src=`x`onerror=...": readers have split such values into attributes. */
static bool hides_handler(const struct markup_attribute *a)
{
    const uint8_t *p = a->value, *end = a->value + a->value_len;
    while (a->bare && end - p > 4 && (p = memchr(p, 'o', (size_t)(end - p) - 3)) != NULL) {
        const uint8_t *word = p + 2;
        bool apart = p > a->value && strchr("/`'\"", p[-1]);
        while (word < end && ascii_letter(*word))
            word++;
        if (apart && p[1] == 'n' && word > p + 4 && word < end && *word == '=')
            return true;
        p++;
    }
    return false;
}

/* An animation that sets an address or a handler. */
static bool animates_action(const struct markup_attribute *a)
{
    return find_word(a->value, a->value_len, "href") || (a->value_len > 2 && same_word(a->value, 2, "on"));
}

/* Was something cut off that would have to be looked at? A long data: image is known by its start. */
static bool cut_blind(const struct markup_attribute *a, enum use use)
{
    size_t blank = 0;
    if (!a->cut || use == USE_WORDS)
        return false;
    if (use == USE_LIST || use == USE_STYLE || use == USE_PAINT || use >= USE_REL)
        return true;
    while (blank < a->value_len && a->value[blank] <= ' ')
        blank++;
    return a->value_len - blank < WEBURL_START;
}

static void look_at_attribute(const struct page *page, struct seen *seen, const struct markup_attribute *a)
{
    if (!a->has_value)
        return;
    enum use use = use_of(&seen->indices->attributes, a->name);
    if (is_handler(a) || hides_handler(a))
        page_act(page, ACT_HANDLER, a->at);
    if (page_rebases(a))
        page_act(page, ACT_BASE, a->at);
    if (strcmp(a->name, "shadowrootmode") == 0)
        page_act(page, ACT_EMBED, a->at);
    if (cut_blind(a, use))
        inspect_find(page->tally->in, FINDING_INSPECT_LIMIT, "an attribute is too long to be looked at");
    if (use == USE_HREF)
        look_at_href(page, seen, a);
    else if (use == USE_LOAD || use == USE_FOLLOW)
        look_at_address(page, seen, a->value, a->value_len, use == USE_LOAD, a->at);
    else if (use == USE_LIST)
        look_at_list(page, seen, a);
    else if (use == USE_STYLE || use == USE_PAINT)
        look_at_style(page, a);
    else if (use == USE_SRCDOC)
        page_act(page, ACT_SRCDOC, a->at);
    else if (use == USE_REL)
        seen->rel_loads = seen->rel_loads || rel_loads(a->value, a->value_len);
    else if (use >= USE_EQUIV)
        look_at_meta(seen, a, use);
    else if (use == USE_TARGET && animates_action(a))
        page_act(page, ACT_SCRIPT_URL, a->at);
    else if (use == USE_NONE && memchr(a->value, ':', a->value_len) && weburl_classify(a->value, a->value_len) == WEBURL_SCRIPT)
        page_act(page, ACT_SCRIPT_URL, a->at);
}

/* --- elements ------------------------------------------------------------------------------------ */

static void finish_element(const struct page *page, const struct seen *seen, uint64_t at)
{
    if ((seen->what & E_LINK) && seen->rel_loads) {
        if (seen->href_outside)
            page_act(page, ACT_LOAD, at);
        if (seen->href_document)
            page_act(page, ACT_DOCUMENT_URL, at);
    }
    if (seen->what & E_META) {
        if (seen->refresh)
            page_act(page, seen->away ? ACT_REFRESH_AWAY : ACT_REFRESH, at);
        else if (seen->header)
            page_act(page, ACT_HEADER, at);
        if (seen->charset[0])
            page_encoding(page, (const uint8_t *)seen->charset, strlen(seen->charset), seen->charset_at);
        if (seen->content[0] && seen->type_header)
            page_encoding(page, (const uint8_t *)seen->content, strlen(seen->content), seen->content_at);
    }
}

static uint64_t style_end(struct bytes *bytes, uint64_t from)
{
    struct scan s;
    scan_init(&s, bytes, from);
    while (scan_past(&s, "</"))
        if (scan_starts(&s, "style", true))
            return scan_offset(&s);
    return bytes->size;
}

static bool is_live(const struct page *page, const struct markup_tag *tag)
{
    if (!page->live || page->live->all)
        return true;
    for (size_t i = 0; i < page->live->n; i++)
        if (strncmp(page->live->v[i], tag->prefix, PAGE_PREFIX) == 0)
            return true;
    return false;
}

static void look_at_tag(const struct page *page, struct markup *m, const struct markup_tag *tag, struct seen *seen)
{
    const struct markup_attribute *a;
    seen->what = element_of(&seen->indices->elements, tag->name);
    if (seen->what & E_SCRIPT)
        page_act(page, ACT_SCRIPT, tag->at);
    if (seen->what & E_EMBED)
        page_act(page, ACT_EMBED, tag->at);
    if (seen->what & E_FOREIGN)
        page_act(page, ACT_FOREIGN, tag->at);
    while ((a = markup_attribute(m)) != NULL)
        look_at_attribute(page, seen, a);
    finish_element(page, seen, tag->at);
}

void page_examine(const struct page *page, struct bytes *bytes)
{
    const struct markup_tag *tag;
    struct indices indices;
    struct seen seen; /* its texts are large, and empty ones need their first byte alone */
    uint64_t styled = 0; /* end of the style that was looked at last */
    struct markup *m = markup_new(bytes, page->start, bytes->size, page->live != NULL);
    if (!m) {
        inspect_find(page->tally->in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    bool made = false; /* many texts of notebooks and Markdown have no tag at all */
    m->exact = page->exact;
    m->openings = true;
    while ((tag = markup_next(m)) != NULL) {
        if (!is_live(page, tag))
            continue;
        if (!made)
            indices_make(&indices);
        made = true;
        memset(&seen, 0, offsetof(struct seen, charset));
        seen.indices = &indices;
        seen.charset[0] = seen.content[0] = '\0';
        look_at_tag(page, m, tag, &seen);
        uint64_t here = markup_offset(m);
        if ((seen.what & E_STYLE) && here >= styled) {
            styled = style_end(bytes, here);
            page_style(page, bytes, here, styled, true);
            markup_forget(m);
        }
    }
    page->tally->in->budget->work += m->work;
    if (m->exhausted)
        inspect_find(page->tally->in, FINDING_INSPECT_LIMIT, "tags within tags without end");
    markup_free(&m);
}
