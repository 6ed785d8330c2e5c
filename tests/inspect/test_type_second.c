/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>

#include "inspect/sink.h"
#include "inspect/type_second.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_second_inspect, type_second_setup},
                                         {NULL, INSPECTOR_COUNT, NULL, NULL}};

static void look(struct sink_list *list, enum task_ask ask, const void *data, size_t len)
{
    static const char *const types[] = {"any-binary", NULL};
    struct task task;
    sink_list_init(list);
    sink_task(&task, "x.bin", types);
    task.ask = ask;
    sink_run(list, inspectors, &task, data, len);
}

static size_t claims_n(const struct sink_list *list)
{
    size_t n = 0;
    for (int t = 0; t < TYPE_COUNT; t++)
        n += list->claims.of[t] != 0;
    return n;
}

/* A Java keystore with no entry: known to libmagic by its first four bytes and the version. */
static const uint8_t keystore[64] = {0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2};

Test(type_second, names_what_the_database_knows)
{
    struct sink_list list;
    cr_assert_eq(type_second_setup(-1), 0);
    look(&list, ASK_TYPE, keystore, sizeof(keystore));
    cr_assert_eq(list.claims.of[TYPE_KEYSTORE], 1u << EVIDENCE_SECOND);
    cr_assert_eq(claims_n(&list), 1u);
    cr_assert_eq(list.findings.n, 0u);
    sink_list_free(&list);
}

Test(type_second, says_nothing_of_noise_text_and_emptiness)
{
    struct sink_list list;
    uint8_t noise[4096];
    uint64_t seed = 42;
    for (size_t i = 0; i < sizeof(noise); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        noise[i] = (uint8_t)(seed >> 56);
    }
    cr_assert_eq(type_second_setup(-1), 0);
    look(&list, ASK_TYPE, noise, sizeof(noise));
    cr_assert(claims_n(&list) == 0 && list.findings.n == 0);
    look(&list, ASK_TYPE, "#!/bin/sh\necho\n", 15);
    cr_assert(claims_n(&list) == 0 && list.findings.n == 0);
    look(&list, ASK_TYPE, "", 0);
    cr_assert(claims_n(&list) == 0 && list.findings.n == 0);
    sink_list_free(&list);
}

Test(type_second, is_silent_where_it_is_not_asked)
{
    struct sink_list list;
    cr_assert_eq(type_second_setup(-1), 0);
    look(&list, ASK_LISTING, keystore, sizeof(keystore));
    cr_assert_eq(claims_n(&list), 0u);
    sink_list_free(&list);
}

Test(type_second, maps_names_exactly)
{
    cr_assert_eq(type_of_mime("application/x-rar", 17), TYPE_OTHER_ARCHIVE);
    cr_assert_eq(type_of_mime("application/x-rar", 16), TYPE_NONE);
    cr_assert_eq(type_of_mime("text/x-shellscript", 18), TYPE_NONE);
    cr_assert_eq(type_of_mime("application/x-dosexec", 21), TYPE_NONE);
}
