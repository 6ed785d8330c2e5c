/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "record/dsse.h"

/* The vector of the protocol's text. */
Test(dsse, pre_authentication_encoding)
{
    static const char want[] = "DSSEv1 29 http://example.com/HelloWorld 11 hello world";
    struct buf out;
    buf_init(&out, 256);
    dsse_pae(&out, "http://example.com/HelloWorld", "hello world", 11);
    cr_assert_eq(out.len, strlen(want));
    cr_assert_eq(memcmp(out.data, want, out.len), 0);
    buf_free(&out);
}

Test(dsse, lengths_are_of_bytes)
{
    static const char want[] = "DSSEv1 3 a\xc3\xa9 0 ";
    struct buf out;
    buf_init(&out, 256);
    dsse_pae(&out, "a\xc3\xa9", "", 0);
    cr_assert_eq(out.len, strlen(want));
    cr_assert_eq(memcmp(out.data, want, out.len), 0);
    buf_free(&out);
}

static const uint8_t signature[ED25519_SIGNATURE] = {1, 2, 3, 255};

Test(dsse, what_was_written_is_read)
{
    struct buf out;
    struct dsse dsse;
    buf_init(&out, 4096);
    dsse_write(&out, "{\"a\":1}", 7, "key", signature);
    cr_assert(!out.failed);
    cr_assert(dsse_read((const char *)out.data, out.len, &dsse));
    cr_assert_eq(dsse.payload_len, 7);
    cr_assert_str_eq((const char *)dsse.payload, "{\"a\":1}");
    cr_assert_str_eq(dsse.keyid, "key");
    cr_assert_eq(memcmp(dsse.signature, signature, sizeof(signature)), 0);
    dsse_free(&dsse);
    buf_free(&out);
}

#define SIG "AQID/wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
#define GOOD "\"payload\":\"e30=\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[{\"keyid\":\"k\",\"sig\":\"" SIG "\"}]"

Test(dsse, anything_else_is_refused)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{" GOOD ",\"more\":1}",
        "{\"payload\":\"\"," GOOD "}",
        "{\"payload\":\"e30\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[{\"keyid\":\"k\",\"sig\":\"" SIG "\"}]}",
        "{\"payload\":\"e30=\",\"payloadType\":\"text/plain\",\"signatures\":[{\"keyid\":\"k\",\"sig\":\"" SIG "\"}]}",
        "{\"payload\":\"e30=\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[]}",
        "{\"payload\":\"e30=\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[{\"keyid\":\"k\",\"sig\":\"AQID\"}]}",
        "{\"payload\":\"e30=\",\"payloadType\":\"application/vnd.in-toto+json\",\"signatures\":[{\"keyid\":\"k\",\"sig\":\"" SIG
        "\"},{\"keyid\":\"k\",\"sig\":\"" SIG "\"}]}",
    };
    struct dsse dsse;
    cr_assert(dsse_read("{" GOOD "}", strlen("{" GOOD "}"), &dsse), "the good one");
    dsse_free(&dsse);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        cr_assert(!dsse_read(bad[i], strlen(bad[i]), &dsse), "%zu: %s", i, bad[i]);
}
