/* SPDX-License-Identifier: ISC
 * The record, and every report made from the one result set. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/say.h"
#include "box/box.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "cmd/line_facts.h"
#include "cmd/line_worker.h"
#include "probe/probe.h"
#include "record/record_entry.h"
#include "report/report.h"

enum { RECORD_BYTES = 512 * 1024 * 1024 };

static void grade_words(const struct destination_grade *g, char *out, size_t size)
{
    snprintf(out, size, "%s:%s%s%s%s%s%s", g->filesystem, g->tmpfile ? " tmpfile" : "", g->noreplace ? " noreplace" : "",
             g->syncfs ? " syncfs" : "", g->dir_sync ? " dir-sync" : "", g->modes ? " modes" : "",
             g->shared ? " shared" : "");
}

/* The box's controls behind those of the workers. */
static size_t fill_controls(const struct line *line, const struct worker_facts *workers, struct control_line *all)
{
    static const char *const states[] = {[CONTROL_NOT_ASKED] = "not-asked", [CONTROL_MISSING] = "missing",
                                         [CONTROL_UNENFORCED] = "unenforced", [CONTROL_ENFORCED] = "enforced"};
    struct control_line *controls = all + workers->controls_n;
    memcpy(all, workers->controls, workers->controls_n * sizeof(*all));
    if (!line->box)
        return workers->controls_n;
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        const struct control_status *status = &line->box->controls[i];
        snprintf(controls[i].name, sizeof(controls[i].name), "%s", control_name((enum control)i));
        bool proven = status->state == CONTROL_ENFORCED && line->proof && probe_control_held(line->proof, (enum control)i);
        snprintf(controls[i].state, sizeof(controls[i].state), "%s", proven ? "proven" : states[status->state]);
        snprintf(controls[i].how, sizeof(controls[i].how), "%s", status->how);
    }
    return workers->controls_n + CONTROL_COUNT;
}

/* The digest of the sealed table that --rules made; "" where there is none. */
static void own_rules(const struct line *line, char hex[SHA256_HEX])
{
    uint8_t *table = NULL, sha256[SHA256_SIZE];
    size_t len = 0;
    AUTO_FD fd = line->rules_fd < 0 ? -1 : fd_reopen_read(line->rules_fd);
    hex[0] = '\0';
    if (fd < 0 || fd_read_all(fd, RULE_TABLE_BYTES, &table, &len) != 0)
        return;
    sha256_bytes(table, len, sha256);
    hex_encode(sha256, SHA256_SIZE, hex);
    free(table);
}

static size_t fill_checks(const struct line *line, const struct line_facts *facts, struct check *checks)
{
    static const char *const names[INSPECTOR_COUNT] = {"type", "archive", "active", "secret"};
    uint64_t files[INSPECTOR_COUNT] = {0}, bytes[INSPECTOR_COUNT] = {0}, copied = 0;
    for (size_t i = 0; i < line->walk.items.n; i++) {
        const struct item *item = &line->walk.items.v[i];
        copied += item->copied;
        for (unsigned k = 0; item->copied && k < INSPECTOR_COUNT; k++)
            if (item->done >> k & 1) {
                files[k]++;
                bytes[k] += item->digest.bytes;
            }
    }
    for (unsigned k = 0; k < INSPECTOR_COUNT; k++) {
        checks[k] = (struct check){.name = names[k], .files = files[k], .bytes = bytes[k], .complete = files[k] == copied};
        snprintf(checks[k].engine, sizeof(checks[k].engine), "sallyport-inspect %s", PACKAGE_VERSION);
    }
    memcpy(checks[INSPECTOR_SECRET].rules_sha256, facts->rules_sha256, sizeof(facts->rules_sha256));
    own_rules(line, checks[INSPECTOR_SECRET].own_rules_sha256);
    return INSPECTOR_COUNT;
}

const char *line_operator(struct line *line)
{
    if (line->operator_name[0])
        return line->operator_name;
    const struct passwd *user = getpwuid(getuid());
    snprintf(line->operator_name, sizeof(line->operator_name), "%s", user && user->pw_name[0] ? user->pw_name : "unknown");
    return line->operator_name;
}

/* What reports show in tables. */
static void keep_rows(struct line *line, const struct record *record)
{
    struct record_score scores[RECORD_SCORES];
    _Static_assert(WORKER_CONTROLS + CONTROL_COUNT <= LINE_CONTROLS, "room for every control");
    line->scores_n = record_scoreboard(record, scores);
    for (size_t i = 0; i < line->scores_n; i++)
        line->score_rows[i] = (struct report_row){scores[i].name, scores[i].state, scores[i].evidence};
    for (size_t i = 0; i < line->controls_n; i++)
        line->control_rows[i] = (struct report_row){line->controls[i].name, line->controls[i].state, line->controls[i].how};
}

int line_record(struct line *line)
{
    struct check checks[INSPECTOR_COUNT];
    struct worker_facts workers;
    struct line_facts facts = {0};
    struct probe_line probes[PROBE_ROWS];
    struct job_line job;
    struct utsname host;
    char grade[160];
    const bool same = line->args->reproducible;
    grade_words(&line->dest.grade, grade, sizeof(grade));
    line_worker_facts(line, &workers);
    line_facts_libraries(&facts, &workers);
    line_facts_job(line, &job);
    line->finished = same ? line->started : line_wall_clock();
    const struct record record = {
        .contract = line->contract, .items = &line->walk.items, .whole = &line->whole,
        .decision = decision_name(line->decision), .visited = line->walk.visited, .unlisted = line->walk.unlisted,
        .hidden = line->walk.hidden, .unlisted_counted = line->contract->unlisted == UNLISTED_COUNT,
        .accept_used = line->accept_used, .floors = line->floors, .floors_n = line->floors_n, .checks = checks, .checks_n = fill_checks(line, &facts, checks),
        .source_kind = line->source_kind, .parts = line->part_lines, .parts_n = line->parts_n,
        .shard_index = line->shard_index, .shard_of = line->shard_of, .source_text = line->source_text, .labels = &line->args->labels,
        .id = line->id, .tool_version = PACKAGE_VERSION, .operator_name = line_operator(line),
        .host = uname(&host) == 0 ? host.nodename : "unknown", .started = line->started,
        .finished = line->finished,
        .elapsed_ms = (uint64_t)((line_now_ns() - line->started_ns) / 1000000), .reproducible = same, .already = line->already,
        .stability = record_stability_name(line->worst), .destination_grade = grade, .controls = line->controls,
        .controls_n = line->controls_n = fill_controls(line, &workers, line->controls),
        .job = job, .fetch = line->fetch, .probes = probes, .probes_n = line_facts_probes(line, probes), .atomic = line->dest.grade.noreplace,
        .durable = line->dest.grade.dir_sync, .libraries = &facts.libraries, .actions = line->actions, .actions_n = line->actions_n};
    struct record own = record;
    keep_rows(line, &record);
    memcpy(own.unlisted_sha256, line->walk.unlisted_sha256, SHA256_SIZE);
    buf_free(&line->record);
    buf_init(&line->record, RECORD_BYTES);
    if (record_write(&own, &line->record, line->content_sha256) != 0) {
        say("the record could not be written: a text in it is not UTF-8, or it is too large");
        return EXIT_INTERNAL;
    }
    return EXIT_OK;
}

static bool want_color(const struct args *args)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (args->color != WHEN_AUTO)
        return args->color == WHEN_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static int write_target(const struct report *report, const struct report_target *target)
{
    struct buf out;
    buf_init(&out, RECORD_BYTES);
    int rc = report_write(report, target->format, &out);
    if (rc == 0)
        rc = publish_report_file(target->path, out.data, out.len);
    int error = errno;
    buf_free(&out);
    return rc == 0 ? EXIT_OK : line_fail("the report could not be written to", target->path, error);
}

/* What every report of this run has in common. */
void line_report_common(const struct line *line, char content_sha256[SHA256_HEX], struct report *out)
{
    hex_encode(line->content_sha256, SHA256_SIZE, content_sha256);
    *out = (struct report){
        .contract = line->contract, .items = &line->walk.items, .whole = &line->whole,
        .decision = decision_name(line->decision), .source = line->source_text, .started = line->started, .id = line->id,
        .tool_version = PACKAGE_VERSION,
        .record_json = (const char *)line->record.data, .record_len = line->record.len, .content_sha256 = content_sha256,
        .scores = line->score_rows, .scores_n = line->scores_n, .controls = line->control_rows,
        .controls_n = line->controls_n};
}

/* Said here, where it is known what else became of the run, and so not again at the very end. */
static int output_failed(int error)
{
    say("standard output could not be written: %s", strerror(error));
    clearerr(stdout);
    return EXIT_BROKER;
}

int line_report(struct line *line)
{
    struct report report;
    char content_sha256[SHA256_HEX];
    char digest[80] = "sha256:";
    const bool bag = line->published && line->args->to;
    hex_encode(line->tagmanifest_sha256, SHA256_SIZE, digest + strlen(digest));
    line_report_common(line, content_sha256, &report);
    report.bag = line->published ? line->bag_path : NULL;
    report.tree = line->tree_path;
    report.head = line->head[0] ? line->head : NULL;
    report.digest = bag ? digest : NULL;
    report.already = line->already;
    report.check = !line->publishes;
    report.failed = line->failed;
    report.color = want_color(line->args);
    report.quiet = line->args->quiet;
    report.verbose = line->args->verbose;
    struct buf out;
    int rc = EXIT_OK;
    buf_init(&out, RECORD_BYTES);
    if (report_write(&report, line->args->format, &out) != 0)
        rc = line_fail("the report could not be made", NULL, ENOMEM);
    else if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0)
        rc = output_failed(errno);
    buf_free(&out);
    for (size_t i = 0; i < line->args->reports_n; i++)
        rc = exit_worst(rc, write_target(&report, &line->args->reports[i]));
    return rc;
}
