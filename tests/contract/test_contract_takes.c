/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "contract/contract_parse.h"

static char *const *arguments(const char *const *list)
{
    return (char *const *)(uintptr_t)list;
}

Test(contract_takes, make_a_contract)
{
    static const char *const takes[] = {"report.json=json,2M", "crashes/*.txt=text+log", "a=b.txt=text", "q\"\\x.txt=text"};
    struct contract *c, *again;
    struct contract_errors errors;
    cr_assert_eq(contract_from_takes(arguments(takes), 4, &c, &errors), 0, "%s", errors.n ? errors.v[0].sentence : "");
    cr_assert(c->outputs_n == 4 && !c->file && c->name);
    cr_assert_str_eq(c->outputs[0].path, "report.json");
    cr_assert_eq(c->outputs[0].max, 2 * MIB);
    cr_assert_str_eq(c->outputs[1].glob, "crashes/*.txt");
    cr_assert_eq(c->outputs[1].max, 64 * MIB);
    cr_assert(type_set_has(&c->outputs[1].types, TYPE_LOG) && type_set_has(&c->outputs[1].types, TYPE_TEXT));
    cr_assert_str_eq(c->outputs[2].path, "a=b.txt");
    cr_assert_str_eq(c->outputs[3].path, "q\"\\x.txt");
    /* The record shows this text, so it must say the same. */
    cr_assert_eq(contract_parse("again", c->text, c->text_len, &again, &errors), 0);
    cr_assert_eq(again->outputs_n, 4u);
    contract_free(&again);
    contract_free(&c);
}

static void expect_error(const char *first, const char *second, unsigned line, const char *sentence)
{
    const char *const takes[] = {first, second};
    struct contract *c;
    struct contract_errors errors;
    errno = 0;
    cr_expect_eq(contract_from_takes(arguments(takes), 2, &c, &errors), -1, "%s", second);
    cr_expect_eq(errno, EINVAL);
    cr_expect_null(c);
    cr_assert_geq(errors.n, 1);
    cr_expect_eq(errors.v[0].line, line, "%u: %s", errors.v[0].line, errors.v[0].sentence);
    cr_expect(strstr(errors.v[0].sentence, sentence), "%s", errors.v[0].sentence);
    contract_errors_free(&errors);
}

Test(contract_takes, say_which_argument_is_wrong)
{
    expect_error("a=text", "report.json", 2, "write PATH=TYPE");
    expect_error("=text", "a=text", 1, "write PATH=TYPE");
    expect_error("a=text", "b=", 2, "write PATH=TYPE");
    expect_error("a=text", "b=txet", 2, "did you mean 'text'?");
    expect_error("a=text", "b=text+", 2, "unknown type ''");
    expect_error("a=text", "b=text,2Q", 2, "'max' is a size");
    expect_error("a=text", "../b=text", 2, "has a '..' component");
    expect_error("a=text", "a=json", 2, "the same path twice");
    expect_error("a=text", "b*]=json", 2, "no glob");
    expect_error("a=text", "b=any-binary", 2, "needs a 'reason'");
    expect_error("a=text", "\xFF=text", 2, "not UTF-8");
    expect_error("a=text", "b=text], accept: [x", 2, "unknown type");
}

Test(contract_takes, need_at_least_one)
{
    struct contract *c;
    struct contract_errors errors;
    cr_expect_eq(contract_from_takes(NULL, 0, &c, &errors), -1);
    cr_expect_eq(errors.n, 1);
    contract_errors_free(&errors);
}
