/* SPDX-License-Identifier: ISC
 * Runs the secret inspector outside its worker: over files named on the command line, or over texts on standard input
 * (a decimal length, a line feed, the bytes; answered by one line for each finding and a line with a dot). For the recall
 * tests, the false-alarm measure and curious people; it prints what a finding carries, never a secret. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/utf8.h"
#include "inspect/secret_first.h"
#include "inspect/sink.h"

const struct inspector inspectors[] = {{"secret", INSPECTOR_SECRET, secret_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

static void print_findings(const char *name, const struct sink_list *list)
{
    for (size_t i = 0; i < list->findings.n; i++) {
        const struct finding *f = &list->findings.v[i];
        char code[RULE_ID_MAX + 32];
        finding_name(f, code, sizeof(code));
        printf("%s%s%s\t%s\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%s\n", name ? name : "", name ? "\t" : "", code,
               finding_level_name(f->level), f->offset, f->line, f->length, f->message ? f->message : "");
    }
}

static void probe(const char *name, struct bytes *bytes, bool text)
{
    struct sink_list list;
    struct task task;
    struct inspection in;
    sink_list_init(&list);
    sink_task(&task, "probe.txt", NULL);
    inspection_init(&in, bytes, &task, &list.budget, &list.sink);
    in.text = text ? TYPE_PLAIN : TYPE_NONE;
    secret_inspect(&in);
    print_findings(name, &list);
    sink_list_free(&list);
}

static int probe_file(const char *name)
{
    struct bytes bytes;
    struct stat st;
    AUTO_FD fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return -1;
    bytes_init_fd(&bytes, fd, 0, (uint64_t)st.st_size);
    probe(name, &bytes, true);
    bytes_free(&bytes);
    return 0;
}

static int probe_stream(void)
{
    char line[32];
    while (fgets(line, sizeof(line), stdin)) {
        size_t len = strtoul(line, NULL, 10);
        uint8_t *data = len < 256 * MIB ? malloc(len + 1) : NULL;
        struct bytes bytes;
        if (!data || fread(data, 1, len, stdin) != len) {
            free(data);
            return -1;
        }
        bytes_init_memory(&bytes, data, len);
        probe(NULL, &bytes, true);
        puts(".");
        fflush(stdout);
        bytes_free(&bytes);
        free(data);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (secret_setup(-1) != 0) {
        fprintf(stderr, "secret_probe: the rules cannot be loaded\n");
        return 70;
    }
    secret_warm();
    if (argc < 2)
        return probe_stream() != 0;
    for (int i = 1; i < argc; i++)
        if (probe_file(argv[i]) != 0)
            fprintf(stderr, "secret_probe: %s: not read\n", argv[i]);
    return 0;
}
