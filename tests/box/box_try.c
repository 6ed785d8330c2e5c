/* SPDX-License-Identifier: ISC
 * Runs one command in a box for the tests: box_try [KEY=VALUE ...] -- COMMAND ... Prints how it ended, what was in the
 * scratch's file "out", and whether the cleanup was proven. Exit 0 whenever box_run() answered. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/fd.h"
#include "box/box.h"

enum { INPUTS = 8 };

static const char *const ends[] = {"not-run", "exited", "signalled", "timed-out", "output-limit", "memory-limit",
                                   "interrupted", "setup-failed"};
static const char *const states[] = {"not-asked", "missing", "unenforced", "enforced"};

static void set_limit(uint64_t *value, bool *has, const char *text)
{
    *value = strtoull(text, NULL, 10);
    *has = true;
}

static bool set(struct contract *c, char *word, bool *check)
{
    struct run_limits *l = &c->run.limits;
    const struct {
        const char *key;
        uint64_t *value;
        bool *has;
    } table[] = {{"wall=", &l->wall_ms, &l->has_wall},          {"cpus=", &l->cpus_milli, &l->has_cpus},
                 {"memory=", &l->memory, &l->has_memory},       {"processes=", &l->processes, &l->has_processes},
                 {"scratch=", &l->scratch, &l->has_scratch},    {"inodes=", &l->inodes, &l->has_inodes},
                 {"file=", &l->file, &l->has_file},             {"output=", &l->output, &l->has_output}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strncmp(word, table[i].key, strlen(table[i].key)) == 0) {
            set_limit(table[i].value, table[i].has, word + strlen(table[i].key));
            return true;
        }
    if (strncmp(word, "base=", 5) == 0) {
        c->run.base = word + 5;
        return true;
    }
    bool copy = strncmp(word, "copy=", 5) == 0;
    if (copy || strncmp(word, "input=", 6) == 0) { /* input=FROM:AT */
        char *from = word + (copy ? 5 : 6), *at = strchr(from, ':');
        if (!at || c->run.inputs_n == INPUTS)
            return false;
        *at = 0;
        c->run.inputs[c->run.inputs_n++] = (struct run_input){.from = from, .at = at + 1, .copy = copy};
        return true;
    }
    if (strcmp(word, "unenforced") == 0)
        return l->memory_unenforced = true;
    if (strcmp(word, "check") == 0)
        return *check = true;
    return false;
}

static void show(const char *title, int fd)
{
    uint8_t *text = NULL;
    size_t len = 0;
    if (fd >= 0 && fd_read_all(fd, 1 << 20, &text, &len) == 0) {
        printf("%s: ", title);
        fwrite(text, 1, len > 2000 ? 2000 : len, stdout);
        printf("%s", len && len <= 2000 && text[len - 1] == '\n' ? "" : "\n");
    }
    free(text);
}

static void show_controls(const struct box_result *r)
{
    for (unsigned i = 0; i < CONTROL_COUNT; i++)
        if (r->controls[i].state != CONTROL_NOT_ASKED)
            printf("control %s: %s (%s)\n", control_name((enum control)i), states[r->controls[i].state],
                   r->controls[i].how);
}

int main(int argc, char **argv)
{
    struct run_input inputs[INPUTS];
    struct contract c = {.run = {.given = true, .inputs = inputs}};
    struct box_result r;
    bool check = false;
    int i = 1;
    char dir[256];
    snprintf(dir, sizeof dir, "%s/box-try-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!set(&c, argv[i], &check)) {
            fprintf(stderr, "box_try: what is '%s'?\n", argv[i]);
            return 2;
        }
    if (i + 1 >= argc || !mkdtemp(dir))
        return 2;
    c.run.command = (struct text_list){.v = argv + i + 1, .n = (size_t)(argc - i - 1)};
    AUTO_FD capture = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_FD here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct box_options o = {.contract = &c, .contract_dir_fd = here, .capture_dir_fd = capture};
    int rc = check ? box_check(&o, &r) : box_run(&o, &r);
    int error = errno;
    printf("changed: %d\nrc: %d%s%s\nend: %s %d\nfault: %s\nquiesced: %d\nbase: %s\n", r.inputs_changed, rc, rc < 0 ? " " : "",
           rc < 0 ? strerror(error) : "", ends[r.end], r.status, r.fault, r.quiesced, r.base);
    printf("elapsed: %" PRIu64 "\ncpu: %" PRIu64 "\npeak: %" PRIu64 "\nout: %" PRIu64 "\nerr: %" PRIu64 "\n",
           r.elapsed_ms, r.cpu_ms, r.memory_peak, r.stdout_bytes, r.stderr_bytes);
    printf("hit:");
    for (unsigned k = 0; k < CONTROL_COUNT; k++)
        if (r.limits_hit & (1u << k))
            printf(" %s", control_name((enum control)k));
    printf("\nresidue: %d\n", r.residue);
    show_controls(&r);
    show("stdout", r.stdout_fd);
    show("stderr", r.stderr_fd);
    AUTO_FD out = r.scratch_fd < 0 ? -1 : openat(r.scratch_fd, "out", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    show("scratch/out", out);
    fd_close(&out);
    if (r.scratch_fd >= 0)
        printf("gone: %d\n", box_end(&r));
    box_result_free(&r);
    rmdir(dir);
    return 0;
}
