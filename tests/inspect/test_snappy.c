/* SPDX-License-Identifier: ISC
 * Snappy from memory to memory: literals and copies of every form, and nothing read or written outside. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/snappy.h"

/* Unpacks from and into blocks of exactly the right size, so that a sanitizer sees a step too far. */
static const char *unpacked(const char *data, size_t len, size_t out_len)
{
    static char text[256];
    uint8_t *in = malloc(len + 1), *out = malloc(out_len + 1);
    memcpy(in + 1, data, len);
    bool good = snappy_unpack(in + 1, len, out + 1, out_len);
    snprintf(text, sizeof(text), "%.*s", good ? (int)out_len : 1, good ? (char *)out + 1 : "!");
    free(in);
    free(out);
    return text;
}

#define UNPACKED(data, n) unpacked(data, sizeof(data) - 1, n)

Test(snappy, literals_and_copies)
{
    cr_expect_str_eq(UNPACKED("\5\x10hello", 5), "hello");
    cr_expect_str_eq(UNPACKED("\5\xf0\4hello", 5), "hello");
    cr_expect_str_eq(UNPACKED("\5\xf4\4\0hello", 5), "hello");
    cr_expect_str_eq(UNPACKED("\5\xfc\4\0\0\0hello", 5), "hello");
    cr_expect_str_eq(UNPACKED("\x0a\4""ab\x11\2", 10), "ababababab");
    cr_expect_str_eq(UNPACKED("\6\4""ab\1\2", 6), "ababab");
    cr_expect_str_eq(UNPACKED("\6\x08""abc\x0a\3\0", 6), "abcabc");
    cr_expect_str_eq(UNPACKED("\6\x08""abc\x0b\3\0\0\0", 6), "abcabc");
    cr_expect_str_eq(UNPACKED("\0", 0), "");
}

Test(snappy, what_does_not_hold)
{
    static const char whole[] = "\6\x08""abc\x0a\3\0";
    for (size_t n = 0; n < sizeof(whole) - 1; n++)
        cr_expect_str_eq(unpacked(whole, n, 6), "!", "%zu bytes", n);
    cr_expect_str_eq(UNPACKED("\6\x08""abc\x0a\3\0", 7), "!");  /* another length */
    cr_expect_str_eq(UNPACKED("\6\x08""abc\x0a\4\0", 6), "!");  /* from before the start */
    cr_expect_str_eq(UNPACKED("\6\x08""abc\x0a\0\0", 6), "!");  /* from itself */
    cr_expect_str_eq(UNPACKED("\6\x08""abc\x0e\3\0", 6), "!");  /* over the end */
    cr_expect_str_eq(UNPACKED("\3\x0c""abcd", 3), "!");
    cr_expect_str_eq(UNPACKED("\3\xfc\xff\xff\xff\xff""abc", 3), "!");
    cr_expect_str_eq(UNPACKED("\3\x08""abc\0", 3), "!"); /* a literal of nothing that is there */
}
