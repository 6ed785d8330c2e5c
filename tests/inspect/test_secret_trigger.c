/* SPDX-License-Identifier: ISC
 * Triggers as the database gets them: guarded, capped at the end of an alternative and nowhere else, written out, or cut
 * in two with a gate that never stays shut before a match. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/secret_trigger.h"

static const char *expression(const char *trigger, enum rule_guard left, uint32_t lead, struct secret_gate *gate)
{
    static char out[TRIGGER_TEXT];
    char text[TRIGGER_TEXT];
    snprintf(text, sizeof(text), "%s", trigger);
    struct rule rule = {.pattern = text, .left = left, .lead = lead};
    secret_trigger_expression(&rule, out);
    if (gate && !secret_trigger_gate(&rule, gate))
        gate->n = 0;
    return out;
}

Test(secret_trigger, ends_are_capped)
{
    static const struct {
        const char *trigger, *want;
    } cases[] = {
        {"ab_[0-9a-f]{64}", "ab_[0-9a-f]{20}"},
        {"ab_[0-9a-f]{8}", "ab_[0-9a-f]{8}"},
        {"ab_[0-9a-f]{8,90}", "ab_[0-9a-f]{8}"},
        {"ab_[0-9a-f]{30,}", "ab_[0-9a-f]{20}"},
        {"ab_[0-9a-f]{0,90}", "ab_[0-9a-f]{0,90}"},
        {"ab_[a-z]{64}|cd_[|]{70}", "ab_[a-z]{20}|cd_[|]{20}"},
        {"(?:ab_[a-z]{64}|cd_[a-z]{70})x", "(?:ab_[a-z]{64}|cd_[a-z]{70})x"},
        {"(?:ab_[a-z]{64})", "(?:ab_[a-z]{64})"},
        {"ab_[a-z]{64}?", "ab_[a-z]{64}?"},
        {"ab_[^]|]{64}", "ab_[^]|]{20}"},
        {"ab_[(\\]]{64}", "ab_[(\\]]{20}"},
        {"\\Qab]{64}", "\\Qab]{64}"},
        {"ab_\\]{64\\}", "ab_\\]{64\\}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        cr_expect_str_eq(expression(cases[i].trigger, GUARD_NONE, 0, NULL), cases[i].want, "%s", cases[i].trigger);
}

Test(secret_trigger, guards_stand_in_front)
{
    cr_assert_str_eq(expression("ab_", GUARD_WORD, 0, NULL), "(?:^|[^0-9A-Za-lo-qsu-z_])(?:ab_)");
    cr_assert_str_eq(expression("ab_", GUARD_WORD, 3, NULL), "ab_");
    cr_assert_str_eq(expression("[ab][c][de]x", GUARD_WORD, 0, NULL), "[ab][c][de]x");
}

Test(secret_trigger, small_classes_are_written_out)
{
    static const char text[] = "[MNO][DT][0-9]_[a-z]{4}";
    bool seen[60] = {false};
    cr_assert(secret_trigger_forms(text) == 60);
    for (size_t i = 0; i < 60; i++) {
        char *form = secret_trigger_form(text, i);
        cr_assert_str_eq(form + 3, "_[a-z]{4}");
        size_t at = (size_t)(strchr("MNO", form[0]) - "MNO") * 20 + (form[1] == 'T') * 10u + (size_t)(form[2] - '0');
        cr_assert(!seen[at]);
        seen[at] = true;
        free(form);
    }
    cr_assert(secret_trigger_forms("[a-z][a-z][a-z]") == 1);
    cr_assert(secret_trigger_forms("[ab][ab][ab]{2}") == 1);
    cr_assert(secret_trigger_forms("[ab][ab][ab]|c") == 1);
    cr_assert(secret_trigger_forms("a[ab][ab][ab]") == 1);
}

static bool open_for(const struct secret_gate *gate, const char *text)
{
    return secret_gate_open(gate, (const uint8_t *)text, strlen(text));
}

Test(secret_trigger, a_long_wait_becomes_a_gate)
{
    struct secret_gate gate;
    cr_assert_str_eq(expression("://[^\\s/:@]{0,100}:[^\\s@]{3,100}@x", GUARD_NONE, 22, &gate), "://");
    cr_assert(gate.n == 5);
    cr_assert(open_for(&gate, "user:word@x"));
    cr_assert(open_for(&gate, ":word@x and more"));
    cr_assert(open_for(&gate, "user:wo")); /* the text ends: not known */
    cr_assert(!open_for(&gate, "user:wo@x"));
    cr_assert(!open_for(&gate, "user:wo rd@x"));
    cr_assert(!open_for(&gate, "host/path:word@x"));
    cr_assert(!open_for(&gate, "user:word@y"));
}

Test(secret_trigger, what_is_not_decided_gets_no_gate)
{
    static const char *const triggers[] = {
        "://[a-z:]{0,100}:x",        /* the class holds what follows */
        "://[a-z]{0,100}(?:x|y)",    /* a group */
        "://[a-z]{0,20}:",           /* short enough for the automaton */
        ":/[a-z]{0,100}:",           /* too short a sign */
        "://[a-z]{0,100}:?x", "://[[:alpha:]]{0,100}:",
        "(?i:abc)[a-z]{0,100}:",     /* asks for one byte */
        "(?i:abc|de)[a-z]{5}", "(?i:abc|d?ef)[a-z]{5}", "(?i:abc|(?:abc)?d)[a-z]{5}", "(?i:abc", "(?i:a.c)[a-z]{5}",
        "(?i:abc)(?:=>|:=|[:=])[a-z]{5}x", "(?i:abc)[ ]?(?:=>|:=|[:=])x{5}y", /* the value is not the end */
        "(?i:abc)[ ]?(?:=>|:=|[:=])[=]?[a-z]{5}",
    };
    struct secret_gate gate;
    for (size_t i = 0; i < ARRAY_LEN(triggers); i++) {
        cr_expect_str_eq(expression(triggers[i], GUARD_NONE, 0, &gate), triggers[i]);
        cr_expect(gate.n == 0, "%s", triggers[i]);
    }
}

Test(secret_trigger, many_words_get_a_gate)
{
    static const char trigger[] = "(?i:passw(?:or)?d|api[_-]?key)[a-z_]{0,4}[\"']?[ ]{0,2}(?:=>|:=|[:=])[ ]{0,2}[\"']?[^ \"']{8}";
    static const char *const open[] = {"=12345678", "s => '12345678'", "\": \"12345678\"", ":==2345678", "=>>2345678",
                                       ":>>2345678", ":=12345678", "_abc = 12345", "_ab", "=========", "=>========"};
    static const char *const shut[] = {"_abcd=12345678", "", "=123456 ", " 12345678", "=> 123456 89", "s   =12345678", "\"\"=12345678"};
    struct secret_gate gate;
    cr_assert_str_eq(expression(trigger, GUARD_NONE, 0, &gate), "(?i:passw(?:or)?d|api[_-]?key)");
    for (size_t i = 0; i < ARRAY_LEN(open); i++)
        cr_expect(open_for(&gate, open[i]), "%s", open[i]);
    for (size_t i = 0; i < ARRAY_LEN(shut); i++)
        cr_expect(shut[i][0] ? !open_for(&gate, shut[i]) : open_for(&gate, shut[i]), "%s", shut[i]);
}

static bool need_of(const char *pattern, uint32_t lead, struct gate_step *need)
{
    char text[TRIGGER_TEXT];
    snprintf(text, sizeof(text), "%s", pattern);
    struct rule rule = {.pattern = text, .lead = lead, .max = 300};
    return secret_trigger_need(&rule, need);
}

Test(secret_trigger, what_every_match_holds)
{
    static const char *const none[] = {
        "a[0-9]{12}|b", "a(?:[0-9]{12})?", "a([0-9]{12})?", "a([0-9]{12}|b)", "(?=[0-9]{12})a", "a[0-9]{0,12}", "a[0-9]*",
        "a[0-9]{7}", "\\Q[0-9]{12}", "a[[:digit:]]{12}", "(?i)a[b-d]{12}", "a;?", "a;*", "(*ACCEPT)[0-9]{12}", "a\\[0-9]{12}",
    };
    struct gate_step need;
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        cr_expect(!need_of(none[i], 300, &need), "%s", none[i]);
    cr_assert(!need_of("a[0-9]{12}", 0, &need)); /* a small window */
    cr_assert(need_of("a(?:x|[)]y)?[0-9]{12,40}+b", 300, &need) && need.least == 12 && need.class['7'] && !need.class['a']);
    cr_assert(need_of("a(?:x|y)*?\\(([0-9]{9})b?", 300, &need) && need.least == 9);
    cr_assert(need_of("(?i:a;[b-d]{12})", 300, &need) && need.least == 12 && need.class['B'] && need.class['b']);
    cr_assert(need_of("(?i:a[^;]{1,9};b)", 300, &need) && need.least == 1 && need.class[';'] && !need.class['b']);
    static const uint8_t text[] = "1234567890 a 123456789012 ";
    cr_assert(need_of("a[0-9]{12}", 300, &need));
    cr_assert(secret_need_find(&need, text, 0, 26) == 13 && secret_need_find(&need, text, 13, 26) == 13);
    cr_assert(secret_need_find(&need, text, 14, 26) == 26 && secret_need_find(&need, text, 0, 24) == 24);
}
