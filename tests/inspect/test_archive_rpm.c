/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "archive_make.h"

static void be32(struct buf *out, uint32_t v)
{
    for (int i = 24; i >= 0; i -= 8)
        buf_u8(out, (uint8_t)(v >> i));
}

static void cpio_member(struct buf *out, const char *name, unsigned mode, const char *data)
{
    char head[128];
    int n = snprintf(head, sizeof(head), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", 1u, mode, 0u, 0u, 1u, 0u,
                     (unsigned)strlen(data), 0u, 0u, 0u, 0u, (unsigned)strlen(name) + 1, 0u);
    buf_bytes(out, head, (size_t)n);
    buf_bytes(out, name, strlen(name) + 1);
    buf_bytes(out, "\0\0\0", -out->len & 3);
    buf_bytes(out, data, strlen(data));
    buf_bytes(out, "\0\0\0", -out->len & 3);
}

struct recipe {
    const char *name;      /* NULL: ./usr/a.txt */
    const char *plain;     /* payload instead of the cpio */
    uint32_t counted_more; /* of the size in the signature header */
    uint32_t offset;       /* of the entry in the main header */
    void (*pack)(struct buf *out, const void *data, size_t len); /* NULL: make_gzip */
};

/* One entry of four bytes: tag, its value. */
static void header(struct buf *out, uint32_t tag, uint32_t value, uint32_t offset)
{
    buf_bytes(out, "\x8e\xad\xe8\x01\0\0\0\0", 8);
    be32(out, 1);
    be32(out, 4);
    be32(out, tag);
    be32(out, 4);
    be32(out, offset);
    be32(out, 1);
    be32(out, value);
}

static void make(struct buf *out, const struct recipe *r)
{
    struct buf cpio, packed, main;
    static const char lead[96] = "\xed\xab\xee\xdb\x03";
    buf_init(&cpio, 1 << 16);
    buf_init(&packed, 1 << 16);
    buf_init(&main, 1 << 16);
    cpio_member(&cpio, r->name ? r->name : "./usr/a.txt", 0100644, "hello\n");
    cpio_member(&cpio, "TRAILER!!!", 0, "");
    if (r->plain)
        make_gzip(&packed, r->plain, strlen(r->plain));
    else
        (r->pack ? r->pack : make_gzip)(&packed, cpio.data, cpio.len);
    header(&main, 1000, 7, r->offset);
    buf_bytes(&main, packed.data, packed.len);
    buf_init(out, 1 << 16);
    buf_bytes(out, lead, sizeof(lead));
    header(out, 1000, (uint32_t)main.len + r->counted_more, 0);
    buf_bytes(out, "\0\0\0\0\0\0\0", -out->len & 7);
    buf_bytes(out, main.data, main.len);
    buf_free(&cpio);
    buf_free(&packed);
    buf_free(&main);
}

static void look(struct sink_list *list, struct buf *bytes)
{
    static const char *const types[] = {"rpm", NULL};
    struct task task;
    sink_task(&task, "a.rpm", types);
    archive_look_task(list, &task, bytes);
    buf_free(bytes);
}

static void expect(const struct recipe *r, enum finding_code code)
{
    struct sink_list list;
    struct buf bytes;
    make(&bytes, r);
    look(&list, &bytes);
    cr_assert_geq(sink_list_count(&list, code), 1u, "%s is missing", finding_code_name(code));
    cr_assert(archive_refused(&list));
    sink_list_free(&list);
}

Test(rpm, files_of_the_payload_pass_through_every_inspector)
{
    static void (*const packs[])(struct buf *, const void *, size_t) = {make_gzip, make_bzip2, make_xz, make_lzma,
                                                                        make_zstd};
    for (size_t i = 0; i < ARRAY_LEN(packs); i++) {
        struct sink_list list;
        struct buf bytes;
        make(&bytes, &(struct recipe){.pack = packs[i]});
        look(&list, &bytes);
        cr_assert(!archive_refused(&list), "packed %zu", i);
        cr_assert_str_eq(archive_last(), "usr/a.txt");
        cr_assert(claims_by_content(&list.claims, TYPE_RPM));
        sink_list_free(&list);
    }
}

Test(rpm, is_opened_only_where_it_is_asked_for)
{
    struct sink_list list;
    struct buf bytes;
    make(&bytes, &(struct recipe){0});
    archive_look(&list, "a.rpm", &bytes);
    buf_free(&bytes);
    cr_assert_eq(archive_visits(), 0u);
    cr_assert_eq(sink_list_count(&list, FINDING_ARCHIVE_UNSUPPORTED), 1u);
    cr_assert_not_null(strstr(sink_list_find(&list, FINDING_ARCHIVE_UNSUPPORTED)->message, "rpm"));
    sink_list_free(&list);
}

Test(rpm, framing_payload_and_names_are_held)
{
    struct sink_list list;
    struct buf bytes;
    expect(&(struct recipe){.counted_more = 1}, FINDING_ARCHIVE_CORRUPT);
    expect(&(struct recipe){.counted_more = (uint32_t)-1}, FINDING_ARCHIVE_TRAILING_DATA);
    expect(&(struct recipe){.offset = 4}, FINDING_ARCHIVE_CORRUPT);
    expect(&(struct recipe){.plain = "no cpio at all"}, FINDING_ARCHIVE_UNSUPPORTED);
    expect(&(struct recipe){.name = "../../etc/a.txt"}, FINDING_ARCHIVE_PATH);
    for (size_t cut = 1; cut < 250; cut += 31) {
        make(&bytes, &(struct recipe){0});
        bytes.len -= cut;
        look(&list, &bytes);
        cr_assert(archive_refused(&list), "cut by %zu", cut);
        sink_list_free(&list);
    }
}
