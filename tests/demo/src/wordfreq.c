/* SPDX-License-Identifier: ISC
 * Counts the words of standard input: one line for each, most frequent first, ties by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024, WORD_BYTES = 64 };

struct word {
    char text[WORD_BYTES];
    unsigned count;
};

static int by_count(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

int main(void)
{
    static struct word words[WORDS];
    size_t n = 0;
    char text[WORD_BYTES];
    while (scanf("%63s", text) == 1) {
        size_t i = 0;
        while (i < n && strcmp(words[i].text, text) != 0)
            i++;
        if (i == n) {
            if (n == WORDS)
                return EXIT_FAILURE;
            strcpy(words[n++].text, text);
        }
        words[i].count++;
    }
    qsort(words, n, sizeof(words[0]), by_count);
    for (size_t i = 0; i < n; i++)
        printf("%u %s\n", words[i].count, words[i].text);
    return EXIT_SUCCESS;
}
