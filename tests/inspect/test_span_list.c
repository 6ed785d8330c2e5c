/* SPDX-License-Identifier: ISC
 * Ranges of a file: sorted, and two in one place found. */
#include <criterion/criterion.h>

#include "base/limits.h"
#include "inspect/span_list.h"

Test(span_list, sorts_and_finds_what_overlaps)
{
    struct span_list list = {.v = NULL};
    uint64_t at = 0;
    cr_expect(span_list_sort(&list, &at));
    for (uint64_t i = 100; i > 0; i--)
        cr_assert(span_list_add(&list, i * 10, 10));
    cr_assert(span_list_add(&list, 55, 0)); /* nothing lies nowhere */
    cr_assert(span_list_sort(&list, &at));
    cr_assert_eq(list.n, 100);
    cr_expect_eq(list.v[0].from, 10);
    cr_expect_eq(list.v[99].to, 1010);
    cr_assert(span_list_add(&list, 509, 1));
    cr_expect_not(span_list_sort(&list, &at));
    cr_expect_eq(at, 509);
    span_list_free(&list);
    cr_expect_null(list.v);
}

Test(span_list, is_bounded)
{
    struct span_list list = {.v = NULL};
    size_t n = 0;
    while (n <= SPANS_MAX && span_list_add(&list, n, 1))
        n++;
    cr_expect_eq(n, SPANS_MAX);
    span_list_free(&list);
}
