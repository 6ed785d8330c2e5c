/* SPDX-License-Identifier: ISC
 * The sealed form: what went in comes out, and no changed byte is accepted. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/ruletable.h"

static void seal(struct buf *out)
{
    static char id[] = "a-rule", about[] = "about", pattern[] = "p{3}", trigger[] = "ppp";
    struct rule rules[2] = {{.id = id, .about = about, .pattern = pattern, .trigger = trigger, .level = LEVEL_NOTE,
                             .left = GUARD_WORD, .right = GUARD_BASE64, .kind = KIND_RAW, .check = CHECK_AGE, .must = true,
                             .entropy = 123, .max = 456, .lead = 78, .width = 9},
                            {.id = id, .about = about, .pattern = pattern}};
    struct rule_table table = {.v = rules, .n = 2};
    buf_init(out, RULE_TABLE_BYTES);
    rule_table_encode(&table, out);
    cr_assert(!out->failed);
}

Test(ruletable, round_trip)
{
    struct buf sealed;
    struct rule_table t;
    seal(&sealed);
    cr_assert(rule_table_decode(&t, sealed.data, sealed.len) && t.n == 2);
    const struct rule *r = rule_table_find(&t, "a-rule");
    cr_assert(r == &t.v[0] && !rule_table_find(&t, "other"));
    cr_assert_str_eq(r->pattern, "p{3}");
    cr_assert_str_eq(r->trigger, "ppp");
    cr_assert(r->level == LEVEL_NOTE && r->left == GUARD_WORD && r->right == GUARD_BASE64 && r->kind == KIND_RAW);
    cr_assert(r->check == CHECK_AGE && r->must && r->entropy == 123 && r->max == 456 && r->lead == 78 && r->width == 9);
    cr_assert(!t.v[1].trigger && !t.v[1].must);
    rule_table_free(&t);
    buf_free(&sealed);
}

Test(ruletable, no_changed_byte_passes)
{
    struct buf sealed;
    struct rule_table t;
    seal(&sealed);
    for (size_t i = 0; i < sealed.len; i++) {
        sealed.data[i] ^= 0x20;
        cr_assert(!rule_table_decode(&t, sealed.data, sealed.len) && t.n == 0, "byte %zu", i);
        sealed.data[i] ^= 0x20;
    }
    for (size_t len = 0; len < sealed.len; len++)
        cr_assert(!rule_table_decode(&t, sealed.data, len));
    buf_free(&sealed);
}

Test(ruletable, ids)
{
    cr_assert(rule_id_valid("a") && rule_id_valid("a-1-b"));
    cr_assert(!rule_id_valid("") && !rule_id_valid("-a") && !rule_id_valid("A") && !rule_id_valid("a_b"));
    char id[80];
    memset(id, 'a', sizeof(id));
    id[64] = 0;
    cr_assert(!rule_id_valid(id));
    id[63] = 0;
    cr_assert(rule_id_valid(id));
}

Test(ruletable, moving_takes_everything)
{
    struct buf sealed;
    struct rule_table a, b;
    seal(&sealed);
    cr_assert(rule_table_decode(&a, sealed.data, sealed.len) && rule_table_decode(&b, sealed.data, sealed.len));
    cr_assert(rule_table_move(&a, &b) == 0 && a.n == 4 && b.n == 0 && !b.v);
    rule_table_free(&a);
    buf_free(&sealed);
}
