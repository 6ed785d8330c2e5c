/* SPDX-License-Identifier: ISC */
#include "engine/far_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/item.h"
#include "base/limits.h"
#include "base/path.h"

static int broken(struct far_session *s, const char *why)
{
    s->phase = FAR_BROKEN;
    snprintf(s->fault, sizeof s->fault, "%s", why);
    return -1;
}

static int accept_hello(struct far_session *s, const struct far_frame *f)
{
    if (!far_hello_decode(f->data, &s->hello))
        return broken(s, "the agent speaks another version");
    s->phase = FAR_IS_HELD;
    return 0;
}

static int accept_fault(struct far_session *s, const struct far_frame *f)
{
    size_t n = f->len - FAR_FAULT_BYTES;
    far_pair_decode(f->data, &s->fault_control, &s->fault_error);
    s->phase = FAR_BROKEN;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = f->data[FAR_FAULT_BYTES + i];
        s->fault[i] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    s->fault[n] = 0;
    return 0;
}

static int accept_end(struct far_session *s, const struct far_frame *f)
{
    if (!far_end_decode(f->data, &s->end))
        return broken(s, "the agent tells of an end that there is not");
    s->phase = FAR_HAS_ENDED;
    return 0;
}

static int accept_quiet(struct far_session *s, const struct far_frame *f)
{
    if (!far_quiet_decode(f->data, &s->quiet))
        return broken(s, "the agent tells of limits that there are not");
    s->phase = FAR_LISTS;
    return 0;
}

static struct engine_entry *grow(struct engine_take *t)
{
    if (t->n == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 64;
        struct engine_entry *v = realloc(t->v, cap * sizeof *v);
        if (!v)
            return NULL;
        t->v = v;
        t->cap = cap;
    }
    return &t->v[t->n];
}

/* A name is kept as it is, and judged with all others later; what no file of a tree can be called breaks the stream. */
static bool is_name(const uint8_t *text, size_t len)
{
    for (size_t i = 0, start = 0; i <= len; i++) {
        if (i < len && text[i] == 0)
            return false;
        if (i < len && text[i] != '/')
            continue;
        size_t n = i - start;
        if (n == 0 || n > COMPONENT_BYTES || (n == 1 && text[start] == '.') ||
            (n == 2 && text[start] == '.' && text[start + 1] == '.'))
            return false;
        start = i + 1;
    }
    return true;
}

static int accept_entry(struct far_session *s, const struct far_frame *f)
{
    struct far_facts facts;
    const uint8_t *name = f->data + FAR_FACTS_BYTES;
    size_t len = f->len - FAR_FACTS_BYTES;
    if (!far_facts_decode(f->data, &facts) || !is_name(name, len))
        return broken(s, "an object in the container's scratch is described as none can be");
    if (++s->listed > s->visited_max)
        return broken(s, "the container's scratch holds more objects than `limits: visited`");
    s->name_bytes += len;
    if (s->name_bytes > FAR_NAMES_BYTES)
        return broken(s, "the names in the container's scratch are more than sallyport keeps");
    if (!s->take)
        return 0;
    struct engine_entry *e = grow(s->take);
    char *path = e ? strndup((const char *)name, len) : NULL;
    if (!path)
        return broken(s, "memory ran out");
    *e = (struct engine_entry){.path = path, .kind = (enum object_kind)facts.kind, .mode = facts.mode, .uid = facts.uid,
                               .gid = facts.gid, .links = facts.links, .size = facts.size, .ino = facts.ino,
                               .mtime_ns = facts.mtime_ns};
    s->take->n++;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    const struct engine_entry *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static int accept_listed(struct far_session *s, const struct far_frame *f)
{
    struct far_listed l;
    struct engine_take *t = s->take;
    if (!far_listed_decode(f->data, &l) || l.count != s->listed)
        return broken(s, "the agent counts other objects than it named");
    if (l.error != 0) {
        char why[140];
        snprintf(why, sizeof why, "the agent could not list the container's scratch: %.80s", strerror((int)(l.error & 0xfff)));
        return broken(s, why);
    }
    if (t && t->n > 1)
        qsort(t->v, t->n, sizeof *t->v, by_path);
    for (size_t i = 1; t && i < t->n; i++)
        if (strcmp(t->v[i - 1].path, t->v[i].path) == 0)
            return broken(s, "the agent named one object twice");
    s->phase = FAR_LISTED_ALL;
    return 0;
}

static struct engine_entry *current(struct far_session *s)
{
    return &s->take->v[s->order[s->answered]];
}

/* Nothing writes to a scratch that is read-only: the file is what was listed, or the stream is none. */
static int accept_file(struct far_session *s, const struct far_frame *f)
{
    struct far_facts facts;
    const struct engine_entry *e = current(s);
    if (!far_facts_decode(f->data, &facts) || facts.kind != (uint32_t)e->kind || facts.mode != e->mode ||
        facts.links != e->links || facts.size != e->size || facts.ino != e->ino || facts.mtime_ns != e->mtime_ns)
        return broken(s, "a file in the container's scratch is not what was listed");
    s->got = 0;
    s->phase = FAR_SENDS_DATA;
    return 0;
}

static int accept_data(struct far_session *s, const struct far_frame *f)
{
    if (f->len > current(s)->size - s->got)
        return broken(s, "a file in the container's scratch is longer than was listed");
    s->got += f->len;
    return 0;
}

static int accept_done(struct far_session *s, const struct far_frame *f)
{
    struct far_done d;
    struct engine_entry *e = current(s);
    if (!far_done_decode(f->data, &d) || d.error != 0 || s->phase != FAR_SENDS_DATA)
        return broken(s, "the agent could not read a file in the container's scratch");
    if (d.bytes != s->got || s->got != e->size)
        return broken(s, "a file in the container's scratch is shorter than was listed");
    e->there = true;
    e->offset = s->spooled;
    s->spooled += s->got;
    s->answered++;
    s->phase = s->answered == s->asked ? FAR_LISTED_ALL : FAR_SENDS;
    return 0;
}

static int accept_bytes(struct far_session *s, const struct far_frame *f)
{
    (void)s;
    (void)f;
    return 0;
}

static const struct {
    enum far_phase phase;
    enum far_type type;
    int (*accept)(struct far_session *s, const struct far_frame *f);
} table[] = {
    {FAR_COMES_UP, FAR_HELLO, accept_hello},   {FAR_COMES_UP, FAR_FAULT, accept_fault}, {FAR_RUNS, FAR_OUT, accept_bytes},
    {FAR_RUNS, FAR_ERR, accept_bytes},         {FAR_RUNS, FAR_END, accept_end},         {FAR_HAS_ENDED, FAR_QUIET, accept_quiet},
    {FAR_LISTS, FAR_ENTRY, accept_entry},      {FAR_LISTS, FAR_LISTED, accept_listed},  {FAR_SENDS, FAR_FILE, accept_file},
    {FAR_SENDS, FAR_DONE, accept_done},        {FAR_SENDS_DATA, FAR_DATA, accept_data}, {FAR_SENDS_DATA, FAR_DONE, accept_done},
};

int far_accept(struct far_session *s, const struct far_frame *f)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].phase == s->phase && table[i].type == f->type)
            return table[i].accept(s, f);
    return broken(s, "the agent said what it must not say now");
}

void far_let_go(struct far_session *s)
{
    s->phase = FAR_RUNS;
}

void far_asked(struct far_session *s)
{
    s->asked++;
    if (s->phase == FAR_LISTED_ALL)
        s->phase = FAR_SENDS;
}

void engine_take_free(struct engine_take *take)
{
    for (size_t i = 0; i < take->n; i++)
        free(take->v[i].path);
    free(take->v);
    take->v = NULL;
    take->n = take->cap = 0;
}
