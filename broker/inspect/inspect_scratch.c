/* SPDX-License-Identifier: ISC */
#include "inspect/inspect_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"

/* A name for a moment, in a directory that is ours alone: no file system lacks that. */
static int unnamed(struct inspect_pool *pool)
{
    char name[32];
    snprintf(name, sizeof(name), "%llu", (unsigned long long)++pool->spools);
    AUTO_FD fd = openat(pool->scratch, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || unlinkat(pool->scratch, name, 0) != 0)
        return -1;
    int opened = fd;
    fd = -1;
    return opened;
}

int scratch_hand(struct inspect_pool *pool, struct batch *b)
{
    if (pool->scratch < 0)
        return 0;
    if (b->spool >= 0 && ftruncate(b->spool, 0) != 0)
        fd_close(&b->spool);
    if (b->spool < 0 && (b->spool = unnamed(pool)) < 0)
        return -1;
    return wire_queue(&b->wire, FRAME_SPOOL, NULL, 0, b->spool);
}

/* Read-only where the system can open it once more. Else the same one: what the second reader could write into it nobody
 * but itself would read. */
static int lend(int spool)
{
    int again = fd_reopen_read(spool);
    return again >= 0 ? again : fcntl(spool, F_DUPFD_CLOEXEC, 0);
}

int scratch_keep(struct batch *b)
{
    bool kept = false;
    for (size_t i = 0; i < b->n; i++) {
        struct job *job = b->jobs[i];
        if (!job->result.spooled)
            continue;
        kept = true;
        job->spool = b->spool < 0 ? -1 : lend(b->spool);
        if (job->spool < 0)
            return -1;
    }
    if (kept)
        fd_close(&b->spool);
    return 0;
}
