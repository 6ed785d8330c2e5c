/* SPDX-License-Identifier: ISC
 * The heart of the line: copy, inspect, decide and place each file, in path order, with the next copy under way while
 * workers look at the last ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/say.h"
#include "box/box.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "cmd/line_names.h"
#include "cmd/line_parts.h"
#include "cmd/line_stream.h"
#include "collect/collect_ahead.h"
#include "collect/collect_copy.h"
#include "contract/contract_match.h"

/* Copies under way at once: each holds a descriptor. */
enum { IN_FLIGHT = 4 * BATCH_FILES };

struct flow {
    struct line *line;
    struct copy_job job;
    struct decide_context decide;
    struct copy_ahead *ahead; /* NULL: files are copied here, one after the other */
    bool spoiled;  /* all or nothing, and something refused: placing more is in vain */
    size_t done;
};

bool line_wants_copy(const struct item *item)
{
    if (!item->output || item->unmet || item->skipped)
        return false;
    for (size_t i = 0; i < item->findings.n; i++)
        if (finding_group(item->findings.v[i].code) == GROUP_file && item->findings.v[i].level == LEVEL_REFUSE)
            return false;
    return true;
}

static int place(struct flow *flow, struct item *item)
{
    struct clearance *clearance = decide_clear(item);
    struct line *line = flow->line;
    char path[PATH_BYTES + 8];
    int rc = -1;
    if (!clearance) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(path, sizeof(path), "data/%s", item->path);
    if (bag_list_add(&line->files, path, &item->digest) == 0 &&
        (!line->tree || publish_copy(line->tree, "data", item, clearance, item->fd) == 0))
        rc = publish_place(line->publish, "data", item, clearance, &item->staged);
    clearance_free(&clearance);
    return rc;
}

static int finish(struct flow *flow, struct item *item)
{
    struct line *line = flow->line;
    struct verdict verdict = decide_item(&flow->decide, item);
    int rc = 0;
    flow->done++;
    line_progress(line, "inspected", flow->done, line->walk.items.n);
    if (verdict.outcome != OUTCOME_PROMOTE && item->output && !item->skipped && !line->contract->partial)
        flow->spoiled = true;
    if (verdict.outcome == OUTCOME_PROMOTE && line->publishes && !flow->spoiled)
        rc = place(flow, item);
    publish_discard(line->publish, &item->staged);
    fd_close(&item->fd);
    return rc;
}

/* Takes finished items; waits while too many are under way, or for all. */
static int drain(struct flow *flow, size_t leave)
{
    struct line *line = flow->line;
    struct item *item;
    for (;;) {
        bool wait = inspect_pending(line->pool) > leave;
        int got = inspect_next(line->pool, &item, wait ? -1 : 0);
        if (got < 0)
            return -1;
        if (got == 0)
            return 0;
        if (finish(flow, item) != 0)
            return -1;
    }
}

static void set_task(struct task *task, const struct line *line, const struct item *item)
{
    *task = (struct task){.id = (uint64_t)(item - line->walk.items.v), .size = item->digest.bytes, .admitted = item->output->types,
                          .names = line->contract->names, .inside = item->output->inside};
    snprintf(task->path, sizeof(task->path), "%s", item->path);
}

static int copy_one(struct flow *flow, struct item *item, int staged)
{
    struct line *line = flow->line;
    flow->job.max = item->output->max;
    flow->job.total_left = line->contract->limits.total - line->copied_bytes;
    if (line->streams)
        return line_stream_copy(line, &flow->job, item, staged);
    if (line->parts)
        return line_parts_copy(line, &flow->job, item, staged);
    if (item->origin > 0)
        return collect_copy_extent(&flow->job, item, line->captured[item->origin - 1].fd, 0, item->source.size, staged);
    return collect_copy(&flow->job, item, staged);
}

static int hold_copy(struct line *line, const struct item *item)
{
    return line->hold ? publish_keep(line->hold, "files", item, item->fd) : 0;
}

/* A file that grew behind the walk, while others were copied beside it. */
static int refuse_total(struct item *item)
{
    item->copied = false;
    return finding_list_note(&item->findings, FINDING_FILE_TOO_LARGE, "`limits: total` is exhausted, in path order") == 0
               ? 1
               : -1;
}

/* A copy goes to the inspectors. 0 handed over, 1 refused, -1 the broker failed. */
static int hand_over(struct flow *flow, struct item *item)
{
    struct line *line = flow->line;
    struct task task;
    if (item->digest.bytes > line->contract->limits.total - line->copied_bytes)
        return refuse_total(item);
    line->copied_bytes += item->digest.bytes;
    if (line->publishes)
        publish_copied(line->publish, item->staged, item->digest.bytes);
    if (item->stability < line->worst)
        line->worst = item->stability;
    item->fd = publish_reopen(line->publish, item->staged);
    if (item->fd < 0 || hold_copy(line, item) != 0)
        return -1;
    set_task(&task, line, item);
    return inspect_submit(line->pool, item, &task);
}

/* What becomes of a file after its copy ended with rc (collect_copy). 0, or -1 where the broker failed. */
static int copied(struct flow *flow, struct item *item, int rc)
{
    if (rc == 0)
        rc = hand_over(flow, item);
    return rc == 1 ? finish(flow, item) : rc;
}

/* Takes what the threads copied; waits while more than `leave` are under way with them. */
static int gather(struct flow *flow, size_t leave)
{
    struct copy_order order;
    while (flow->ahead && !cmd_interrupted()) {
        bool wait = copy_ahead_pending(flow->ahead) > leave;
        if (copy_ahead_take(flow->ahead, wait ? COPY_AHEAD_WAIT_MS : 0, &order)) {
            errno = order.error;
            if (copied(flow, order.item, order.result) != 0)
                return -1;
        } else if (!wait)
            return 0;
        else if (drain(flow, IN_FLIGHT) != 0)
            return -1;
    }
    return 0;
}

static void give(struct flow *flow, struct item *item)
{
    const struct line *line = flow->line;
    const struct copy_order order = {.item = item, .staged = item->staged, .max = item->output->max,
                                     .total_left = line->contract->limits.total - line->copied_bytes};
    copy_ahead_give(flow->ahead, &order);
}

static int one_copy(struct flow *flow, struct item *item)
{
    item->staged = publish_stage_at(flow->line->publish, "data", item->path);
    if (item->staged < 0)
        return -1;
    if (!flow->ahead || item->origin > 0)
        return copied(flow, item, copy_one(flow, item, item->staged));
    give(flow, item);
    return gather(flow, copy_ahead_room(flow->ahead) ? COPY_AHEAD : COPY_AHEAD / 2);
}

static int one_item(struct flow *flow, size_t index)
{
    struct item *item = &flow->line->walk.items.v[index];
    int rc = line_wants_copy(item) ? one_copy(flow, item) : finish(flow, item);
    return rc == 0 ? drain(flow, IN_FLIGHT) : rc;
}

/* Threads copy where there is more than a handful, a second processor, and no bound that the files' order decides on. */
static bool wants_ahead(const struct line *line)
{
    uint64_t bytes = 0, total = line->contract->limits.total;
    size_t files = 0;
    if (line->streams || line->parts || sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return false;
    for (size_t i = 0; i < line->walk.items.n; i++) {
        const struct item *item = &line->walk.items.v[i];
        if (!line_wants_copy(item))
            continue;
        if (item->source.size > total - bytes)
            return false;
        bytes += item->source.size;
        files++;
    }
    return files >= COPY_AHEAD_FILES || (files > 1 && bytes >= COPY_AHEAD_BYTES);
}

static int prepare(struct flow *flow, struct line *line)
{
    const struct contract *contract = line->contract;
    *flow = (struct flow){.line = line};
    flow->decide = (struct decide_context){.contract = contract, .now = line->clock, .strict = contract->strict,
                                           .accept_used = line->accept_used, .glob = glob_match};
    flow->job = (struct copy_job){.root = &line->root, .hard_links = contract->hard_links,
                                  .quiesced = line->box && line->box->quiesced,
                                  .streamed = line->streams,
                                  .deadline_ns = line->deadline_ns};
    AUTO_FD scratch = publish_private(line->publish, "unpacked");
    if (scratch < 0)
        return -1;
    inspect_scratch(line->pool, &scratch);
    flow->job.digest = digest_new();
    flow->job.block = malloc(COPY_BLOCK);
    if (!flow->job.digest || !flow->job.block)
        return -1;
    if (wants_ahead(line))
        flow->ahead = copy_ahead_begin(&flow->job, COPY_THREADS); /* NULL: one after the other, then */
    return 0;
}

int line_items(struct line *line)
{
    struct flow flow;
    int rc = prepare(&flow, line);
    for (size_t i = 0; rc == 0 && i < line->walk.items.n && !cmd_interrupted(); i++)
        rc = one_item(&flow, i);
    if (rc == 0)
        rc = gather(&flow, 0);
    if (rc == 0)
        rc = inspect_flush(line->pool);
    if (rc == 0)
        rc = drain(&flow, 0);
    int error = errno;
    copy_ahead_end(&flow.ahead);
    digest_free(&flow.job.digest);
    free(flow.job.block);
    line_progress_end(line);
    if (cmd_interrupted()) {
        say("interrupted; nothing was published");
        return 128 + cmd_interrupted();
    }
    if (rc != 0)
        return line_fail("the promotion stopped and nothing was published", NULL, error);
    line_did(line, "inspect", NULL);
    return line_member_names(line);
}

int line_decide(struct line *line)
{
    const struct decide_context ctx = {.contract = line->contract, .now = line->clock,
                                       .strict = line->contract->strict, .accept_used = line->accept_used,
                                       .glob = glob_match};
    inspect_rest(line->pool); /* it ends while the bag is written */
    line->decision = decide_whole(&ctx, &line->walk.items, &line->whole);
    if (line->publishes && line->decision != DECISION_REFUSE && line->copied_bytes >= SYNC_BEGIN_BYTES)
        publish_sync_begin(line->publish);
    line_did(line, "decide", decision_name(line->decision));
    return EXIT_OK;
}
