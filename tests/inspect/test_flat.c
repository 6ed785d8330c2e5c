/* SPDX-License-Identifier: ISC
 * FlatBuffers: slots, lists and tables that are there, are not, and lie outside. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/flat.h"

/* A table with a short in slot 0, nothing in 1, a list of two tables in 2; the slots stand in front of each table. */
static const uint8_t good[] = {
    16, 0, 0, 0,                                     /* root */
    10, 0, 12, 0, 4, 0, 0, 0, 8, 0, 0, 0,            /* 4: slots: at 4, none, at 8 */
    12, 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 0,             /* 16: table */
    2, 0, 0, 0, 14, 0, 0, 0, 10, 0, 0, 0,            /* 28: two elements, both the table at 46 */
    6, 0, 6, 0, 4, 0,                                /* 40: slots */
    6, 0, 0, 0, 9, 0,                                /* 46: table */
};

static struct flat over(const uint8_t *data, size_t len)
{
    return (struct flat){.data = data, .len = len};
}

Test(flat, reads_what_is_there)
{
    struct flat f = over(good, sizeof(good));
    struct flat_table root, child;
    cr_assert(flat_root(&f, &root));
    cr_expect_eq(flat_number(&f, &root, 0, 2, 1), 7);
    cr_expect_eq(flat_number(&f, &root, 1, 2, 5), 5);
    cr_expect_eq(flat_number(&f, &root, 9, 2, 6), 6);
    struct flat_vector list = flat_list(&f, &root, 2, 4);
    cr_assert_eq(list.n, 2);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert(flat_element(&f, &list, i, &child));
        cr_expect_eq(flat_number(&f, &child, 0, 2, 0), 9);
    }
    cr_expect_not(flat_element(&f, &list, 2, &child));
    cr_expect_not(flat_child(&f, &root, 1, &child));
    cr_expect_eq(flat_list(&f, &root, 1, 4).n, 0);
    cr_expect_not(f.bad);
}

static void read_all(struct flat *f)
{
    struct flat_table root, child;
    if (!flat_root(f, &root))
        return;
    (void)flat_number(f, &root, 0, 8, 0);
    struct flat_vector list = flat_list(f, &root, 2, 4);
    for (uint32_t i = 0; i < list.n; i++)
        if (flat_element(f, &list, i, &child))
            (void)flat_number(f, &child, 0, 2, 0);
}

Test(flat, what_is_cut_off_is_bad)
{
    for (size_t n = 0; n < sizeof(good); n++) {
        uint8_t *copy = malloc(n + 1);
        memcpy(copy + 1, good, n);
        struct flat f = over(copy + 1, n);
        read_all(&f);
        cr_expect(f.bad, "%zu bytes", n);
        free(copy);
    }
}

Test(flat, no_byte_that_lies_leads_outside)
{
    for (size_t i = 0; i < sizeof(good); i++)
        for (unsigned value = 0; value < 256; value += 17) {
            uint8_t *copy = malloc(sizeof(good));
            memcpy(copy, good, sizeof(good));
            copy[i] = (uint8_t)value;
            struct flat f = over(copy, sizeof(good));
            read_all(&f);
            free(copy);
        }
    static const uint8_t huge[] = {4, 0, 0, 0, 255, 255, 255, 127};
    struct flat f = over(huge, sizeof(huge));
    struct flat_table root;
    cr_expect_not(flat_root(&f, &root));
    cr_expect(f.bad);
}
