/* SPDX-License-Identifier: ISC
 * What is there, and under which name it may be spoken of. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/path.h"
#include "base/say.h"
#include "box/box.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "cmd/line_far.h"
#include "cmd/line_names.h"
#include "cmd/line_parts.h"
#include "cmd/line_stream.h"
#include "collect/collect_list.h"
#include "contract/contract_match.h"

static const struct output *match(const void *ctx, const char *path, bool *hidden)
{
    return contract_match(ctx, path, hidden);
}

static bool enter(const void *ctx, const char *dir)
{
    return contract_enter(ctx, dir);
}

static bool hides(const void *ctx, const char *dir)
{
    return contract_hides(ctx, dir);
}

static int add_collision(struct item *item, const char *other)
{
    char message[MESSAGE_BYTES];
    struct finding f = {.code = FINDING_NAME_COLLISION, .level = LEVEL_REFUSE};
    char *shown = say_name(other);
    if (!shown)
        return -1;
    snprintf(message, sizeof(message), "the path and '%s' are one path where case or Unicode form is not kept apart",
             shown);
    free(shown);
    f.message = strdup(message);
    return f.message ? finding_list_add(&item->findings, &f) : -1;
}

/* Over everything that would be published. Both sides of a collision get the finding. */
static int find_collisions(struct line *line)
{
    struct path_set *set = path_set_new();
    struct item_list *items = &line->walk.items;
    int rc = set ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < items->n; i++) {
        struct item *item = &items->v[i];
        size_t other = 0;
        if (!item->output || item->unmet || item->skipped)
            continue;
        if (i > 0 && strcmp(items->v[i - 1].path, item->path) == 0 && !items->v[i - 1].unmet) {
            rc = add_collision(item, item_shown(item)) || add_collision(&items->v[i - 1], item_shown(item));
            continue;
        }
        int hit = path_set_add(set, item->path, strlen(item->path), false, i, &other);
        if (hit == 1)
            rc = add_collision(item, item_shown(&items->v[other])) || add_collision(&items->v[other], item_shown(item));
        else if (hit < 0 && errno != EILSEQ) /* not UTF-8 is name/unsafe already */
            rc = -1;
    }
    path_set_free(&set);
    return rc == 0 ? EXIT_OK : line_fail("the names could not be compared", NULL, errno);
}

void line_capture(struct line *line, const struct box_result *result)
{
    const struct run *run = &line->contract->run;
    line->captured[0] = (struct captured){run->stdout_name, result->stdout_fd};
    line->captured[1] = (struct captured){run->stderr_name, result->stderr_fd};
}

/* What the broker itself captured stands among the files of the source under the contract's names. */
size_t line_captured(const struct line *line, size_t before, struct listed_object *out)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(line->captured); i++) {
        const struct captured *captured = &line->captured[i];
        struct stat st;
        if (!captured->path || captured->fd < 0 || fstat(captured->fd, &st) != 0)
            continue;
        out[n++] = (struct listed_object){.path = captured->path, .origin = before + i + 1,
                                          .facts = {.known = true, .kind = OBJECT_FILE, .mode = 0600, .links = 1,
                                                    .size = (uint64_t)st.st_size}};
    }
    return n;
}

static int walk_directory(struct line *line)
{
    struct listed_object provided[ARRAY_LEN(line->captured)];
    const struct walk_options options = {.contract = line->contract, .match = match, .enter = enter, .hides = hides,
                                         .ctx = line->contract,
                                         .deadline_ns = line->deadline_ns,
                                         .skip = line->dest.fd >= 0,
                                         .skip_dev = line->dest.dev, .skip_ino = line->dest.ino,
                                         .provided = provided, .provided_n = line_captured(line, 0, provided)};
    if (collect_walk(&line->root, &options, &line->walk) != 0)
        return line_fail("the source cannot be read", line->args->from.n ? line->args->from.v[0] : NULL, errno);
    return EXIT_OK;
}

int line_walk(struct line *line)
{
    char detail[96];
    line->deadline_ns = line_now_ns() + (int64_t)line->contract->limits.time_ms * 1000000;
    int rc = line->far ? line_far_walk(line) : line->streams ? line_stream_walk(line) : line->parts ? line_parts_walk(line) : walk_directory(line);
    if (rc == EXIT_OK)
        line_shard_keep(line);
    if (rc == EXIT_OK && finding_list_move(&line->whole, &line->walk.findings) != 0)
        rc = line_fail("the findings of the walk", NULL, errno);
    if (rc == EXIT_OK)
        rc = line_names(line);
    if (rc == EXIT_OK)
        rc = find_collisions(line);
    snprintf(detail, sizeof(detail), "%llu visited%s", (unsigned long long)line->walk.visited,
             line->dest_inside ? ", the destination in the source left out" : "");
    if (rc == EXIT_OK)
        line_did(line, "walk", detail);
    return rc;
}
