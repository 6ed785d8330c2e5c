/* SPDX-License-Identifier: ISC
 * The scratch of a job on another host: listed by its agent, judged here as a walk is, and only what would be copied is asked
 * for. Its bytes then lie in a spool like those of a tar stream, and the same steps follow. */
#include "cmd/line_far.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/line_stream.h"

/* Everything that was listed is an object of the source; whose bytes come is decided by what the walk made of it. */
static int list_entries(struct line *line, const struct engine_take *take)
{
    if (take->n == 0)
        return 0;
    line->extents.v = calloc(take->n, sizeof *line->extents.v);
    if (!line->extents.v)
        return -1;
    line->extents.cap = take->n;
    for (size_t i = 0; i < take->n; i++) {
        const struct engine_entry *e = &take->v[i];
        struct extent *x = &line->extents.v[i];
        *x = (struct extent){.path = strdup(e->path), .length = e->size, .mode = e->mode, .uid = e->uid, .gid = e->gid,
                             .mtime_ns = e->mtime_ns, .kind = e->kind, .links = e->links, .ino = e->ino};
        if (!x->path)
            return -1;
        line->extents.n++;
    }
    return 0;
}

static int choose(struct engine_take *take, void *context)
{
    struct line *line = context;
    line_capture(line, line->box);
    if (list_entries(line, take) != 0 || line_stream_judge(line) != 0)
        return -1;
    line->far_judged = true;
    for (size_t i = 0; i < line->walk.items.n; i++) {
        const struct item *item = &line->walk.items.v[i];
        if (item->origin > 0 && item->origin <= take->n && line_wants_copy(item))
            take->v[item->origin - 1].wanted = true;
    }
    return 0;
}

int line_far_begin(struct line *line, struct engine_take *take)
{
    *take = (struct engine_take){.choose = choose, .context = line, .visited_max = line->contract->limits.visited,
                                 .time_ms = line->contract->limits.time_ms,
                                 .spool = publish_stage(line->publish)};
    return take->spool < 0 ? -1 : 0;
}

/* Extents that have no bytes stay where nothing can be read. */
int line_far_adopt(struct line *line, struct engine_take *take)
{
    line->streams = true;
    line->far = true;
    for (size_t i = 0; i < take->n && i < line->extents.n; i++)
        line->extents.v[i].offset = take->v[i].there ? take->v[i].offset : UINT64_MAX;
    line->spool = publish_reopen(line->publish, take->spool);
    if (line->spool < 0)
        return line_fail("what the container sent cannot be read", NULL, errno);
    if (!take->fault[0])
        return EXIT_OK;
    return finding_list_note(&line->whole, FINDING_FILE_UNREADABLE, take->fault) == 0 ? EXIT_OK
                                                                                       : line_fail("run", NULL, errno);
}

int line_far_walk(struct line *line)
{
    if (!line->far_judged && line_stream_judge(line) != 0)
        return line_fail("the scratch of the container", NULL, errno);
    return EXIT_OK;
}

void line_far_end(struct engine_take *take)
{
    fd_close(&take->spool);
    engine_take_free(take);
}
