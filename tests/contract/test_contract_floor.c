/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract_floor.h"

/* Noon of 2026-11-29. */
static const int64_t now = 1795953600;

static struct contract_floor *floor_of(const char *text)
{
    struct contract_floor *floor;
    struct contract_errors errors;
    cr_assert_eq(contract_floor_parse("floor.yaml", (const uint8_t *)text, strlen(text), &floor, &errors), 0, "%s in\n%s",
                 errors.n ? errors.v[0].sentence : "", text);
    return floor;
}

static struct contract *contract_of(const char *text)
{
    struct contract *c;
    struct contract_errors errors;
    cr_assert_eq(contract_parse("c.yaml", (const uint8_t *)text, strlen(text), &c, &errors), 0, "%s in\n%s",
                 errors.n ? errors.v[0].sentence : "", text);
    return c;
}

struct row {
    const char *floor;   /* after "floor: 1" */
    const char *outputs; /* the contract after its first two lines; '^' marks the error, none: it is tight enough */
    const char *sentence;
};

static void check_row(const struct row *row)
{
    char floor_text[1024], text[2048];
    const char *mark = strchr(row->outputs, '^');
    struct contract_errors errors;
    unsigned line = 1, column = 1;
    snprintf(floor_text, sizeof(floor_text), "floor: 1\n%s", row->floor);
    int before = snprintf(text, sizeof(text), "sallyport: 1\nname: t\n%.*s",
                          (int)(mark ? mark - row->outputs : 0), row->outputs);
    for (int i = 0; i < before; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    snprintf(text + before, sizeof(text) - (size_t)before, "%s", mark ? mark + 1 : row->outputs);
    struct contract_floor *floor = floor_of(floor_text);
    struct contract *c = contract_of(text);
    int rc = contract_floor_check(floor, c, now, &errors);
    cr_expect_eq(rc, mark ? -1 : 0, "%s against\n%s%s", floor_text, text, errors.n ? errors.v[0].sentence : "");
    cr_expect_eq(errors.n, mark ? 1 : 0, "%zu errors: %s\n%s", errors.n, text, errors.n > 1 ? errors.v[1].sentence : "");
    if (mark && errors.n) {
        cr_expect(errors.v[0].line == line && errors.v[0].column == column, "%u:%u, want %u:%u: %s", errors.v[0].line,
                  errors.v[0].column, line, column, errors.v[0].sentence);
        cr_expect(strstr(errors.v[0].sentence, row->sentence), "'%s', want '%s'", errors.v[0].sentence, row->sentence);
        cr_expect(strstr(errors.v[0].sentence, "(floor.yaml:"), "%s", errors.v[0].sentence);
    }
    contract_errors_free(&errors);
    contract_floor_free(&floor);
    contract_free(&c);
}

#define OUT "outputs: [{path: a, types: [text]}]\n"

Test(contract_floor, admits_only_what_is_tighter)
{
    static const struct row rows[] = {
        {"", OUT, NULL},
        {"types: [text]\n", OUT, NULL},
        {"types: [json, images]\n", "outputs: [{path: a, types: [png, ^text]}]\n", "the type 'text' is not among"},
        {"types: [text, json]\n", "outputs: [{path: a, types: [^passive]}]\n", "(floor.yaml:2)"},
        {"types: [passive, zip]\n", "outputs: [{path: a, types: [zip]}]\n", NULL},
        {"types: [text, zip]\n", "outputs: [^{path: a, types: [zip]}]\n", "'inside: types' is left out"},
        {"types: [text, zip]\n", "outputs: [{path: a, types: [zip], inside: {types: [text, ^png]}}]\n", "the type 'png'"},
        {"inside: {types: [text]}\n", "outputs: [{path: a, types: [zip], inside: {types: [^png]}}]\n", "the type 'png'"},
        {"inside: {types: [text]}\n", OUT, NULL},
        {"max: 64M\n", OUT, NULL},
        {"max: 1M\n", "outputs: [{path: a, types: [text], max: 1M}]\n", NULL},
        {"max: 1M\n", "outputs: [{path: a, types: [text], max: ^2M}]\n", "'max' is 2.0 MiB, and the floor admits at most 1.0 MiB"},
        {"max: 1M\n", "outputs: [^{path: a, types: [text]}]\n", "'max' is left out, which means 64.0 MiB"},
        {"limits: {files: 10, total: 2G}\n", "limits: {files: ^11}\n" OUT, "'files' is 11, and the floor admits at most 10"},
        {"\nlimits:\n  time: 10m\n", "limits: {time: ^1h}\n" OUT, "at most 600 s (floor.yaml:4)"},
        {"limits: {total: 2G}\n", OUT, NULL},
        {"inside: {entries: 10}\n", "outputs: [{path: a, types: [zip], inside: {entries: ^11}}]\n", "'entries' is 11"},
        {"inside: {ratio: 10}\n", "outputs: [{path: a, types: [zip], inside: ^{entries: 11}}]\n", "'inside: ratio' is left out"},
        {"inside: {ratio: 10}\n", OUT, NULL},
        {"inside: {links: refuse}\n", "outputs: [{path: a, types: [zip], inside: {links: ^inside}}]\n", "refuses links"},
        {"require-stability: leased\n", "outputs: [^{path: a, types: [text]}]\n", "'require-stability: leased'"},
        {"require-stability: leased\n", "outputs: [{path: a, types: [text], require-stability: quiesced}]\n", NULL},
        {"require-stability: quiesced\n", "outputs: [{path: a, types: [text], require-stability: ^leased}]\n", "'require-stability: quiesced'"},
        {"names: portable\n", "names: ^posix\n" OUT, "'names: portable'"},
        {"names: posix\n", "names: posix\n" OUT, NULL},
        {"hard-links: refuse\n", "hard-links: ^within\n" OUT, "'hard-links: refuse'"},
        {"fetch: refuse\n", "run: {command: [a], ^fetch: {command: [b], reason: r, approved-by: c, until: 2999-01-01}}\n" OUT, "'fetch: refuse'"},
        {"symlinks: refuse\n", "symlinks: ^skip\n" OUT, "'symlinks: refuse'"},
        {"partial: false\n", "partial: ^true\n" OUT, "'partial: false'"},
        {"partial: true\n", "partial: true\n" OUT, NULL},
        {"strict: true\n", "strict: ^false\n" OUT, "'strict: true'"},
        {"require: [owner]\n", "owner: me\n" OUT, NULL},
        {"require: [labels.case]\n", "labels: ^{b: c}\n" OUT, "requires the key 'labels.case'"},
        {"require: [outputs.max]\n", "outputs: [{path: a, types: [text], max: 1}, ^{path: b, types: [text]}]\n", "'outputs.max'"},
        {"require: [outputs.accept.sha256]\n", OUT, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_row(&rows[i]);
}

#define ACC(more) "outputs: [{path: a, types: [html-static], accept: [{" more "}]}]\n"
#define BY "reason: r, approved-by: qa@x.org, "

Test(contract_floor, bounds_what_is_accepted)
{
    static const struct row rows[] = {
        {"accept: {codes: [active/rtf]}\n", ACC(BY "until: 2099-01-01, code: active/rtf"), NULL},
        {"accept: {codes: ['active/*']}\n", ACC(BY "until: 2099-01-01, code: active/rtf"), NULL},
        {"accept: {codes: []}\n", ACC(BY "until: 2099-01-01, code: ^active/rtf"), "does not let 'active/rtf' be accepted"},
        {"accept: {codes: [secret/a]}\n", ACC(BY "until: 2099-01-01, code: ^secret/b"), "does not let 'secret/b'"},
        {"accept: {approved-by: [qa@x.org]}\n", ACC(BY "until: 2099-01-01, code: active/rtf"), NULL},
        {"accept: {approved-by: [b]}\n", ACC("reason: r, until: 2099-01-01, code: active/rtf, approved-by: ^qa@x.org"), "not among the approvers"},
        {"accept: {days: 30}\n", ACC(BY "code: active/rtf, until: 2026-12-29"), NULL},
        {"accept: {days: 30}\n", ACC(BY "code: active/rtf, until: ^2026-12-30"), "at most 30 days"},
        {"accept: {days: 30}\n", ACC(BY "code: active/rtf, until: 2020-01-01"), NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_row(&rows[i]);
}

Test(contract_floor, missing_keys_of_the_whole_stand_at_the_top)
{
    struct contract_floor *floor = floor_of("floor: 1\nrequire: [owner]\n");
    struct contract *c = contract_of("sallyport: 1\nname: t\n" OUT);
    struct contract_errors errors;
    cr_expect_eq(contract_floor_check(floor, c, now, &errors), -1);
    cr_expect_eq(errno, EINVAL);
    cr_expect(errors.n == 1 && errors.v[0].line == 1 && errors.v[0].column == 1);
    contract_errors_free(&errors);
    contract_floor_free(&floor);
    contract_free(&c);
}

Test(contract_floor, has_errors_of_its_own)
{
    static const struct {
        const char *text;
        unsigned line, column;
        const char *sentence;
    } rows[] = {
        {"types: [text]\n", 1, 1, "the floor needs the key 'floor'"},
        {"floor: 2\n", 1, 8, "floor version '2'"},
        {"floor: 1\ntpyes: [text]\n", 2, 1, "did you mean 'types'?"},
        {"floor: 1\ntypes: [txet]\n", 2, 9, "did you mean 'text'?"},
        {"floor: 1\nrequire: [ownr]\n", 2, 11, "did you mean 'owner'?"},
        {"floor: 1\naccept: {codes: [type/conflict]}\n", 2, 18, "codes that can be accepted"},
        {"floor: 1\naccept: {codes: ['file/*']}\n", 2, 18, "codes that can be accepted"},
        {"floor: 1\naccept: {days: 0}\n", 2, 16, "too small"},
        {"floor: 1\nrules-sha256: ab\n", 2, 15, "64 hexadecimal digits"},
        {"floor: 1\nhard-links: within\n", 2, 13, "it is one of: refuse"},
        {"floor: 1\nlimits: {files: &a 1}\n", 2, 17, "anchors"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct contract_floor *floor;
        struct contract_errors errors;
        cr_expect_eq(contract_floor_parse("f", (const uint8_t *)rows[i].text, strlen(rows[i].text), &floor, &errors), -1);
        cr_expect_null(floor);
        cr_expect_eq(errors.n, 1, "%s", rows[i].text);
        cr_expect(errors.n && errors.v[0].line == rows[i].line && errors.v[0].column == rows[i].column, "%u:%u %s",
                  errors.v[0].line, errors.v[0].column, rows[i].text);
        cr_expect(errors.n && strstr(errors.v[0].sentence, rows[i].sentence), "%s", errors.v[0].sentence);
        contract_errors_free(&errors);
    }
}

Test(contract_floor, tells_what_only_the_caller_can_check)
{
    static const char text[] = "floor: 1\nsignatures: 2\nrules-sha256: "
                               "00000000000000000000000000000000000000000000000000000000000000ff\n";
    struct contract_floor *floor = floor_of(text);
    uint8_t rules[SHA256_SIZE], own[SHA256_SIZE];
    sha256_bytes(text, sizeof(text) - 1, own);
    cr_expect_eq(contract_floor_signatures(floor), 2);
    cr_expect(contract_floor_rules(floor, rules) && rules[31] == 0xFF);
    cr_expect_eq(contract_floor_line(floor, "rules-sha256"), 3);
    cr_expect_eq(contract_floor_line(floor, "max"), 0);
    cr_expect(sha256_equal(contract_floor_sha256(floor), own));
    contract_floor_free(&floor);
    floor = floor_of("floor: 1\n");
    cr_expect_eq(contract_floor_signatures(floor), 0);
    cr_expect_not(contract_floor_rules(floor, rules));
    contract_floor_free(&floor);
}
