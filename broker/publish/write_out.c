/* SPDX-License-Identifier: ISC
 * Hastens writing in a thread of its own, because every call that begins it may wait for the disk. Broker. Trusts its own
 * descriptors. Invariant: errors are not taken here; the descriptor that is synced at the end still sees them. */
#include "publish/write_out.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/thread.h"
#include "publish/publish_sys.h"

struct order {
    int fd; /* owned */
    bool all;
};

struct write_out {
    pthread_t thread;
    pthread_mutex_t lock; /* over everything below */
    pthread_cond_t more;
    struct order orders[WRITE_OUT_ORDERS];
    size_t first, n;
    bool over;
};

static bool is_over(struct write_out *w)
{
    pthread_mutex_lock(&w->lock);
    bool over = w->over;
    pthread_mutex_unlock(&w->lock);
    return over;
}

/* In pieces, so that an interrupted promotion does not wait for all of a large file. */
static void carry_out(struct write_out *w, const struct order *order)
{
    struct stat st;
    if (order->all) {
        (void)!sys_syncfs(order->fd);
        return;
    }
    if (fstat(order->fd, &st) < 0)
        return;
    for (off_t at = 0; at < st.st_size && !is_over(w); at += (off_t)WRITE_OUT_PIECE)
        sys_begin_writing(order->fd, at, (off_t)WRITE_OUT_PIECE);
    if (st.st_size >= (off_t)WRITE_OUT_PIECE && !is_over(w))
        (void)!sys_fsync(order->fd);
}

static void *serve(void *argument)
{
    struct write_out *w = argument;
    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        if (w->n == 0) {
            pthread_cond_wait(&w->more, &w->lock);
            continue;
        }
        struct order order = w->orders[w->first];
        w->first = (w->first + 1) % WRITE_OUT_ORDERS;
        w->n--;
        pthread_mutex_unlock(&w->lock);
        carry_out(w, &order);
        fd_close(&order.fd);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct write_out *write_out_begin(void)
{
    struct write_out *w = calloc(1, sizeof(*w));
    if (!w)
        return NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    if (thread_begin(&w->thread, serve, w) == 0)
        return w;
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

static void give(struct write_out *w, struct order order)
{
    pthread_mutex_lock(&w->lock);
    if (order.fd >= 0 && w->n < WRITE_OUT_ORDERS) {
        w->orders[(w->first + w->n++) % WRITE_OUT_ORDERS] = order;
        order.fd = -1;
        pthread_cond_signal(&w->more);
    }
    pthread_mutex_unlock(&w->lock);
    fd_close(&order.fd);
}

void write_out_file(struct write_out *w, int fd)
{
    if (w)
        give(w, (struct order){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)});
}

/* Opened anew: an error is told once to each open file, and the last sync must hear of it. */
void write_out_all(struct write_out *w, int fd)
{
    if (w)
        give(w, (struct order){.fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), .all = true});
}

void write_out_end(struct write_out **w)
{
    struct write_out *mine = *w;
    int saved = errno;
    *w = NULL;
    if (!mine)
        return;
    pthread_mutex_lock(&mine->lock);
    mine->over = true;
    pthread_cond_signal(&mine->more);
    pthread_mutex_unlock(&mine->lock);
    pthread_join(mine->thread, NULL);
    for (; mine->n > 0; mine->n--, mine->first = (mine->first + 1) % WRITE_OUT_ORDERS)
        fd_close(&mine->orders[mine->first].fd);
    pthread_cond_destroy(&mine->more);
    pthread_mutex_destroy(&mine->lock);
    free(mine);
    errno = saved;
}
