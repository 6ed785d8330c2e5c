/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>

#include "archive_make.h"

#define HELLO                                                                                                \
    {                                                                                                        \
        .name = "a.txt", .data = "hello\n"                                                                   \
    }

static void look(struct sink_list *list, const struct make_zip_part *parts, size_t n, const char *comment)
{
    struct buf zip;
    buf_init(&zip, 1 << 20);
    make_zip(&zip, parts, n, comment);
    archive_look(list, "a.zip", &zip);
    buf_free(&zip);
}

static void expect(const struct make_zip_part *parts, size_t n, enum finding_code code)
{
    struct sink_list list;
    look(&list, parts, n, NULL);
    cr_assert(archive_refused(&list), "%s", finding_code_name(code));
    cr_assert_geq(sink_list_count(&list, code), 1u, "%s is missing", finding_code_name(code));
    sink_list_free(&list);
}

Test(zip, plain_members_pass_through_every_inspector)
{
    const struct make_zip_part parts[] = {HELLO,
                                          {.name = "d/", .data = ""},
                                          {.name = "d/b.txt", .data = "bb", .method = 8},
                                          {.name = "c.txt", .data = "ccc", .descriptor = true, .method = 8}};
    struct sink_list list;
    look(&list, parts, 4, "built by a test");
    cr_assert(!archive_refused(&list));
    cr_assert_eq(archive_visits(), 3u);
    cr_assert_str_eq(archive_last(), "c.txt");
    cr_assert(claims_by_content(&list.claims, TYPE_ZIP));
    cr_assert_eq(list.listings, 1u);
    cr_assert_eq(list.listing_count, 4u);
    sink_list_free(&list);
}

Test(zip, an_empty_archive_passes)
{
    struct sink_list list;
    look(&list, NULL, 0, NULL);
    cr_assert(!archive_refused(&list));
    sink_list_free(&list);
}

Test(zip, two_names_for_one_member_are_ambiguous)
{
    const struct make_zip_part parts[] = {{.name = "safe.txt", .data = "x", .local_name = "evil.exe"}};
    expect(parts, 1, FINDING_ARCHIVE_AMBIGUOUS);
}

Test(zip, encryption_and_odd_methods_are_refused)
{
    const struct make_zip_part locked[] = {{.name = "a.txt", .data = "x", .flags = 1}};
    const struct make_zip_part odd[] = {{.name = "a.txt", .data = "x", .method = 12}};
    expect(locked, 1, FINDING_ARCHIVE_ENCRYPTED);
    expect(odd, 1, FINDING_ARCHIVE_UNSUPPORTED);
}

Test(zip, a_wrong_checksum_is_corrupt)
{
    const struct make_zip_part stored[] = {{.name = "a.txt", .data = "x", .crc_flip = 1}};
    const struct make_zip_part deflated[] = {{.name = "a.txt", .data = "x", .crc_flip = 1, .method = 8}};
    expect(stored, 1, FINDING_ARCHIVE_CORRUPT);
    expect(deflated, 1, FINDING_ARCHIVE_CORRUPT);
}

Test(zip, names_that_lead_outside_are_refused)
{
    static const char *const names[] = {"../a", "d/../../a", "/etc/a", "C:\\a", "..\\a", "a\033[2J"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct make_zip_part parts[] = {{.name = names[i], .data = "x"}};
        expect(parts, 1, FINDING_ARCHIVE_PATH);
    }
}

Test(zip, links_and_special_objects_are_refused)
{
    const struct make_zip_part link[] = {{.name = "l", .data = "/etc/passwd", .mode = 0120777}};
    const struct make_zip_part device[] = {{.name = "n", .data = "", .mode = 0020644}};
    expect(link, 1, FINDING_ARCHIVE_LINK);
    expect(device, 1, FINDING_ARCHIVE_SPECIAL);
}

Test(zip, two_members_in_one_place_are_refused)
{
    const struct make_zip_part twice[] = {HELLO, {.name = "a.txt", .data = "two"}};
    const struct make_zip_part folded[] = {HELLO, {.name = "A.txt", .data = "two"}};
    const struct make_zip_part below[] = {{.name = "a", .data = "x"}, {.name = "a/b.txt", .data = "two"}};
    expect(twice, 2, FINDING_ARCHIVE_DUPLICATE);
    expect(folded, 2, FINDING_ARCHIVE_COLLISION);
    expect(below, 2, FINDING_ARCHIVE_COLLISION);
}

Test(zip, bytes_before_between_and_behind_are_refused)
{
    const struct make_zip_part parts[] = {HELLO, {.name = "b.txt", .data = "two"}};
    struct sink_list list;
    struct buf zip;
    buf_init(&zip, 1 << 20);
    make_zip(&zip, parts, 2, NULL);
    buf_text(&zip, "trailing");
    archive_look(&list, "a.zip", &zip);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_TRAILING_DATA), 1u);
    sink_list_free(&list);
    buf_reset(&zip);
    make_zip(&zip, parts, 2, NULL);
    make_zip(&zip, parts, 1, NULL); /* the second's offsets point into the first */
    archive_look(&list, "a.zip", &zip);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_AMBIGUOUS), 1u);
    sink_list_free(&list);
    buf_free(&zip);
}

Test(zip, nul_padding_is_a_note)
{
    const struct make_zip_part parts[] = {HELLO};
    struct sink_list list;
    struct buf zip;
    buf_init(&zip, 1 << 20);
    make_zip(&zip, parts, 1, NULL);
    for (int i = 0; i < 9000; i++)
        buf_u8(&zip, 0);
    archive_look(&list, "a.zip", &zip);
    cr_assert(!archive_refused(&list));
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_TRAILING_DATA), 1u);
    sink_list_free(&list);
    buf_free(&zip);
}

Test(zip, entries_are_bounded_before_they_are_listed)
{
    const struct make_zip_part parts[] = {HELLO, {.name = "b.txt", .data = "two"}};
    struct sink_list list;
    struct task task;
    struct buf zip;
    buf_init(&zip, 1 << 20);
    make_zip(&zip, parts, 2, NULL);
    sink_task(&task, "a.zip", NULL);
    task.inside.entries = 1;
    archive_look_task(&list, &task, &zip);
    const struct finding *f = sink_list_find(&list, FINDING_ARCHIVE_ENTRIES);
    cr_assert_not_null(f);
    cr_assert_not_null(strstr(f->message, "inside: entries"));
    cr_assert_not_null(strstr(f->message, "(1)"));
    cr_assert_eq(archive_visits(), 0u);
    sink_list_free(&list);
    buf_free(&zip);
}

/* Bytes that one decoder delivered are charged once, however many archives they lie in. */
Test(zip, what_is_stored_in_a_member_is_charged_once)
{
    enum { TEXT = 600, ROOM = 1000 };
    char text[TEXT + 1];
    memset(text, 'a', TEXT);
    text[TEXT] = 0;
    for (int deflated = 0; deflated < 2; deflated++) {
        const struct make_zip_part part = {.name = "a.txt", .data = text, .method = deflated ? 8 : 0};
        const struct make_zip_part pair[] = {part, {.name = "b.txt", .data = text, .method = 8}};
        struct sink_list list;
        struct task task;
        struct buf zip, gz;
        buf_init(&zip, 1 << 16);
        buf_init(&gz, 1 << 16);
        make_zip(&zip, deflated ? pair : &part, deflated ? 2 : 1, NULL);
        make_gzip(&gz, zip.data, zip.len);
        sink_task(&task, "a.zip.gz", (const char *const[]){"gzip", NULL});
        type_set_add(&task.inside.types, TYPE_ZIP);
        task.inside.unpacked = ROOM;
        archive_look_task(&list, &task, &gz);
        cr_assert_eq(archive_refused(&list), deflated, "deflated %d", deflated);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_UNPACKED), deflated ? 1u : 0u);
        sink_list_free(&list);
        buf_free(&zip);
        buf_free(&gz);
    }
}
