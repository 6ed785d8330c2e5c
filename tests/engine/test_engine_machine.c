/* SPDX-License-Identifier: ISC
 * Names of machines go to a program as one word: what could be an option or a path is none. */
#include <criterion/criterion.h>
#include <string.h>

#include "engine/engine_machine.h"

Test(engine_machine, names)
{
    static const char *const good[] = {"lab", "a", "Lab-2.test_x", "0"};
    static const char *const bad[] = {"", "-u", ".lab", "_x", "a b", "a/b", "a:b", "a;b", "a\nb", "\xc3\xa4"};
    char longest[200];
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        cr_assert(machine_name_valid(good[i], strlen(good[i])), "%s", good[i]);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_assert_not(machine_name_valid(bad[i], strlen(bad[i])), "%s", bad[i]);
    memset(longest, 'a', sizeof longest);
    cr_assert(machine_name_valid(longest, 127));
    cr_assert_not(machine_name_valid(longest, 128));
}

Test(engine_machine, words_are_bounded)
{
    struct client_words w = {0};
    for (int i = 0; i < CLIENT_WORDS; i++)
        client_word(&w, "x");
    cr_assert_not(w.full);
    client_word(&w, "y");
    cr_assert(w.full);
    cr_assert_null(w.v[CLIENT_WORDS]);
}

Test(engine_machine, a_client_that_is_not_there)
{
    struct engine_client c = {.name = "sallyport-no-such-client", .search = "PATH=/nonexistent"};
    struct client_words w = {0};
    char out[64];
    client_word(&w, "version");
    cr_assert_eq(client_ask(&c, &w, out, sizeof out), 127);
}

Test(engine_machine, answers_are_cut_and_environment_is_ours)
{
    struct engine_client c = {.name = "sh", .search = "PATH=/usr/bin:/bin"};
    struct client_words w = {0};
    char out[32];
    client_word(&w, "-c");
    client_word(&w, "echo \"$HOME|$DOCKER_CONFIG\"; yes | head -c 100000; exit 3");
    cr_assert_eq(client_ask(&c, &w, out, sizeof out), 3);
    cr_assert_eq(strncmp(out, "|/nonexistent\n", 14), 0, "%s", out);
    cr_assert_eq(strlen(out), sizeof out - 1);
}
