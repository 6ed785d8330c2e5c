/* SPDX-License-Identifier: ISC
 * Runs all probes and prints their table: box_probe PROGRAM [OFF [LIMIT]], where OFF is a set of controls
 * (hexadecimal) that even the real profile leaves out: then the probes must find out. LIMIT is the only
 * limit that is proven then, or "none". For the tests of the driver without the command line. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "probe/probe.h"

static void ask(struct run_limits *l, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } table[] = {{"file", &l->has_file},     {"scratch", &l->has_scratch}, {"inodes", &l->has_inodes},
                 {"output", &l->has_output}, {"wall", &l->has_wall}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        *table[i].flag = strcmp(table[i].name, name) == 0;
}

int main(int argc, char **argv)
{
    AUTO_FREE struct probe_report *made = calloc(1, sizeof *made);
    char dir[256];
    snprintf(dir, sizeof dir, "%s/box-probe-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (argc < 2 || !made || !mkdtemp(dir))
        return 2;
    AUTO_FD fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_FREE char *program = realpath(argv[1], NULL);
    if (!program)
        return 2;
    struct probe_options o = {.program = program, .work_dir_fd = fd,
                              .off = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 16) : 0};
    struct run_limits asked = {0};
    if (argc > 3) {
        ask(&asked, argv[3]);
        o.asked = &asked;
    }
    if (probe_run_all(&o, made) < 0)
        printf("error: %s\n", strerror(errno));
    for (size_t i = 0; i < made->n; i++)
        printf("%s %s %s%s (%s)\n", probe_verdict_name(made->rows[i].verdict), control_name(made->rows[i].control),
               made->rows[i].name, made->rows[i].required ? "" : " [not required]", made->rows[i].how);
    printf("fault: %s\nelapsed: %" PRIu64 "\nall held: %d\n", made->fault, made->elapsed_ms, probe_all_held(made));
    if (rmdir(dir) < 0)
        printf("left behind in the work directory: %s\n", strerror(errno));
    return 0;
}
