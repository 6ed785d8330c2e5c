/* SPDX-License-Identifier: ISC
 * Placeholders, documentation and plausible values; tokens are put together from halves. */
#include <criterion/criterion.h>

#include <string.h>

#include "secret_samples.h"

static const uint8_t *u(const char *s)
{
    return (const uint8_t *)s;
}

Test(secret_filter, placeholders)
{
    static const char *const yes[] = {"AKIAIOSFODNN7EX" "AMPLE", "ghp" "_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                                      "<your-token>", "${TOKEN}", "sk_live" "_000000000000000000000000", "YOUR_API_KEY",
                                      "glpat-aaaaaaaaaaaaaaaaaaaa"};
    static const char *const no[] = {("ghp" "_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"), "0123456789abcdef", "Xk29dLq8vPz1"};
    for (size_t i = 0; i < ARRAY_LEN(yes); i++)
        cr_assert(secret_placeholder(u(yes[i]), strlen(yes[i])), "%s", yes[i]);
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        cr_assert(!secret_placeholder(u(no[i]), strlen(no[i])), "%s", no[i]);
}

Test(secret_filter, documentation)
{
    cr_assert(secret_documentation(u("password"), 8));
    cr_assert(secret_documentation(u("\"PASSWORD\""), 10));
    cr_assert(secret_documentation(u("xyz"), 3));
    cr_assert(!secret_documentation(u("Xk29dLq8vPz1"), 12));
    cr_assert(!secret_documentation(u("passwords"), 9));
}

Test(secret_filter, plausible_values)
{
    static const char *const yes[] = {"Xk29dLq8vPz1", "m9#kLw2@vQ7x", "c2VjcmV0LWtleS1mb3ItdGhlLWpvYi00NzEx"};
    static const char *const no[] = {"changeme", "os.environ", "getenv(\"A1b2C3\")", "short1A", "$HOME/a1B2",
                                     "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
                                     "process.env.A1", "mypassword1A", "abcdefghijkl"};
    for (size_t i = 0; i < ARRAY_LEN(yes); i++)
        cr_assert(secret_plausible(u(yes[i]), strlen(yes[i])), "%s", yes[i]);
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        cr_assert(!secret_plausible(u(no[i]), strlen(no[i])), "%s", no[i]);
}

Test(secret_filter, entropy)
{
    cr_assert(secret_entropy(u("aaaa"), 4) == 0);
    cr_assert(secret_entropy(u("abab"), 4) == 100);
    cr_assert(secret_entropy(u("abcd"), 4) == 200);
    cr_assert(secret_entropy(u(""), 0) == 0);
}

/* A text that asks to be left alone is not. */
Test(secret_filter, suppression_is_said_and_not_obeyed)
{
    struct sink_list list;
    const char *text = "t = 'gh" "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'  # gitleaks" ":allow\n";
    sample_scan(&list, text, strlen(text));
    cr_assert(sample_found(&list, "github-token"));
    cr_assert(sample_found(&list, "suppression-marker"));
    sink_list_free(&list);
}
