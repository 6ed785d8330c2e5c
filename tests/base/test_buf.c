/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

Test(buf, integers_are_little_endian_and_round_trip)
{
    struct buf b;
    struct reader r;
    buf_init(&b, 64);
    buf_u8(&b, 0x12);
    buf_u16(&b, 0x3456);
    buf_u32(&b, 0x789abcde);
    buf_u64(&b, 0x0123456789abcdefULL);
    cr_assert_eq(b.len, 15u);
    cr_assert_eq(b.data[1], 0x56);
    reader_init(&r, b.data, b.len);
    cr_assert_eq(reader_u8(&r), 0x12);
    cr_assert_eq(reader_u16(&r), 0x3456);
    cr_assert_eq(reader_u32(&r), 0x789abcdeu);
    cr_assert_eq(reader_u64(&r), 0x0123456789abcdefULL);
    cr_assert(reader_done(&r));
    buf_free(&b);
}

Test(buf, writer_over_its_bound_fails_and_stays_failed)
{
    struct buf b;
    buf_init(&b, 3);
    buf_text(&b, "ab");
    cr_assert(!b.failed);
    buf_text(&b, "cd");
    cr_assert(b.failed);
    buf_text(&b, "c");
    cr_assert_eq(b.len, 2u);
    cr_assert_null(buf_take_text(&b));
}

Test(buf, decimals_and_formats_over_every_growth)
{
    struct buf b;
    char *text = NULL;
    buf_init(&b, 1 << 20);
    buf_decimal(&b, 0);
    buf_decimal(&b, UINT64_MAX);
    for (unsigned i = 0; i < 300; i++) /* the room left takes every value on the way */
        buf_printf(&b, "%0*d", 11, 7);
    cr_assert_eq(b.len, 21u + 300 * 11);
    text = buf_take_text(&b);
    cr_assert_not_null(text);
    cr_assert_eq(strncmp(text, "018446744073709551615" "00000000007", 32), 0);
    cr_assert_eq(strspn(text + 21, "07"), 3300u);
    for (unsigned i = 0; i < 300; i++)
        cr_assert_eq(text[21 + 11 * i + 10], '7');
    free(text);
}

Test(buf, reader_past_the_end_fails_and_stays_failed)
{
    struct reader r;
    reader_init(&r, "abc", 3);
    cr_assert_eq(reader_u32(&r), 0u);
    cr_assert(r.failed);
    cr_assert_null(reader_take(&r, 1));
    cr_assert(!reader_done(&r));
}

Test(buf, a_text_has_its_length_and_no_zero)
{
    static const uint8_t good[] = {2, 0, 'a', 'b', 9}, zero[] = {2, 0, 'a', 0}, cut[] = {3, 0, 'a', 'b'}, none[] = {0, 0};
    struct reader r;
    size_t len = 9;
    reader_init(&r, good, sizeof good);
    cr_assert_eq(reader_text(&r, 2, &len), good + 2);
    cr_assert_eq(len, 2u);
    cr_assert_eq(reader_u8(&r), 9);
    cr_assert(reader_done(&r));
    reader_init(&r, none, sizeof none);
    cr_assert_not_null(reader_text(&r, 0, &len));
    cr_assert(len == 0 && reader_done(&r));
    reader_init(&r, good, sizeof good);
    cr_assert_null(reader_text(&r, 1, &len));
    cr_assert(r.failed);
    reader_init(&r, zero, sizeof zero);
    cr_assert_null(reader_text(&r, 9, &len));
    cr_assert_not(reader_done(&r));
    reader_init(&r, cut, sizeof cut);
    cr_assert_null(reader_text(&r, 9, &len));
    cr_assert_not(reader_done(&r));
}
