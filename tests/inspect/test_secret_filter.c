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

Test(secret_filter, values)
{
    static const char *const likely[] = {"Xk29dLq8vPz1", "m9#kLw2@vQ7x", "c2VjcmV0LWtleS1mb3ItdGhlLWpvYi00NzEx", "Summer2024!",
                                        "XK29_DLQ8_VPZ1_MW7T_0QHN"};
    static const char *const doubtful[] = {"oauth2client.client.OAuth2Credentials",
                                           "private_key_pkcs12", "scram-sha-256"};
    static const char *const constant[] = {"WINHTTP_ERROR_BASE+185", "PLX_CREDENTIALS_INFO_V1_0", "^MSV1_0_PASSTHROUGH_REQUEST"};
    static const char *const no[] = {"changeme", "os.environ", "getenv(\"A1b2C3\")", "short1A", "$HOME/a1B2",
                                     "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
                                     "process.env.A1", "mypassword1A", "abcdefghijkl"};
    for (size_t i = 0; i < ARRAY_LEN(likely); i++)
        cr_assert_eq(secret_value(u(likely[i]), strlen(likely[i])), VALUE_LIKELY, "%s", likely[i]);
    for (size_t i = 0; i < ARRAY_LEN(doubtful); i++)
        cr_assert_eq(secret_value(u(doubtful[i]), strlen(doubtful[i])), VALUE_DOUBTFUL, "%s", doubtful[i]);
    for (size_t i = 0; i < ARRAY_LEN(constant); i++)
        cr_assert_eq(secret_value(u(constant[i]), strlen(constant[i])), VALUE_NAME, "%s", constant[i]);
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        cr_assert_eq(secret_value(u(no[i]), strlen(no[i])), VALUE_NONE, "%s", no[i]);
}

/* The generator's output is no word, whatever its alphabet: nine of ten at least are taken for what they are. */
Test(secret_filter, generated_values_are_not_wordy)
{
    static const char *const alphabets[] = {"0123456789abcdefghijklmnopqrstuvwxyz",
                                            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"};
    uint32_t state = 4711;
    for (size_t a = 0; a < ARRAY_LEN(alphabets); a++) {
        size_t wordy = 0;
        for (size_t i = 0; i < 2000; i++) {
            uint8_t s[24];
            for (size_t k = 0; k < sizeof(s); k++)
                s[k] = (uint8_t)alphabets[a][sample_random(&state) % strlen(alphabets[a])];
            wordy += secret_wordy(s, sizeof(s));
        }
        cr_assert(wordy < 20, "%zu of 2000", wordy);
    }
}

Test(secret_filter, published_examples)
{
    cr_assert(secret_example(u("2YotnFZFEjr1" "zCsicMWpAA"), 22));
    cr_assert(!secret_example(u("2YotnFZFEjr1" "zCsicMWpAB"), 22));
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
