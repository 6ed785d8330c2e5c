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

/* Readers of old sum the header's bytes as signed. */
Test(tar, a_header_whose_checksum_is_of_signed_bytes_is_a_tar_that_does_not_hold)
{
    enum { AT_SUM = 148, LEN_SUM = 8, AT_MAGIC = 257, LEN_MAGIC = 8, HEADER = 512 };
    struct buf tar;
    int sum = 0;
    buf_init(&tar, 1 << 20);
    make_tar(&tar, "caf\303\251.txt", '0', "hello\n", 6, NULL);
    memset(tar.data + AT_MAGIC, 0, LEN_MAGIC);
    memset(tar.data + AT_SUM, ' ', LEN_SUM);
    for (size_t i = 0; i < HEADER; i++)
        sum += (int8_t)tar.data[i];
    snprintf((char *)tar.data + AT_SUM, LEN_SUM, "%06o", (unsigned)sum);
    expect(&tar, FINDING_ARCHIVE_CORRUPT);
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

/* One byte of one number of a header, and its checksum made right again. */
static void patch(struct buf *tar, size_t at, uint8_t value)
{
    unsigned sum = 0;
    tar->data[at] = value;
    memset(tar->data + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum += tar->data[i];
    snprintf((char *)tar->data + 148, 8, "%06o", sum);
}

Test(tar, numbers_are_numbers_in_every_field_that_some_reader_reads)
{
    static const struct {
        size_t at;
        bool negative_passes;
    } fields[] = {{100, false}, {108, true}, {116, true}, {124, false}, {136, true}};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        for (int negative = 0; negative < 2; negative++) {
            struct buf tar;
            struct sink_list list;
            buf_init(&tar, 1 << 20);
            make_tar(&tar, "a.txt", '0', "", 0, NULL);
            patch(&tar, fields[i].at, negative ? 0xff : 'x');
            make_tar_end(&tar);
            finish(&tar, &list);
            cr_assert_eq(archive_refused(&list), !(negative && fields[i].negative_passes), "field at %zu", fields[i].at);
            sink_list_free(&list);
        }
}

Test(tar, what_root_would_restore_is_a_warning)
{
    static const char pax[] = "37 SCHILY.xattr.security.capability=\n";
    for (int capability = 0; capability < 2; capability++) {
        struct buf tar;
        struct sink_list list;
        buf_init(&tar, 1 << 20);
        if (capability)
            make_tar(&tar, "x", 'x', pax, sizeof(pax) - 1, NULL);
        make_tar(&tar, "a.txt", '0', "x", 1, NULL);
        if (!capability)
            patch(&tar, 103, '4');
        make_tar_end(&tar);
        finish(&tar, &list);
        cr_assert(!archive_refused(&list));
        const struct finding *f = sink_list_find(&list, FINDING_ARCHIVE_SPECIAL);
        cr_assert(f && f->level == LEVEL_WARN);
        cr_assert_str_eq(f->member, "a.txt");
        sink_list_free(&list);
    }
}
