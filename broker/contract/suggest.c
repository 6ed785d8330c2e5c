/* SPDX-License-Identifier: ISC
 * Broker. Distance is that of Damerau in its restricted form (optimal string alignment): insertions, deletions,
 * substitutions and swaps of neighbours. Words are bounded, so the table is too. */
#include "contract/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 40 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t an, const char *b, size_t bn)
{
    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= an; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= bn; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= an; i++)
        for (size_t j = 1; j <= bn; j++) {
            size_t cost = a[i - 1] != b[j - 1];
            d[i][j] = least(least(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[an][bn];
}

void suggest_try(struct suggest *s, const char *candidate)
{
    size_t n = strlen(candidate);
    if (s->len == 0 || s->len > WORD_MAX || n > WORD_MAX)
        return;
    size_t d = distance(s->word, s->len, candidate, n);
    /* One slip in three letters, and never a wholly different word. */
    if (d > (s->len + 2) / 3 || d >= n || (s->best && d >= s->distance))
        return;
    s->best = candidate;
    s->distance = d;
}
