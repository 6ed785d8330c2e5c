/* SPDX-License-Identifier: ISC
 * Threads that copy. Broker. What they share is two queues under one lock; an item is the caller's or one thread's, never
 * both's. Small files are woken for in bunches: a wake costs as much as the copy of one of them. */
#include "collect/collect_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "base/thread.h"

struct order_queue {
    struct copy_order v[COPY_AHEAD];
    size_t first, n;
};

struct copy_thread {
    struct copy_ahead *of;
    struct copy_job job; /* its own digest and block */
    pthread_t id;
};

struct copy_ahead {
    struct copy_thread threads[COPY_THREADS];
    unsigned running;
    size_t pending;       /* the caller's own count */
    pthread_mutex_t lock; /* over everything below */
    pthread_cond_t more, finished;
    struct order_queue todo, done;
    size_t idle;          /* threads that wait */
    bool awaited, over;
};

static void queue_put(struct order_queue *q, const struct copy_order *order)
{
    q->v[(q->first + q->n++) % COPY_AHEAD] = *order;
}

static struct copy_order queue_get(struct order_queue *q)
{
    struct copy_order order = q->v[q->first];
    q->first = (q->first + 1) % COPY_AHEAD;
    q->n--;
    return order;
}

static bool is_large(const struct copy_order *order)
{
    return order->item->source.size > COPY_BLOCK;
}

/* --- in the threads ---------------------------------------------------------------------------- */

static void copy_one(struct copy_job *job, struct copy_order *order)
{
    job->max = order->max;
    job->total_left = order->total_left;
    order->result = collect_copy(job, order->item, order->staged);
    order->error = errno;
}

static void *copy_all(void *argument)
{
    struct copy_thread *t = argument;
    struct copy_ahead *c = t->of;
    pthread_mutex_lock(&c->lock);
    while (!c->over) {
        if (c->todo.n == 0) {
            c->idle++;
            pthread_cond_wait(&c->more, &c->lock);
            c->idle--;
            continue;
        }
        struct copy_order order = queue_get(&c->todo);
        pthread_mutex_unlock(&c->lock);
        copy_one(&t->job, &order);
        pthread_mutex_lock(&c->lock);
        queue_put(&c->done, &order);
        if (c->awaited && (c->done.n >= COPY_AHEAD_BUNCH || c->todo.n == 0 || is_large(&order)))
            pthread_cond_signal(&c->finished);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* --- of the caller ----------------------------------------------------------------------------- */

static int start(struct copy_ahead *c, const struct copy_job *job)
{
    struct copy_thread *t = &c->threads[c->running];
    *t = (struct copy_thread){.of = c, .job = *job};
    t->job.digest = digest_new();
    t->job.block = malloc(COPY_BLOCK);
    if (t->job.digest && t->job.block && thread_begin(&t->id, copy_all, t) == 0) {
        c->running++;
        return 0;
    }
    digest_free(&t->job.digest);
    free(t->job.block);
    return -1;
}

struct copy_ahead *copy_ahead_begin(const struct copy_job *job, unsigned threads)
{
    struct copy_ahead *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->more, NULL);
    pthread_cond_init(&c->finished, NULL);
    while (c->running < threads && c->running < COPY_THREADS && start(c, job) == 0)
        ;
    if (c->running == 0)
        copy_ahead_end(&c);
    return c;
}

bool copy_ahead_room(const struct copy_ahead *c)
{
    return c->pending < COPY_AHEAD;
}

size_t copy_ahead_pending(const struct copy_ahead *c)
{
    return c->pending;
}

void copy_ahead_give(struct copy_ahead *c, const struct copy_order *order)
{
    pthread_mutex_lock(&c->lock);
    queue_put(&c->todo, order);
    c->pending++;
    if (c->idle > 0 && (c->todo.n >= COPY_AHEAD_BUNCH || is_large(order)))
        pthread_cond_signal(&c->more);
    pthread_mutex_unlock(&c->lock);
}

/* Under the lock. What was held back for a bunch is begun: the caller has nothing more to add for now. */
static void await_one(struct copy_ahead *c, unsigned wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)wait_ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (c->idle > 0 && c->todo.n > 0)
        pthread_cond_broadcast(&c->more);
    c->awaited = true;
    (void)pthread_cond_timedwait(&c->finished, &c->lock, &until);
    c->awaited = false;
}

bool copy_ahead_take(struct copy_ahead *c, unsigned wait_ms, struct copy_order *out)
{
    pthread_mutex_lock(&c->lock);
    if (c->done.n == 0 && wait_ms > 0 && c->pending > 0)
        await_one(c, wait_ms);
    bool got = c->done.n > 0;
    if (got) {
        *out = queue_get(&c->done);
        c->pending--;
    }
    pthread_mutex_unlock(&c->lock);
    return got;
}

void copy_ahead_end(struct copy_ahead **c)
{
    struct copy_ahead *mine = *c;
    int saved = errno;
    *c = NULL;
    if (!mine)
        return;
    pthread_mutex_lock(&mine->lock);
    mine->over = true;
    pthread_cond_broadcast(&mine->more);
    pthread_mutex_unlock(&mine->lock);
    for (unsigned i = 0; i < mine->running; i++) {
        pthread_join(mine->threads[i].id, NULL);
        digest_free(&mine->threads[i].job.digest);
        free(mine->threads[i].job.block);
    }
    pthread_cond_destroy(&mine->finished);
    pthread_cond_destroy(&mine->more);
    pthread_mutex_destroy(&mine->lock);
    free(mine);
    errno = saved;
}
