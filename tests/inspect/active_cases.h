/* SPDX-License-Identifier: ISC
 * For tests of active-content scanners: one payload through one scanner, its findings as one line of text such as
 * "html-script refuse, external-load warn", so that a table row states all that may be said and nothing else. */
#ifndef SALLYPORT_TEST_ACTIVE_CASES_H
#define SALLYPORT_TEST_ACTIVE_CASES_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "inspect/active_scanners.h"
#include "inspect/sink.h"

/* Stands in for the secret inspector: shows which bytes a scanner hands over to be looked through. */
#define ACTIVE_MARK "credential+mark"

static void active_spot(struct inspection *in)
{
    uint8_t *data = malloc((size_t)in->bytes->size + 1), *hit;
    cr_assert(bytes_copy(in->bytes, 0, data, (size_t)in->bytes->size));
    hit = memmem(data, (size_t)in->bytes->size, ACTIVE_MARK, sizeof(ACTIVE_MARK) - 1);
    if (hit)
        inspect_secret(in, "mark", LEVEL_REFUSE, (uint64_t)(hit - data), 0, sizeof(ACTIVE_MARK) - 1, NULL);
    free(data);
}

/* One scanner at a time: nothing else runs. */
const struct inspector inspectors[] = {{"secret", INSPECTOR_SECRET, active_spot, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

struct active_case {
    const char *name;
    void (*scan)(struct inspection *in);
    const char *claims; /* types claimed by content, separated by blanks */
    const char *types;  /* types that the output admits, separated by blanks */
    const char *content;
    const char *want;
};

static void each_type(const char *names, struct type_set *set, struct claims *claims)
{
    while (*names) {
        size_t n = strcspn(names, " ");
        enum type type = type_from_name(names, n);
        cr_assert_neq(type, TYPE_NONE, "no type %.*s", (int)n, names);
        if (set)
            type_set_add(set, type);
        if (claims)
            claims_add(claims, type, EVIDENCE_TEXT);
        names += n + (names[n] == ' ');
    }
}

static void active_run(struct sink_list *list, const struct active_case *c, struct bytes *bytes, bool text)
{
    struct task task;
    struct inspection in;
    sink_task(&task, "case", NULL);
    each_type(c->types, &task.admitted, NULL);
    inspection_init(&in, bytes, &task, &list->budget, &list->sink);
    each_type(c->claims, NULL, &in.claims);
    in.text = text ? TYPE_PLAIN : TYPE_NONE;
    c->scan(&in);
}

static void active_line(const struct sink_list *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->findings.n && used < size; i++) {
        const char *name = finding_code_name(list->findings.v[i].code);
        const char *slug = strncmp(name, "active/", 7) == 0 ? name + 7 : name;
        used += (size_t)snprintf(out + used, size - used, "%s%s %s", i ? ", " : "", slug,
                                 finding_level_name(list->findings.v[i].level));
    }
}

UNUSED static void active_check(const struct active_case *c, const void *data, size_t len)
{
    char line[512];
    struct bytes bytes;
    struct sink_list list;
    sink_list_init(&list);
    bytes_init_memory(&bytes, data, len);
    active_run(&list, c, &bytes, utf8_valid(data, len) && !memchr(data, 0, len));
    active_line(&list, line, sizeof(line));
    cr_expect_str_eq(line, c->want, "%s: said \"%s\", want \"%s\"", c->name, line, c->want);
    sink_list_free(&list);
}

UNUSED static void active_table(const struct active_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        active_check(&cases[i], cases[i].content, strlen(cases[i].content));
}

/* The same payload behind `fill` repeated so that the border of the first window cuts it at each of its bytes: what is
 * said, and where in the payload, must not change. Read through a file, in real windows. */
UNUSED static void active_borders(const struct active_case *c, const char *head, char fill)
{
    size_t n = strlen(c->content), h = strlen(head), total = BYTES_WINDOW + n;
    char *data = malloc(total);
    for (size_t cut = 0; cut <= n; cut++) {
        size_t start = BYTES_WINDOW - cut;
        char line[512];
        struct bytes bytes;
        struct sink_list list;
        FILE *file = tmpfile();
        memset(data, fill, total);
        memcpy(data, head, h);
        memcpy(data + start, c->content, n);
        cr_assert_eq(fwrite(data, 1, start + n, file), start + n);
        fflush(file);
        sink_list_init(&list);
        bytes_init_fd(&bytes, fileno(file), 0, start + n);
        active_run(&list, c, &bytes, true);
        active_line(&list, line, sizeof(line));
        cr_expect_str_eq(line, c->want, "%s cut at %zu: said \"%s\"", c->name, cut, line);
        for (size_t i = 0; i < list.findings.n; i++)
            cr_expect_geq(list.findings.v[i].offset, start, "%s cut at %zu: offset", c->name, cut);
        bytes_free(&bytes);
        sink_list_free(&list);
        fclose(file);
    }
    free(data);
}

#endif
