/* SPDX-License-Identifier: ISC
 * The words that make a container: what ours close, what each mutant leaves out, and what the plain line does not have. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "engine/engine_job.h"

struct fixture {
    struct container_engine engine;
    struct engine_job job;
    struct box_result result;
    struct contract contract;
    struct box_input inputs[2];
    char *argv[3], *envp[2];
};

static void make(struct fixture *f, const char *engine)
{
    static char program[] = "/bin/job", argument[] = "--flag", home[] = "HOME=/scratch", tree[] = "/src/tree", file[] = "/src/file";
    memset(f, 0, sizeof *f);
    f->engine.client.name = engine;
    strcpy(f->engine.image_id, "sha256:1234");
    f->argv[0] = program;
    f->argv[1] = argument;
    f->envp[0] = home;
    f->inputs[0] = (struct box_input){.path = tree, .at = "/target", .directory = true};
    f->inputs[1] = (struct box_input){.path = file, .at = "/one"};
    f->contract.run.limits = (struct run_limits){.has_memory = true, .memory = 1048576, .has_processes = true, .processes = 20,
                                                 .has_cpus = true, .cpus_milli = 1500, .has_scratch = true, .scratch = 4096,
                                                 .has_inodes = true, .inodes = 50, .has_file = true, .file = 99};
    f->job = (struct engine_job){.engine = &f->engine, .result = &f->result,
                                 .plan = {.run = &f->contract.run, .argv = f->argv, .envp = f->envp, .inputs = f->inputs,
                                          .inputs_n = 2, .uid = 1900000005, .gid = 1900000005}};
    strcpy(f->job.stage, "/tmp/stage");
    strcpy(f->job.name, "sallyport-1-00000001");
}

static bool has(const struct fixture *f, const char *word)
{
    for (size_t i = 0; i < f->job.words.n; i++)
        if (strcmp(f->job.words.v[i], word) == 0)
            return true;
    return false;
}

static bool begins(const struct fixture *f, const char *start)
{
    for (size_t i = 0; i < f->job.words.n; i++)
        if (strncmp(f->job.words.v[i], start, strlen(start)) == 0)
            return true;
    return false;
}

Test(engine_plan, ours)
{
    static struct fixture f;
    static const char *const wanted[] = {"create", "--network=none", "--read-only", "--ipc=none", "--cap-drop=ALL",
                                         "--security-opt=no-new-privileges", "--user=1900000005:1900000005", "--log-driver=none",
                                         "--memory=1048576", "--memory-swap=1048576", "--pids-limit=21", "--cpus=1.500",
                                         "--pull=never", "--tmpfs=/dev/mqueue:ro,size=4k", "sha256:1234", "off=0", "file=99",
                                         "--tmpfs=/scratch:rw,exec,nosuid,nodev,size=4096,nr_inodes=50",
                                         "--mount=type=bind,src=/src/tree,dst=/target,readonly",
                                         "--mount=type=bind,src=/tmp/stage/file-1,dst=/one,readonly", "--flag"};
    make(&f, "docker");
    cr_assert_eq(engine_words(&f.job), 0, "%s", f.result.fault);
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        cr_assert(has(&f, wanted[i]), "%s", wanted[i]);
    cr_assert_not(begins(&f, "--cap-add"));
    cr_assert_not(begins(&f, "--env"));
    cr_assert(strstr(f.engine.flags, "--network=none") && !strstr(f.engine.flags, "/src/tree"));
    free(f.job.store);
}

Test(engine_plan, each_mutant_leaves_its_control_out)
{
    static const struct {
        enum control control;
        const char *gone, *there;
    } table[] = {{CONTROL_NETWORK, "--network=none", "--network=host"},
                 {CONTROL_SCRATCH_ONLY, "--read-only", "--user=0:0"},
                 {CONTROL_PRIVILEGE, "--security-opt=no-new-privileges", "--cap-add=SYS_ADMIN"},
                 {CONTROL_NAMESPACES, "--pid=none", "--pid=host"},
                 {CONTROL_SECCOMP, "--security-opt=seccomp=x", "--security-opt=seccomp=unconfined"},
                 {CONTROL_INPUTS, "--mount=type=bind,src=/src/tree,dst=/target,readonly",
                  "--mount=type=bind,src=/src/tree,dst=/target"},
                 {CONTROL_MEMORY, "--memory=1048576", "create"},
                 {CONTROL_PROCESSES, "--pids-limit=21", "create"},
                 {CONTROL_CPUS, "--cpus=1.500", "create"},
                 {CONTROL_FILE_SIZE, "file=99", "create"}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        static struct fixture f;
        make(&f, "docker");
        f.job.options.off = 1u << table[i].control;
        cr_assert_eq(engine_words(&f.job), 0);
        cr_assert_not(has(&f, table[i].gone), "%s", table[i].gone);
        cr_assert(has(&f, table[i].there), "%s", table[i].there);
        cr_assert_eq(f.engine.flags[0], 0); /* a mutant's flags are not those of the record */
        free(f.job.store);
    }
}

Test(engine_plan, podman_has_no_inodes_of_a_tmpfs)
{
    static struct fixture f;
    make(&f, "podman");
    cr_assert_eq(engine_words(&f.job), 0);
    cr_assert(has(&f, "--tmpfs=/scratch:rw,exec,nosuid,nodev,size=4096"));
    cr_assert(has(&f, "--read-only-tmpfs=false"));
    free(f.job.store);
}

Test(engine_plan, the_plain_line)
{
    static struct fixture f;
    make(&f, "docker");
    f.engine.plain = true;
    cr_assert_eq(engine_words(&f.job), 0);
    cr_assert(has(&f, "run") && has(&f, "--user=65534:65534") && has(&f, "--entrypoint=/bin/job"));
    cr_assert_not(begins(&f, "--ipc") || begins(&f, "--log-driver") || begins(&f, "--interactive"));
    free(f.job.store);
}

Test(engine_plan, what_cannot_be_written_as_a_mount)
{
    static struct fixture f;
    static char comma[] = "/src/a,b";
    make(&f, "docker");
    f.inputs[0].path = comma;
    cr_assert_eq(engine_words(&f.job), -1);
    cr_assert_eq(errno, EINVAL);
    cr_assert(strstr(f.result.fault, "no path with a comma"));
    free(f.job.store);
    make(&f, "docker");
    f.inputs[0].copy = true;
    cr_assert_eq(engine_words(&f.job), -1);
    cr_assert(strstr(f.result.fault, "built-in runner only"));
    free(f.job.store);
}

Test(engine_plan, the_agent_alone)
{
    static struct fixture f;
    static const char *const wanted[] = {"--user=0:0", "--cap-drop=ALL", "--cap-add=SYS_ADMIN", "--cap-add=SETUID",
                                         "--cap-add=SETGID", "--cap-add=SETPCAP", "--cap-add=CHOWN", "--cap-add=KILL",
                                         "--cap-add=DAC_READ_SEARCH", "--network=none", "--read-only", "--ipc=none",
                                         "--security-opt=no-new-privileges", "far=1", "uid=1900000005", "inodes=50", "file=99",
                                         "--pids-limit=21", "--memory=1048576"};
    size_t given = 0;
    make(&f, "docker");
    f.engine.elsewhere = true;
    cr_assert_eq(engine_words(&f.job), 0, "%s", f.result.fault);
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        cr_assert(has(&f, wanted[i]), "%s", wanted[i]);
    for (size_t i = 0; i < f.job.words.n; i++)
        given += strncmp(f.job.words.v[i], "--cap-add=", 10) == 0;
    cr_assert_eq(given, 7);
    cr_assert_not(begins(&f, "--mount")); /* nothing of this host is there to be bound */
    free(f.job.store);
}
