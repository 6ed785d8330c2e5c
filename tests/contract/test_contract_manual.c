/* SPDX-License-Identifier: ISC
 * The manual page is a promise: its examples are read by the parser, and it names every type there is. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "contract/contract_floor.h"

static char *manual(void)
{
    const char *source = getenv("srcdir");
    char path[4096];
    uint8_t *text = NULL;
    size_t len;
    snprintf(path, sizeof(path), "%s/man/sallyport-contract.5", source ? source : ".");
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s", path);
    cr_assert_eq(fd_read_all(fd, 1 << 20, &text, &len), 0);
    return (char *)text;
}

static void expect_read(const char *text, size_t len)
{
    struct contract_errors errors;
    struct contract *c = NULL;
    struct contract_floor *floor = NULL;
    int rc = len >= 6 && memcmp(text, "floor:", 6) == 0
                 ? contract_floor_parse("example", (const uint8_t *)text, len, &floor, &errors)
                 : contract_parse("example", (const uint8_t *)text, len, &c, &errors);
    cr_expect_eq(rc, 0, "%s in\n%.*s", errors.n ? errors.v[0].sentence : "", (int)len, text);
    contract_errors_free(&errors);
    contract_floor_free(&floor);
    contract_free(&c);
}

Test(contract_manual, its_examples_are_right)
{
    static const char open_mark[] = ".Bd -literal -offset indent\n";
    AUTO_FREE char *text = manual();
    size_t n = 0;
    for (char *at = strstr(text, open_mark); at; at = strstr(at, open_mark)) {
        at += strlen(open_mark);
        const char *end = strstr(at, ".Ed\n");
        cr_assert_not_null(end);
        expect_read(at, (size_t)(end - at));
        n++;
    }
    cr_assert_geq(n, 4);
}

Test(contract_manual, it_names_every_type)
{
    AUTO_FREE char *text = manual();
    char *types = strstr(text, ".Sh TYPES");
    cr_assert_not_null(types);
    *strstr(types, ".Sh THE OPTION") = '\0';
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
        bool found = false;
        const char *name = type_name((enum type)t);
        size_t n = strlen(name);
        for (const char *at = strstr(types, name); at && !found; at = strstr(at + 1, name))
            found = at[-1] == ' ' && strchr(" \n", at[n]) != NULL;
        if (type_flags((enum type)t) & T_LISTABLE)
            cr_expect(found, "%s", name);
    }
}
