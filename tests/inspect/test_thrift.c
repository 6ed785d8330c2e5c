/* SPDX-License-Identifier: ISC
 * The compact protocol as events: every type of value, paths, and what is cut off or lies. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "inspect/thrift.h"

/* One line for a structure: "1=5 2={ 1='ab' } ." or what it ends in. */
static const char *line(const char *data, size_t len)
{
    static char out[512];
    struct thrift t;
    enum thrift_event e;
    size_t n = 0;
    thrift_init(&t, (const uint8_t *)data, len);
    out[0] = '\0';
    while ((e = thrift_next(&t)) != THRIFT_END && e != THRIFT_BAD && n < sizeof(out) - 64) {
        unsigned long long path = t.path;
        if (e == THRIFT_NUMBER)
            n += (size_t)sprintf(out + n, "%llx=%lld ", path, (long long)t.value);
        else if (e == THRIFT_TEXT)
            n += (size_t)sprintf(out + n, "%llx='%.*s' ", path, (int)t.len, (const char *)t.text);
        else
            n += (size_t)sprintf(out + n, e == THRIFT_OPEN ? "%llx{ " : "%llx} ", path);
    }
    sprintf(out + n, e == THRIFT_END ? "end %td" : "bad", t.end - t.at);
    return out;
}

#define LINE(data) line(data, sizeof(data) - 1)

Test(thrift, values_of_every_type)
{
    cr_expect_str_eq(LINE("\0"), "0} end 0");
    cr_expect_str_eq(LINE("\0more"), "0} end 4");
    cr_expect_str_eq(LINE("\x15\x0a\x16\x01\0"), "1=5 2=-1 0} end 0");
    cr_expect_str_eq(LINE("\x11\x12\0"), "1=1 2=0 0} end 0");
    cr_expect_str_eq(LINE("\x13\xff\x14\x04\0"), "1=-1 2=2 0} end 0");
    cr_expect_str_eq(LINE("\x18\2ab\0"), "1='ab' 0} end 0");
    cr_expect_str_eq(LINE("\x17\1\0\0\0\0\0\0\0\0"), "1=1 0} end 0");
    cr_expect_str_eq(LINE("\x1c\x15\2\0\x15\4\0"), "1{ 101=1 1} 2=2 0} end 0");
}

Test(thrift, lists_stand_for_their_elements)
{
    cr_expect_str_eq(LINE("\x19\x25\2\4\0"), "1=1 1=2 0} end 0");
    cr_expect_str_eq(LINE("\x19\xf5\2\2\4\0"), "1=1 1=2 0} end 0");
    cr_expect_str_eq(LINE("\x19\x2c\x15\2\0\x15\4\0\0"), "1{ 101=1 1} 1{ 101=2 1} 0} end 0");
    cr_expect_str_eq(LINE("\x19\x19\x25\2\4\0"), "1=1 1=2 0} end 0");
    cr_expect_str_eq(LINE("\x19\x21\1\2\0"), "1=1 1=2 0} end 0");
    cr_expect_str_eq(LINE("\x1b\1\x85\1a\4\0"), "1='a' 1=2 0} end 0");
    cr_expect_str_eq(LINE("\x1b\0\0"), "0} end 0");
}

Test(thrift, long_forms_of_a_field)
{
    cr_expect_str_eq(LINE("\x05\x40\x02\0"), "20=1 0} end 0");
    cr_expect_str_eq(LINE("\x05\xff\xff\x03\x02\0"), "ffffffffffffffff=1 0} end 0"); /* negative */
    cr_expect_str_eq(LINE("\x05\x80\x10\x02\0"), "ffffffffffffffff=1 0} end 0");     /* over 255 */
}

Test(thrift, what_is_cut_off_or_lies_is_bad)
{
    static const char whole[] = "\x15\x0a\x18\2ab\x19\x2c\x15\2\0\x15\4\0\0";
    for (size_t n = 0; n < sizeof(whole) - 1; n++)
        cr_expect(strstr(line(whole, n), "bad"), "%zu bytes: %s", n, line(whole, n));
    cr_expect_str_eq(LINE("\x19\xf5\xff\xff\xff\xff\x0f\2"), "bad");
    cr_expect_str_eq(LINE("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), "bad");
    cr_expect_str_eq(LINE("\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0"), "bad");
    cr_expect_str_eq(LINE("\x1e\0"), "bad");
    char deep[64];
    memset(deep, 0x1c, sizeof(deep));
    cr_expect(strstr(line(deep, sizeof(deep)), "bad"));
}
