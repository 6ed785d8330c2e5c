/* SPDX-License-Identifier: ISC
 * What a fetch phase may ask its relay for, and where no name may lead. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "box/box_gate.h"

Test(box_gate_request, two_forms_and_no_other)
{
    const struct {
        const char *line, *host;
        uint16_t port;
        const char *path;
    } rows[] = {
        {"CONNECT example.org:443 HTTP/1.1", "example.org", 443, NULL},
        {"CONNECT [2001:db8::1]:443 HTTP/1.1", "2001:db8::1", 443, NULL},
        {"GET http://example.org/a?b HTTP/1.1", "example.org", 80, "/a?b HTTP/1.1"},
        {"HEAD http://example.org:8080/ HTTP/1.0", "example.org", 8080, "/ HTTP/1.0"},
        {"GET http://[::1]:81/x HTTP/1.1", "::1", 81, "/x HTTP/1.1"},
        {"CONNECT example.org HTTP/1.1", NULL, 0, NULL},
        {"CONNECT example.org:0 HTTP/1.1", NULL, 0, NULL},
        {"CONNECT example.org:65536 HTTP/1.1", NULL, 0, NULL},
        {"CONNECT example.org:4x HTTP/1.1", NULL, 0, NULL},
        {"CONNECT :443 HTTP/1.1", NULL, 0, NULL},
        {"CONNECT a@b:443 HTTP/1.1", NULL, 0, NULL},
        {"CONNECT a%2e:443 HTTP/1.1", NULL, 0, NULL},
        {"CONNECT [::1:443 HTTP/1.1", NULL, 0, NULL},
        {"CONNECT example.org:443", NULL, 0, NULL},
        {"CONNECT example.org:443 HTTP/1.1 x", NULL, 0, NULL},
        {"GET /a HTTP/1.1", NULL, 0, NULL},
        {"GET http://example.org HTTP/1.1", NULL, 0, NULL},
        {"GET http://user:word@example.org/ HTTP/1.1", NULL, 0, NULL},
        {"GET ftp://example.org/ HTTP/1.1", NULL, 0, NULL},
        {"GET http://example.org/a\nHost:other HTTP/1.1", NULL, 0, NULL},
        {"GET http://example.org/a\r HTTP/1.1", NULL, 0, NULL},
        {"GET http://example.org/ HTTP/1.\n", NULL, 0, NULL},
        {"", NULL, 0, NULL},
        {" ", NULL, 0, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char host[256] = "";
        uint16_t port = 0;
        const char *path = NULL;
        bool ok = gate_request(rows[i].line, host, &port, &path);
        cr_assert_eq(ok, rows[i].host != NULL, "%s", rows[i].line);
        if (!ok)
            continue;
        cr_assert_str_eq(host, rows[i].host);
        cr_assert_eq(port, rows[i].port);
        cr_assert_eq(path == NULL, rows[i].path == NULL);
        if (path)
            cr_assert_str_eq(path, rows[i].path);
    }
}

static bool allows(const struct gate_own *own, const char *text)
{
    uint8_t a[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    bool six = strchr(text, ':') != NULL;
    cr_assert_eq(inet_pton(six ? AF_INET6 : AF_INET, text, six ? a : a + 12), 1);
    return gate_allows(own, a);
}

Test(box_gate_request, this_host_its_link_and_metadata_are_out)
{
    static const char *const out[] = {"127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "169.254.0.1", "224.0.0.1", "240.0.0.1",
                                      "255.255.255.255", "100.100.100.200", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1",
                                      "::ffff:169.254.169.254", "fe80::1", "ff02::1", "fd00:ec2::254", "64:ff9b::7f00:1",
                                      "2002:7f00:1::", "192.0.2.7", "2001:db8::7"};
    static const char *const in[] = {"1.1.1.1", "10.0.0.1", "192.168.1.1", "223.255.255.255", "192.0.2.8", "2001:db8::8",
                                     "2606:4700::1111", "fd12::1"};
    struct gate_own own = {.v = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7}, {0x20, 0x01, 0x0d, 0xb8}}, .n = 2};
    own.v[1][15] = 7;
    for (size_t i = 0; i < ARRAY_LEN(out); i++)
        cr_assert(!allows(&own, out[i]), "%s", out[i]);
    for (size_t i = 0; i < ARRAY_LEN(in); i++)
        cr_assert(allows(&own, in[i]), "%s", in[i]);
}
