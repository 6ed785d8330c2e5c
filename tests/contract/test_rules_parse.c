/* SPDX-License-Identifier: ISC
 * Rule files: what is read, and that every mistake is named with its place. */
#include <criterion/criterion.h>

#include <string.h>

#include "contract/rules_parse.h"

#define HEAD "sallyport-rules: 1\nrules:\n"

static int parse(const char *text, struct rule_table *table, struct buf *errors)
{
    buf_init(errors, 65536);
    return rules_parse("f.yaml", (const uint8_t *)text, strlen(text), table, errors);
}

Test(rules_parse, all_keys)
{
    struct rule_table t;
    struct buf errors;
    cr_assert(parse(HEAD "  - id: a-1\n    about: one\n    pattern: 'p(x)'\n    trigger: p\n    level: warn\n    left: word\n"
                         "    right: base64\n    kind: password\n    must: jwt\n    entropy: 3.25\n    max: 100\n    lead: 7\n"
                         "  - {id: b, about: two, pattern: q, guard: word, check: github}\n",
                    &t, &errors) == 0, "%.*s", (int)errors.len, (char *)errors.data);
    cr_assert(t.n == 2);
    const struct rule *r = &t.v[0];
    cr_assert_str_eq(r->id, "a-1");
    cr_assert_str_eq(r->pattern, "p(x)");
    cr_assert_str_eq(r->trigger, "p");
    cr_assert(r->level == LEVEL_WARN && r->left == GUARD_WORD && r->right == GUARD_BASE64 && r->kind == KIND_PASSWORD);
    cr_assert(r->check == CHECK_JWT && r->must && r->entropy == 325 && r->max == 100 && r->lead == 7);
    cr_assert(t.v[1].left == GUARD_WORD && t.v[1].right == GUARD_WORD && t.v[1].check == CHECK_GITHUB && !t.v[1].must);
    cr_assert(t.v[1].level == LEVEL_REFUSE && !t.v[1].trigger);
    rule_table_free(&t);
    buf_free(&errors);
}

Test(rules_parse, mistakes_have_a_place)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "f.yaml:1:1: "},
        {"rules: []\n", "f.yaml:"},
        {"sallyport-rules: 2\nrules: []\n", "f.yaml:1:18: this program reads"},
        {HEAD "  - {id: A, about: b, pattern: c}\n", "f.yaml:3:10: an id is"},
        {HEAD "  - {id: a, about: b}\n", "f.yaml:3:5: a rule needs"},
        {HEAD "  - {id: a, about: b, pattern: c, colour: red}\n", "no key of a rule: colour"},
        {HEAD "  - {id: a, about: b, pattern: c, level: loud}\n", "a level is"},
        {HEAD "  - {id: a, about: b, pattern: c, guard: high}\n", "a guard is"},
        {HEAD "  - {id: a, about: b, pattern: c, kind: x}\n", "a kind is"},
        {HEAD "  - {id: a, about: b, pattern: c, check: none}\n", "there is no check"},
        {HEAD "  - {id: a, about: b, pattern: c, entropy: 9}\n", "entropy is"},
        {HEAD "  - {id: a, about: b, pattern: c, max: 70000}\n", "a whole number"},
        {HEAD "  - {id: a, about: b, pattern: c, max: -1}\n", "a whole number"},
        {HEAD "  - {id: a, about: b, pattern: '(*UTF)c'}\n", "(*VERB)"},
        {HEAD "  - {id: a, id: b, about: b, pattern: c}\n", "stands twice"},
        {HEAD "  - {id: a, about: b, pattern: c}\n  - {id: a, about: b, pattern: c}\n", "two rules have the id a"},
        {HEAD "  - &x {id: a, about: b, pattern: c}\n", "anchors"},
        {HEAD "  - {id: [a], about: b, pattern: c}\n", "one text is needed"},
        {HEAD "  - {id: a\n", "not YAML"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rule_table t;
        struct buf errors;
        cr_assert(parse(cases[i].text, &t, &errors) == -1, "%zu", i);
        buf_u8(&errors, 0);
        cr_assert(strstr((char *)errors.data, cases[i].error), "%zu: %s", i, (char *)errors.data);
        cr_assert(t.n == 0);
        buf_free(&errors);
    }
}
