/* SPDX-License-Identifier: ISC
 * The one file that a worker child may write: unnamed, its own, bounded. Unpacked members that are too large for memory
 * lie there one above the other and are taken off again; an archive that the second reader will list stays. */
#ifndef SALLYPORT_SPOOL_H
#define SALLYPORT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct spool {
    int fd;        /* borrowed */
    uint64_t used; /* the next byte goes here */
    uint64_t kept; /* what lies before stays to the end */
    uint64_t max;
};

/* Appends. False: the bound, or there is no space. */
bool spool_write(struct spool *spool, const void *data, size_t len) MUST_CHECK;
/* Everything from `to` on is no longer needed, but for what is kept. */
void spool_back(struct spool *spool, uint64_t to);
/* What lies in front of `end` stays. */
void spool_keep(struct spool *spool, uint64_t end);

#endif
