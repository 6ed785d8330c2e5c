/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "base/glob.h"

enum { NO, YES, HIDDEN };

Test(glob, matches_as_documented)
{
    static const struct {
        const char *glob, *path;
        int want;
    } rows[] = {
        {"*", "a", YES},          {"*", "a/b", NO},          {"*.txt", "a.txt", YES},     {"*.txt", ".a.txt", HIDDEN},
        {"?", "a", YES},          {"?", "\xC3\xA9", YES},    {"??", "\xC3\xA9", NO},      {"?", "\xFF", YES},
        {"?", ".", HIDDEN},       {"[ab]", "b", YES},        {"[!ab]", "b", NO},          {"[^ab]", "c", YES},
        {"[a-c]x", "bx", YES},    {"[a-c]x", "dx", NO},      {"[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", YES},
        {"[]]", "]", YES},        {"[a-]", "-", YES},        {"[.]a", ".a", HIDDEN},      {".a", ".a", YES},
        {".*", ".a", YES},        {"[!x]", "/", NO},         {"a?b", "a/b", NO},          {"a*b", "a/b", NO},
        {"**", "a", YES},         {"**", "a/b/c", YES},      {"**", "a/.b/c", HIDDEN},    {"a/**", "a", NO},
        {"a/**", "a/b", YES},     {"a/**", "a/b/c", YES},    {"**/a", "a", YES},          {"**/a", "b/c/a", YES},
        {"**/a", "b/c/d", NO},    {"a/**/b", "a/b", YES},    {"a/**/b", "a/x/y/b", YES},  {"a/**/b", "a/x/b/c", NO},
        {"**/.x/*", "a/.x/b", YES}, {"**/**/a", "a", YES},   {"*a*b*c", "xaxbxc", YES},   {"*a*b*c", "xaxbx", NO},
        {"*.tar.gz", "a.b.tar.gz", YES}, {"A", "a", NO},     {"a", "", NO},               {"a/b", "a//b", NO},
        {"*", "a/", NO},          {"a/*", "a/", NO},         {"**", "a/", NO},           {"*", "/a", NO},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool hidden = false, match = glob_match(rows[i].glob, rows[i].path, &hidden);
        cr_expect_eq(match ? YES : hidden ? HIDDEN : NO, rows[i].want, "%s against %s", rows[i].glob, rows[i].path);
    }
}

Test(glob, knows_a_well_formed_one)
{
    static const char *const good[] = {"*",  "**",      "a/**/b", "[a-z]*.txt", "[!.]x", "[]]",  "a b/\xC3\xA9*",
                                       ".*", "[{]a[}]", "a,b",    "...",        "[a-]",  "x[[]", "-*"};
    static const char *const bad[] = {"",      "/a",   "a/",   "a//b",  ".",     "..",    "a/./b",  "../a", "a**",
                                      "**a",   "***",  "[a",   "[]",    "{a,b}", "a\\*",  "a/..",   "[a/b]", "a]",
                                      "[z-a]", "a\nb", "\xFF", "a/**b", "[!]",   "a\x7F", "a/***/b"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        cr_expect(glob_valid(good[i], strlen(good[i])), "%s", good[i]);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_expect_not(glob_valid(bad[i], strlen(bad[i])), "%s", bad[i]);
    cr_expect_not(glob_valid("a\0b", 3));
}

Test(glob, refuses_over_long_ones)
{
    char text[5000];
    memset(text, 'a', sizeof(text));
    for (size_t i = 100; i < sizeof(text); i += 100)
        text[i] = '/';
    cr_expect(glob_valid(text, 4096));
    cr_expect_not(glob_valid(text, 4097));
    memset(text, 'a', 300);
    cr_expect(glob_valid(text, 255));
    cr_expect_not(glob_valid(text, 256));
}

/* Patterns that send a backtracking matcher into exponential time. */
Test(glob, has_no_pattern_that_takes_forever)
{
    char glob[4096], path[4096];
    clock_t start = clock();
    memset(path, 'a', 255);
    path[255] = '\0';
    for (size_t i = 0; i < 120; i++)
        memcpy(glob + 2 * i, "*a", 2);
    memcpy(glob + 240, "*b", 3);
    cr_expect_not(glob_match(glob, path, NULL));
    for (size_t i = 0; i < 600; i++) {
        memcpy(glob + 5 * i, "**/a/", 5);
        memcpy(path + 2 * i, "a/", 2);
    }
    memcpy(glob + 3000, "b", 2);
    memcpy(path + 1200, "c", 2);
    cr_expect_not(glob_match(glob, path, NULL));
    cr_expect_lt(clock() - start, CLOCKS_PER_SEC);
}

Test(glob, says_what_could_lie_below)
{
    cr_expect(glob_enter("a/*/c", "a", false));
    cr_expect(glob_enter("a/*/c", "a/b", false));
    cr_expect_not(glob_enter("a/*/c", "a/b/c", false));
    cr_expect_not(glob_enter("a/*/c", "a/.b", false));
    cr_expect(glob_enter("a/*/c", "a/.b", true));
    cr_expect(glob_enter("**/.x/y", "p/.x", false));
    cr_expect_not(glob_enter("**/.x/y", ".p", false));
    cr_expect(glob_enter("**", "p/q/r", false));
    cr_expect(glob_enter("*.txt", "", false));
}
