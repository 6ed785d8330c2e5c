/* SPDX-License-Identifier: ISC
 * For oracles, measurements and people: one scanner of active content over files, its findings one a line.
 *   active_say SCANNER CLAIMS TYPES FILE...      CLAIMS and TYPES: names of types, separated by commas
 *   active_say -t SCANNER CLAIMS TYPES FILE...   bytes per second instead */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/utf8.h"
#include "inspect/active_scanners.h"
#include "inspect/sink.h"
#include "inspect/type_text.h"

/* One scanner at a time: nothing else runs. */
const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

/* The validators of the type inspector: they say nothing but whether it is. */
static void json_form(struct inspection *in)
{
    if (!type_json_shape(in->bytes, false).valid)
        inspect_find(in, FINDING_TYPE_CONFLICT, "not well-formed JSON");
}

static void xml_form(struct inspection *in)
{
    if (!type_xml_shape(in->bytes).valid)
        inspect_find(in, FINDING_TYPE_CONFLICT, "not well-formed XML");
}

static const struct {
    const char *name;
    void (*scan)(struct inspection *in);
} scanners[] = {{"html", active_html_scan},         {"svg", active_html_scan},     {"xml", active_xml_scan},
                {"css", active_css_scan},           {"pdf", active_pdf_scan},     {"csv", active_csv_scan},
                {"markdown", active_markdown_scan}, {"text", active_text_scan},   {"notebook", active_notebook_scan},
                {"json-form", json_form},           {"xml-form", xml_form}};

static void each_type(const char *names, struct type_set *set, struct claims *claims)
{
    while (*names) {
        size_t n = strcspn(names, ",");
        if (set)
            type_set_add(set, type_from_name(names, n));
        if (claims)
            claims_add(claims, type_from_name(names, n), EVIDENCE_TEXT);
        names += n + (names[n] == ',');
    }
}

static bool is_text(int fd, size_t size)
{
    uint8_t *data = NULL;
    size_t len = 0;
    bool text = fd_read_all(fd, size + 1, &data, &len) == 0 && utf8_valid(data, len) && !memchr(data, 0, len);
    free(data);
    return text;
}

static void say(const char *path, const struct sink_list *list)
{
    for (size_t i = 0; i < list->findings.n; i++) {
        const struct finding *f = &list->findings.v[i];
        printf("%s:%u:%llu: %s %s%s%s\n", path, f->line, (unsigned long long)f->offset, finding_code_name(f->code),
               finding_level_name(f->level), f->message ? ": " : "", f->message ? f->message : "");
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may be busy too */
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns seconds spent in the scanner. */
static double one(const char *path, size_t scanner, const char *claims, const char *types, bool quiet, double *bytes)
{
    struct stat st;
    struct task task;
    struct inspection in;
    struct bytes b;
    struct sink_list list;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    sink_list_init(&list);
    sink_task(&task, path, NULL);
    each_type(types, &task.admitted, NULL);
    bytes_init_fd(&b, fd, 0, (uint64_t)st.st_size);
    inspection_init(&in, &b, &task, &list.budget, &list.sink);
    each_type(claims, NULL, &in.claims);
    in.text = is_text(fd, (size_t)st.st_size) ? TYPE_PLAIN : TYPE_NONE;
    double start = now();
    scanners[scanner].scan(&in);
    double spent = now() - start;
    if (!quiet)
        say(path, &list);
    *bytes += (double)st.st_size;
    bytes_free(&b);
    sink_list_free(&list);
    return spent;
}

int main(int argc, char **argv)
{
    bool timing = argc > 1 && strcmp(argv[1], "-t") == 0;
    char **args = argv + 1 + timing;
    double spent = 0, bytes = 0;
    if (argc - timing < 5)
        return 2;
    for (size_t i = 0; i < ARRAY_LEN(scanners); i++)
        if (strcmp(scanners[i].name, args[0]) == 0) {
            for (char **path = args + 3; *path; path++)
                spent += one(*path, i, args[1], args[2], timing, &bytes);
            if (timing)
                printf("%s %.1f MB %.1f MB/s\n", args[0], bytes / 1e6, spent > 0 ? bytes / 1e6 / spent : 0);
            return 0;
        }
    return 2;
}
