/* SPDX-License-Identifier: ISC
 * Proves every control of the built-in sandbox, or says which is missing and what would provide it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/cmd_machine.h"
#include "cmd/cmd_probe.h"
#include "cmd/line.h"
#include "cmd/proof.h"
#include "engine/engine.h"
#include "inspect/inspect_spawn.h"

static const char *const state_words[] = {"not-asked", "missing", "unenforced", "enforced"};

int open_engine(struct container_engine *engine, const char *name, const char *image)
{
    AUTO_FD agent = spawn_find(NULL, "sallyport-hold");
    *engine = (struct container_engine){.agent = -1};
    if (agent < 0) {
        say("sallyport-hold was not found beside the program nor in " SP_LIBEXECDIR ", or others can write to it: %s",
            strerror(errno));
        return EXIT_CONTROL;
    }
    if (engine_open(engine, name, image, &agent) == 0)
        return EXIT_OK;
    say("%s", engine->fault[0] ? engine->fault : strerror(errno));
    return errno == EINVAL ? EXIT_USAGE : errno == EAGAIN ? EXIT_NOT_NOW : EXIT_CONTROL;
}

/* A daemon elsewhere has the probes' oracle on its own host: so where it is must be known first, by a container that is held
 * and let go of. */
static int find_engine(struct container_engine *engine, const char *program, int work)
{
    struct box_result result;
    char command[] = "/sallyport/probe", *argv[] = {command, NULL};
    struct run_input input = {.from = (char *)(uintptr_t)program, .at = command};
    struct contract contract = {.run = {.given = true, .command = {.v = argv, .n = 1}, .inputs = &input, .inputs_n = 1}};
    struct box_options options = {.contract = &contract, .contract_dir_fd = work, .capture_dir_fd = work,
                                  .interrupted = cmd_stop_signal()};
    if (engine->plain)
        return EXIT_OK;
    int rc = engine_check(engine, &options, &result);
    if (rc < 0)
        say("%s", result.fault[0] ? result.fault : strerror(errno));
    box_result_free(&result);
    return rc < 0 ? EXIT_CONTROL : EXIT_OK;
}

int prove_controls(const struct run_limits *asked, struct container_engine *engine, struct probe_report *report)
{
    char dir[PATH_BYTES], program_path[64];
    const char *tmp = getenv("TMPDIR");
    if (!line_surroundings())
        return EXIT_CONTROL;
    AUTO_FD program = spawn_find(NULL, "sallyport-probe");
    if (program < 0) {
        say("sallyport-probe was not found beside the program nor in " SP_LIBEXECDIR ", or others can write to it: %s",
            strerror(errno));
        return EXIT_CONTROL;
    }
    snprintf(program_path, sizeof program_path, "/proc/self/fd/%d", program);
    snprintf(dir, sizeof dir, "%s/sallyport-probe-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return line_fail("no private directory could be made for the probes in", tmp ? tmp : "/tmp", errno);
    AUTO_FD work = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct probe_options options = {.program = program_path, .asked = asked, .work_dir_fd = work,
                                    .interrupted = cmd_stop_signal(), .run = engine ? engine_run : NULL, .context = engine};
    int rc = engine && work >= 0 ? find_engine(engine, program_path, work) : EXIT_OK;
    options.oracle = engine && engine->elsewhere && !engine->plain ? engine_oracle : NULL;
    options.oracle_end = engine_oracle_end;
    if (rc == EXIT_OK && (work < 0 || probe_run_all(&options, report) != 0))
        rc = line_fail("the probes could not be run", report->fault[0] ? report->fault : engine ? engine->fault : NULL, errno);
    rmdir(dir);
    if (cmd_interrupted())
        return 128 + cmd_interrupted();
    return rc;
}

static bool needs_plan(const struct probe_report *report, enum control control)
{
    for (size_t i = 0; i < report->n; i++)
        if (report->rows[i].control == control && report->rows[i].required && report->rows[i].verdict != PROBE_HELD)
            return true;
    return false;
}

/* What would provide the control; a container's are the engine's and ours. */
static const char *plan_for(const struct args *args, enum control control)
{
    return !args->in     ? probe_plan(control)
           : args->plain ? "the flags and the agent of `run: engine:`, which --plain leaves out"
                         : "see what its probe says, and WHAT RUNS WHERE in sallyport(7)";
}

static void print_human(const struct args *args, const struct probe_report *report)
{
    size_t held = 0;
    printf("%s\n\n%-18s %-13s %-14s %s\n", report->base, "VERDICT", "CONTROL", "PROBE", "HOW");
    for (size_t i = 0; i < report->n; i++) {
        const struct probe_result *r = &report->rows[i];
        AUTO_FREE char *how = say_name(r->how);
        held += r->verdict == PROBE_HELD;
        printf("%-18s %-13s %-14s %s%s\n", probe_verdict_name(r->verdict), control_name(r->control), r->name,
               r->required ? "" : "not required: ", how ? how : "");
    }
    printf("\n%zu of %zu probes held, each against its mutant, in %llu ms\n", held, report->n,
           (unsigned long long)report->elapsed_ms);
    for (int c = 0; c < CONTROL_COUNT; c++)
        if (needs_plan(report, (enum control)c))
            printf("missing: %s: %s\n", control_name((enum control)c), plan_for(args, (enum control)c));
}

static void json_controls(struct jsonw *j, const struct args *args, const struct probe_report *report)
{
    jsonw_key(j, "controls");
    jsonw_array(j);
    for (int c = 0; c < CONTROL_COUNT; c++) {
        const struct control_status *s = &report->controls[c];
        jsonw_object(j);
        jsonw_put_text(j, "how", s->how);
        jsonw_put_text(j, "name", control_name((enum control)c));
        if (needs_plan(report, (enum control)c))
            jsonw_put_text(j, "plan", plan_for(args, (enum control)c));
        jsonw_put_bool(j, "proven", probe_control_held(report, (enum control)c));
        jsonw_put_text(j, "state", state_words[s->state]);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void json_rows(struct jsonw *j, const struct probe_report *report)
{
    jsonw_key(j, "probes");
    jsonw_array(j);
    for (size_t i = 0; i < report->n; i++) {
        const struct probe_result *r = &report->rows[i];
        jsonw_object(j);
        jsonw_put_text(j, "control", control_name(r->control));
        jsonw_put_text(j, "how", r->how);
        jsonw_put_text(j, "name", r->name);
        jsonw_put_bool(j, "required", r->required);
        jsonw_put_text(j, "verdict", probe_verdict_name(r->verdict));
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

/* The table and what it is true of. */
static void make_document(struct buf *out, const struct args *args, const struct probe_report *report,
                          const struct proof_binding *b)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "base", report->base);
    jsonw_put_text(&j, "boot_id", b->boot_id);
    json_controls(&j, args, report);
    jsonw_put_u64(&j, "elapsed_ms", report->elapsed_ms);
    jsonw_put_text(&j, "fault", report->fault);
    jsonw_put_text(&j, "kernel", b->kernel);
    jsonw_put_i64(&j, "made", b->made);
    jsonw_put_text(&j, "probe_sha256", b->probe);
    json_rows(&j, report);
    jsonw_put_text(&j, "program_sha256", b->program);
    jsonw_put_bool(&j, "proven", probe_all_held(report));
    jsonw_put_text(&j, "schema", "sallyport.probe/1");
    jsonw_put_u64(&j, "uid", b->uid);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
}

static int show(const struct args *args, const struct probe_report *report)
{
    struct proof_binding binding;
    struct buf out;
    int rc = EXIT_OK;
    AUTO_FD program = spawn_find(NULL, "sallyport-probe");
    if (program < 0 || proof_bind(&binding, program) != 0)
        return line_fail("this machine and these programs could not be identified", NULL, errno);
    buf_init(&out, MIB);
    make_document(&out, args, report, &binding);
    if (out.failed)
        rc = EXIT_INTERNAL;
    else if (args->format_given && args->format == REPORT_JSON)
        fwrite(out.data, 1, out.len, stdout);
    else
        print_human(args, report);
    if (rc == EXIT_OK && args->save && !binding.boot_id[0])
        say("nothing was saved: /proc hides the boot's id, to which a proof is bound");
    else if (rc == EXIT_OK && args->save && probe_all_held(report) && proof_save(args->save, &out) != 0)
        rc = line_fail("the proof could not be written to", args->save, errno);
    else if (rc == EXIT_OK && args->save && !probe_all_held(report))
        say("nothing was saved: the sandbox is not proven");
    buf_free(&out);
    return rc;
}

static int usage(const struct args *args)
{
    if (args->plain && !args->in) {
        say("--plain goes with --in docker:IMAGE or --in podman:IMAGE");
        return EXIT_USAGE;
    }
    if (args->operands.n > 1) {
        say("probe takes at most one contract");
        return EXIT_USAGE;
    }
    if (args->format_given && args->format != REPORT_HUMAN && args->format != REPORT_JSON) {
        say("probe knows --format human and json");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

/* The limits of the contract, where one was given: then only these are proven. */
static int limits_of(const struct args *args, struct line *line, const struct run_limits **asked)
{
    if (args->operands.n == 0)
        return EXIT_OK;
    int rc = line_begin(line, args, false);
    if (rc == EXIT_OK)
        rc = line_contract(line);
    if (rc == EXIT_OK && !line->contract->run.given) {
        say("the contract has no `run:`, so there is no sandbox to prove");
        return EXIT_USAGE;
    }
    if (rc == EXIT_OK)
        *asked = &line->contract->run.limits;
    return rc;
}

/* --in ENGINE:IMAGE */
static int prove_in(const struct args *args, const struct run_limits *asked, struct probe_report *report)
{
    static const char *const engines[] = {"docker", "podman"};
    AUTO_FREE struct container_engine *engine = malloc(sizeof *engine);
    for (size_t i = 0; engine && i < ARRAY_LEN(engines); i++) {
        size_t n = strlen(engines[i]);
        if (strncmp(args->in, engines[i], n) != 0 || args->in[n] != ':' || !args->in[n + 1])
            continue;
        int rc = open_engine(engine, engines[i], args->in + n + 1);
        engine->plain = args->plain;
        if (rc == EXIT_OK)
            rc = prove_controls(asked, engine, report);
        engine_close(engine);
        return rc;
    }
    if (strncmp(args->in, "orb:", 4) == 0 && !args->plain)
        return prove_machine(args->in + 4, report);
    say("--in wants docker:IMAGE, podman:IMAGE or orb:MACHINE");
    return EXIT_USAGE;
}

int cmd_probe(const struct args *args)
{
    struct line line;
    AUTO_FREE struct probe_report *report = calloc(1, sizeof *report);
    const struct run_limits *asked = NULL;
    int rc = usage(args);
    if (rc != EXIT_OK)
        return rc;
    rc = report ? limits_of(args, &line, &asked) : EXIT_INTERNAL;
    if (rc == EXIT_OK)
        rc = args->in ? prove_in(args, asked, report) : prove_controls(asked, NULL, report);
    if (args->operands.n)
        line_end(&line);
    if (rc != EXIT_OK)
        return rc;
    rc = show(args, report);
    return probe_all_held(report) ? rc : exit_worst(rc, EXIT_CONTROL);
}
