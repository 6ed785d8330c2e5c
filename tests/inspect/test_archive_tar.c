/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "archive_make.h"

static void finish(struct buf *tar, struct sink_list *list)
{
    archive_look(list, "a.tar", tar);
    buf_free(tar);
}

static void expect(struct buf *tar, enum finding_code code)
{
    struct sink_list list;
    make_tar_end(tar);
    finish(tar, &list);
    cr_assert(archive_refused(&list), "%s", finding_code_name(code));
    cr_assert_geq(sink_list_count(&list, code), 1u, "%s is missing", finding_code_name(code));
    sink_list_free(&list);
}

Test(tar, plain_members_pass_through_every_inspector)
{
    struct buf tar;
    struct sink_list list;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "d/", '5', "", 0, NULL);
    make_tar(&tar, "./d/a.txt", '0', "hello\n", 6, NULL);
    make_tar_end(&tar);
    finish(&tar, &list);
    cr_assert(!archive_refused(&list));
    cr_assert_eq(archive_visits(), 1u);
    cr_assert_str_eq(archive_last(), "d/a.txt");
    cr_assert(claims_by_content(&list.claims, TYPE_TAR));
    cr_assert_eq(list.listing_count, 2u);
    sink_list_free(&list);
}

Test(tar, a_long_name_by_pax_or_by_gnu_passes_and_both_are_refused)
{
    static const char pax[] = "22 path=long/name.txt\n", gnu[] = "long/name.txt";
    struct buf tar;
    struct sink_list list;
    for (int both = 0; both < 3; both++) {
        buf_init(&tar, 1 << 20);
        if (both != 1)
            make_tar(&tar, "x", 'x', pax, sizeof(pax) - 1, NULL);
        if (both != 0)
            make_tar(&tar, "././@LongLink", 'L', gnu, sizeof(gnu), NULL);
        make_tar(&tar, "short", '0', "x", 1, NULL);
        make_tar_end(&tar);
        finish(&tar, &list);
        if (both == 2)
            cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_AMBIGUOUS), 1u);
        else
            cr_assert_str_eq(archive_last(), "long/name.txt");
        cr_assert_eq(archive_refused(&list), both == 2);
        sink_list_free(&list);
    }
}

Test(tar, a_pax_size_that_contradicts_is_ambiguous)
{
    struct buf tar;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "x", 'x', "13 size=1024\n", 13, NULL);
    make_tar(&tar, "a.txt", '0', "x", 1, NULL);
    expect(&tar, FINDING_ARCHIVE_AMBIGUOUS);
}

Test(tar, global_names_are_ambiguous_and_comments_pass)
{
    struct buf tar;
    struct sink_list list;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "g", 'g', "14 path=b.txt\n", 14, NULL);
    make_tar(&tar, "a.txt", '0', "x", 1, NULL);
    expect(&tar, FINDING_ARCHIVE_AMBIGUOUS);
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "g", 'g', "16 comment=abcd\n", 16, NULL);
    make_tar(&tar, "a.txt", '0', "x", 1, NULL);
    make_tar_end(&tar);
    finish(&tar, &list);
    cr_assert(!archive_refused(&list));
    sink_list_free(&list);
}

Test(tar, links_devices_and_sparse_members_are_refused)
{
    static const struct {
        char type;
        const char *link;
        enum finding_code code;
    } kinds[] = {{'2', "a.txt", FINDING_ARCHIVE_LINK},     {'1', "/etc/passwd", FINDING_ARCHIVE_LINK},
                 {'3', NULL, FINDING_ARCHIVE_SPECIAL},     {'6', NULL, FINDING_ARCHIVE_SPECIAL},
                 {'S', NULL, FINDING_ARCHIVE_UNSUPPORTED}, {'V', NULL, FINDING_ARCHIVE_UNSUPPORTED}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        struct buf tar;
        buf_init(&tar, 1 << 20);
        make_tar(&tar, "n", kinds[i].type, "", 0, kinds[i].link);
        expect(&tar, kinds[i].code);
    }
}

Test(tar, links_inside_pass_where_the_contract_says_so_and_never_outside)
{
    static const struct {
        const char *name, *target;
        char type;
        bool pass;
    } links[] = {
        {"d/l", "a.txt", '2', true}, {"d/l", "../a.txt", '2', true}, {"d/l", "../../a.txt", '2', false},
        {"l", "..", '2', false},     {"l", "d/../..", '2', false},   {"l", "/a.txt", '2', false},
        {"l", "", '2', false},       {"l", "a.txt", '1', true},      {"l", "later.txt", '1', false}};
    for (size_t i = 0; i < ARRAY_LEN(links); i++) {
        struct buf tar;
        struct sink_list list;
        struct task task;
        buf_init(&tar, 1 << 20);
        make_tar(&tar, "a.txt", '0', "x", 1, NULL);
        make_tar(&tar, links[i].name, links[i].type, "", 0, links[i].target);
        make_tar_end(&tar);
        sink_task(&task, "a.tar", NULL);
        task.inside.links = LINKS_INSIDE;
        archive_look_task(&list, &task, &tar);
        cr_assert_eq(archive_refused(&list), !links[i].pass, "link %zu", i);
        sink_list_free(&list);
        buf_free(&tar);
    }
}

Test(tar, what_is_cut_short_or_goes_on_is_refused)
{
    struct buf tar;
    struct sink_list list;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "a.txt", '0', "hello\n", 6, NULL);
    tar.len -= 200;
    archive_look(&list, "a.tar", &tar);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_CORRUPT), 1u);
    sink_list_free(&list);
    buf_reset(&tar);
    make_tar(&tar, "a.txt", '0', "hello\n", 6, NULL);
    finish(&tar, &list);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_CORRUPT), 1u, "no end blocks");
    sink_list_free(&list);
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "a.txt", '0', "hello\n", 6, NULL);
    make_tar_end(&tar);
    make_tar(&tar, "hidden.txt", '0', "x", 1, NULL);
    expect(&tar, FINDING_ARCHIVE_TRAILING_DATA);
}

Test(tar, padding_that_holds_bytes_is_ambiguous)
{
    struct buf tar;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "a.txt", '0', "hello\n", 6, NULL);
    tar.data[600] = 'x';
    expect(&tar, FINDING_ARCHIVE_AMBIGUOUS);
}
