/* SPDX-License-Identifier: ISC
 * In a worker child: Jupyter notebooks. What an output shows is HTML, SVG, Markdown, JavaScript or a file inside JSON
 * strings, escaped and often split into lists: decoded, joined, and examined as what it is shown as. Plain text passes. */
#include "inspect/active_scanners.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/json_events.h"
#include "inspect/notebook.h"

struct notebook {
    struct tally tally;
    struct json_events json;
    struct notebook_join join;
    struct buf text;         /* the strings of one output, joined */
    struct buf source;       /* of the cell under way */
    uint64_t source_at;
    unsigned cell_depth;     /* depth of the object that `source` belongs to */
    bool markdown, page;     /* what the cell says it is, if only once */
    bool old;                /* inside `worksheets`: the third version */
    unsigned files;
    uint32_t letters;        /* that keys of interest begin with */
};

bool active_notebook_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_NOTEBOOK);
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
        if (e == JSON_TEXT) {
            buf_bytes(into, n->json.text.data, n->json.text.len);
            notebook_join_add(&n->join, &n->json.text);
        }
        if (n->json.depth == depth) {
            notebook_join_end(&n->join);
            return e;
        }
    }
}

static void examine_source(struct notebook *n)
{
    if (n->markdown)
        notebook_examine(&n->tally, SHOW_MARKDOWN, &n->source, n->source_at, 0, "");
    if (n->page)
        notebook_examine(&n->tally, SHOW_PAGE, &n->source, n->source_at, 0, "");
}

static bool kind_is(const struct buf *kind, const char *word)
{
    return kind->len == strlen(word) && memcmp(kind->data, word, kind->len) == 0;
}

static enum json_event look_at_source(struct notebook *n)
{
    if (n->source.len > 0) { /* a second one before the cell's end hides the first */
        notebook_examine(&n->tally, SHOW_MARKDOWN, &n->source, n->source_at, 0, "");
        notebook_examine(&n->tally, SHOW_PAGE, &n->source, n->source_at, 0, "");
    }
    n->source_at = n->json.at;
    enum json_event e = gather(n, &n->source);
    n->cell_depth = n->json.depth;
    return e;
}

static enum json_event look_at_value(struct notebook *n, enum show show, const char *extension)
{
    uint64_t at = n->json.at;
    if (show == SHOW_SOURCE)
        return look_at_source(n);
    enum json_event e = gather(n, &n->text);
    if (show == SHOW_SCRIPT || show == SHOW_WIDGET) {
        if (e != JSON_OTHER) /* anything but null */
            notebook_presence(&n->tally, show, at);
    } else if (show == SHOW_KIND) {
        n->markdown = n->markdown || kind_is(&n->text, "markdown") || kind_is(&n->text, "heading");
        n->page = n->page || kind_is(&n->text, "raw") || kind_is(&n->text, "html");
        n->cell_depth = n->json.depth;
    } else {
        n->files += show == SHOW_FILE;
        notebook_examine(&n->tally, show, &n->text, at, n->files, extension);
    }
    return e;
}

static void end_cell(struct notebook *n)
{
    if (n->json.depth == 1)
        n->old = false; /* the list of worksheets ends here or ended before */
    if (n->json.depth + 1 != n->cell_depth)
        return;
    examine_source(n);
    n->markdown = n->page = false;
    n->cell_depth = 0;
    buf_reset(&n->source);
}

/* Strings of any other list; what stands between them ends it. */
static void join(struct notebook *n, enum json_event e)
{
    if (e == JSON_TEXT && n->json.list[n->json.depth])
        notebook_join_add(&n->join, &n->json.text);
    else
        notebook_join_end(&n->join);
}

static enum json_event walk(struct notebook *n)
{
    for (;;) {
        const char *extension = "";
        enum json_event e = json_events_next(&n->json);
        join(n, e);
        if (e == JSON_NAME && n->json.depth == 1)
            n->old = kind_is(&n->json.text, "worksheets");
        bool may = e == JSON_NAME && n->json.text.len > 0 && n->letters >> (n->json.text.data[0] & 31) & 1;
        enum show show = may ? notebook_show_of(&n->json.text, n->old, &extension) : SHOW_NOTHING;
        if (show != SHOW_NOTHING)
            e = look_at_value(n, show, extension);
        if (e == JSON_BAD || e == JSON_END)
            return e;
        if (e == JSON_CLOSE)
            end_cell(n);
    }
}

void active_notebook_scan(struct inspection *in)
{
    struct notebook n = {.join = {.in = in}, .letters = notebook_letters()};
    tally_init(&n.tally, in);
    json_events_init(&n.json, in->bytes, NOTEBOOK_OUTPUT);
    buf_init(&n.text, (size_t)NOTEBOOK_OUTPUT);
    buf_init(&n.source, (size_t)NOTEBOOK_OUTPUT);
    buf_init(&n.join.text, (size_t)NOTEBOOK_OUTPUT);
    if (walk(&n) == JSON_BAD)
        inspect_find(in, FINDING_INSPECT_INCOMPLETE, "the notebook is not the JSON it claims to be");
    notebook_join_end(&n.join);
    tally_say(&n.tally);
    buf_free(&n.join.text);
    buf_free(&n.text);
    buf_free(&n.source);
    json_events_free(&n.json);
}
