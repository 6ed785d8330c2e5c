/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>

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

Test(buf, reader_past_the_end_fails_and_stays_failed)
{
    struct reader r;
    reader_init(&r, "abc", 3);
    cr_assert_eq(reader_u32(&r), 0u);
    cr_assert(r.failed);
    cr_assert_null(reader_take(&r, 1));
    cr_assert(!reader_done(&r));
}
