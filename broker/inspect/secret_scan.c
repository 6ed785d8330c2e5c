/* SPDX-License-Identifier: ISC
 * One text under all rules: the database says where a rule may have hit, the pattern decides in a window around it.
 * Runs in a worker child over hostile bytes. A text is read in overlapping parts; whatever needs bytes behind the part
 * is left for the next one, so that a secret is found at every offset. */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "inspect/secret.h"
#include "inspect/secret_inflate.h"

enum {
    CONTEXT = 64,   /* bytes in front of a match that guards may look at */
    PACKED_MAX = 64, /* packed streams in one part; more are refused */
    PACKED_HEAD = 10,
    PIECE = 4096,
    MERGE_MOST = 4096 /* windows of one rule that touch are one, up to this */
};

/* --- text ------------------------------------------------------------------------------------------ */

void secret_text_init(struct text *text, struct bytes *bytes)
{
    *text = (struct text){.bytes = bytes};
}

const uint8_t *secret_text_at(struct text *text, uint64_t off, size_t *len)
{
    if (off < text->at || off - text->at >= text->len) {
        text->at = off;
        text->p = bytes_chunk(text->bytes, off, &text->len);
    }
    *len = text->len - (size_t)(off - text->at);
    return text->p + (off - text->at);
}

int secret_text_byte(struct text *text, uint64_t off)
{
    size_t len;
    const uint8_t *p = secret_text_at(text, off, &len);
    return len > 0 ? *p : -1;
}

/* --- saying ---------------------------------------------------------------------------------------- */

static const char *const confidence[] = {
    [CHECK_RESULT_NONE] = "",
    [CHECK_RESULT_HOLDS] = ", check holds",
    [CHECK_RESULT_FAILS] = ", check does not hold",
};

/* A value that was said raw is not said again from a view that shows it once more. The table forgets, never lies. */
static bool said_before(struct scan *scan, size_t rule, const uint8_t *secret, size_t len, bool view)
{
    uint64_t key = XXH3_64bits_withSeed(secret, len, (scan->engine->scans << 16) + rule + 1) | 1;
    uint64_t *slot = &scan->engine->seen[key % SECRET_SEEN];
    bool known = *slot == key;
    *slot = key;
    return known && view;
}

/* Placeholders have a count of their own: a file full of them must not use up the room for a credential. */
static uint32_t *hit_count(struct scan *scan, size_t rule, enum finding_level level)
{
    bool placeholder = level != scan->engine->table.v[rule].level;
    return &scan->engine->hits[rule + (placeholder ? scan->engine->table.n : 0)];
}

static bool room_for(struct scan *scan, uint32_t *hits)
{
    if (*hits > SECRET_HITS_MAX)
        return false;
    ++*hits;
    if (scan->records_n > FINDINGS_MAX) {
        scan->too_many = true;
        return false;
    }
    return true;
}

/* "base64>hex", outermost first. */
static void put_chain(const struct text *text, char out[SECRET_CHAIN])
{
    const struct text *from[SECRET_DEPTH + 1];
    size_t n = 0, at = 0;
    for (; text->parent && n <= SECRET_DEPTH; text = text->parent)
        from[n++] = text;
    out[0] = '\0';
    while (n-- > 0 && at < SECRET_CHAIN)
        at += (size_t)snprintf(out + at, SECRET_CHAIN - at, "%s%s", at > 0 ? ">" : "", from[n]->name);
}

static void record(struct scan *scan, const struct text *text, size_t rule, enum finding_level level, uint64_t offset,
                   uint64_t length, const char *note)
{
    uint32_t *hits = hit_count(scan, rule, level);
    char chain[SECRET_CHAIN];
    scan->engine->hits_used = true;
    if (!room_for(scan, hits))
        return;
    struct secret_record *r = &scan->engine->records[scan->records_n++];
    bool last = *hits > SECRET_HITS_MAX;
    *r = (struct secret_record){.rule = (uint32_t)rule, .level = level, .offset = offset, .length = length};
    if (text->depth > 0) {
        r->offset = text->origin;
        r->length = text->origin_len;
    }
    put_chain(text, chain);
    snprintf(r->chain, sizeof(r->chain), "%s%s%s", chain, note, last ? ", more are not listed" : "");
}

static bool is_placeholder(const struct rule *rule, enum check_result check, const uint8_t *secret, size_t len)
{
    if (secret_example(secret, len))
        return true;
    if (rule->kind == KIND_PASSWORD)
        return secret_password_placeholder(secret, len);
    return rule->kind == KIND_TOKEN && (rule->must || check != CHECK_RESULT_HOLDS) && secret_placeholder(secret, len);
}

/* The match is there; is it a credential? */
static void judge(struct scan *scan, const struct text *text, size_t id, const uint8_t *base, uint64_t at,
                  const struct match *m)
{
    const struct rule *rule = &scan->engine->table.v[id];
    const uint8_t *secret = base + m->secret_start;
    size_t len = m->secret_end - m->secret_start;
    enum finding_level level = rule->level;
    enum check_result check = secret_check(rule->check, base + m->start, m->end - m->start, secret, len);
    const char *note = confidence[check];
    if (rule->must && check == CHECK_RESULT_FAILS)
        return;
    if (rule->entropy > 0 && secret_entropy(secret, len) < rule->entropy)
        return;
    enum value_grade grade = rule->kind == KIND_VALUE ? secret_value(secret, len) : VALUE_LIKELY;
    if (grade == VALUE_NONE)
        return;
    if (grade == VALUE_DOUBTFUL && level == LEVEL_REFUSE) {
        level = LEVEL_WARN;
        note = ", could be a name as well";
    }
    if (grade == VALUE_NAME) {
        level = LEVEL_NOTE;
        note = ", looks like the name of a constant";
    }
    if (is_placeholder(rule, check, secret, len)) {
        level = LEVEL_NOTE;
        note = ", looks like a placeholder";
    }
    if (!said_before(scan, id, secret, len, text->depth > 0))
        record(scan, text, id, level, at + m->start, m->end - m->start, note);
}

/* --- one part of a text ---------------------------------------------------------------------------- */

struct part {
    struct scan *scan;
    struct text *text;
    const uint8_t *p;
    size_t len;
    uint64_t at;
    bool last;        /* nothing comes behind it */
    uint64_t resume;  /* the next part must start here or before */
    uint64_t *next;
    size_t packed_n;
    uint64_t packed[PACKED_MAX]; /* heads of packed streams */
};

/* Everything that starts before `to` is decided. */
static void decided(struct part *part, size_t id, uint64_t to)
{
    struct secret_engine *e = part->scan->engine;
    unsigned depth = part->text->depth;
    if (part->next[id] == 0)
        e->used[depth][e->used_n[depth]++] = (uint32_t)id;
    part->next[id] = to;
}

static uint64_t window_start(const struct part *part, const struct rule *rule, uint64_t to, size_t id)
{
    uint64_t reach = (uint64_t)rule->width + rule->lead;
    uint64_t start = to > reach ? to - reach : 0;
    if (start < part->next[id])
        start = part->next[id];
    return start > part->at ? start : part->at;
}

/* Decides every match that starts in [from, to) and lies before end; returns what is decided. */
static uint64_t confirm(struct part *part, size_t id, uint64_t from, uint64_t to, uint64_t end)
{
    while (from < to) {
        struct match m;
        part->scan->engine->confirms++;
        enum match_result r = rule_match(part->scan->engine->rules, id, part->p, (size_t)(end - part->at),
                                         (size_t)(from - part->at), (size_t)(to - 1 - part->at), &m);
        if (r == MATCH_UNDECIDED)
            part->scan->undecided = true;
        if (r != MATCH_YES)
            return to;
        judge(part->scan, part->text, id, part->p, part->at, &m);
        from = part->at + m.end;
    }
    return from;
}

/* --- windows -------------------------------------------------------------------------------------------- */

/* Is there, in [from, end), what every match holds? Looked for once in a part, however many windows ask. */
static bool has_need(const struct part *part, size_t id, uint64_t from, uint64_t end)
{
    struct secret_engine *e = part->scan->engine;
    const struct gate_step *need = e->needs[id];
    struct secret_window *w = &e->windows[id];
    if (!need)
        return true;
    if (w->part != e->parts || from < w->need_from || from > w->need_at) {
        w->part = e->parts;
        w->need_from = from;
        w->need_at = part->at + secret_need_find(need, part->p, (size_t)(from - part->at), part->len);
    }
    return w->need_at + need->least <= end;
}

/* Decides the window that hits of the rule asked for, if there is one. */
static void look(struct part *part, size_t id)
{
    struct secret_window *w = &part->scan->engine->windows[id];
    uint64_t to = w->to, end = part->at + part->len, max = part->scan->engine->table.v[id].max;
    w->to = 0;
    if (to == 0)
        return;
    end = max < end - to ? to + max : end;
    decided(part, id, has_need(part, id, w->from, end) ? confirm(part, id, w->from, to, end) : to);
}

/* Nothing waits when a part ends: the views of it use the same windows. */
static void look_at_all(struct part *part)
{
    struct secret_engine *e = part->scan->engine;
    for (size_t i = 0; i < e->waiting_n; i++) {
        look(part, e->waiting[i]);
        e->windows[e->waiting[i]].listed = false;
    }
    e->waiting_n = 0;
}

/* A text that repeats a trigger asks for a window at each; one call for all that touch decides the same starts. */
static void ask(struct part *part, size_t id, uint64_t to)
{
    struct secret_engine *e = part->scan->engine;
    const struct rule *rule = &e->table.v[id];
    struct secret_window *w = &e->windows[id];
    if (w->to > 0 && window_start(part, rule, to, id) <= w->to && to - w->from <= MERGE_MOST) {
        w->to = to > w->to ? to : w->to;
        return;
    }
    look(part, id);
    if (to <= part->next[id])
        return;
    bool listed = w->listed;
    w->from = window_start(part, rule, to, id);
    w->to = to;
    w->listed = true;
    if (!listed)
        e->waiting[e->waiting_n++] = (uint32_t)id;
}

static int on_packed(struct part *part, uint64_t at)
{
    if (!part->scan->inflates || part->text->depth > 0 || at < part->scan->packed_to)
        return 0;
    if (part->packed_n == PACKED_MAX)
        part->scan->exhausted = true;
    else
        part->packed[part->packed_n++] = at;
    return 0;
}

/* One packed stream of an unknown binary. */
static void unpack(struct scan *scan, struct text *text, uint64_t at)
{
    uint8_t head[PACKED_HEAD] = {0};
    size_t len;
    for (size_t i = 0; i < PACKED_HEAD; i++) {
        int c = secret_text_byte(text, at + i);
        head[i] = (uint8_t)(c < 0 ? 0 : c);
    }
    if (at < scan->packed_to || scan->exhausted || !secret_inflate_head(head))
        return;
    struct secret_inflate *inflate = secret_inflate_new(scan, text, "gzip", at);
    uint64_t end = at;
    for (const uint8_t *p = secret_text_at(text, end, &len); inflate && len > 0; p = secret_text_at(text, end, &len)) {
        len = len < PIECE ? len : PIECE;
        end += len;
        if (!secret_inflate_feed(inflate, p, len))
            break;
    }
    secret_inflate_end(&inflate, end);
    scan->packed_to = end > at + PIECE ? end - PIECE : at + 1;
}

static void on_trigger(struct part *part, size_t id, uint64_t to)
{
    const struct rule *rule = &part->scan->engine->table.v[id];
    uint64_t part_end = part->at + part->len;
    if (!part->last && rule->max > part_end - to) {
        look(part, id);
        uint64_t from = window_start(part, rule, to, id), keep = from > CONTEXT ? from - CONTEXT : 0;
        if (to > part->next[id] && keep < part->resume)
            part->resume = keep;
        return;
    }
    const struct secret_gate *gate = part->scan->engine->gates[id];
    size_t behind = (size_t)(to - part->at);
    if (to > part->next[id] && (!gate || secret_gate_open(gate, part->p + behind, part->len - behind)))
        ask(part, id, to);
}

static int on_hit(unsigned id, unsigned long long unused, unsigned long long to_here, unsigned flags, void *context)
{
    struct part *part = context;
    (void)unused;
    (void)flags;
    if (id >= part->scan->engine->table.n)
        return on_packed(part, part->at + to_here - 4);
    size_t rule = id;
    do
        on_trigger(part, rule, part->at + to_here);
    while ((rule = part->scan->engine->shares[rule]) != 0);
    return 0;
}

/* Scans the part at `at`; returns where the next one starts, or the end. */
static uint64_t scan_part(struct scan *scan, struct text *text, uint64_t at, struct views *views)
{
    struct part part = {.scan = scan, .text = text, .at = at, .next = scan->engine->next[text->depth]};
    scan->engine->parts++;
    if (text->at != at)
        text->len = 0;
    part.p = secret_text_at(text, at, &part.len);
    part.last = at + part.len >= text->bytes->size;
    part.resume = at + part.len;
    if (!part.last)
        part.resume -= scan->engine->overlap < part.len / 2 ? scan->engine->overlap : part.len / 2;
    if (secret_db_scan(scan->engine->db, part.p, part.len, on_hit, &part) != 0)
        scan->undecided = true;
    look_at_all(&part);
    for (size_t i = 0; i < part.packed_n; i++)
        unpack(scan, text, part.packed[i]);
    uint64_t end = at + part.len;
    if (!scan->exhausted && text->depth < SECRET_DEPTH)
        secret_views_find(scan, text, views, end, part.last);
    return part.last ? end : part.resume;
}

void secret_scan_text(struct scan *scan, struct text *text)
{
    struct views views = {0};
    struct secret_engine *e = scan->engine;
    for (size_t i = 0; i < e->used_n[text->depth]; i++)
        e->next[text->depth][e->used[text->depth][i]] = 0;
    e->used_n[text->depth] = 0;
    uint64_t at = 0;
    while (at < text->bytes->size) {
        uint64_t next = scan_part(scan, text, at, &views);
        at = next > at ? next : text->bytes->size;
    }
}

bool secret_scan_view(struct scan *scan, struct text *parent, const char *name, const uint8_t *data, size_t len, uint64_t from,
               uint64_t to)
{
    struct bytes bytes;
    struct text text;
    if (scan->exhausted || len > scan->decoded_max - scan->decoded) {
        scan->exhausted = true;
        return false;
    }
    scan->decoded += len;
    bytes_init_memory(&bytes, data, len);
    secret_text_init(&text, &bytes);
    text.depth = parent->depth + 1;
    text.parent = parent;
    text.name = name;
    text.slack = 64;
    text.origin = parent->depth > 0 ? parent->origin : from;
    text.origin_len = parent->depth > 0 ? parent->origin_len : to - from;
    secret_scan_text(scan, &text);
    return true;
}
