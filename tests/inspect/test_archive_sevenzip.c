/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

#include "archive_make.h"

/* How one 7z is made: two members in one folder, stored, and a header that is not packed. */
struct recipe {
    const char *first, *second; /* names; NULL: a.txt, d/b.txt */
    const char *coder;          /* NULL: "\x01\x00", a copy */
    size_t coder_len;
    uint32_t crc_flip;
    const char *gap;            /* bytes between the members and the header */
    const char *before_end;     /* a property more in the list of files */
    size_t before_end_len;
    unsigned files;             /* 0: two */
};

static const char content[] = "hello\nworld\n";

static void name16(struct buf *out, const char *name)
{
    for (size_t i = 0; i <= strlen(name); i++)
        buf_u16(out, (uint8_t)name[i]);
}

static void names_of(struct buf *out, const struct recipe *r)
{
    struct buf names;
    buf_init(&names, 4096);
    buf_u8(&names, 0);
    name16(&names, r->first ? r->first : "a.txt");
    name16(&names, r->second ? r->second : "d/b.txt");
    buf_u8(out, 0x11);
    buf_u8(out, (uint8_t)names.len);
    buf_bytes(out, names.data, names.len);
    buf_free(&names);
}

static void header_of(struct buf *out, const struct recipe *r)
{
    buf_bytes(out, "\x01\x04\x06\x00\x01\x09\x0c\x00", 8);       /* one packed stream of twelve bytes */
    buf_bytes(out, "\x07\x0b\x01\x00\x01", 5);                  /* one folder, one coder */
    buf_bytes(out, r->coder ? r->coder : "\x01\x00", r->coder ? r->coder_len : 2);
    buf_bytes(out, "\x0c\x0c\x00", 3);                          /* which delivers twelve bytes */
    buf_bytes(out, "\x08\x0d\x02\x09\x06\x0a\x01", 7);          /* two members, the first of six bytes, with checksums */
    buf_u32(out, (uint32_t)crc32(0, (const Bytef *)content, 6) ^ r->crc_flip);
    buf_u32(out, (uint32_t)crc32(0, (const Bytef *)content + 6, 6));
    buf_bytes(out, "\x00\x00\x05", 3);
    buf_u8(out, (uint8_t)(r->files ? r->files : 2));
    names_of(out, r);
    buf_bytes(out, r->before_end ? r->before_end : "", r->before_end_len);
    buf_bytes(out, "\x00\x00", 2);
}

static void make(struct buf *out, const struct recipe *r)
{
    struct buf header, start;
    size_t gap = r->gap ? strlen(r->gap) : 0;
    buf_init(&header, 8192);
    buf_init(&start, 64);
    header_of(&header, r);
    buf_u64(&start, 12 + gap);
    buf_u64(&start, header.len);
    buf_u32(&start, (uint32_t)crc32(0, header.data, (uInt)header.len));
    buf_init(out, 1 << 20);
    buf_bytes(out, "7z\274\257\047\034\0\4", 8);
    buf_u32(out, (uint32_t)crc32(0, start.data, (uInt)start.len));
    buf_bytes(out, start.data, start.len);
    buf_bytes(out, content, 12);
    buf_bytes(out, r->gap ? r->gap : "", gap);
    buf_bytes(out, header.data, header.len);
    buf_free(&header);
    buf_free(&start);
}

static void look(struct sink_list *list, struct buf *bytes)
{
    static const char *const types[] = {"7z", NULL};
    struct task task;
    sink_task(&task, "a.7z", types);
    archive_look_task(list, &task, bytes);
    buf_free(bytes);
}

static void expect(const struct recipe *r, enum finding_code code)
{
    struct sink_list list;
    struct buf bytes;
    make(&bytes, r);
    look(&list, &bytes);
    cr_assert(archive_refused(&list), "%s", finding_code_name(code));
    cr_assert_geq(sink_list_count(&list, code), 1u, "%s is missing", finding_code_name(code));
    sink_list_free(&list);
}

Test(sevenzip, members_pass_through_every_inspector)
{
    struct sink_list list;
    struct buf bytes;
    make(&bytes, &(struct recipe){0});
    look(&list, &bytes);
    cr_assert(!archive_refused(&list));
    cr_assert_eq(archive_visits(), 2u);
    cr_assert_str_eq(archive_last(), "d/b.txt");
    cr_assert_eq(list.listing_count, 2u);
    cr_assert(claims_by_content(&list.claims, TYPE_SEVENZIP));
    sink_list_free(&list);
}

Test(sevenzip, is_opened_only_where_it_is_asked_for)
{
    struct sink_list list;
    struct buf bytes;
    make(&bytes, &(struct recipe){0});
    archive_look(&list, "a.7z", &bytes);
    buf_free(&bytes);
    cr_assert_eq(archive_visits(), 0u);
    cr_assert_eq(list.listings, 0u);
    cr_assert(claims_by_content(&list.claims, TYPE_SEVENZIP));
    sink_list_free(&list);
}

Test(sevenzip, what_two_readers_could_take_differently_is_refused)
{
    expect(&(struct recipe){.gap = "hidden"}, FINDING_ARCHIVE_AMBIGUOUS);
    expect(&(struct recipe){.files = 1}, FINDING_ARCHIVE_CORRUPT); /* more names than files */
    expect(&(struct recipe){.before_end = "\x0e\x01\x40", .before_end_len = 3}, FINDING_ARCHIVE_AMBIGUOUS);
    expect(&(struct recipe){.crc_flip = 1}, FINDING_ARCHIVE_CORRUPT);
    expect(&(struct recipe){.second = "a.txt"}, FINDING_ARCHIVE_DUPLICATE);
    expect(&(struct recipe){.second = "../b.txt"}, FINDING_ARCHIVE_PATH);
    expect(&(struct recipe){.before_end = "\x10\x01\x80", .before_end_len = 3}, FINDING_ARCHIVE_UNSUPPORTED);
    expect(&(struct recipe){.before_end = "\x77\x01\x80", .before_end_len = 3}, FINDING_ARCHIVE_UNSUPPORTED);
}

Test(sevenzip, coders_are_known_bounded_and_open)
{
    expect(&(struct recipe){.coder = "\x04\x06\xf1\x07\x01", .coder_len = 5}, FINDING_ARCHIVE_ENCRYPTED);
    expect(&(struct recipe){.coder = "\x03\x03\x04\x01", .coder_len = 4}, FINDING_ARCHIVE_UNSUPPORTED); /* PPMd */
    expect(&(struct recipe){.coder = "\x14\x03\x03\x01\x1b\x04\x01", .coder_len = 7}, FINDING_ARCHIVE_UNSUPPORTED);
    expect(&(struct recipe){.coder = "\x21\x21\x01\x27", .coder_len = 4}, FINDING_ARCHIVE_MEMORY); /* LZMA2, 3 GiB */
    expect(&(struct recipe){.coder = "\x23\x03\x01\x01\x05\x5d\x00\x00\x00\xc0", .coder_len = 10},
           FINDING_ARCHIVE_MEMORY); /* LZMA, 3 GiB */
    expect(&(struct recipe){.coder = "\x21\x21\x01\x10", .coder_len = 4}, FINDING_ARCHIVE_CORRUPT);
}

Test(sevenzip, the_file_ends_with_its_header_and_begins_with_its_mark)
{
    struct sink_list list;
    struct buf bytes;
    for (int cut = -1; cut <= 1; cut++) {
        make(&bytes, &(struct recipe){0});
        if (cut > 0)
            buf_u8(&bytes, 0);
        else if (cut < 0)
            bytes.len--;
        look(&list, &bytes);
        cr_assert_eq(archive_refused(&list), cut != 0);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_TRAILING_DATA), cut > 0 ? 1u : 0u);
        cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_CORRUPT), cut < 0 ? 1u : 0u);
        sink_list_free(&list);
    }
    for (size_t at = 6; at < 32; at++) { /* every bit of the start header is held */
        make(&bytes, &(struct recipe){0});
        bytes.data[at] ^= 0x10;
        look(&list, &bytes);
        cr_assert_eq(archive_refused(&list), at != 7, "byte %zu", at); /* the minor version says nothing */
        sink_list_free(&list);
    }
}
