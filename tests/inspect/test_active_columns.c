/* SPDX-License-Identifier: ISC
 * What the walkers of Parquet and Arrow show to the search for credentials: every text of a page on a line of its own,
 * whatever it was written as, and under which label. Whole files are in tests/cli/columns.sh. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/sink.h"

static struct {
    char text[64 * 1024];
    size_t len, calls;
    char labels[1024];
} seen;

/* Stands for the search for credentials: keeps what it is shown, NUL bytes as dots. */
static void keep(struct inspection *in)
{
    size_t len;
    const uint8_t *p = bytes_chunk(in->bytes, 0, &len);
    if (in->depth == 0)
        return;
    for (size_t i = 0; i < len && seen.len < sizeof(seen.text) - 1; i++)
        seen.text[seen.len++] = p[i] ? (char)p[i] : '.';
    size_t used = strlen(seen.labels);
    snprintf(seen.labels + used, sizeof(seen.labels) - used, "%s;", in->member);
    seen.calls++;
}

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL},
                                       {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
                                       {"secret", INSPECTOR_SECRET, keep, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

/* --- a column of Parquet ------------------------------------------------------------------------------------------------- */

struct sample {
    int type, width, encoding, codec, page_kind, values;
    const char *page; /* its values */
    size_t len;
    const char *front; /* levels of a second-version page */
    size_t front_len;
    bool optional;
    int64_t says; /* unpacked size, -1: as it is */
    int defined, repeated; /* the encodings of levels, 0: not said */
    const char *value;     /* of a key in the footer, which stands behind it */
};

static void number(struct buf *b, int delta, int64_t value)
{
    uint64_t n = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
    buf_u8(b, (uint8_t)(delta << 4 | 6));
    for (; n > 127; n >>= 7)
        buf_u8(b, (uint8_t)(n | 128));
    buf_u8(b, (uint8_t)n);
}

static void literal(struct buf *b, const char *text)
{
    buf_u8(b, (uint8_t)strlen(text));
    buf_text(b, text);
}

static void zip(struct buf *b, const void *data, size_t len)
{
    uint8_t out[4096];
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len, .next_out = out, .avail_out = sizeof(out)};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    buf_bytes(b, out, sizeof(out) - z.avail_out);
    deflateEnd(&z);
}

static void write_page(struct buf *b, const struct sample *s)
{
    struct buf body;
    buf_init(&body, 8192);
    buf_bytes(&body, s->front, s->front_len);
    if (s->codec == 2)
        zip(&body, s->page, s->len);
    else
        buf_bytes(&body, s->page, s->len);
    number(b, 1, s->page_kind);
    number(b, 1, s->says >= 0 ? s->says : (int64_t)(s->front_len + s->len));
    number(b, 1, (int64_t)body.len);
    buf_u8(b, (uint8_t)((s->page_kind == 3 ? 5 : s->page_kind == 2 ? 4 : 2) << 4 | 12));
    number(b, 1, s->values);
    if (s->page_kind == 3) {
        number(b, 3, s->encoding);
        number(b, 1, (int64_t)s->front_len);
        number(b, 1, 0);
    } else {
        number(b, 1, s->encoding);
    }
    if (s->defined) {
        number(b, 1, s->defined);
        number(b, 1, s->repeated);
    }
    buf_u16(b, 0);
    buf_bytes(b, body.data, body.len);
    buf_free(&body);
}

static void write_footer(struct buf *b, const struct sample *s, size_t pages)
{
    number(b, 1, 1);
    buf_bytes(b, "\x19\x2c\x48", 3); /* schema: two elements, a name */
    literal(b, "root");
    number(b, 1, 1);
    buf_u8(b, 0);
    number(b, 1, s->type);
    number(b, 1, s->width);
    number(b, 1, s->optional);
    buf_u8(b, 0x18);
    literal(b, "column");
    buf_u8(b, 0);
    number(b, 1, s->values);
    buf_bytes(b, "\x19\x1c\x19\x1c\x3c", 5); /* row groups, columns, their own structure */
    number(b, 1, s->type);
    number(b, 3, s->codec);
    number(b, 1, s->page_kind == 2 ? 0 : s->values);
    number(b, 2, (int64_t)pages);
    number(b, 2, 4);
    buf_u16(b, 0);
    buf_u8(b, 0);
    if (s->value) {
        buf_bytes(b, "\x19\x1c\x28", 3);
        literal(b, s->value);
        buf_bytes(b, "\x08\2", 2);
        literal(b, "ARROW:schema");
        buf_u8(b, 0);
    }
    buf_u8(b, 0);
}

/* What is said of the file, as one line; what was shown is in `seen`. */
static const char *run(const struct sample *s)
{
    static char said[256];
    static const char *const types[] = {"parquet", NULL};
    struct sink_list list;
    struct task task;
    struct buf file;
    buf_init(&file, 65536);
    buf_text(&file, "PAR1");
    write_page(&file, s);
    size_t end = file.len;
    write_footer(&file, s, end - 4);
    buf_u32(&file, (uint32_t)(file.len - end));
    buf_text(&file, "PAR1");
    cr_assert_not(file.failed);
    memset(&seen, 0, sizeof(seen));
    sink_list_init(&list);
    sink_task(&task, "a.parquet", types);
    sink_run(&list, inspectors, &task, file.data, file.len);
    snprintf(said, sizeof(said), "%s", list.findings.n ? finding_code_name(list.findings.v[0].code) : "");
    sink_list_free(&list);
    buf_free(&file);
    return said;
}

#define PAGE(data) .page = data, .len = sizeof(data) - 1, .says = -1
#define TEXTS "\5\0\0\0first\1\0\0\0B\0\0\0\0\5\0\0\0third"
#define LINES "first\nB\n\nthird\n"

Test(active_columns, texts_stand_on_lines_of_their_own)
{
    static const struct sample samples[] = {
        {6, 0, 0, 0, 0, 4, PAGE(TEXTS)},
        {6, 0, 0, 2, 0, 4, PAGE(TEXTS)},
        {6, 0, 0, 0, 2, 4, PAGE(TEXTS)},
        {6, 0, 0, 2, 2, 4, PAGE(TEXTS)},
        {6, 0, 2, 0, 2, 4, PAGE(TEXTS)}, /* a dictionary of older writers */
        {6, 0, 2, 2, 2, 4, PAGE(TEXTS)},
        {6, 0, 0, 2, 0, 4, PAGE("\2\0\0\0\x08\1" TEXTS), .optional = true},
        {6, 0, 0, 2, 0, 4, PAGE("\2\0\0\0\x08\1" TEXTS), .optional = true, .defined = 3, .repeated = 4},
        {6, 0, 0, 2, 3, 4, PAGE(TEXTS), .front = "\x08\1", .front_len = 2, .optional = true},
        /* differences of lengths: 5, then -4, -1, +5 */
        {6, 0, 6, 0, 0, 4, PAGE("\x80\1\4\4\x0a\7\4\0\0\0\x30\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0firstBthird")},
    };
    for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
        cr_expect_str_eq(run(&samples[i]), "", "row %zu", i);
        cr_expect(strstr(seen.text, LINES), "row %zu: %s", i, seen.text);
        cr_expect(strstr(seen.text, "root\ncolumn\n"), "row %zu: %s", i, seen.text);
        cr_expect(strstr(seen.labels, "!row group 0, column 0, page 0;"), "row %zu: %s", i, seen.labels);
    }
}

Test(active_columns, texts_that_share_a_start_are_put_together)
{
    /* shared 0, 5; lengths 6, 4: "secret" and "secreTIVE" */
    static const struct sample s = {6, 0, 7, 2, 0, 2, PAGE("\x80\1\4\2\0\x0a\0\0\0\0" "\x80\1\4\2\x0c\3\0\0\0\0" "secretTIVE")};
    static const struct sample more = {6, 0, 7, 2, 0, 2, PAGE("\x80\1\4\2\0\x0e\0\0\0\0" "\x80\1\4\2\x0c\3\0\0\0\0" "secretTIVE")};
    cr_expect_str_eq(run(&s), "");
    cr_expect(strstr(seen.text, "secret\nsecreTIVE\n"), "%s", seen.text);
    cr_expect_str_eq(run(&more), "inspect/incomplete", "more is shared than there was");
}

Test(active_columns, fixed_texts)
{
    static const struct sample plain = {7, 8, 0, 0, 0, 2, PAGE("12345678abcdefgh")};
    static const struct sample streams = {7, 8, 9, 0, 0, 2, PAGE("1a2b3c4d5e6f7g8h")};
    static const struct sample odd = {7, 8, 0, 0, 0, 2, PAGE("12345678abcdefg")};
    static const struct sample none = {7, 0, 0, 0, 0, 2, PAGE("12345678abcdefg")};
    cr_expect_str_eq(run(&plain), "");
    cr_expect(strstr(seen.text, "12345678\nabcdefgh\n"), "%s", seen.text);
    cr_expect_str_eq(run(&streams), "");
    cr_expect(strstr(seen.text, "12345678\nabcdefgh\n"), "%s", seen.text);
    cr_expect_str_eq(run(&odd), "inspect/incomplete");
    cr_expect_str_eq(run(&none), "inspect/incomplete");
}

Test(active_columns, numbers_are_shown_where_they_were_packed)
{
    static const struct sample plain = {2, 0, 0, 0, 0, 2, PAGE("12345678abcdefgh")};
    static const struct sample packed = {2, 0, 0, 2, 0, 2, PAGE("12345678abcdefgh")};
    static const struct sample indices = {6, 0, 8, 2, 0, 2, PAGE("\1\4index")};
    cr_expect_str_eq(run(&plain), "");
    cr_expect_null(strstr(seen.text, "12345678"), "it lies in the file as it is");
    cr_expect_str_eq(run(&packed), "");
    cr_expect(strstr(seen.text, "12345678abcdefgh"), "%s", seen.text);
    cr_expect_str_eq(run(&indices), "");
    cr_expect(strstr(seen.text, "index"), "%s", seen.text);
}

Test(active_columns, a_schema_that_is_unpickled_is_found_in_front_of_its_key)
{
    struct sample s = {6, 0, 0, 0, 0, 4, PAGE(TEXTS), .value = "X19hcnJvdy5weV9leHQ="};
    cr_expect_str_eq(run(&s), "", "\"%s\"", run(&s));
    s.value = "X19hcnJvdy5weV9leHRlbnNpb25fdHlwZV9f";
    cr_expect_str_eq(run(&s), "active/pickle");
}

Test(active_columns, what_cannot_be_told_apart_refuses)
{
    static const struct {
        struct sample s;
        const char *want;
    } rows[] = {
        {{6, 0, 0, 0, 0, 1, PAGE("\6\0\0\0first")}, "inspect/incomplete"},     /* longer than the page */
        {{6, 0, 0, 0, 0, 1, PAGE("\4\0\0\0first")}, "inspect/incomplete"},     /* a byte is left */
        {{6, 0, 5, 0, 0, 1, PAGE("\5\0\0\0first")}, "inspect/incomplete"},     /* texts are no numbers */
        {{6, 0, 11, 0, 0, 1, PAGE("\5\0\0\0first")}, "inspect/incomplete"},    /* an encoding to come */
        {{9, 0, 0, 0, 0, 1, PAGE("\5\0\0\0first")}, "inspect/incomplete"},     /* a type to come */
        {{6, 0, 0, 4, 0, 1, PAGE("\5\0\0\0first")}, "inspect/incomplete"},     /* Brotli */
        {{6, 0, 0, 0, 0, 1, PAGE("\xff\0\0\0\3\1"), .optional = true}, "inspect/incomplete"}, /* levels over the end */
        {{6, 0, 0, 0, 0, 4, PAGE("\2\0\0\0\x08\1" TEXTS), .optional = true, .defined = 4, .repeated = 4}, "inspect/incomplete"},
        {{6, 0, 6, 0, 0, 9, PAGE("\x80\1\4\x7f\x0a" "first")}, "inspect/incomplete"}, /* more lengths than values */
        {{6, 0, 6, 0, 0, 1, PAGE("\x80\1\4\1\x0c" "first")}, "inspect/incomplete"},   /* lengths and bytes differ */
        {{6, 0, 6, 0, 0, 1, PAGE("\x80\1\0\1\x0a" "first")}, "inspect/incomplete"},   /* no parts */
        {{6, 0, 6, 0, 0, 2, PAGE("\x80\1\4\2\x0a\1\x41\0\0\0")}, "inspect/incomplete"}, /* 65 bits */
        {{6, 0, 0, 2, 0, 4, .page = TEXTS, .len = sizeof(TEXTS) - 1, .says = 26}, "archive/corrupt"},
        {{6, 0, 0, 2, 0, 4, .page = TEXTS, .len = sizeof(TEXTS) - 1, .says = 28}, "archive/corrupt"},
        {{6, 0, 0, 0, 0, 4, .page = TEXTS, .len = sizeof(TEXTS) - 1, .says = 26}, "archive/corrupt"},
        {{6, 0, 0, 0, 7, 4, PAGE(TEXTS)}, "type/conflict"},
        {{6, 0, 3, 2, 2, 4, PAGE(TEXTS)}, "inspect/incomplete"}, /* a dictionary of numbers of entries */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        cr_expect_str_eq(run(&rows[i].s), rows[i].want, "row %zu: said %s", i, run(&rows[i].s));
}
