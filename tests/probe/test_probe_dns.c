/* SPDX-License-Identifier: ISC
 * The resolver of the probes: a question, its answer, and what is none. */
#include <criterion/criterion.h>
#include <string.h>

#include "probe/probe_dns.h"

static const uint8_t host[4] = {127, 0, 0, 1};

Test(probe_dns, a_question_gets_its_answer)
{
    uint8_t question[DNS_MESSAGE], answer[DNS_MESSAGE], address[4] = {0};
    size_t n = dns_question(question, "rebind.example.org");
    cr_assert_eq(n, 12u + 20u + 4u);
    cr_assert(dns_asks(question, n, "rebind"));
    cr_assert(!dns_asks(question, n, "rebin"));
    cr_assert(!dns_address(question, n, address));
    size_t len = dns_answer(answer, question, n, host);
    cr_assert_eq(len, n + 16);
    cr_assert(dns_address(answer, len, address));
    cr_assert_arr_eq(address, host, 4);
    cr_assert_eq(dns_answer(question, answer, len, host), 0u, "an answer is no question");
}

Test(probe_dns, names_that_do_not_fit_are_none)
{
    uint8_t out[DNS_MESSAGE];
    char label[80], name[600];
    memset(label, 'a', 64);
    label[64] = 0;
    cr_assert_eq(dns_question(out, label), 0u);
    memset(name, 'a', sizeof name);
    for (size_t i = 60; i < sizeof name; i += 61)
        name[i] = '.';
    name[sizeof name - 1] = 0;
    cr_assert_eq(dns_question(out, name), 0u);
    cr_assert_eq(dns_question(out, "a..b"), 0u);
}

/* Whatever the bytes, nothing beyond them is read (sanitizers watch), and what is cut short is no answer. */
Test(probe_dns, every_cut_and_every_wrong_byte)
{
    uint8_t question[DNS_MESSAGE], answer[DNS_MESSAGE], address[4];
    size_t n = dns_question(question, "a.example.org"), len = dns_answer(answer, question, n, host);
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t copy[DNS_MESSAGE] = {0};
        memcpy(copy, answer, cut);
        cr_assert(!dns_address(copy, cut, address), "cut at %zu", cut);
        if (cut < n)
            cr_assert_eq(dns_answer(copy, question, cut, host), 0u);
    }
    for (size_t at = 12; at < n; at++) {
        uint8_t copy[DNS_MESSAGE], out[DNS_MESSAGE];
        memcpy(copy, question, sizeof copy);
        copy[at] = 0xff;
        cr_assert_leq(dns_answer(out, copy, n, host), sizeof out);
    }
}
