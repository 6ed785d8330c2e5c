/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "contract/contract_match.h"
#include "contract/contract_parse.h"

static struct contract *contract_of(const char *outputs)
{
    char text[2000];
    struct contract *c;
    struct contract_errors errors;
    int len = snprintf(text, sizeof(text), "sallyport: 1\nname: t\noutputs:\n%s", outputs);
    cr_assert_eq(contract_parse("t", (const uint8_t *)text, (size_t)len, &c, &errors), 0, "%s",
                 errors.n ? errors.v[0].sentence : "");
    return c;
}

static int matched(const struct contract *c, const char *path)
{
    bool hidden;
    const struct output *o = contract_match(c, path, &hidden);
    return o ? (int)o->index : hidden ? -2 : -1;
}

Test(contract_match, an_exact_path_wins_and_is_never_a_pattern)
{
    struct contract *c = contract_of("  - {glob: '*.txt', types: [text]}\n  - {path: 'r[1].txt', types: [text]}\n"
                                     "  - {path: big.txt, types: [text]}\n");
    cr_assert_eq(matched(c, "big.txt"), 2);
    cr_assert_eq(matched(c, "r[1].txt"), 1);
    cr_assert_eq(matched(c, "r1.txt"), 0);
    cr_assert_eq(matched(c, "a/b.txt"), -1);
    contract_free(&c);
}

Test(contract_match, the_first_glob_wins_unless_it_excludes)
{
    struct contract *c = contract_of("  - {glob: 'a*', exclude: ['ab*'], types: [text]}\n  - {glob: '*', types: [text]}\n"
                                     "  - {glob: '.*', exclude: ['*.tmp'], types: [text]}\n");
    cr_assert_eq(matched(c, "ac"), 0);
    cr_assert_eq(matched(c, "abc"), 1);
    cr_assert_eq(matched(c, "b"), 1);
    cr_assert_eq(matched(c, ".x"), 2);
    cr_assert_eq(matched(c, ".x.tmp"), -2, "an exclusion holds for dotfiles too");
    contract_free(&c);
}

Test(contract_match, a_skipped_dotfile_is_told)
{
    struct contract *c = contract_of("  - {glob: 'd/**', types: [text]}\n");
    cr_assert_eq(matched(c, "d/x"), 0);
    cr_assert_eq(matched(c, "d/.x"), -2);
    cr_assert_eq(matched(c, "d/.e/x"), -2);
    cr_assert_eq(matched(c, ".d/x"), -1);
    cr_assert(contract_hides(c, "d/.e"));
    cr_assert_not(contract_hides(c, "d/e"));
    cr_assert_not(contract_hides(c, "x/.e"));
    contract_free(&c);
}

Test(contract_match, the_walk_enters_only_what_could_match)
{
    struct contract *c = contract_of("  - {path: a/b/c.txt, types: [text]}\n  - {glob: 'x/*/z/*.txt', types: [text]}\n");
    static const struct {
        const char *dir;
        bool enter;
    } rows[] = {{"", true},     {"a", true},     {"a/b", true}, {"a/b/c.txt", false}, {"a/bb", false}, {"b", false},
                {"x", true},    {"x/q", true},   {"x/q/z", true}, {"x/q/y", false},   {"x/q/z/z", false},
                {"x/.q", false}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        cr_assert_eq(contract_enter(c, rows[i].dir), rows[i].enter, "%s", rows[i].dir);
    contract_free(&c);
}
