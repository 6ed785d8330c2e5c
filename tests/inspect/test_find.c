/* SPDX-License-Identifier: ISC
 * Fixed bytes are found wherever they stand: over the borders of the steps and windows in which a file is read. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/find.h"

enum { STEP = 32 * 1024, SIZE = 3 * STEP };

static char *filled(void)
{
    char *text = malloc(SIZE);
    cr_assert_not_null(text);
    memset(text, '.', SIZE);
    return text;
}

Test(find, one_word_at_every_place_around_a_border)
{
    static const char word[] = "\"py/";
    char *text = filled();
    for (size_t place = STEP - 8; place < STEP + 8; place++) {
        struct bytes b;
        uint64_t at = 0;
        memcpy(text + place, word, 4);
        bytes_init_memory(&b, text, SIZE);
        cr_expect(find_bytes(&b, 0, (const uint8_t *)word, 4, &at) && at == place, "at %zu", place);
        cr_expect_not(find_bytes(&b, place + 1, (const uint8_t *)word, 4, &at));
        memset(text + place, '.', 4);
    }
    free(text);
}

Test(find, several_words_in_one_reading)
{
    static const char *const words[] = {"first", "second-word", "absent", "."};
    char *text = filled();
    for (size_t place = 2 * STEP - 200; place < 2 * STEP + 8; place++) {
        struct bytes b;
        uint64_t at[4];
        memcpy(text + place, "second-word", 11);
        memcpy(text + SIZE - 5, "first", 5);
        bytes_init_memory(&b, text, SIZE);
        find_each(&b, words, 4, at);
        cr_expect(at[0] == SIZE - 5 && at[1] == place && at[2] == UINT64_MAX && at[3] == 0, "at %zu", place);
        bytes_init_memory(&b, text, 4); /* shorter than the words */
        find_each(&b, words, 4, at);
        cr_expect(at[0] == UINT64_MAX && at[3] == 0);
        memset(text + place, '.', 11);
    }
    free(text);
}
