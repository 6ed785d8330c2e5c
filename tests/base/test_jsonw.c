/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/jsonw.h"

static char *written(struct buf *b)
{
    char *text = buf_take_text(b);
    cr_assert_not_null(text);
    return text;
}

Test(jsonw, writes_what_jq_would)
{
    struct buf b;
    struct jsonw j;
    buf_init(&b, 4096);
    jsonw_init(&j, &b);
    jsonw_object(&j);
    jsonw_key(&j, "a");
    jsonw_array(&j);
    jsonw_u64(&j, 1);
    jsonw_i64(&j, -2);
    jsonw_bool(&j, true);
    jsonw_null(&j);
    jsonw_text(&j, "x\"\\\b\t\n\v\f\r\x01\x7f/\xc3\xa9");
    jsonw_array_end(&j);
    jsonw_put_u64(&j, "b", 9007199254740991ULL);
    jsonw_put_u64(&j, "c", 9007199254740992ULL);
    jsonw_put_i64(&j, "d", -9007199254740992LL);
    jsonw_object_end(&j);
    char *text = written(&b);
    cr_assert_str_eq(text, "{\"a\":[1,-2,true,null,\"x\\\"\\\\\\b\\t\\n\\u000b\\f\\r\\u0001\\u007f/\xc3\xa9\"],"
                           "\"b\":9007199254740991,\"c\":\"9007199254740992\",\"d\":\"-9007199254740992\"}");
    free(text);
}

Test(jsonw, keys_out_of_order_fail)
{
    struct buf b;
    struct jsonw j;
    buf_init(&b, 4096);
    jsonw_init(&j, &b);
    jsonw_object(&j);
    jsonw_put_u64(&j, "b", 1);
    cr_assert(!b.failed);
    jsonw_put_u64(&j, "a", 1);
    cr_assert(b.failed);
    buf_free(&b);
}

Test(jsonw, text_that_is_not_utf8_fails)
{
    struct buf b;
    struct jsonw j;
    buf_init(&b, 4096);
    jsonw_init(&j, &b);
    jsonw_text(&j, "a\xff");
    cr_assert(b.failed);
    buf_free(&b);
}

Test(jsonw, nesting_is_bounded)
{
    struct buf b;
    struct jsonw j;
    buf_init(&b, 4096);
    jsonw_init(&j, &b);
    for (int i = 0; i < JSONW_DEPTH; i++)
        jsonw_array(&j);
    cr_assert(b.failed);
    buf_free(&b);
}
