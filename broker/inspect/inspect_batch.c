/* SPDX-License-Identifier: ISC
 * The order of a child's answers: HELLO, then for each job START, what the inspectors say with a DONE after each, FINISH;
 * then the end of the stream. One table of handlers; whatever does not fit ends the child. */
#include "inspect/inspect_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fd.h"
#include "inspect/finding_wire.h"

int64_t batch_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void job_result_clear(struct job_result *result)
{
    finding_list_free(&result->findings);
    extent_list_free(&result->extents);
    for (size_t i = 0; i < result->nested_n; i++)
        free(result->nested[i].member);
    free(result->nested);
    *result = (struct job_result){0};
}

void job_free(struct job **job)
{
    if (!*job)
        return;
    job_result_clear(&(*job)->result);
    job_result_clear(&(*job)->first);
    fd_close(&(*job)->spool);
    free((*job)->payload);
    free(*job);
    *job = NULL;
}

int batch_add(struct batch *b, struct job *job)
{
    if (b->n == BATCH_FILES) {
        errno = ENOBUFS;
        return -1;
    }
    if (wire_queue(&b->wire, job->type, job->payload, job->len, job->fd) != 0)
        return -1;
    b->jobs[b->n++] = job;
    return 0;
}

void batch_arm(struct batch *b)
{
    int64_t ms = b->at < b->n ? (int64_t)b->jobs[b->at]->deadline_ms : (int64_t)WORKER_FILE_MS;
    b->deadline = batch_now() + ms;
}

/* --- answers; each returns whether the frame fits --------------------------------------------------- */

static struct job *current(struct batch *b, uint64_t id)
{
    return b->started && b->jobs[b->at]->id == id ? b->jobs[b->at] : NULL;
}

static bool on_hello(struct batch *b, const struct frame *f)
{
    struct wire_hello hello;
    if (b->hello || !wire_hello_decode(&hello, f->payload, f->len) || !hello.seccomp || !hello.rlimits)
        return false;
    b->hello = b->seccomp = b->rlimits = true;
    b->landlock_abi = (int)hello.landlock_abi;
    if (b->n == 0)
        b->deadline = INT64_MAX; /* a spare one may wait */
    return true;
}

static bool on_start(struct batch *b, const struct frame *f)
{
    uint64_t id = 0;
    if (b->started || b->at == b->n || !wire_start_decode(&id, f->payload, f->len) || b->jobs[b->at]->id != id)
        return false;
    b->started = true;
    batch_arm(b);
    return true;
}

static bool on_claim(struct batch *b, const struct frame *f)
{
    struct wire_claim claim;
    struct job *job = wire_claim_decode(&claim, f->payload, f->len) ? current(b, claim.id) : NULL;
    if (!job || job->type != FRAME_TASK || (claim.evidence == EVIDENCE_SECOND) != job->second)
        return false;
    claims_add(&job->result.claims, claim.type, claim.evidence);
    return true;
}

static bool on_finding(struct batch *b, const struct frame *f)
{
    struct finding finding;
    uint64_t id = 0;
    if (!wire_finding_decode(&id, &finding, f->payload, f->len))
        return false;
    struct job *job = current(b, id);
    if (!job || job->result.findings.n > FINDINGS_MAX) {
        free(finding.member);
        free(finding.message);
        return false;
    }
    job->result.said++;
    return finding_list_add(&job->result.findings, &finding) == 0;
}

static bool extent_add(struct extent_list *list, const struct wire_extent *e)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 64;
        struct extent *grown = realloc(list->v, cap * sizeof(*grown));
        if (!grown)
            return false;
        list->v = grown;
        list->cap = cap;
    }
    list->v[list->n++] = (struct extent){e->path, e->offset, e->length, e->mode, e->uid, e->gid, e->mtime_ns, e->kind, 0, 0};
    return true;
}

static bool on_extent(struct batch *b, const struct frame *f)
{
    struct wire_extent extent;
    if (!wire_extent_decode(&extent, f->payload, f->len))
        return false;
    struct job *job = current(b, extent.id);
    if (job && job->type == FRAME_STREAM && job->result.extents.n < job->extents_max &&
        extent.offset <= job->size && extent.length <= job->size - extent.offset &&
        extent_add(&job->result.extents, &extent))
        return true;
    free(extent.path);
    return false;
}

static bool on_listing(struct batch *b, const struct frame *f)
{
    struct wire_listing listing;
    struct job *job = wire_listing_decode(&listing, f->payload, f->len) ? current(b, listing.id) : NULL;
    if (!job || job->type != FRAME_TASK || job->result.listed)
        return false;
    job->result.listed = true;
    job->result.listing_count = listing.count;
    memcpy(job->result.listing, listing.sha256, SHA256_SIZE);
    return true;
}

static bool nested_add(struct job_result *r, const struct wire_nested *nested)
{
    if (r->nested_n == r->nested_cap) {
        size_t cap = r->nested_cap ? r->nested_cap * 2 : 16;
        struct wire_nested *grown = realloc(r->nested, cap * sizeof(*grown));
        if (!grown)
            return false;
        r->nested = grown;
        r->nested_cap = cap;
    }
    r->nested[r->nested_n++] = *nested;
    r->spooled = r->spooled || nested->spooled;
    return true;
}

/* An archive inside must lie where a child can have found one: in the file, or in its spool. */
static bool on_nested(struct batch *b, const struct frame *f)
{
    struct wire_nested nested;
    if (!wire_nested_decode(&nested, f->payload, f->len))
        return false;
    struct job *job = current(b, nested.id);
    uint64_t room = !job ? 0 : nested.spooled ? (b->spool >= 0 ? WORKER_SPOOL : 0) : job->size;
    if (job && job->type == FRAME_TASK && !job->second && job->result.nested_n < NESTED_MAX && nested.base <= room &&
        nested.size <= room - nested.base && nested_add(&job->result, &nested))
        return true;
    free(nested.member);
    return false;
}

static bool on_done(struct batch *b, const struct frame *f)
{
    struct wire_done done;
    struct job *job = wire_done_decode(&done, f->payload, f->len) ? current(b, done.id) : NULL;
    uint32_t bit = job ? 1u << done.inspector : 0;
    if (!job || (job->result.done & bit) || !(job->expected & bit) || done.findings != job->result.said)
        return false;
    job->result.done |= bit;
    job->result.said = 0;
    return true;
}

static bool on_finish(struct batch *b, const struct frame *f)
{
    struct wire_finish finish;
    struct job *job = wire_finish_decode(&finish, f->payload, f->len) ? current(b, finish.id) : NULL;
    if (!job || job->result.done != job->expected || job->result.said != 0 ||
        finish.findings != job->result.findings.n)
        return false;
    job->result.entries = finish.entries;
    job->result.unpacked = finish.unpacked;
    b->started = false;
    b->at++;
    batch_arm(b);
    return true;
}

static const struct {
    enum frame_type type;
    bool (*take)(struct batch *b, const struct frame *f);
} answers[] = {
    {FRAME_HELLO, on_hello}, {FRAME_START, on_start},     {FRAME_CLAIM, on_claim}, {FRAME_FINDING, on_finding},
    {FRAME_DONE, on_done},   {FRAME_LISTING, on_listing}, {FRAME_EXTENT, on_extent}, {FRAME_FINISH, on_finish},
    {FRAME_NESTED, on_nested},
};

static bool answer_fits(struct batch *b, const struct frame *f)
{
    if (!b->hello && f->type != FRAME_HELLO)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(answers); i++)
        if (answers[i].type == f->type)
            return answers[i].take(b, f);
    return false;
}

int batch_read(struct batch *b)
{
    struct frame f = {.fd = -1};
    int got = 0;
    while ((got = wire_recv(&b->wire, &f, false)) == 1)
        if (!answer_fits(b, &f))
            return -1;
    if (got == 0)
        return 0;
    /* The end of the stream is only a good one behind the last FINISH. */
    return errno == EPIPE && b->hello && !b->started && b->at == b->n && b->n > 0 ? 1 : -1;
}
