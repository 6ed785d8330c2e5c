/* SPDX-License-Identifier: ISC
 * In a worker child: Jupyter notebooks. What an output shows is HTML, SVG, Markdown or JavaScript inside JSON strings,
 * escaped and often split into lists: decoded, joined, and examined as pages. Plain text and images pass. */
#include "inspect/active_scanners.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/json_events.h"
#include "inspect/markdown.h"
#include "inspect/page.h"

enum show { SHOW_NOTHING = 0, SHOW_PAGE, SHOW_MARKDOWN, SHOW_SCRIPT, SHOW_WIDGET, SHOW_LATEX, SHOW_SOURCE, SHOW_KIND };

static const struct {
    const char *key; /* a media type or key, or its start where it ends with '*' */
    enum show show;
} keys[] = {
    {"text/html", SHOW_PAGE},
    {"image/svg+xml", SHOW_PAGE},
    {"application/xhtml+xml", SHOW_PAGE},
    {"application/pdf", SHOW_WIDGET},
    {"text/markdown", SHOW_MARKDOWN},
    {"text/latex", SHOW_LATEX},
    {"application/javascript", SHOW_SCRIPT},
    {"application/ecmascript", SHOW_SCRIPT},
    {"application/x-javascript", SHOW_SCRIPT},
    {"text/javascript", SHOW_SCRIPT},
    {"application/vnd.bokehjs*", SHOW_SCRIPT},
    {"application/vnd.holoviews*", SHOW_SCRIPT},
    {"application/vnd.jupyter.widget*", SHOW_WIDGET},
    {"widgets", SHOW_WIDGET},
    {"source", SHOW_SOURCE},
    {"cell_type", SHOW_KIND},
};

struct notebook {
    struct inspection *in;
    struct tally tally;
    struct json_events json;
    struct buf text;         /* the strings of one output, joined */
    struct buf source;       /* of the cell under way */
    uint64_t source_at;
    unsigned cell_depth;     /* depth of the object that `source` belongs to */
    bool markdown;
};

bool active_notebook_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_NOTEBOOK);
}

static enum show show_of(const struct buf *name)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        size_t n = strlen(keys[i].key);
        bool start = keys[i].key[n - 1] == '*';
        n -= start;
        if ((start ? name->len >= n : name->len == n) && memcmp(name->data, keys[i].key, n) == 0)
            return keys[i].show;
    }
    return SHOW_NOTHING;
}

static void examine(struct notebook *n, struct buf *text, enum show show, uint64_t at)
{
    struct bytes bytes;
    struct page page = {.context = page_context_of(n->in), .tally = &n->tally};
    if (text->failed)
        inspect_find(n->in, FINDING_INSPECT_LIMIT, "an output of the notebook is too long to be looked at");
    if (text->len == 0)
        return;
    n->tally.has_origin = true;
    n->tally.origin = at;
    if (show == SHOW_MARKDOWN) {
        page.context = markdown_context(n->in);
        markdown_examine(&page, text->data, text->len);
    } else if (show == SHOW_PAGE) {
        bytes_init_memory(&bytes, text->data, text->len);
        page_examine(&page, &bytes);
    } else if (show == SHOW_LATEX && memmem(text->data, text->len, "script:", 7)) {
        page_act(&page, ACT_SCRIPT_URL, at);
    }
    n->tally.has_origin = false;
}

/* A value that carries script or a widget by its mere presence: anything but null and empty. */
static void note_presence(struct notebook *n, enum show show, uint64_t at)
{
    struct page page = {.context = page_context_of(n->in), .tally = &n->tally};
    page_act(&page, show == SHOW_SCRIPT ? ACT_SCRIPT : ACT_EMBED, at);
}

/* Gathers a string or a list of strings; other values are passed over. Returns the event that ended it. */
static enum json_event gather(struct notebook *n, struct buf *into)
{
    unsigned depth = n->json.depth;
    buf_reset(into);
    for (;;) {
        enum json_event e = json_events_next(&n->json);
        if (e == JSON_BAD || e == JSON_END)
            return e;
        if (n->json.text.failed)
            into->failed = true;
        if (e == JSON_TEXT)
            buf_bytes(into, n->json.text.data, n->json.text.len);
        if (n->json.depth == depth)
            return e;
    }
}

static enum json_event look_at_value(struct notebook *n, enum show show)
{
    uint64_t at = n->json.at;
    struct buf *into = show == SHOW_SOURCE ? &n->source : &n->text;
    if (show == SHOW_SOURCE && n->source.len > 0) /* a second one before the cell's end hides the first */
        examine(n, &n->source, SHOW_MARKDOWN, n->source_at);
    enum json_event e = gather(n, into);
    if (show == SHOW_SCRIPT || show == SHOW_WIDGET) {
        if (e != JSON_OTHER)
            note_presence(n, show, at);
    } else if (show == SHOW_KIND) {
        n->markdown = into->len == 8 && memcmp(into->data, "markdown", 8) == 0;
        n->cell_depth = n->json.depth;
    } else if (show == SHOW_SOURCE) {
        n->source_at = at;
        n->cell_depth = n->json.depth;
    } else {
        examine(n, into, show, at);
    }
    return e;
}

static void end_cell(struct notebook *n)
{
    if (n->json.depth + 1 != n->cell_depth)
        return;
    if (n->markdown)
        examine(n, &n->source, SHOW_MARKDOWN, n->source_at);
    n->markdown = false;
    n->cell_depth = 0;
    buf_reset(&n->source);
}

static enum json_event walk(struct notebook *n)
{
    for (;;) {
        enum json_event e = json_events_next(&n->json);
        enum show show = e == JSON_NAME ? show_of(&n->json.text) : SHOW_NOTHING;
        if (show != SHOW_NOTHING)
            e = look_at_value(n, show);
        if (e == JSON_BAD || e == JSON_END)
            return e;
        if (e == JSON_CLOSE)
            end_cell(n);
    }
}

void active_notebook_scan(struct inspection *in)
{
    struct notebook n = {.in = in};
    tally_init(&n.tally, in);
    json_events_init(&n.json, in->bytes, NOTEBOOK_OUTPUT);
    buf_init(&n.text, (size_t)NOTEBOOK_OUTPUT);
    buf_init(&n.source, (size_t)NOTEBOOK_OUTPUT);
    if (walk(&n) == JSON_BAD)
        inspect_find(in, FINDING_INSPECT_INCOMPLETE, "the notebook is not the JSON it claims to be");
    tally_say(&n.tally);
    buf_free(&n.text);
    buf_free(&n.source);
    json_events_free(&n.json);
}
