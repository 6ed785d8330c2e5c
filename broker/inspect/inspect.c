/* SPDX-License-Identifier: ISC
 * Broker side: items in, findings and claims out. Decides which questions a file is asked, of the first reader and then
 * of the second; what the workers say is united, so that the second one can add a refusal and take none away. */
#include "inspect/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/inspect_ask.h"
#include "inspect/inspect_pool.h"

enum { CONFINE_STATUS = 71 }; /* WORKER_CONFINE of worker.h, which the broker does not include */

/* --- opening and closing --------------------------------------------------------------------------------- */

static int lane_init(struct inspect_pool *pool, size_t which, const char *name, int rules_fd)
{
    struct lane *lane = &pool->lanes[which];
    *lane = (struct lane){.name = name, .program = -1, .rules_fd = rules_fd};
    lane->control.fd = -1;
    lane->batches = calloc(pool->children, sizeof(*lane->batches));
    for (unsigned i = 0; lane->batches && i < pool->children; i++)
        lane->batches[i].spool = -1;
    return lane->batches ? 0 : -1;
}

static unsigned children_wanted(unsigned asked)
{
    long processors = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > CHILDREN_LIMIT ? CHILDREN_LIMIT : (unsigned)processors;
}

/* Starts the program and its first child. */
static int first_start(struct inspect_pool *pool)
{
    struct lane *lane = &pool->lanes[LANE_FIRST];
    return lane_start(pool, lane) == 0 && lane_spare(pool, lane) == 0 ? 0 : -1;
}

int inspect_ready(struct inspect_pool *pool)
{
    struct lane *lane = &pool->lanes[LANE_FIRST];
    const struct batch *b = &lane->batches[0];
    if (pool->confined)
        return 0;
    while (lane->pid > 0 && b->state == BATCH_RUNNING && !(lane->ready && b->hello))
        if (pool_turn(pool, -1) != 0)
            return -1;
    if (lane->pid > 0 && b->state == BATCH_RUNNING) {
        pool->confined = true;
        pool->seccomp = b->seccomp;
        pool->rlimits = b->rlimits;
        pool->landlock_abi = b->landlock_abi;
        return 0;
    }
    bool unconfined = lane->pid > 0 || (WIFEXITED(lane->status) && WEXITSTATUS(lane->status) == CONFINE_STATUS);
    errno = unconfined ? ENOTSUP : EPROTO;
    return -1;
}

struct inspect_pool *inspect_open(const struct inspect_options *options)
{
    struct inspect_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return NULL;
    pool->scratch = -1;
    pool->children = children_wanted(options->children);
    pool->file_ms = options->file_ms ? options->file_ms : WORKER_FILE_MS;
    if (lane_init(pool, LANE_FIRST, "sallyport-inspect", options->rules_fd) == 0 &&
        lane_init(pool, LANE_SECOND, "sallyport-second", -1) == 0 &&
        (!options->libexec || (pool->libexec = strdup(options->libexec))) && first_start(pool) == 0)
        return pool;
    int saved = errno;
    inspect_close(&pool);
    errno = saved;
    return NULL;
}

static struct job *finished_pop(struct inspect_pool *pool)
{
    struct job *job = pool->finished_head;
    if (job) {
        pool->finished_head = job->next;
        if (!pool->finished_head)
            pool->finished_tail = NULL;
    }
    return job;
}

void inspect_rest(struct inspect_pool *pool)
{
    for (size_t l = 0; l < LANES; l++)
        lane_rest(&pool->lanes[l]);
}

void inspect_close(struct inspect_pool **pool)
{
    if (!*pool)
        return;
    struct job *job = NULL;
    for (size_t l = 0; l < LANES; l++)
        lane_close(*pool, &(*pool)->lanes[l]);
    while ((job = finished_pop(*pool)))
        job_free(&job);
    fd_close(&(*pool)->scratch);
    free((*pool)->libexec);
    free(*pool);
    *pool = NULL;
}

void inspect_scratch(struct inspect_pool *pool, int *dir)
{
    fd_close(&pool->scratch);
    pool->scratch = *dir;
    *dir = -1;
}

void inspect_confinement(const struct inspect_pool *pool, struct inspect_confinement *out)
{
    const struct lane *first = &pool->lanes[LANE_FIRST], *second = &pool->lanes[LANE_SECOND];
    *out = (struct inspect_confinement){.seccomp = pool->seccomp, .rlimits = pool->rlimits,
                                        .landlock = pool->landlock_abi > 0, .landlock_abi = pool->landlock_abi};
    memcpy(out->version, first->version, sizeof(out->version));
    struct buf list;
    buf_init(&list, sizeof(out->libraries) - 1);
    buf_text(&list, first->libraries);
    if (first->libraries[0] && second->libraries[0])
        buf_text(&list, ", ");
    buf_text(&list, second->libraries);
    if (list.len > 0)
        memcpy(out->libraries, list.data, list.len);
    buf_free(&list);
}

size_t inspect_pending(const struct inspect_pool *pool)
{
    return pool->pending;
}

/* --- jobs ---------------------------------------------------------------------------------------------------- */

static struct job *job_new(struct inspect_pool *pool, enum frame_type type, uint32_t expected, const struct buf *payload)
{
    struct job *job = payload->failed ? NULL : calloc(1, sizeof(*job));
    if (!job || !(job->payload = malloc(payload->len + 1))) {
        free(job);
        errno = ENOMEM;
        return NULL;
    }
    memcpy(job->payload, payload->data, payload->len);
    job->len = payload->len;
    job->type = type;
    job->expected = expected;
    job->fd = job->spool = -1;
    job->deadline_ms = pool->file_ms;
    return job;
}

static struct job *task_job(struct inspect_pool *pool, enum frame_type type, uint32_t expected, struct task *task, int fd)
{
    struct buf payload;
    buf_init(&payload, FRAME_BYTES);
    task->id = ++pool->next_id;
    task_encode(task, &payload);
    struct job *job = job_new(pool, type, expected, &payload);
    buf_free(&payload);
    if (!job)
        return NULL;
    job->id = task->id;
    job->fd = fd;
    job->size = task->size;
    job->alone = type == FRAME_STREAM || ask_alone(task);
    job->deadline_ms += (ask_work(task) / MIB) * WORKER_FILE_MS_PER_MIB;
    return job;
}

static void finished_push(struct inspect_pool *pool, struct job *job)
{
    job->reported = true;
    job->next = NULL;
    if (pool->finished_tail)
        pool->finished_tail->next = job;
    else
        pool->finished_head = job;
    pool->finished_tail = job;
}

/* Replaces a job by the next question to the second reader. False: there is no memory, so nothing was asked. */
static bool ask_next(struct inspect_pool *pool, struct job *job, struct task *task, int fd)
{
    struct job *next = task_job(pool, FRAME_TASK, ASK_SECOND_DONE, task, fd);
    if (!next) {
        job->end = JOB_CRASHED;
        return false;
    }
    next->item = job->item;
    next->second = true;
    next->alone |= task->ask == ASK_LISTING;
    next->first = job->second ? job->first : job->result;
    next->asked = job->asked;
    next->spool = job->spool;
    job->spool = -1;
    job->first = job->result = (struct job_result){0};
    job_free(&job);
    job_enqueue(pool, next);
    return true;
}

/* The file itself. */
static bool ask_file(struct inspect_pool *pool, struct job *job)
{
    struct task task;
    if (!task_decode(&task, job->payload, job->len))
        return false;
    task.ask = ask_of(&task, &job->result.claims, job->result.listed, &task.container);
    return task.ask != ASK_ALL && ask_next(pool, job, &task, job->fd);
}

/* The next archive inside it. Its bytes are those that the first reader saw. */
static bool ask_nested(struct inspect_pool *pool, struct job *job)
{
    const struct job_result *first = job->second ? &job->first : &job->result;
    struct task task;
    if (job->asked == first->nested_n || !task_decode(&task, job->payload, job->len))
        return false;
    const struct wire_nested *nested = &first->nested[job->asked++];
    task.ask = ASK_LISTING;
    task.container = nested->container;
    task.base = nested->base;
    task.size = nested->size;
    return ask_next(pool, job, &task, nested->spooled ? job->spool : job->item->fd);
}

/* What the second reader answered goes to what the first one said. */
static bool second_taken(struct job *job)
{
    const struct wire_nested *nested = job->asked > 0 ? &job->first.nested[job->asked - 1] : NULL;
    ask_unite(&job->first, &job->result);
    return ask_compare(&job->first, nested, &job->result, &job->first.findings) == 0 &&
           finding_list_move(&job->first.findings, &job->result.findings) == 0;
}

void pool_finished(struct inspect_pool *pool, struct job *job)
{
    if (job->item && job->end == JOB_COMPLETE) {
        if (job->second && !second_taken(job))
            job->end = JOB_CRASHED;
        else if ((!job->second && ask_file(pool, job)) || (job->end == JOB_COMPLETE && ask_nested(pool, job)))
            return;
    }
    finished_push(pool, job);
}

/* --- items ---------------------------------------------------------------------------------------------------- */

int inspect_submit(struct inspect_pool *pool, struct item *item, const struct task *task)
{
    struct task own = *task;
    if (inspect_ready(pool) != 0)
        return -1;
    own.ask = ASK_ALL;
    own.container = TYPE_NONE;
    struct job *job = task_job(pool, FRAME_TASK, INSPECTORS_ALL, &own, item->fd);
    if (!job)
        return -1;
    job->item = item;
    item->inspected = false;
    item->done = 0;
    pool->pending++;
    job_enqueue(pool, job);
    return pool_turn(pool, 0);
}

int inspect_flush(struct inspect_pool *pool)
{
    for (size_t l = 0; l < LANES; l++)
        pool->lanes[l].flush = true;
    return pool_turn(pool, 0);
}

static int results_take(struct item *item, struct job_result *r)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        item->claims.of[t] = (uint8_t)(item->claims.of[t] | r->claims.of[t]);
    return finding_list_move(&item->findings, &r->findings);
}

static int failure_note(struct item *item, const struct job *job)
{
    enum finding_code code = job->end == JOB_TIMEOUT ? FINDING_INSPECT_TIMEOUT : FINDING_INSPECT_CRASHED;
    return finding_list_note(&item->findings, code, job->second ? "the second reader did not finish this file" : NULL);
}

/* Everything that was said goes to the item. It counts as inspected only where nothing at all went wrong. */
static void item_fill(struct job *job)
{
    struct item *item = job->item;
    struct job_result *first = job->second ? &job->first : &job->result;
    bool complete = job->end == JOB_COMPLETE;
    item->done = first->done;
    item->inner_entries = first->entries;
    item->inner_bytes = first->unpacked;
    /* asked before the findings are moved: one of them may say why there is no list */
    bool kept = !complete || job->second || ask_unlisted(first, &item->findings) == 0;
    kept = results_take(item, first) == 0 && kept;
    if (!complete)
        kept = failure_note(item, job) == 0 && kept;
    item->inspected = complete && kept && item->done == INSPECTORS_ALL;
}

int inspect_next(struct inspect_pool *pool, struct item **out, int timeout_ms)
{
    int64_t end = timeout_ms < 0 ? INT64_MAX : batch_now() + timeout_ms;
    for (;;) {
        struct job *job = finished_pop(pool);
        if (job) {
            item_fill(job);
            *out = job->item;
            pool->pending--;
            job_free(&job);
            return 1;
        }
        int64_t left = end == INT64_MAX ? INT32_MAX : end - batch_now();
        if (pool->pending == 0)
            return 0;
        for (size_t l = 0; timeout_ms != 0 && l < LANES; l++)
            pool->lanes[l].flush = true; /* whoever waits has nothing more to add for now */
        if (pool_turn(pool, left < 0 ? 0 : (int)left) != 0)
            return -1;
        if (left <= 0 && !pool->finished_head)
            return 0;
    }
}

/* --- texts and streams of our own callers ------------------------------------------------------------------------- */

/* Runs one job now and waits for it; others go on meanwhile. */
static int job_run(struct inspect_pool *pool, struct job *job)
{
    if (inspect_ready(pool) != 0) {
        job_free(&job);
        return -1;
    }
    job->alone = true;
    job_enqueue(pool, job);
    while (!job->reported)
        if (pool_turn(pool, -1) != 0)
            return -1;
    struct job **at = &pool->finished_head, *before = NULL;
    while (*at != job) {
        before = *at;
        at = &(*at)->next;
    }
    *at = job->next;
    if (pool->finished_tail == job)
        pool->finished_tail = before;
    return 0;
}

static int job_outcome(const struct job *job)
{
    if (job->end == JOB_COMPLETE)
        return 0;
    errno = job->end == JOB_TIMEOUT ? ETIMEDOUT : EIO;
    return -1;
}

int inspect_scan(struct inspect_pool *pool, enum scan_whose whose, const void *data, size_t len, struct finding_list *out)
{
    struct buf payload;
    if (len > SCAN_BYTES) {
        errno = EFBIG;
        return -1;
    }
    uint64_t id = ++pool->next_id;
    buf_init(&payload, 8 + SCAN_BYTES);
    buf_u64(&payload, id);
    buf_bytes(&payload, data, len);
    struct job *job = job_new(pool, FRAME_SCAN, 1u << INSPECTOR_SECRET, &payload);
    buf_free(&payload);
    if (!job)
        return -1;
    job->id = id;
    job->theirs = whose != SCAN_OURS;
    if (job_run(pool, job) != 0)
        return -1; /* the pool still owns it */
    int rc = job_outcome(job);
    if (rc == 0)
        rc = finding_list_move(out, &job->result.findings);
    job_free(&job);
    return rc;
}

int inspect_stream(struct inspect_pool *pool, int fd, uint64_t size, uint64_t entries_max, struct extent_list *extents,
                   struct finding_list *out)
{
    struct task task = {.size = size, .inside = {.entries = entries_max, .member = UINT64_MAX, .unpacked = UINT64_MAX,
                                                 .ratio = UINT64_MAX, .nesting = 1}};
    struct job *job = task_job(pool, FRAME_STREAM, 1u << INSPECTOR_ARCHIVE, &task, fd);
    if (!job)
        return -1;
    job->extents_max = entries_max;
    if (job_run(pool, job) != 0)
        return -1;
    int rc = job_outcome(job);
    if (rc == 0 && !ask_extents_apart(&job->result.extents)) {
        errno = EPROTO;
        rc = -1;
    }
    if (rc == 0)
        rc = finding_list_move(out, &job->result.findings);
    if (rc == 0) {
        *extents = job->result.extents;
        job->result.extents = (struct extent_list){0};
    }
    job_free(&job);
    return rc;
}

void extent_list_free(struct extent_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i].path);
    free(list->v);
    *list = (struct extent_list){0};
}
