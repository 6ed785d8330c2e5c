/* SPDX-License-Identifier: ISC
 * See secret_samples.h. */
#include "secret_samples.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct inspector inspectors[] = {{"secret", INSPECTOR_SECRET, secret_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

static size_t assemble(const char *line, size_t len, uint8_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        bool join = len - i >= 3 && memcmp(line + i, "<+>", 3) == 0;
        bool line_break = len - i >= 3 && memcmp(line + i, "<n>", 3) == 0;
        if (line_break)
            out[n++] = '\n';
        else if (!join)
            out[n++] = (uint8_t)line[i];
        i += join || line_break ? 3 : 1;
    }
    return n;
}

static void load_one(struct sample *sample, const struct rule *rule)
{
    char path[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof(path), "%s/tests/rules/%s.hit", srcdir ? srcdir : ".", rule->id);
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s", path);
    char *line = NULL;
    size_t size = 0;
    ssize_t len = getline(&line, &size, f);
    cr_assert(len > 1, "%s", path);
    snprintf(sample->rule, sizeof(sample->rule), "%s", rule->id);
    sample->text = malloc((size_t)len);
    cr_assert(sample->text);
    sample->len = assemble(line, (size_t)len - 1, sample->text);
    free(line);
    fclose(f);
}

void samples_load(struct samples *samples, struct rule_table *table)
{
    cr_assert(rule_table_decode(table, rules_table, rules_table_len));
    samples->v = calloc(table->n, sizeof(*samples->v));
    cr_assert(samples->v);
    for (samples->n = 0; samples->n < table->n; samples->n++)
        load_one(&samples->v[samples->n], &table->v[samples->n]);
}

void samples_free(struct samples *samples)
{
    for (size_t i = 0; i < samples->n; i++)
        free(samples->v[i].text);
    free(samples->v);
}

static void run(struct sink_list *list, struct bytes *bytes, enum type text)
{
    static bool ready; /* the engine of the worker is set up once, too */
    struct task task;
    struct inspection in;
    if (!ready) {
        cr_assert(secret_setup(-1) == 0);
        secret_warm();
    }
    ready = true;
    sink_list_init(list);
    sink_task(&task, "sample.txt", NULL);
    inspection_init(&in, bytes, &task, &list->budget, &list->sink);
    in.text = text;
    secret_inspect(&in);
    bytes_free(bytes);
}

void sample_scan(struct sink_list *list, const void *text, size_t len)
{
    struct bytes bytes;
    bytes_init_memory(&bytes, text, len);
    run(list, &bytes, TYPE_PLAIN);
}

static void scan_file(struct sink_list *list, const void *text, size_t len, enum type type)
{
    struct bytes bytes;
    int fd = memfd_create("sample", MFD_CLOEXEC);
    cr_assert(fd >= 0);
    for (size_t at = 0; at < len;) {
        ssize_t n = write(fd, (const uint8_t *)text + at, len - at);
        cr_assert(n > 0);
        at += (size_t)n;
    }
    bytes_init_fd(&bytes, fd, 0, len);
    run(list, &bytes, type);
    close(fd);
}

void sample_scan_file(struct sink_list *list, const void *text, size_t len)
{
    scan_file(list, text, len, TYPE_PLAIN);
}

void sample_scan_binary(struct sink_list *list, const void *data, size_t len)
{
    scan_file(list, data, len, TYPE_NONE);
}

bool sample_found(const struct sink_list *list, const char *rule)
{
    for (size_t i = 0; i < list->findings.n; i++)
        if (strcmp(list->findings.v[i].rule, rule) == 0)
            return true;
    return false;
}

bool sample_leaks(const struct sink_list *list, const struct sample *sample)
{
    for (size_t i = 0; i < list->findings.n; i++) {
        const struct finding *f = &list->findings.v[i];
        for (size_t k = 0; k + 6 <= sample->len; k++) {
            char part[7] = "";
            memcpy(part, sample->text + k, 6);
            if ((f->message && strstr(f->message, part)) || (f->member && strstr(f->member, part)))
                return true;
        }
    }
    return false;
}

uint32_t sample_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
