/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "archive_make.h"

static const struct {
    const char *path, *tar;
    void (*make)(struct buf *out, const void *data, size_t len);
    enum type plain, as_tar;
    bool once; /* one stream, and nothing behind it */
} codecs[] = {{"a.txt.gz", "a.tar.gz", make_gzip, TYPE_GZIP, TYPE_TAR_GZ, false},
              {"a.txt.bz2", "a.tar.bz2", make_bzip2, TYPE_BZIP2, TYPE_TAR_BZ2, false},
              {"a.txt.xz", "a.tar.xz", make_xz, TYPE_XZ, TYPE_TAR_XZ, false},
              {"a.txt.lzma", "a.tar.lzma", make_lzma, TYPE_LZMA, TYPE_TAR_LZMA, true},
              {"a.txt.zst", "a.tar.zst", make_zstd, TYPE_ZSTD, TYPE_TAR_ZST, false},
              {"a.txt.lz4", "a.tar.lz4", make_lz4, TYPE_LZ4, TYPE_TAR_LZ4, false}};

Test(peel, one_layer_is_one_member_under_the_inner_name)
{
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        struct buf b;
        struct sink_list list;
        buf_init(&b, 1 << 20);
        codecs[i].make(&b, "hello\n", 6);
        if (!codecs[i].once)
            codecs[i].make(&b, "again\n", 6); /* a second member or frame */
        archive_look(&list, codecs[i].path, &b);
        cr_assert(!archive_refused(&list), "%s", codecs[i].path);
        cr_assert(claims_by_content(&list.claims, codecs[i].plain));
        cr_assert_str_eq(archive_last(), "a.txt");
        cr_assert_eq(list.budget.unpacked, codecs[i].once ? 6u : 12u);
        cr_assert_eq(list.budget.held, 0u);
        sink_list_free(&list);
        buf_free(&b);
    }
}

Test(peel, the_inner_name_is_the_same_whatever_the_case_of_the_extension)
{
    struct buf b;
    struct sink_list list;
    buf_init(&b, 1 << 10);
    make_gzip(&b, "hello\n", 6);
    archive_look(&list, "d/README.TXT.GZ", &b);
    cr_assert_str_eq(archive_last(), "README.TXT");
    sink_list_free(&list);
    buf_free(&b);
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

/* "hello\n" in a stream that says its size and has no marker at its end. */
static const uint8_t sized[] = {0x5d, 0,    0,    1,    0,    6,    0,    0,    0,    0, 0, 0,
                                0,    0,    0x34, 0x19, 0x49, 0xee, 0x8d, 0xdc, 0xf5, 0x30, 0, 0};
enum { LZMA_DICTIONARY = 1, LZMA_SIZE = 5 };

/* The sized stream with one byte changed and others behind it. */
static void look_sized(struct sink_list *list, size_t at, uint8_t value, const char *behind)
{
    struct buf b;
    buf_init(&b, 1 << 10);
    buf_bytes(&b, sized, sizeof(sized));
    b.data[at] = value;
    buf_bytes(&b, behind, strlen(behind));
    archive_look(list, "a.txt.lzma", &b);
    cr_assert_eq(list->budget.held, 0u);
    buf_free(&b);
}

Test(peel, an_lzma_that_says_its_size_holds_exactly_that)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *behind;
        enum finding_code code;
    } cases[] = {{0, 0x5d, "", FINDING_NONE},
                 {0, 0x5d, "x", FINDING_ARCHIVE_TRAILING_DATA},
                 {LZMA_SIZE, 7, "", FINDING_ARCHIVE_CORRUPT},
                 {LZMA_SIZE, 5, "", FINDING_ARCHIVE_CORRUPT},
                 {LZMA_SIZE, 0, "", FINDING_ARCHIVE_CORRUPT},
                 {sizeof(sized) - 1, 1, "", FINDING_ARCHIVE_CORRUPT}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sink_list list;
        look_sized(&list, cases[i].at, cases[i].value, cases[i].behind);
        cr_assert_eq(archive_refused(&list), cases[i].code != FINDING_NONE, "case %zu", i);
        if (cases[i].code != FINDING_NONE)
            cr_assert_eq(sink_list_count(&list, cases[i].code), 1u, "case %zu", i);
        else
            cr_assert_str_eq(archive_last(), "a.txt");
        sink_list_free(&list);
    }
}

Test(peel, an_lzma_of_a_large_dictionary_is_refused_by_its_header)
{
    struct sink_list list;
    look_sized(&list, LZMA_DICTIONARY + 3, 0x80, ""); /* no size that encoders write: 2 GiB + 64 KiB */
    cr_assert_eq(archive_visits(), 0u);
    cr_assert(!claims_by_content(&list.claims, TYPE_LZMA));
    sink_list_free(&list);
    struct buf b;
    buf_init(&b, 1 << 10);
    buf_bytes(&b, sized, sizeof(sized));
    memcpy(b.data + LZMA_DICTIONARY, "\0\0\0\300", 4); /* 3 GiB */
    archive_look(&list, "a.txt.lzma", &b);
    const struct finding *f = sink_list_find(&list, FINDING_ARCHIVE_MEMORY);
    cr_assert_not_null(f);
    cr_assert_not_null(strstr(f->message, "a decoder may have"));
    cr_assert_eq(archive_visits(), 0u);
    sink_list_free(&list);
    buf_free(&b);
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
