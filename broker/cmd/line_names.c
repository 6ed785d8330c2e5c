/* SPDX-License-Identifier: ISC
 * See line_names.h. The broker looks for no credential itself: a worker's child scans the names, many in one text, each
 * on a line of its own, and once more with its components on lines of their own (a slash is a neighbour that some tokens
 * do not stand). A text with a hit is halved, so that each name is judged by itself alone; what is found is blanked, and
 * the rest looked at again. */
#include "cmd/line_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "cmd/cmd.h"

struct name_scan {
    struct line *line;
    const char **names;  /* borrowed */
    char **marks;        /* by name: NULL, or a byte for each of its bytes, not 0 where it is part of a credential */
    size_t n;
    struct item *items;  /* the names are their paths, and a hit is a finding on them; NULL: they are not */
};

static bool scan_init(struct name_scan *scan, struct line *line, size_t n)
{
    *scan = (struct name_scan){.line = line, .n = n};
    scan->names = calloc(n + 1, sizeof(*scan->names));
    scan->marks = calloc(n + 1, sizeof(*scan->marks));
    return scan->names && scan->marks;
}

static void scan_free(struct name_scan *scan)
{
    for (size_t i = 0; scan->marks && i < scan->n; i++)
        free(scan->marks[i]);
    free(scan->marks);
    free(scan->names);
}

/* --- hits ------------------------------------------------------------------------------------------ */

static bool has_rule(const struct item *item, const struct finding *hit)
{
    for (size_t i = 0; i < item->findings.n; i++) {
        const struct finding *f = &item->findings.v[i];
        if (f->code == FINDING_SECRET && !f->member && strcmp(f->rule, hit->rule) == 0)
            return true;
    }
    return false;
}

static int add_finding(struct item *item, const struct finding *hit)
{
    struct finding f = {.code = FINDING_SECRET, .level = hit->level};
    if (has_rule(item, hit))
        return 0;
    memcpy(f.rule, hit->rule, sizeof(f.rule));
    f.message = strdup("the name of the file holds a credential");
    return f.message ? finding_list_add(&item->findings, &f) : -1;
}

/* Bytes [from, to) of a name. A path is masked where it is refused: what may leave keeps its name. */
static int mark(const struct name_scan *scan, size_t index, size_t from, size_t to, const struct finding *hit)
{
    size_t len = strlen(scan->names[index]);
    bool hide = scan->items ? hit->level == LEVEL_REFUSE : hit->level != LEVEL_NOTE;
    if (hide && !scan->marks[index])
        if (!(scan->marks[index] = calloc(1, len + 1)))
            return -1;
    for (size_t i = from; hide && i < to && i < len; i++)
        scan->marks[index][i] = 1;
    return scan->items ? add_finding(&scan->items[index], hit) : 0;
}

/* --- scanning -------------------------------------------------------------------------------------- */

static void add_name(struct buf *text, const char *name)
{
    size_t len = strlen(name);
    buf_bytes(text, name, len);
    buf_u8(text, '\n');
    if (!strchr(name, '/'))
        return;
    for (size_t i = 0; i < len; i++)
        buf_u8(text, name[i] == '/' ? '\n' : (uint8_t)name[i]);
    buf_u8(text, '\n');
}

static size_t text_bytes(const char *name)
{
    return (strlen(name) + 1) * (strchr(name, '/') ? 2 : 1);
}

static int scan_text(const struct name_scan *scan, struct buf *text, struct finding_list *hits)
{
    errno = ENOMEM;
    int rc = text->failed ? -1 : inspect_scan(scan->line->pool, SCAN_THEIRS, text->data, text->len, hits);
    buf_free(text);
    return rc;
}

/* --- one name -------------------------------------------------------------------------------------- */

/* An archive inside an archive stands in front of a "!". */
static const char *separators(const struct name_scan *scan)
{
    return scan->items ? "/" : "/!";
}

/* The name with every component blanked that has a marked byte. NULL: no memory. */
static char *blanked(const struct name_scan *scan, size_t index)
{
    const char *marks = scan->marks[index];
    char *name = strdup(scan->names[index]);
    size_t len = name ? strlen(name) : 0;
    for (size_t start = 0, end; marks && start < len; start = end + 1) {
        end = start + strcspn(name + start, separators(scan));
        if (memchr(marks + start, 1, end - start))
            memset(name + start, '.', end - start);
    }
    return name;
}

/* The components, with a line between them that no decoder takes for a piece of its text. */
#define BETWEEN "\n.\n"

static int scan_parts(const struct name_scan *scan, const char *name, struct finding_list *hits)
{
    struct buf text;
    buf_init(&text, SCAN_BYTES);
    for (const char *p = name; *p; p++)
        buf_bytes(&text, *p == '/' ? BETWEEN : p, *p == '/' ? strlen(BETWEEN) : 1);
    int rc = scan_text(scan, &text, hits);
    for (size_t h = 0; rc == 0 && h < hits->n; h++) {
        uint64_t at = 0;
        const char *p = name;
        while (*p && at < hits->v[h].offset)
            at += *p++ == '/' ? strlen(BETWEEN) : 1;
        hits->v[h].offset = (uint64_t)(p - name);
    }
    return rc;
}

/* A slash is base64, and what was decoded is placed at the whole run: directories in front of the component that holds
 * it are in the run and hold nothing. A match as it stands begins in its first component, however far it goes. */
static bool is_narrowed(const struct finding *hit, size_t from, const struct finding_list *parts)
{
    for (size_t i = 0; hit->length && i < parts->n; i++) {
        const struct finding *part = &parts->v[i];
        if (part->code == FINDING_SECRET && part->length && strcmp(part->rule, hit->rule) == 0 &&
            part->level == hit->level && part->offset > from && part->offset + part->length <= from + hit->length)
            return true;
    }
    return false;
}

static int assign(const struct name_scan *scan, size_t index, const struct finding_list *hits,
                  const struct finding_list *parts)
{
    size_t len = strlen(scan->names[index]);
    int rc = 0;
    for (size_t h = 0; rc == 0 && h < hits->n; h++) {
        const struct finding *hit = &hits->v[h];
        size_t from = (size_t)hit->offset % (len + 1);
        if (hit->code != FINDING_SECRET)
            rc = finding_list_note(&scan->line->whole, hit->code, "the names could not be looked at to the end");
        else if (!is_narrowed(hit, from, parts))
            rc = mark(scan, index, from, hit->length ? from + (size_t)hit->length : len, hit);
    }
    return rc;
}

static size_t count_marks(const struct name_scan *scan, size_t index)
{
    size_t n = 0, len = scan->marks[index] ? strlen(scan->names[index]) : 0;
    for (size_t i = 0; i < len; i++)
        n += scan->marks[index][i] != 0;
    return n;
}

static bool any_spans(const char *name, const struct finding_list *hits)
{
    size_t len = strlen(name);
    for (size_t h = 0; h < hits->n; h++) {
        const char *from = name + hits->v[h].offset % (len + 1);
        const char *slash = strchr(from, '/');
        if (slash && (!hits->v[h].length || (uint64_t)(slash - from) < hits->v[h].length))
            return true;
    }
    return false;
}

/* hits: of the text of this name, with what is marked blanked. */
static int take_hits(const struct name_scan *scan, size_t index, const char *name, const struct finding_list *hits)
{
    const struct finding_list none = {0};
    struct finding_list parts = {0};
    int rc = any_spans(name, hits) ? scan_parts(scan, name, &parts) : 0;
    if (rc == 0)
        rc = assign(scan, index, hits, &parts);
    if (rc == 0)
        rc = assign(scan, index, &parts, &none);
    finding_list_free(&parts);
    return rc;
}

/* Does a component that is not blanked have room for a credential that is encoded? */
static bool has_room(const struct name_scan *scan, const char *name)
{
    for (size_t n; *name; name += n + (name[n] != 0)) {
        n = strcspn(name, separators(scan));
        if (n >= NAME_ENCODED && strspn(name, ".") < n)
            return true;
    }
    return false;
}

/* What is found decoded is said once, in whichever component: so until a look finds no more. *hits is of the first. */
static int judge_name(const struct name_scan *scan, size_t index, struct finding_list *hits)
{
    size_t marked = 0;
    for (unsigned i = 0; i < NAME_LOOKS; i++) {
        AUTO_FREE char *before = blanked(scan, index);
        if (!before || take_hits(scan, index, before, hits) != 0)
            return -1;
        AUTO_FREE char *name = blanked(scan, index);
        size_t now = count_marks(scan, index);
        if (!name || now == marked || !has_room(scan, name))
            return name ? 0 : -1;
        marked = now;
        struct buf text;
        buf_init(&text, SCAN_BYTES);
        add_name(&text, name);
        finding_list_free(hits);
        if (scan_text(scan, &text, hits) != 0)
            return -1;
    }
    memset(scan->marks[index], 1, strlen(scan->names[index]));
    return 0;
}

/* --- all of them ----------------------------------------------------------------------------------- */

/* names[first..end) in one text; halved (at most as often as a number has bits) until a hit is in the text of one name:
 * a text may join two names to what neither holds, and says a credential once that several names hold encoded. */
static int scan_range(const struct name_scan *scan, size_t first, size_t end)
{
    struct finding_list hits = {0};
    struct buf text;
    buf_init(&text, SCAN_BYTES);
    for (size_t i = first; i < end; i++)
        add_name(&text, scan->names[i]);
    int rc = scan_text(scan, &text, &hits);
    bool one = end - first == 1, any = hits.n > 0;
    if (rc == 0 && one && any)
        rc = judge_name(scan, first, &hits);
    finding_list_free(&hits);
    if (rc != 0 || one || !any)
        return rc;
    size_t middle = first + (end - first) / 2;
    return scan_range(scan, first, middle) || scan_range(scan, middle, end) ? -1 : 0;
}

static int scan_all(const struct name_scan *scan)
{
    size_t first = 0, bytes = 0;
    for (size_t i = 0; i < scan->n; i++) {
        size_t more = text_bytes(scan->names[i]);
        if (bytes + more > SCAN_BYTES / 2 && i > first) {
            if (scan_range(scan, first, i) != 0)
                return -1;
            first = i;
            bytes = 0;
        }
        bytes += more;
    }
    return scan->n > first ? scan_range(scan, first, scan->n) : 0;
}

/* --- masking --------------------------------------------------------------------------------------- */

/* Every component with a marked byte becomes [masked]. NULL: no memory. */
static char *masked(const struct name_scan *scan, size_t index)
{
    const char *name = scan->names[index], *marks = scan->marks[index];
    struct buf out;
    size_t len = strlen(name);
    buf_init(&out, 16 * PATH_BYTES);
    for (size_t start = 0, end; start <= len; start = end + 1) {
        end = start + strcspn(name + start, separators(scan));
        if (memchr(marks + start, 1, end - start))
            buf_text(&out, "[masked]");
        else
            buf_bytes(&out, name + start, end - start);
        if (end < len)
            buf_u8(&out, (uint8_t)name[end]);
    }
    return buf_take_text(&out);
}

int line_names(struct line *line)
{
    struct item_list *items = &line->walk.items;
    struct name_scan scan;
    int rc = scan_init(&scan, line, items->n) ? 0 : -1;
    scan.items = items->v;
    for (size_t i = 0; rc == 0 && i < items->n; i++)
        scan.names[i] = items->v[i].path;
    if (rc == 0)
        rc = scan_all(&scan);
    for (size_t i = 0; rc == 0 && i < items->n; i++) {
        if (!scan.marks[i])
            continue;
        free(items->v[i].shown);
        items->v[i].shown = masked(&scan, i);
        rc = items->v[i].shown ? 0 : -1;
    }
    scan_free(&scan);
    return rc == 0 ? EXIT_OK : line_fail("the names could not be looked at", NULL, errno);
}

/* --- members --------------------------------------------------------------------------------------- */

/* Calls f for every finding with a member, of all items and of none; counts them. */
typedef int member_fn(struct name_scan *scan, size_t index, struct finding *finding);

static int each_member(struct name_scan *scan, struct line *line, member_fn *f, size_t *count)
{
    struct item_list *items = &line->walk.items;
    for (size_t i = 0; i <= items->n; i++) {
        struct finding_list *list = i < items->n ? &items->v[i].findings : &line->whole;
        for (size_t k = 0; k < list->n; k++) {
            if (!list->v[k].member)
                continue;
            if (f && f(scan, *count, &list->v[k]) != 0)
                return -1;
            ++*count;
        }
    }
    return 0;
}

static int name_member(struct name_scan *scan, size_t index, struct finding *finding)
{
    scan->names[index] = finding->member;
    return 0;
}

static int mask_member(struct name_scan *scan, size_t index, struct finding *finding)
{
    if (!scan->marks[index])
        return 0;
    char *shown = masked(scan, index);
    if (!shown)
        return -1;
    free(finding->member);
    finding->member = shown;
    return 0;
}

int line_member_names(struct line *line)
{
    struct name_scan scan;
    size_t n = 0, again = 0;
    (void)each_member(NULL, line, NULL, &n);
    if (n == 0)
        return EXIT_OK;
    int rc = scan_init(&scan, line, n) ? each_member(&scan, line, name_member, &again) : -1;
    if (rc == 0)
        rc = scan_all(&scan);
    again = 0;
    if (rc == 0)
        rc = each_member(&scan, line, mask_member, &again);
    scan_free(&scan);
    return rc == 0 ? EXIT_OK : line_fail("the members' names could not be looked at", NULL, errno);
}
