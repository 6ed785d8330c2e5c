/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <string.h>

#include "base/utf8.h"

/* One byte at a time, as a reference for what takes eight. */
static size_t plain_by_bytes(const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (i < len && p[i] >= 0x20 && p[i] <= 0x7E)
        i++;
    return i;
}

Test(utf8, a_plain_run_ends_at_any_other_byte_wherever_it_stands)
{
    uint8_t text[40];
    for (size_t at = 0; at < sizeof(text); at++)
        for (unsigned byte = 0; byte < 256; byte++)
            for (size_t start = 0; start < 9; start++) {
                memset(text, 'a', sizeof(text));
                text[at] = (uint8_t)byte;
                const uint8_t *p = text + start;
                size_t len = sizeof(text) - start;
                cr_assert_eq(utf8_plain(p, len), plain_by_bytes(p, len), "byte %02x at %zu, from %zu", byte, at, start);
            }
}

Test(utf8, neighbours_of_a_bad_byte_do_not_hide_it)
{
    static const uint8_t edges[] = {0x00, 0x1F, 0x20, 0x21, 0x7E, 0x7F, 0x80, 0xFF};
    uint8_t text[8];
    for (unsigned n = 0; n < 1u << 24; n += 7) { /* eight edges to the power of eight, thinned out */
        for (size_t i = 0; i < 8; i++)
            text[i] = edges[n >> (3 * i) & 7];
        cr_assert_eq(utf8_plain(text, 8), plain_by_bytes(text, 8), "%06x", n);
    }
}

Test(utf8, only_what_rfc_3629_allows_is_valid)
{
    static const struct {
        const char *bytes;
        bool valid;
    } rows[] = {{"", true}, {"plain text, longer than a word", true}, {"a\xC3\xA9zzzzzzzz", true}, {"\xF4\x8F\xBF\xBF", true},
                {"\xF4\x90\x80\x80", false}, {"\xC0\xAF", false}, {"\xE0\x9F\xBF", false}, {"\xED\xA0\x80", false},
                {"abcdefgh\xC3", false}, {"abcdefghi\x80", false}, {"\xFF", false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cr_assert_eq(utf8_valid((const uint8_t *)rows[i].bytes, strlen(rows[i].bytes)), rows[i].valid, "row %zu", i);
}
