/* SPDX-License-Identifier: ISC
 * The whole line: the job first, in a box whose every asked-for control is enforced, then the same steps as promote on
 * the scratch that only we hold. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/say.h"
#include "box/box.h"
#include "cmd/cmd.h"
#include "cmd/cmd_probe.h"
#include "cmd/fetch.h"
#include "cmd/line.h"
#include "cmd/line_far.h"
#include "cmd/proof.h"
#include "engine/engine.h"

static int check_run(const struct line *line)
{
    const struct run *run = &line->contract->run;
    if (!run->given) {
        say("the contract has no `run:`; promote takes outputs that are already there");
        return EXIT_USAGE;
    }
    return fetch_allowed(line);
}

/* Which control is missing, and what the owner can do. */
static int say_missing(const struct box_result *result)
{
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (result->controls[i].state == CONTROL_MISSING) {
            say("control missing: %s: %s", control_name((enum control)i), result->controls[i].how);
            say("  what would provide it: %s", probe_plan((enum control)i));
        }
    say("the job was not started%s%s", result->fault[0] ? ": " : "", result->fault);
    return EXIT_CONTROL;
}

static const char *end_word(enum box_end end)
{
    static const char *const words[] = {[BOX_NOT_RUN] = "did not run", [BOX_EXITED] = "ended with status",
                                        [BOX_SIGNALLED] = "was killed by signal", [BOX_TIMED_OUT] = "ran over its wall limit",
                                        [BOX_OUTPUT_LIMIT] = "wrote more output than its limit",
                                        [BOX_MEMORY_LIMIT] = "ran over its memory limit",
                                        [BOX_INTERRUPTED] = "was interrupted", [BOX_SETUP_FAILED] = "could not be set up"};
    return (unsigned)end < ARRAY_LEN(words) ? words[end] : "ended";
}

static bool job_accepted(const struct line *line, const struct box_result *result)
{
    return result->end == BOX_EXITED && accept_exit_has(&line->contract->run, result->status);
}

/* How it ended, and the limits that a job meets without ending. False: memory ran out. */
static bool describe_end(const struct box_result *result, struct buf *out)
{
    static const enum control quiet[] = {CONTROL_PROCESSES, CONTROL_FILE_SIZE, CONTROL_SCRATCH_SIZE, CONTROL_INODES};
    const char *before = ", having met its limit of ";
    buf_text(out, end_word(result->end));
    if (result->end == BOX_EXITED || result->end == BOX_SIGNALLED)
        buf_printf(out, " %d", result->status);
    for (size_t i = 0; i < ARRAY_LEN(quiet); i++)
        if (result->limits_hit & (1u << quiet[i])) {
            buf_text(out, before);
            buf_text(out, control_name(quiet[i]));
            before = " and ";
        }
    buf_u8(out, '\0');
    return !out->failed;
}

static void log_job(struct line *line, const struct box_result *result)
{
    struct buf detail;
    buf_init(&detail, 256);
    const char *text = describe_end(result, &detail) ? (const char *)detail.data : end_word(result->end);
    line_did(line, "job", text);
    if (!job_accepted(line, result) && result->end != BOX_SETUP_FAILED && result->end != BOX_INTERRUPTED)
        say("the job %s; its outputs are inspected and recorded, nothing is published", text);
    buf_free(&detail);
}

static int contract_directory(const struct line *line)
{
    const char *file = line->contract->file ? line->contract->file : "";
    const char *slash = strrchr(file, '/');
    AUTO_FREE char *dir = slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
    return dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* Every control that the contract's limits ask for, shown to hold against its mutant before the job starts. */
static int prove(struct line *line, struct container_engine *engine, struct probe_report *proof)
{
    char detail[96];
    size_t held = 0;
    const struct run_limits *limits = &line->contract->run.limits;
    const char *saved = line->fetch ? NULL : line->args->proof; /* that the network is gone is shown after it was there */
    int rc = saved ? proof_load(saved, limits, engine, proof) : prove_controls(limits, engine, proof);
    for (size_t i = 0; rc == EXIT_OK && i < proof->n; i++) {
        const struct probe_result *r = &proof->rows[i];
        held += r->verdict == PROBE_HELD;
        if (!r->required || r->verdict == PROBE_HELD)
            continue;
        say("%s: %s: probe %s: %s", probe_verdict_name(r->verdict), control_name(r->control), r->name, r->how);
    }
    if (rc != EXIT_OK)
        return rc;
    if (!probe_all_held(proof)) {
        say("the sandbox could not be proven, and the job was not started; see sallyport probe%s",
            engine ? " --in ENGINE:IMAGE" : "");
        return EXIT_CONTROL;
    }
    snprintf(detail, sizeof(detail), "%zu of %zu probes held, each against its mutant%s", held, proof->n,
             saved ? " (saved proof)" : "");
    line_did(line, "prove", detail);
    line->proof = proof;
    return EXIT_OK;
}

/* The runner that the contract names; the engine is opened first, and what it is goes into the record. */
struct runner {
    struct container_engine *engine; /* NULL: built in */
    struct box_result *result;
    struct probe_report *proof;
    struct fetch *fetch;
    struct engine_take take;         /* out of a container elsewhere */
};

static int start_engine(struct line *line, struct runner *runner)
{
    const struct run *run = &line->contract->run;
    const char *name = run->engine == ENGINE_DOCKER ? "docker" : "podman";
    if (run->engine == ENGINE_BUILTIN)
        return EXIT_OK;
    runner->engine = malloc(sizeof *runner->engine);
    if (!runner->engine)
        return EXIT_INTERNAL;
    int rc = open_engine(runner->engine, name, run->image);
    line->engine = runner->engine;
    if (rc == EXIT_OK)
        line_did(line, "engine", runner->engine->version);
    return rc;
}

static int dry_run(const struct runner *runner, const struct box_options *options)
{
    return runner->engine ? engine_check(runner->engine, options, runner->result) : box_check(options, runner->result);
}

/* A container elsewhere is read while it is there: what is wanted of it is decided in between. */
static int real_run(struct line *line, struct runner *runner, const struct box_options *options)
{
    if (!runner->engine)
        return box_run(options, runner->result);
    line->box = runner->result;
    if (line_far_begin(line, &runner->take) != 0)
        return -1;
    runner->engine->take = &runner->take;
    int rc = engine_run(runner->engine, options, runner->result), saved = errno;
    if (runner->engine->elsewhere)
        line_did(line, "elsewhere", runner->engine->why);
    errno = saved;
    return rc;
}

/* The job's scratch becomes the source, and its captured output two more files of it. */
static int adopt(struct line *line, struct runner *runner)
{
    struct box_result *result = runner->result;
    line->box = result;
    line->source_kind = "scratch";
    line->source_text = strdup(result->elsewhere ? "the scratch of a container, as the agent inside sent it"
                               : line->engine    ? "the scratch of a container"
                                                 : "the scratch of the built-in runner");
    line_capture(line, result);
    if (result->elsewhere)
        return line_far_adopt(line, &runner->take);
    if (root_adopt(&line->root, &result->scratch_fd, RESOLVE_UNPROBED) != 0)
        return line_fail("the scratch of the job cannot be read", NULL, errno);
    return EXIT_OK;
}

static int run_job(struct line *line, struct runner *runner)
{
    struct box_result *result = runner->result;
    AUTO_FD contract_dir = contract_directory(line);
    AUTO_FD capture_dir = publish_private(line->publish, "capture");
    struct box_options options = {.contract = line->contract, .contract_dir_fd = contract_dir,
                                        .capture_dir_fd = capture_dir, .interrupted = cmd_stop_signal()};
    if (contract_dir < 0 || capture_dir < 0)
        return line_fail("the job could not be prepared", NULL, errno);
    int opened = start_engine(line, runner);
    if (opened != EXIT_OK)
        return opened;
    /* with a saved proof the run's own set-up says as well what is missing, before it starts anything */
    int rc = line->args->proof ? 0 : dry_run(runner, &options);
    if (cmd_interrupted())
        return 128 + cmd_interrupted();
    if (rc == 1)
        return say_missing(result);
    if (rc == 0 && line->contract->run.fetch.given) {
        int fetched = fetch_run(line, &options, runner->fetch);
        if (fetched != EXIT_OK)
            return fetched;
        options.fetched = &runner->fetch->box;
    }
    if (rc == 0) {
        int proven = prove(line, runner->engine, runner->proof);
        if (proven != EXIT_OK)
            return proven;
        rc = real_run(line, runner, &options);
        if (rc != 0 && cmd_interrupted())
            return 128 + cmd_interrupted();
    }
    if (rc == 1)
        return say_missing(result);
    if (rc != 0 && result->fault[0] && (errno == EINVAL || errno == ENOTSUP || errno == ENOENT)) {
        say("%s", result->fault);
        return EXIT_USAGE;
    }
    if (rc != 0 && result->elsewhere && !result->fault[0])
        return line_fail("what the container elsewhere sent could not be kept", NULL, errno);
    if (rc == 0 && result->not_started) {
        say("%s", result->fault);
        return EXIT_JOB;
    }
    if (rc != 0 || result->end == BOX_SETUP_FAILED) {
        say("the sandbox could not be set up: %s", result->fault[0] ? result->fault : strerror(errno));
        return EXIT_CONTROL;
    }
    if (result->inputs_changed) {
        say("%s", result->fault);
        return EXIT_CONTROL;
    }
    log_job(line, result);
    return cmd_interrupted() ? 128 + cmd_interrupted() : adopt(line, runner);
}

/* Closing the last descriptor is the deletion; the instrument outside must see it. */
static int end_job(struct line *line, struct box_result *result, struct fetch *fetch)
{
    root_close(&line->root);
    if (box_end(result) == 0 && fetch_end(fetch) == 0) {
        line_did(line, "cleanup", "proven");
        return EXIT_OK;
    }
    line_did(line, "cleanup", "not proven");
    say("it could not be proven that nothing of the job is left: %s", result->fault[0] ? result->fault : "cleanup");
    return EXIT_CONTROL;
}

static int promote_outputs(struct line *line, struct box_result *result, struct fetch *fetch)
{
    int rc = line_walk(line);
    if (rc == EXIT_OK && !result->quiesced &&
        finding_list_note(&line->whole, FINDING_FILE_WRITER_OPEN,
                          "it could not be shown that nothing of the job can write to its scratch any more") != 0)
        rc = line_fail("run", NULL, errno);
    if (rc == EXIT_OK)
        rc = line_items(line);
    if (rc == EXIT_OK)
        rc = end_job(line, result, fetch);
    if (rc == EXIT_OK)
        rc = line_decide(line);
    if (rc == EXIT_OK && !job_accepted(line, result))
        line->decision = DECISION_REFUSE;
    if (rc == EXIT_OK)
        rc = line_record(line);
    if (rc != EXIT_OK)
        return rc;
    rc = line_publish(line);
    rc = line_settled(line, exit_worst(rc, line_report(line)));
    return job_accepted(line, result) ? rc : exit_worst(rc, EXIT_JOB);
}

int cmd_run(const struct args *args)
{
    struct line line;
    struct fetch fetch = {.ran = false};
    struct box_result result = {.scratch_fd = -1, .stdout_fd = -1, .stderr_fd = -1, .watch_fd = -1};
    AUTO_FREE struct probe_report *proof = calloc(1, sizeof *proof);
    struct runner runner = {.result = &result, .proof = proof, .fetch = &fetch, .take.spool = -1};
    int rc = line_begin(&line, args, true);
    if (!proof)
        rc = exit_worst(rc, EXIT_INTERNAL);
    if (rc == EXIT_OK)
        rc = line_contract(&line);
    if (rc == EXIT_OK)
        rc = check_run(&line);
    if (rc == EXIT_OK)
        rc = line_destination(&line);
    if (rc == EXIT_OK)
        rc = run_job(&line, &runner);
    if (rc == EXIT_OK)
        rc = promote_outputs(&line, &result, &fetch);
    line_end(&line);
    box_result_free(&result);
    line_far_end(&runner.take);
    if (runner.engine)
        engine_close(runner.engine);
    free(runner.engine);
    fetch_free(&fetch);
    return args->exit_zero && (rc == EXIT_REFUSED || rc == EXIT_PARTIAL) ? EXIT_OK : rc;
}
