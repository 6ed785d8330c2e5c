/* SPDX-License-Identifier: ISC
 * In a worker child: plain positional writes, so that no offset is shared with anybody. */
#include "inspect/spool.h"

#include <errno.h>
#include <unistd.h>

bool spool_write(struct spool *spool, const void *data, size_t len)
{
    const uint8_t *at = data;
    if (len > spool->max || spool->used > spool->max - len)
        return false;
    while (len > 0) {
        ssize_t n = pwrite(spool->fd, at, len, (off_t)spool->used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
        spool->used += (uint64_t)n;
    }
    return true;
}

void spool_back(struct spool *spool, uint64_t to)
{
    spool->used = to > spool->kept ? to : spool->kept;
}

void spool_keep(struct spool *spool, uint64_t end)
{
    if (end > spool->kept)
        spool->kept = end;
}
