/* SPDX-License-Identifier: ISC
 * Rules that can never work are refused by name; limits end in "undecided", never in "no". */
#include <criterion/criterion.h>

#include <string.h>

#include "secret_samples.h"

static struct rule a_rule(char *pattern)
{
    static char id[] = "a-rule", about[] = "a rule";
    return (struct rule){.id = id, .about = about, .pattern = pattern};
}

static void refused(char *pattern)
{
    struct rule rule = a_rule(pattern);
    struct rule_table table = {.v = &rule, .n = 1};
    char why[256];
    cr_assert(!rule_set_new(&table, true, why, sizeof(why)), "%s", pattern);
    cr_assert(strstr(why, "a-rule"), "%s", why);
}

Test(rule, wrong_patterns_are_named)
{
    char open[] = "a(b", empty[] = "a*", reference[] = "a\\2";
    refused(open);
    refused(empty);
    refused(reference);
}

Test(rule, matches_within_bounds)
{
    char pattern[] = "k=([a-z]{4})";
    struct rule rule = a_rule(pattern);
    struct rule_table table = {.v = &rule, .n = 1};
    char why[256];
    struct match m;
    const uint8_t *text = (const uint8_t *)"xx k=abcd k=efgh";
    struct rule_set *set = rule_set_new(&table, true, why, sizeof(why));
    cr_assert(set);
    cr_assert(rule_match(set, 0, text, 16, 0, 15, &m) == MATCH_YES && m.start == 3 && m.end == 9 && m.secret_start == 5);
    cr_assert(rule_match(set, 0, text, 16, 4, 15, &m) == MATCH_YES && m.start == 10);
    cr_assert(rule_match(set, 0, text, 16, 4, 9, &m) == MATCH_NO);
    cr_assert(rule_match(set, 0, text, 15, 4, 14, &m) == MATCH_NO);
    rule_set_free(&set);
    cr_assert(!set);
}

Test(rule, a_limit_is_undecided)
{
    char pattern[] = "(?:a+)+[bc]", text[4096];
    struct rule rule = a_rule(pattern);
    struct rule_table table = {.v = &rule, .n = 1};
    char why[256];
    struct match m;
    memset(text, 'a', sizeof(text));
    for (int kind = KIND_TOKEN; kind < KIND_COUNT; kind++) {
        rule.kind = (enum rule_kind)kind;
        struct rule_set *set = rule_set_new(&table, true, why, sizeof(why));
        cr_assert(set);
        cr_assert(rule_match(set, 0, (uint8_t *)text, 40, 0, 39, &m) == MATCH_UNDECIDED, "kind %d", kind);
        rule_set_free(&set);
    }
}

Test(rule, left_guard)
{
    static const struct {
        const char *text;
        bool word, base64;
    } cases[] = {
        {"a", false, false}, {"_", false, false}, {"0", false, false}, {"-", true, false}, {"/", true, true},
        {"dir/", true, true}, {"x: aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBsb25nIHRleHQ/", true, false},
        {"+", true, false},  {"=", true, true},   {" ", true, true},   {"\\n", true, true}, {"\\x", false, false},
        {"\x1b[0m", true, true}, {"[0m", false, false}, {"", true, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t n = strlen(cases[i].text);
        const uint8_t *s = (const uint8_t *)cases[i].text;
        cr_assert(rule_left_clear(GUARD_WORD, s, n) == cases[i].word, "%zu", i);
        cr_assert(rule_left_clear(GUARD_BASE64, s, n) == cases[i].base64, "%zu", i);
        cr_assert(rule_left_clear(GUARD_NONE, s, n), "%zu", i);
    }
}
