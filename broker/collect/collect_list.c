/* SPDX-License-Identifier: ISC */
#include "collect/collect_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collect_walk_judge.h"

int walk_take_listed(struct walk_state *s, const struct walk_options *options,
                     const struct listed_object *object)
{
    bool hidden = false;
    size_t before = s->out->items.n;
    char *path = strdup(object->path);
    if (!path)
        return -1;
    const struct output *output = options->match(options->ctx, path, &hidden);
    if (walk_take(s, path, &object->facts, output, hidden, FINDING_NONE) < 0)
        return -1;
    if (s->out->items.n > before)
        s->out->items.v[before].origin = object->origin;
    return 0;
}

static int list_all(struct walk_state *s, const struct walk_options *options,
                    const struct listed_object *objects, size_t n)
{
    const struct contract *c = options->contract;
    const char *cut = NULL;
    for (size_t i = 0; i < n && !cut; i++) {
        if (s->out->visited == c->limits.visited)
            cut = "the stream holds more objects than `limits: visited`";
        else if (walk_take_listed(s, options, &objects[i]) < 0)
            return -1;
        s->out->visited += !cut;
    }
    for (size_t i = 0; i < c->outputs_n; i++)
        if (c->outputs[i].path && s->seen[i] == 0 && walk_unmet(s, &c->outputs[i], ENOENT) < 0)
            return -1;
    return walk_finish(s, cut);
}

int collect_list(const struct walk_options *options, const struct listed_object *objects, size_t n,
                 struct walk_result *out)
{
    struct walk_state state = {0};
    *out = (struct walk_result){0};
    int result = walk_state_init(&state, NULL, options->contract, out);
    if (result == 0)
        result = list_all(&state, options, objects, n);
    int saved = errno;
    walk_state_free(&state);
    if (result < 0)
        walk_result_free(out);
    errno = saved;
    return result;
}
