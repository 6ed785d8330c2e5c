/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "record/allowed_signers.h"

/* The key of 32 zero bytes, and one of which the last is 1. */
#define KEY0 "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define KEY1 "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB"

static const uint8_t key0[ED25519_PUBLIC], key1[ED25519_PUBLIC] = {[31] = 1};

static enum signer_match match(const char *text, const uint8_t *key, const char *identity, int64_t time)
{
    struct allowed_signers list;
    const char *principals;
    long line = allowed_signers_parse(&list, text, strlen(text));
    cr_assert_eq(line, 0, "line %ld of: %s", line, text);
    enum signer_match result = allowed_signers_match(&list, key, identity, time, &principals);
    cr_assert_eq(principals != NULL, result != SIGNER_UNKNOWN);
    allowed_signers_free(&list);
    return result;
}

Test(allowed_signers, names)
{
    cr_assert_eq(match("a@x " KEY0 "\n", key0, "a@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("a@x " KEY0, key0, "a@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("a@x " KEY0 "\n", key0, "b@x", 1), SIGNER_OTHER);
    cr_assert_eq(match("a@x " KEY0 "\n", key1, "a@x", 1), SIGNER_UNKNOWN);
    cr_assert_eq(match("# c\n\n  \na@x,b@x " KEY0 " comment here\n", key0, "b@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("*@x " KEY0 "\n", key0, "b@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("*@x,!b@x " KEY0 "\n", key0, "b@x", 1), SIGNER_OTHER);
    cr_assert_eq(match("!b@x,*@x " KEY0 "\n", key0, "a@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("?@x " KEY0 "\n", key0, "bb@x", 1), SIGNER_OTHER);
    cr_assert_eq(match("a@x " KEY1 "\nb@x " KEY0 "\na@x " KEY0 "\r\n", key0, "a@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("\"a b@x\" " KEY0 "\n", key0, "a b@x", 1), SIGNER_MATCHES);
}

Test(allowed_signers, other_keys_never_match)
{
    cr_assert_eq(match("a@x cert-authority " KEY0 "\n", key0, "a@x", 1), SIGNER_UNKNOWN);
    cr_assert_eq(match("a@x ssh-rsa AAAAB3NzaC1yc2E=\n", key0, "a@x", 1), SIGNER_UNKNOWN);
}

Test(allowed_signers, purposes)
{
    cr_assert_eq(match("a@x namespaces=\"sallyport\" " KEY0 "\n", key0, "a@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("a@x namespaces=\"git,sally*\" " KEY0 "\n", key0, "a@x", 1), SIGNER_MATCHES);
    cr_assert_eq(match("a@x namespaces=\"git\" " KEY0 "\n", key0, "a@x", 1), SIGNER_NAMESPACE);
    cr_assert_eq(match("a@x namespaces=\"*,!sallyport\" " KEY0 "\n", key0, "a@x", 1), SIGNER_NAMESPACE);
}

Test(allowed_signers, times)
{
    const int64_t day = 1790000000; /* 2026-09-21T14:13:20Z */
    cr_assert_eq(match("a@x valid-after=\"20260921Z\" " KEY0 "\n", key0, "a@x", day), SIGNER_MATCHES);
    cr_assert_eq(match("a@x valid-after=\"20260921141320Z\" " KEY0 "\n", key0, "a@x", day), SIGNER_MATCHES);
    cr_assert_eq(match("a@x valid-after=\"20260921141321Z\" " KEY0 "\n", key0, "a@x", day), SIGNER_NOT_YET);
    cr_assert_eq(match("a@x valid-before=\"202609211413Z\" " KEY0 "\n", key0, "a@x", day), SIGNER_EXPIRED);
    cr_assert_eq(match("a@x valid-before=\"202609211414Z\" " KEY0 "\n", key0, "a@x", day), SIGNER_MATCHES);
    cr_assert_eq(match("a@x valid-after=\"20200101Z\",valid-before=\"20210101Z\",namespaces=\"sallyport\" " KEY0 "\n", key0, "a@x", day),
                 SIGNER_EXPIRED);
}

Test(allowed_signers, a_malformed_line_is_named)
{
    static const struct {
        const char *text;
        long line;
    } rows[] = {
        {"a@x\n", 1},
        {"a@x " KEY0 "\nb@x ssh-ed25519\n", 2},
        {"a@x ssh-ed25519 AAAA\n", 1},
        {"a@x nonsense " KEY0 "\n", 1},
        {"a@x valid-after=\"2026\" " KEY0 "\n", 1},
        {"a@x valid-after=\"20261301Z\" " KEY0 "\n", 1},
        {"a@x namespaces=\"open " KEY0 "\n", 1},
        {"\n\n\"open " KEY0 "\n", 3},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct allowed_signers list;
        cr_assert_eq(allowed_signers_parse(&list, rows[i].text, strlen(rows[i].text)), rows[i].line, "%s", rows[i].text);
        cr_assert_eq(list.n, 0);
    }
}

/* Patterns of many stars end in time. */
Test(allowed_signers, patterns_end, .timeout = 10)
{
    char line[4096] = "";
    for (int i = 0; i < 300; i++)
        strcat(line, "*a");
    strcat(line, "b " KEY0 "\n");
    char name[2048];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    cr_assert_eq(match(line, key0, name, 1), SIGNER_OTHER);
}
