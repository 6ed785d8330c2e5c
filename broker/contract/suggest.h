/* SPDX-License-Identifier: ISC
 * "Did you mean": the nearest known word, where one is near enough to be a typing slip. Pure. */
#ifndef SALLYPORT_SUGGEST_H
#define SALLYPORT_SUGGEST_H

#include <stddef.h>

/* Keeps the best candidate seen so far. Initialise with the word as written; best is NULL while nothing is near. */
struct suggest {
    const char *word;
    size_t len;
    const char *best;
    size_t distance;
};

void suggest_try(struct suggest *s, const char *candidate);

#endif
