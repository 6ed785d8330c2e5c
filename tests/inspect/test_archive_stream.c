/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>

#include "archive_make.h"

static void stream(struct sink_list *list, const struct buf *tar, uint64_t entries)
{
    struct task task;
    struct bytes bytes;
    struct inspection in;
    sink_task(&task, "", NULL);
    task.inside.entries = entries;
    sink_list_init(list);
    bytes_init_memory(&bytes, tar->data, tar->len);
    inspection_init(&in, &bytes, &task, &list->budget, &list->sink);
    stream_tar(&in);
    bytes_free(&bytes);
}

static const struct {
    const char *name;
    char type;
    const char *name2;
    char type2;
    enum finding_code code; /* FINDING_NONE: passes */
} pairs[] = {{"out/", '5', "out/a.txt", '0', FINDING_NONE},
             {"A.txt", '0', "a.txt", '0', FINDING_NONE}, /* judged as files later */
             {"a.txt", '0', "./a.txt", '0', FINDING_ARCHIVE_DUPLICATE},
             {"a", '0', "a/b.txt", '0', FINDING_ARCHIVE_COLLISION},
             {"a", '2', "a/b.txt", '0', FINDING_ARCHIVE_COLLISION},
             {"a/b.txt", '0', "a", '2', FINDING_ARCHIVE_COLLISION},
             {"a-b", '0', "a/b.txt", '0', FINDING_NONE}};

Test(stream, every_member_is_an_extent_and_two_in_one_place_refuse_the_whole)
{
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct buf tar;
        struct sink_list list;
        buf_init(&tar, 1 << 16);
        make_tar(&tar, pairs[i].name, pairs[i].type, "", 0, "target");
        make_tar(&tar, pairs[i].name2, pairs[i].type2, pairs[i].type2 == '0' ? "hello\n" : "",
                 pairs[i].type2 == '0' ? 6 : 0, "target");
        make_tar_end(&tar);
        stream(&list, &tar, 10);
        cr_assert_eq(list.extents, 2u, "pair %zu", i);
        cr_assert_eq(archive_refused(&list), pairs[i].code != FINDING_NONE, "pair %zu", i);
        if (pairs[i].code != FINDING_NONE)
            cr_assert_eq(sink_list_count(&list, pairs[i].code), 1u, "pair %zu", i);
        else
            cr_assert(list.last.offset == 1024 && list.last.length == 6 && list.last.kind == OBJECT_FILE);
        sink_list_free(&list);
        buf_free(&tar);
    }
}

Test(stream, a_link_is_an_extent_of_its_kind)
{
    struct buf tar;
    struct sink_list list;
    buf_init(&tar, 1 << 16);
    make_tar(&tar, "a.txt", '2', "", 0, "/etc/passwd");
    make_tar_end(&tar);
    stream(&list, &tar, 10);
    cr_assert(!archive_refused(&list));
    cr_assert_eq(list.last.kind, OBJECT_SYMLINK);
    cr_assert_eq(list.last.length, 0u);
    sink_list_free(&list);
    buf_free(&tar);
}

Test(stream, every_cut_and_anything_behind_the_end_is_refused)
{
    struct buf tar;
    struct sink_list list;
    buf_init(&tar, 1 << 16);
    make_tar(&tar, "a.txt", '0', "hello\n", 6, NULL);
    make_tar_end(&tar);
    size_t whole = tar.len;
    for (tar.len = 0; tar.len < whole; tar.len += 100) {
        stream(&list, &tar, 10);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_CORRUPT), 1u, "cut to %zu", tar.len);
        sink_list_free(&list);
    }
    tar.len = whole;
    buf_u8(&tar, 'x');
    stream(&list, &tar, 10);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_TRAILING_DATA), 1u);
    sink_list_free(&list);
    buf_free(&tar);
}

Test(stream, members_are_bounded)
{
    struct buf tar;
    struct sink_list list;
    buf_init(&tar, 1 << 16);
    make_tar(&tar, "a.txt", '0', "", 0, NULL);
    make_tar(&tar, "b.txt", '0', "", 0, NULL);
    make_tar_end(&tar);
    stream(&list, &tar, 1);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_ENTRIES), 1u);
    sink_list_free(&list);
    buf_free(&tar);
}
