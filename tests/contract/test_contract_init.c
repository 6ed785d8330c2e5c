/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "contract/contract_init.h"
#include "contract/contract_match.h"
#include "contract/contract_parse.h"

/* The text, which must parse; the contract goes to *c. */
static char *written(const char *name, struct init_file *files, size_t n, struct contract **c)
{
    struct contract_errors errors;
    struct buf out;
    buf_init(&out, CONTRACT_BYTES);
    contract_init_write(name, files, n, &out);
    char *text = buf_take_text(&out);
    cr_assert_not_null(text);
    cr_assert_eq(contract_parse("init", (uint8_t *)text, strlen(text), c, &errors), 0, "%u:%u: %s in\n%s",
                 errors.v[0].line, errors.v[0].column, errors.n ? errors.v[0].sentence : "", text);
    return text;
}

Test(contract_init, without_files_it_is_an_example)
{
    struct contract *c;
    char *text = written(NULL, NULL, 0, &c);
    cr_expect_str_eq(c->name, "job");
    cr_expect_eq(c->outputs_n, 1);
    cr_expect_not_null(strstr(text, "# owner:"));
    contract_free(&c);
    free(text);
}

Test(contract_init, the_name_is_made_to_fit)
{
    static const char *const rows[][2] = {{"Fuzz Run_7!", "fuzz-run-7"}, {"--", "job"}, {"\xC3\xA9", "job"}, {"a--b", "a-b"}, {"null", "null"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct contract *c;
        char *text = written(rows[i][0], NULL, 0, &c);
        cr_expect_str_eq(c->name, rows[i][1]);
        contract_free(&c);
        free(text);
    }
}

Test(contract_init, few_are_named_and_many_are_a_glob)
{
    struct init_file files[] = {{"crashes/4.txt", 10}, {"report.json", 3 * MIB}, {"crashes/1.txt", 10},
                                {"crashes/2.txt", 90000}, {"crashes/3.txt", 10}, {"b[1]/x.TAR.GZ", 1},
                                {".coverage", 1},      {".x.txt", 1}};
    struct contract *c;
    bool hidden;
    char *text = written("x", files, ARRAY_LEN(files), &c);
    const struct output *o = contract_match(c, "crashes/9.txt", &hidden);
    cr_assert(o && o->glob && type_set_has(&o->types, TYPE_TEXT) && !type_set_has(&o->types, TYPE_JSON));
    cr_expect(o->count_min == 1 && o->count_max == 8 && o->max == 256 * KIB);
    o = contract_match(c, "report.json", &hidden);
    cr_assert(o && o->path && type_set_has(&o->types, TYPE_JSON) && o->max == 8 * MIB);
    o = contract_match(c, "b[1]/x.TAR.GZ", &hidden);
    cr_assert(o && o->path && type_set_has(&o->types, TYPE_TAR_GZ));
    cr_assert(contract_match(c, ".x.txt", &hidden));
    cr_expect_null(contract_match(c, ".coverage", &hidden), "an unknown type is left to the owner");
    cr_expect_not_null(strstr(text, "# - path: \".coverage\""), "%s", text);
    cr_expect_eq(c->outputs_n, 4);
    contract_free(&c);
    free(text);
}

Test(contract_init, wildcards_in_a_directory_are_literal)
{
    struct init_file files[] = {{"a[1]{x}/1.png", 1}, {"a[1]{x}/2.png", 1}, {"a[1]{x}/3.png", 1}, {"a[1]{x}/4.png", 1}};
    struct contract *c;
    bool hidden;
    char *text = written("x", files, ARRAY_LEN(files), &c);
    cr_expect(c->outputs_n == 1 && c->outputs[0].glob);
    cr_expect_not_null(contract_match(c, "a[1]{x}/9.png", &hidden));
    cr_expect_null(contract_match(c, "a1x/9.png", &hidden));
    contract_free(&c);
    free(text);
}

Test(contract_init, hostile_names_are_mentioned_and_escaped)
{
    struct init_file files[] = {{"a\n- path: evil.json\n  types: [json]\n", 1}, {".git/config", 1}, {"\x1b[2J.txt", 1},
                                {"caf\xE9.txt", 1},  {"-rf.txt", 1}, {"q\"uote.txt", 1}, {"\xE5\xA0\xB1.txt", 1}};
    struct contract *c;
    bool hidden;
    char *text = written("x", files, ARRAY_LEN(files), &c);
    cr_expect_eq(c->outputs_n, 1, "%s", text);
    cr_expect_not_null(contract_match(c, "\xE5\xA0\xB1.txt", &hidden));
    cr_expect_null(strchr(text, '\x1b'));
    cr_expect_not_null(strstr(text, "# left out: .git/config"));
    contract_free(&c);
    free(text);
}

Test(contract_init, a_hopeless_name_does_not_cut_a_group_in_two)
{
    struct init_file files[12];
    char names[12][16];
    struct contract *c;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        snprintf(names[i], sizeof(names[i]), i == 6 ? "z/f%zu\x01.txt" : "z/f%zu.txt", i + 10);
        files[i] = (struct init_file){names[i], 1};
    }
    char *text = written("x", files, ARRAY_LEN(files), &c);
    cr_expect_eq(c->outputs_n, 1);
    contract_free(&c);
    free(text);
}

Test(contract_init, is_bounded)
{
    static char names[3000][32];
    static struct init_file files[3000];
    struct contract *c;
    for (size_t i = 0; i < 3000; i++) {
        snprintf(names[i], sizeof(names[i]), "d%zu/f.json", i);
        files[i] = (struct init_file){names[i], UINT64_MAX / 2};
    }
    char *text = written("x", files, 3000, &c);
    cr_expect_eq(c->outputs_n, 200);
    cr_expect_not_null(strstr(text, "and 2800 more files"));
    contract_free(&c);
    free(text);
}
