/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/bag.h"

static void add(struct bag_list *list, const char *path, const char *bytes)
{
    struct digest digest = {.bytes = strlen(bytes)};
    sha256_bytes(bytes, strlen(bytes), digest.sha256);
    memset(digest.xxh128, 0xC3, sizeof(digest.xxh128));
    cr_assert_eq(bag_list_add(list, path, &digest), 0);
}

#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

Test(bag, lists_are_sorted_by_bytes_and_escaped_as_coreutils_does)
{
    struct bag_list list = {0};
    struct buf out;
    add(&list, "data/b", "");
    add(&list, "data/\xc3\xa9", "");
    add(&list, "data/B", "");
    add(&list, "data/back\\slash", "");
    bag_list_sort(&list);
    buf_init(&out, 4096);
    bag_manifest_sha256(&out, &list);
    buf_u8(&out, 0);
    cr_assert_str_eq((const char *)out.data, EMPTY_SHA256 "  data/B\n" EMPTY_SHA256 "  data/b\n"
                                             "\\" EMPTY_SHA256 "  data/back\\\\slash\n" EMPTY_SHA256 "  data/\xc3\xa9\n");
    buf_reset(&out);
    bag_manifest_xxh128(&out, &list);
    buf_u8(&out, 0);
    cr_assert_eq(strncmp((const char *)out.data, "XXH128 (data/B) = c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3\n", 51), 0);
    buf_free(&out);
    bag_list_free(&list);
}

Test(bag, what_was_listed_is_read)
{
    struct bag_list list = {0}, back = {0};
    struct buf out;
    add(&list, "a", "1");
    add(&list, "b\\c", "2");
    buf_init(&out, 4096);
    bag_manifest_sha256(&out, &list);
    cr_assert_eq(bag_list_parse(&back, (const char *)out.data, out.len), 0);
    cr_assert_eq(back.n, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_str_eq(back.v[i].path, list.v[i].path);
        cr_assert(sha256_equal(back.v[i].sha256, list.v[i].sha256));
    }
    buf_free(&out);
    bag_list_free(&list);
    bag_list_free(&back);
}

Test(bag, malformed_lists_are_refused)
{
    static const char *const bad[] = {"x\n", EMPTY_SHA256 "\n", EMPTY_SHA256 "  a", EMPTY_SHA256 " *a\n", EMPTY_SHA256 "  a\\b\n",
                                      "\\" EMPTY_SHA256 "  a\\nb\n", "E3B0C44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct bag_list list = {0};
        cr_assert_neq(bag_list_parse(&list, bad[i], strlen(bad[i])), 0, "%s", bad[i]);
        bag_list_free(&list);
    }
}

Test(bag, a_value_stays_on_its_line)
{
    struct contract contract = {.name = (char[]){"n"}, .purpose = (char[]){"one\nPayload-Oxum: 9.9\rtwo"}};
    struct buf out;
    buf_init(&out, 4096);
    bag_info(&out, &contract, "id", 1790000000, 12, 3, NULL);
    buf_u8(&out, 0);
    const char *text = (const char *)out.data;
    cr_assert_not_null(strstr(text, "Bagging-Date: 2026-09-21\n"));
    cr_assert_not_null(strstr(text, "External-Description: one Payload-Oxum: 9.9 two\n"));
    cr_assert_not_null(strstr(text, "\nPayload-Oxum: 12.3\n"));
    cr_assert_null(strstr(text, "\nPayload-Oxum: 9.9"));
    buf_free(&out);
}
