/* SPDX-License-Identifier: ISC
 * A credential is found at every offset, whatever the reads cut it into; what is said of it holds none of it; hostile
 * text ends in a refusal, not in a long wait. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "secret_samples.h"

enum { SPLITS = 3 };

static void at_boundary(const struct sample *s, size_t before, uint8_t *text)
{
    struct sink_list list;
    size_t start = BYTES_WINDOW - before;
    memset(text, '\n', start);
    memcpy(text + start, s->text, s->len);
    memset(text + start + s->len, '\n', 64);
    sample_scan_file(&list, text, start + s->len + 64);
    cr_assert(sample_found(&list, s->rule), "%s, %zu of %zu bytes in front of the boundary", s->rule, before, s->len);
    sink_list_free(&list);
}

Test(secret_scan, every_rule_across_the_boundary)
{
    struct samples samples;
    struct rule_table table;
    samples_load(&samples, &table);
    uint8_t *text = malloc(BYTES_WINDOW + 64 * 1024);
    cr_assert(text);
    for (size_t i = 0; i < samples.n; i++)
        for (size_t k = 1; k <= SPLITS; k++)
            at_boundary(&samples.v[i], samples.v[i].len * k / (SPLITS + 1) + 1, text);
    free(text);
    samples_free(&samples);
    rule_table_free(&table);
}

Test(secret_scan, every_split_of_some)
{
    static const char *const some[] = {"github-token", "jwt", "generic-password", "url-password", "aws-access-key-id"};
    struct samples samples;
    struct rule_table table;
    samples_load(&samples, &table);
    uint8_t *text = malloc(BYTES_WINDOW + 64 * 1024);
    cr_assert(text);
    for (size_t i = 0; i < samples.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(some); k++)
            for (size_t before = 0; strcmp(samples.v[i].rule, some[k]) == 0 && before <= samples.v[i].len; before++)
                at_boundary(&samples.v[i], before, text);
    free(text);
    samples_free(&samples);
    rule_table_free(&table);
}

Test(secret_scan, nothing_of_it_is_said)
{
    struct samples samples;
    struct rule_table table;
    struct sink_list list;
    samples_load(&samples, &table);
    for (size_t i = 0; i < samples.n; i++) {
        sample_scan(&list, samples.v[i].text, samples.v[i].len);
        cr_assert(list.findings.n > 0, "%s", samples.v[i].rule);
        cr_assert(!sample_leaks(&list, &samples.v[i]), "%s", samples.v[i].rule);
        sink_list_free(&list);
    }
    samples_free(&samples);
    rule_table_free(&table);
}

Test(secret_scan, place_and_line)
{
    struct sink_list list;
    char text[200];
    int n = snprintf(text, sizeof(text), "one\ntwo\nkey gh%s\n", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17");
    sample_scan(&list, text, (size_t)n);
    cr_assert(list.findings.n == 1);
    const struct finding *f = &list.findings.v[0];
    cr_assert(f->has_offset && f->offset == 12 && f->has_line && f->line == 3 && f->length == 40);
    cr_assert_str_eq(f->rule, "github-token");
    cr_assert_str_eq(f->message, "a credential (check holds)");
    sink_list_free(&list);
}

Test(secret_scan, guards)
{
    struct sink_list list;
    static const char *const before[] = {"key=", "\\n", "\x1b[32m", "(", "\"", "-", "\n"};
    char text[200];
    for (size_t i = 0; i < ARRAY_LEN(before); i++) {
        int n = snprintf(text, sizeof(text), "%sAKI%s", before[i], "AQYLPMN5HFIQR7XYA");
        sample_scan(&list, text, (size_t)n);
        cr_assert(sample_found(&list, "aws-access-key-id"), "behind %zu", i);
        sink_list_free(&list);
    }
    int n = snprintf(text, sizeof(text), "xAKI%s", "AQYLPMN5HFIQR7XYA");
    sample_scan(&list, text, (size_t)n);
    cr_assert(!sample_found(&list, "aws-access-key-id"));
    sink_list_free(&list);
}

Test(secret_scan, many_hits_end_in_a_word)
{
    struct sink_list list;
    char *text = malloc(400 * 48);
    size_t len = 0;
    uint32_t state = 7;
    for (int i = 0; i < 400; i++) {
        len += (size_t)sprintf(text + len, "gh%s", "p_");
        for (int k = 0; k < 36; k++)
            text[len++] = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefgh"[sample_random(&state) % 32];
        text[len++] = '\n';
    }
    sample_scan(&list, text, len);
    cr_assert(list.findings.n == SECRET_HITS_MAX + 1);
    cr_assert(strstr(list.findings.v[SECRET_HITS_MAX].message, "more are not listed"));
    sink_list_free(&list);
    free(text);
}

Test(secret_scan, placeholders_do_not_use_up_the_room)
{
    struct sink_list list;
    char *text = malloc(400 * 48);
    size_t len = 0;
    for (int i = 0; i < 300; i++)
        len += (size_t)sprintf(text + len, "gh%s%s\n", "p_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    len += (size_t)sprintf(text + len, "gh%s\n", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17");
    sample_scan(&list, text, len);
    const struct finding *last = &list.findings.v[list.findings.n - 1];
    cr_assert(last->level == LEVEL_REFUSE);
    cr_assert(list.findings.v[0].level == LEVEL_NOTE);
    sink_list_free(&list);
    free(text);
}

/* Calls of the matcher for a text of the unit, again and again. */
static uint64_t confirms_of(const char *unit, size_t size)
{
    struct rule_table table;
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    char why[256];
    char *text = malloc(size);
    cr_assert(text && rule_table_decode(&table, rules_table, rules_table_len));
    for (size_t i = 0, n = strlen(unit); i < size; i++)
        text[i] = unit[i % n];
    struct secret_engine *e = secret_engine_new(&table, rules_database, rules_database_len, why, sizeof(why));
    cr_assert(e, "%s", why);
    sink_list_init(&list);
    sink_task(&task, "a.txt", NULL);
    bytes_init_memory(&bytes, text, size);
    inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
    in.text = TYPE_PLAIN;
    secret_scan(e, &in);
    uint64_t n = e->confirms;
    secret_engine_free(&e);
    sink_list_free(&list);
    bytes_free(&bytes);
    free(text);
    return n;
}

/* A trigger that is repeated must not cost a call of the matcher each time. */
Test(secret_scan, hostile_text_does_not_multiply_the_calls)
{
    static const char *const units[] = {
        "password=", "password=x1Yq9", "AKIA", "eyJ", "EAAA", "://a:b", "kind: Secret\ndata:\n a: b\n", "a:5432:b:c:",
        "-----BEGIN RSA PRIVATE KEY-----", "machine a login ", "okta ", "secret=token=", "A", "67", "=41", "\\u0041",
    };
    enum { SIZE = 256 * 1024 };
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        uint64_t n = confirms_of(units[i], SIZE);
        cr_expect_leq(n, SIZE / 128, "%s: %llu", units[i], (unsigned long long)n);
    }
    /* or nothing is counted: each of these is a match */
    static const char token[] = "gh" "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17\n";
    cr_expect_geq(confirms_of(token, SIZE), SIZE / (sizeof(token) - 1));
}
