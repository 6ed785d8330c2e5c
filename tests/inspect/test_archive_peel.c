/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "archive_make.h"

static const struct {
    const char *path, *tar;
    void (*make)(struct buf *out, const void *data, size_t len);
    enum type plain, as_tar;
} codecs[] = {{"a.txt.gz", "a.tar.gz", make_gzip, TYPE_GZIP, TYPE_TAR_GZ},
              {"a.txt.bz2", "a.tar.bz2", make_bzip2, TYPE_BZIP2, TYPE_TAR_BZ2},
              {"a.txt.xz", "a.tar.xz", make_xz, TYPE_XZ, TYPE_TAR_XZ},
              {"a.txt.zst", "a.tar.zst", make_zstd, TYPE_ZSTD, TYPE_TAR_ZST},
              {"a.txt.lz4", "a.tar.lz4", make_lz4, TYPE_LZ4, TYPE_TAR_LZ4}};

Test(peel, one_layer_is_one_member_under_the_inner_name)
{
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        struct buf b;
        struct sink_list list;
        buf_init(&b, 1 << 20);
        codecs[i].make(&b, "hello\n", 6);
        codecs[i].make(&b, "again\n", 6); /* a second member or frame */
        archive_look(&list, codecs[i].path, &b);
        cr_assert(!archive_refused(&list), "%s", codecs[i].path);
        cr_assert(claims_by_content(&list.claims, codecs[i].plain));
        cr_assert_str_eq(archive_last(), "a.txt");
        cr_assert_eq(list.budget.unpacked, 12u);
        cr_assert_eq(list.budget.held, 0u);
        sink_list_free(&list);
        buf_free(&b);
    }
}

Test(peel, a_compressed_tar_is_one_container)
{
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        struct buf b, tar;
        struct sink_list list;
        struct task task;
        buf_init(&b, 1 << 20);
        buf_init(&tar, 1 << 20);
        make_tar(&tar, "d/a.txt", '0', "hello\n", 6, NULL);
        make_tar_end(&tar);
        codecs[i].make(&b, tar.data, tar.len);
        sink_task(&task, codecs[i].tar, NULL);
        task.inside.nesting = 1;
        archive_look_task(&list, &task, &b);
        cr_assert(!archive_refused(&list), "%s", codecs[i].tar);
        cr_assert(claims_by_content(&list.claims, codecs[i].as_tar));
        cr_assert(!claims_by_content(&list.claims, codecs[i].plain));
        cr_assert_str_eq(archive_last(), "d/a.txt");
        cr_assert_eq(list.listings, 1u);
        sink_list_free(&list);
        buf_free(&tar);
        buf_free(&b);
    }
}

Test(peel, bytes_behind_the_last_frame_are_refused_and_nul_is_a_note)
{
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++)
        for (int nul = 0; nul < 2; nul++) {
            struct buf b;
            struct sink_list list;
            buf_init(&b, 1 << 20);
            codecs[i].make(&b, "hello\n", 6);
            buf_bytes(&b, nul ? "\0\0\0\0\0\0\0\0" : "trailing", 8);
            archive_look(&list, codecs[i].path, &b);
            cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_TRAILING_DATA), 1u, "%s %d", codecs[i].path,
                         nul);
            cr_assert_eq(archive_refused(&list), !nul, "%s", codecs[i].path);
            sink_list_free(&list);
            buf_free(&b);
        }
}

Test(peel, every_cut_and_every_flipped_bit_of_the_checked_part_is_refused)
{
    char text[600];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)('a' + (i * i) % 23);
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        struct buf b;
        struct sink_list list;
        buf_init(&b, 1 << 20);
        codecs[i].make(&b, text, sizeof(text));
        size_t whole = b.len;
        for (b.len = 8; b.len < whole; b.len++) { /* below that not even the signature is there */
            archive_look(&list, codecs[i].path, &b);
            cr_assert(archive_refused(&list) || archive_visits() == 0, "%s cut to %zu", codecs[i].path,
                      b.len);
            cr_assert_eq(list.budget.held, 0u);
            sink_list_free(&list);
        }
        buf_free(&b);
    }
}

Test(peel, gzip_checks_crc_and_length)
{
    for (size_t back = 1; back <= 8; back++) {
        struct buf b;
        struct sink_list list;
        buf_init(&b, 1 << 20);
        make_gzip(&b, "hello\n", 6);
        b.data[b.len - back] ^= 1;
        archive_look(&list, "a.txt.gz", &b);
        cr_assert(sink_list_count(&list, FINDING_ARCHIVE_CORRUPT) ||
                  sink_list_count(&list, FINDING_ARCHIVE_RATIO));
        sink_list_free(&list);
        buf_free(&b);
    }
}

Test(peel, bombs_stop_at_the_ratio_and_say_the_bound)
{
    size_t len = 8 << 20;
    char *zeros = calloc(1, len);
    cr_assert_not_null(zeros);
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        struct buf b;
        struct sink_list list;
        buf_init(&b, 1 << 20);
        codecs[i].make(&b, zeros, len);
        archive_look(&list, codecs[i].path, &b);
        const struct finding *f = sink_list_find(&list, FINDING_ARCHIVE_RATIO);
        cr_assert_not_null(f, "%s", codecs[i].path);
        cr_assert_not_null(strstr(f->message, "inside: ratio"));
        cr_assert_eq(archive_visits(), 0u);
        sink_list_free(&list);
        buf_free(&b);
    }
    free(zeros);
}

Test(peel, layers_are_counted)
{
    struct buf b, next;
    struct sink_list list;
    buf_init(&b, 1 << 20);
    make_gzip(&b, "hello\n", 6);
    for (int i = 0; i < 40; i++) {
        buf_init(&next, 1 << 20);
        make_gzip(&next, b.data, b.len);
        buf_free(&b);
        b = next;
    }
    archive_look(&list, "a.gz", &b);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_NESTING), 1u);
    cr_assert_not_null(strstr(sink_list_find(&list, FINDING_ARCHIVE_NESTING)->message, "(8)"));
    sink_list_free(&list);
    buf_free(&b);
}

Test(peel, the_name_in_a_gzip_header_is_a_plain_one)
{
    static const struct {
        const char *name;
        bool passes;
    } names[] = {{"a.txt", true}, {"r\xe9sum\xe9.txt", true}, {"..", false}, {"../a.txt", false}, {"d/a.txt", false},
                 {"d\\a.txt", false}, {"a\nb", false}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct buf plain, gz;
        struct sink_list list;
        buf_init(&plain, 1 << 16);
        buf_init(&gz, 1 << 16);
        make_gzip(&plain, "x\n", 2);
        buf_bytes(&gz, "\037\213\010\010\0\0\0\0\0\003", 10);
        buf_bytes(&gz, names[i].name, strlen(names[i].name) + 1);
        buf_bytes(&gz, plain.data + 10, plain.len - 10);
        archive_look(&list, "a.gz", &gz);
        cr_assert_eq(archive_refused(&list), !names[i].passes, "name %zu", i);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_PATH), names[i].passes ? 0u : 1u);
        sink_list_free(&list);
        buf_free(&plain);
        buf_free(&gz);
    }
}
