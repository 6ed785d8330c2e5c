/* SPDX-License-Identifier: ISC
 * For oracles, measurements and people: the type and active inspectors over the files named on standard input, one a line.
 *   type_say [TYPES]       findings, "PATH code level offset message" with tabs; TYPES: admitted, by commas (passive)
 *   type_say -c [TYPES]    claims instead: "PATH type:evidence ..."
 *   type_say -t [TYPES]    processor seconds and bytes per second instead */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "inspect/sink.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL},
                                       {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

struct say {
    bool claims, timing;
    struct type_set admitted;
    double spent, bytes;
    unsigned long files, refused;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may be busy too */
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say_findings(const char *path, const struct sink_list *list)
{
    for (size_t i = 0; i < list->findings.n; i++) {
        const struct finding *f = &list->findings.v[i];
        printf("%s\t%s\t%s\t%llu\t%s\n", path, finding_code_name(f->code), finding_level_name(f->level),
               (unsigned long long)f->offset, f->message ? f->message : "");
    }
}

static void say_claims(const char *path, const struct claims *claims)
{
    printf("%s", path);
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (claims->of[t])
            printf("\t%s:%x", type_name((enum type)t), claims->of[t]);
    printf("\n");
}

static bool refused(const struct sink_list *list)
{
    for (size_t i = 0; i < list->findings.n; i++)
        if (list->findings.v[i].level == LEVEL_REFUSE)
            return true;
    return false;
}

static void one(const char *path, struct say *say)
{
    static struct task task;
    struct stat st;
    struct inspection in;
    struct bytes b;
    struct sink_list list;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    sink_list_init(&list);
    sink_task(&task, path, NULL);
    task.admitted = say->admitted;
    bytes_init_fd(&b, fd, 0, (uint64_t)st.st_size);
    inspection_init(&in, &b, &task, &list.budget, &list.sink);
    double start = now();
    type_inspect(&in);
    active_inspect(&in);
    say->spent += now() - start;
    say->bytes += (double)st.st_size;
    say->files++;
    say->refused += refused(&list);
    if (say->claims)
        say_claims(path, &in.claims);
    else if (!say->timing)
        say_findings(path, &list);
    bytes_free(&b);
    sink_list_free(&list);
}

int main(int argc, char **argv)
{
    static struct say say;
    char line[8192];
    int arg = 1;
    say.claims = argc > arg && strcmp(argv[arg], "-c") == 0;
    say.timing = argc > arg && strcmp(argv[arg], "-t") == 0;
    arg += say.claims || say.timing;
    for (const char *p = argc > arg ? argv[arg] : "passive"; *p;) {
        size_t n = strcspn(p, ",");
        if (!type_group_add(&say.admitted, p, n))
            type_set_add(&say.admitted, type_from_name(p, n));
        p += n + (p[n] == ',');
    }
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        one(line, &say);
    }
    if (say.timing)
        printf("%lu files, %lu refused, %.1f MB, %.2f s, %.1f MB/s\n", say.files, say.refused, say.bytes / 1e6, say.spent,
               say.spent > 0 ? say.bytes / 1e6 / say.spent : 0);
    return 0;
}
