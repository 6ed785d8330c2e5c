/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract_errors.h"

static char *printed(const char *text, unsigned line, unsigned column)
{
    struct contract_errors errors = {.n = 0};
    struct buf out;
    buf_init(&out, 8192);
    contract_errors_add(&errors, line, column, "%s", "wrong");
    contract_errors_print(&errors, "a\x1b.yaml", (const uint8_t *)text, strlen(text), &out);
    contract_errors_free(&errors);
    char *shown = buf_take_text(&out);
    cr_assert_not_null(shown);
    return shown;
}

static void expect_printed(const char *text, unsigned line, unsigned column, const char *want)
{
    char *shown = printed(text, line, column);
    cr_expect_str_eq(shown, want);
    free(shown);
}

Test(contract_errors, show_the_line_and_a_caret)
{
    expect_printed("a: b\nnaem: x\n", 2, 1, "a\\x1B.yaml:2:1: wrong\n    naem: x\n    ^\n");
    expect_printed("a: b\r\nname: \xC3\xA9x", 2, 8, "a\\x1B.yaml:2:8: wrong\n    name: \xC3\xA9x\n           ^\n");
    expect_printed("a:", 1, 3, "a\\x1B.yaml:1:3: wrong\n    a:\n      ^\n");
    expect_printed("a\n\n", 2, 1, "a\\x1B.yaml:2:1: wrong\n");
    expect_printed("a\n", 9, 1, "a\\x1B.yaml:9:1: wrong\n");
    expect_printed("\xEF\xBB\xBFnaem: x", 1, 1, "a\\x1B.yaml:1:1: wrong\n    naem: x\n    ^\n");
}

Test(contract_errors, escape_what_acts_on_a_terminal)
{
    expect_printed("\x1b[2Jab\xFF\n", 1, 5, "a\\x1B.yaml:1:5: wrong\n    \\x1B[2Jab\\xFF\n           ^\n");
    expect_printed("\ta\\b\xE2\x80\xAEz", 1, 6, "a\\x1B.yaml:1:6: wrong\n     a\\b\\xE2\\x80\\xAEz\n                    ^\n");
}

Test(contract_errors, cut_long_lines_around_the_caret)
{
    char text[2001];
    memset(text, 'a', 2000);
    text[2000] = '\0';
    text[999] = 'X';
    char *shown = printed(text, 1, 1000), *line = strchr(shown, '\n') + 1, *caret = strchr(line, '\n') + 1;
    cr_assert_lt(strlen(shown), 300);
    cr_assert_eq(strncmp(line, "    ...a", 8), 0);
    cr_assert_not_null(strstr(line, "a...\n"));
    cr_assert_eq(line[strchr(caret, '^') - caret], 'X');
    free(shown);
}

Test(contract_errors, quotes_are_short_and_safe)
{
    char text[200];
    memset(text, 'q', sizeof(text));
    struct quoted q = contract_quote(text, sizeof(text));
    cr_expect_eq(strlen(q.text), 48);
    cr_expect_str_eq(q.text + 45, "...");
    cr_expect_str_eq(contract_quote("a\nb\xE2\x80\xAE", 6).text, "a\\x0Ab\\xE2\\x80\\xAE");
    memset(text, 0x1b, sizeof(text));
    cr_expect_eq(strlen(contract_quote(text, sizeof(text)).text), 45 * 4 + 3);
}
