/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/base64.h"

static void goes_both_ways(const char *plain, size_t len, const char *text)
{
    struct buf out;
    size_t n = 99;
    buf_init(&out, 1024);
    base64_encode(&out, plain, len, 0);
    cr_assert_eq(out.len, strlen(text));
    cr_assert_eq(memcmp(out.data ? (const char *)out.data : "", text, out.len), 0, "encoding of %s", plain);
    buf_free(&out);
    uint8_t *back = base64_decode(text, strlen(text), &n);
    cr_assert_not_null(back);
    cr_assert_eq(n, len);
    cr_assert_eq(memcmp(back, plain, len), 0);
    free(back);
}

/* The vectors of RFC 4648, section 10. */
Test(base64, vectors)
{
    goes_both_ways("", 0, "");
    goes_both_ways("f", 1, "Zg==");
    goes_both_ways("fo", 2, "Zm8=");
    goes_both_ways("foo", 3, "Zm9v");
    goes_both_ways("foob", 4, "Zm9vYg==");
    goes_both_ways("fooba", 5, "Zm9vYmE=");
    goes_both_ways("foobar", 6, "Zm9vYmFy");
    goes_both_ways("\xff\xfe\xfd", 3, "//79");
    goes_both_ways("\xfb\xff\xbf", 3, "+/+/");
}

Test(base64, one_text_for_one_value)
{
    static const char *const others[] = {"Zg=", "Zg", "Zh==", "Zm9=", "Zg==Zg==", "Z===", "====", "Zm 9", "Zm9v\n", "_-79", "=Zg="};
    size_t n;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        cr_assert_null(base64_decode(others[i], strlen(others[i]), &n), "'%s' was taken", others[i]);
}

Test(base64, lines_are_wrapped)
{
    struct buf out;
    buf_init(&out, 1024);
    base64_encode(&out, "foobarfoobar", 12, 8);
    cr_assert_eq(out.len, 18);
    cr_assert_eq(memcmp(out.data, "Zm9vYmFy\nZm9vYmFy\n", 18), 0);
    buf_free(&out);
}
