/* SPDX-License-Identifier: ISC
 * For tests of scanners of binary formats: bytes under a name through the type and active inspectors, what they say as
 * one line ("pickle refuse, image-trailing warn"), so that a row states all that may be said and nothing else. */
#ifndef SALLYPORT_TEST_BINARY_CASES_H
#define SALLYPORT_TEST_BINARY_CASES_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "inspect/sink.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL},
                                       {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
#ifdef BINARY_SECRET /* what a test puts in the place of the secret inspector */
                                       {"secret", INSPECTOR_SECRET, BINARY_SECRET, NULL},
#endif
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

static void binary_run(struct sink_list *list, const char *path, const char *types, const void *data, size_t len)
{
    static const char *const none[] = {NULL};
    struct task task;
    sink_list_init(list);
    sink_task(&task, path, none);
    while (*types) {
        size_t n = strcspn(types, " ");
        enum type type = type_from_name(types, n);
        cr_assert_neq(type, TYPE_NONE, "no type %.*s", (int)n, types);
        type_set_add(&task.admitted, type);
        types += n + (types[n] == ' ');
    }
    sink_run(list, inspectors, &task, data, len);
}

UNUSED static void binary_line(const struct sink_list *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->findings.n && used < size; i++) {
        const struct finding *f = &list->findings.v[i];
        const char *name = finding_code_name(f->code);
        used += (size_t)snprintf(out + used, size - used, "%s%s %s", i ? ", " : "",
                                 strncmp(name, "active/", 7) == 0 ? name + 7 : name, finding_level_name(f->level));
    }
}

/* The findings must be exactly `want`; each has a message of at most MESSAGE_BYTES and an offset inside the file. */
UNUSED static void binary_check(const char *name, const char *path, const char *types, const void *data, size_t len,
                                const char *want)
{
    struct sink_list list;
    char line[512];
    binary_run(&list, path, types, data, len);
    binary_line(&list, line, sizeof(line));
    cr_expect_str_eq(line, want, "%s: said \"%s\", want \"%s\"", name, line, want);
    for (size_t i = 0; i < list.findings.n; i++)
        cr_expect_leq(list.findings.v[i].offset, len, "%s", name);
    sink_list_free(&list);
}

#endif
