/* SPDX-License-Identifier: ISC
 * Checks hold for the samples that were made to hold, and fail for every one of them with one character changed; a
 * failed checksum is still a hit. */
#include <criterion/criterion.h>

#include <ctype.h>
#include <string.h>

#include "secret_samples.h"

static const char *const summed[] = {"github-token", "github-refresh-token", "github-fine-grained-token", "gitlab-token",
                                     "grafana-service-account-token", "vercel-token", "cloudflare-token",
                                     "confluent-secret", "zuplo-key", "age-secret-key", "npm-token"};

static bool said(const struct sink_list *list, const char *rule, const char *words)
{
    for (size_t i = 0; i < list->findings.n; i++)
        if (strcmp(list->findings.v[i].rule, rule) == 0 && list->findings.v[i].level == LEVEL_REFUSE)
            return list->findings.v[i].message && strstr(list->findings.v[i].message, words);
    return false;
}

/* Another character of the same kind. */
static void change(uint8_t *c)
{
    if (isdigit(*c))
        *c = *c == '9' ? '0' : (uint8_t)(*c + 1);
    else if (*c == 'f' || *c == 'z')
        *c = 'a';
    else if (*c == 'Z' || *c == 'F')
        *c = 'A';
    else
        *c = (uint8_t)(*c + 1);
}

static void check_sample(struct sample *s)
{
    struct sink_list list;
    sample_scan(&list, s->text, s->len);
    cr_assert(said(&list, s->rule, "check holds"), "%s", s->rule);
    sink_list_free(&list);
    change(&s->text[s->len - 12]);
    sample_scan(&list, s->text, s->len);
    cr_assert(said(&list, s->rule, "check does not hold"), "%s", s->rule);
    sink_list_free(&list);
}

Test(secret_check, checksums)
{
    struct samples samples;
    struct rule_table table;
    size_t n = 0;
    samples_load(&samples, &table);
    for (size_t i = 0; i < samples.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(summed); k++)
            if (strcmp(samples.v[i].rule, summed[k]) == 0) {
                check_sample(&samples.v[i]);
                n++;
            }
    cr_assert(n == ARRAY_LEN(summed));
    samples_free(&samples);
    rule_table_free(&table);
}

static enum check_result check(enum rule_check which, const char *text)
{
    return secret_check(which, (const uint8_t *)text, strlen(text), (const uint8_t *)text, strlen(text));
}

Test(secret_check, structures)
{
    cr_assert(check(CHECK_JWT, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln") == CHECK_RESULT_HOLDS);
    cr_assert(check(CHECK_JWT, "eyJhbGciOiJIUzI1NiJ.eyJzdWIiOiIxIn0.c2ln") == CHECK_RESULT_FAILS);
    cr_assert(check(CHECK_JWT, "eyJzdWIiOiIxIn0.eyJzdWIiOiIxIn0.c2ln") == CHECK_RESULT_FAILS);
    cr_assert(check(CHECK_USER_PASSWORD, "Y2k6WGsyOWRMcTg=") == CHECK_RESULT_HOLDS);
    cr_assert(check(CHECK_USER_PASSWORD, "bm90LWEtcGFpcg==") == CHECK_RESULT_FAILS);
    cr_assert(check(CHECK_PEM, "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Q") == CHECK_RESULT_HOLDS);
    cr_assert(check(CHECK_PEM, "AAAAB3NzaC1yc2EAAAADAQABAAABAQ") == CHECK_RESULT_FAILS);
    cr_assert(check(CHECK_URL_PASSWORD, "${PASSWORD}") == CHECK_RESULT_FAILS);
    cr_assert(check(CHECK_NONE, "anything") == CHECK_RESULT_NONE);
}
