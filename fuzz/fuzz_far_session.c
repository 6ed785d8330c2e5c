/* SPDX-License-Identifier: ISC
 * Harness for engine/far_wire.c and engine/far_session.c: the input is all that an agent on another host sends, in one piece
 * and cut into small ones. What is taken must add up: nothing is kept of a session that was not whole, names are names, and
 * no byte is written that was not listed. */
#include <stdlib.h>
#include <string.h>

#include "base/item.h"
#include "engine/far_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The broker's part: lets go, wants every file, never asks for more. */
static size_t go_on(struct far_session *s)
{
    size_t wanted = 0;
    if (s->phase == FAR_IS_HELD)
        far_let_go(s);
    if (s->phase != FAR_LISTED_ALL || s->order)
        return 0;
    s->order = calloc(s->take->n + 1, sizeof *s->order);
    require(s->order != NULL);
    for (size_t i = 0; i < s->take->n; i++)
        if (s->take->v[i].kind == OBJECT_FILE)
            s->order[wanted++] = i;
    for (size_t i = 0; i < wanted; i++)
        far_asked(s);
    return wanted;
}

static void check_entries(const struct far_session *s, uint64_t written)
{
    uint64_t there = 0;
    for (size_t i = 0; i < s->take->n; i++) {
        const struct engine_entry *e = &s->take->v[i];
        require(e->path[0] != 0 && e->path[0] != '/' && strstr(e->path, "//") == NULL && strcmp(e->path, "..") != 0);
        require(strncmp(e->path, "../", 3) != 0 && strstr(e->path, "/../") == NULL);
        require(e->kind > OBJECT_UNKNOWN && e->kind <= OBJECT_OTHER && e->links > 0);
        require(s->phase < FAR_LISTED_ALL || s->phase == FAR_BROKEN || i == 0 || strcmp(s->take->v[i - 1].path, e->path) < 0);
        if (!e->there)
            continue;
        require(e->kind == OBJECT_FILE && e->offset == there);
        there += e->size;
    }
    require(s->spooled == there && written >= there);
}

/* step: how much is read at once. */
static enum far_phase play(const uint8_t *data, size_t size, size_t step, uint64_t *listed)
{
    struct engine_take take = {.visited_max = 50};
    struct far_session s = {.take = &take, .visited_max = 50};
    uint64_t written = 0;
    for (size_t at = 0, have = 0; s.phase != FAR_BROKEN;) {
        struct far_frame f;
        long n = far_frame(data + at, have - at, true, &f);
        if (n < 0)
            s.phase = FAR_BROKEN;
        if (n == 0 && have == size)
            break;
        if (n == 0)
            have = size - have < step ? size : have + step;
        if (n <= 0)
            continue;
        require((size_t)n == FAR_HEAD + f.len && f.data + f.len <= data + have);
        if (far_accept(&s, &f) == 0 && f.type == FAR_DATA)
            written += f.len;
        at += (size_t)n;
        (void)go_on(&s);
    }
    require(s.phase != FAR_BROKEN || s.fault[0] != 0 || s.fault_error != 0 || size > 0);
    check_entries(&s, written);
    *listed = s.listed;
    free(s.order);
    engine_take_free(&take);
    return s.phase;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t whole, small;
    enum far_phase phase = play(data, size, size + 1, &whole);
    require(play(data, size, 7, &small) == phase && small == whole);
    return 0;
}
