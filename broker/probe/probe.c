/* SPDX-License-Identifier: ISC
 * The driver: real profile and mutants, one box each, and the verdict of every row. What a probe prints is parsed as
 * hostile text: exact words, known names, nothing else. */
#include "probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "probe/probe_rows.h"
#include "probe/probe_snapshot.h"

enum { ARGS = 128, ANSWERS = 96, WORDS = 11, VARIABLE_BYTES = 32, WALL_PATIENCE = 4 };

struct driver {
    const struct probe_options *options;
    struct probe_report *report;
    struct probe_canary canary;
    char words[WORDS][600]; /* KEY=VALUE arguments of the probe program */
    char variable[VARIABLE_BYTES];
};

/* What one run said of each probe it ran, in the order of static_rows or of a single limit row. */
struct answers {
    bool positive[ANSWERS], seen_positive[ANSWERS];
    enum attempt attempt[ANSWERS];
    char detail[ANSWERS][96];
    unsigned reached;
    int rc;           /* of box_run() */
    char fault[256];
};

static void add_row(struct driver *d, const char *name, enum control control, enum probe_verdict verdict, bool required,
                    const char *how, const char *detail)
{
    if (d->report->n >= PROBE_ROWS)
        return;
    struct probe_result *r = &d->report->rows[d->report->n++];
    *r = (struct probe_result){.name = name, .control = control, .verdict = verdict, .required = required};
    snprintf(r->how, sizeof r->how, "%s%s%s", how, detail[0] ? ": " : "", detail);
}

/* --- one run ---------------------------------------------------------------------------------------------------------- */

static void make_words(struct driver *d)
{
    const struct probe_canary *c = &d->canary;
    snprintf(d->words[0], sizeof d->words[0], "tcp4=%u", c->ports[0]);
    snprintf(d->words[1], sizeof d->words[1], "tcp6=%u", c->ports[1]);
    snprintf(d->words[2], sizeof d->words[2], "udp4=%u", c->ports[2]);
    snprintf(d->words[3], sizeof d->words[3], "udp6=%u", c->ports[3]);
    snprintf(d->words[4], sizeof d->words[4], "abstract=%s", c->abstract);
    snprintf(d->words[5], sizeof d->words[5], "hosts=%s", c->hosts);
    snprintf(d->words[8], sizeof d->words[8], "dns=%u", c->far_in >= 0 ? c->far_dns : c->dns.port);
    snprintf(d->words[9], sizeof d->words[9], "hosts6=%s", c->hosts6);
    snprintf(d->words[10], sizeof d->words[10], "public=%s", CANARY_PUBLIC);
    snprintf(d->words[6], sizeof d->words[6], "canary=%d", c->far_in >= 0 ? c->far_process : c->process);
    snprintf(d->variable, sizeof d->variable, "SALLYPORT_CANARY_%d", getpid());
    snprintf(d->words[7], sizeof d->words[7], "variable=%s", d->variable);
}

static size_t index_of(const char *const *names, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return i;
    return n;
}

/* "P NAME ok ..." or "N NAME open ..."; the first word of each kind counts. */
static void take_line(struct answers *a, const char *const *names, size_t n, const char *line, size_t len)
{
    if (len < 4 || line[1] != ' ')
        return;
    size_t name_len = strcspn(line + 2, " \n"), i = index_of(names, n, line + 2, name_len);
    if (i >= n || i >= ANSWERS || 3 + name_len >= len)
        return;
    const char *word = line + 3 + name_len, *end = line + len;
    const char *detail = memchr(word, ' ', (size_t)(end - word));
    size_t word_len = (size_t)((detail ? detail : end) - word);
    bool yes = word_len == 2 && memcmp(word, "ok", 2) == 0, open = word_len == 4 && memcmp(word, "open", 4) == 0;
    bool held = word_len == 4 && memcmp(word, "held", 4) == 0;
    if (line[0] == 'P' && !a->seen_positive[i]) {
        a->seen_positive[i] = true;
        a->positive[i] = yes;
    } else if (line[0] == 'N' && a->attempt[i] == ATTEMPT_NONE && (open || held)) {
        a->attempt[i] = open ? ATTEMPT_OPEN : ATTEMPT_HELD;
        size_t k = 0;
        for (const char *p = detail ? detail + 1 : end; p < end && k + 1 < sizeof a->detail[i]; p++)
            a->detail[i][k++] = (*p >= 0x20 && *p < 0x7f) ? *p : '?';
        a->detail[i][k] = 0;
    }
}

static void take_answers(struct answers *a, const char *const *names, size_t n, int fd)
{
    AUTO_FREE char *text = calloc(1, PROBE_ANSWER_BYTES + 1);
    if (!text || fd < 0 || pread(fd, text, PROBE_ANSWER_BYTES, 0) <= 0)
        return;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        take_line(a, names, n, line, len);
        line += len + (line[len] == '\n');
    }
}

struct box_setup {
    char *argv[ARGS];
    struct run_input inputs[3];
    struct text_pair env[1];
    struct contract contract;
};

static void set_up(struct box_setup *s, struct driver *d, const char *const *names, size_t n, uint32_t off, char *size)
{
    static char program[] = "/sallyport/probe", dashes[] = "--", input[] = "input", canary[] = "/canary",
                socket_from[] = "input/docker.sock", socket_at[] = "/run/docker.sock", value[] = "seen";
    size_t k = 0;
    memset(s, 0, sizeof *s);
    s->argv[k++] = program;
    for (size_t i = 0; i < ARRAY_LEN(d->words); i++)
        s->argv[k++] = d->words[i];
    if (size[0])
        s->argv[k++] = size;
    s->argv[k++] = dashes;
    for (size_t i = 0; i < n && k + 1 < ARGS; i++)
        s->argv[k++] = (char *)(uintptr_t)names[i];
    struct run *r = &s->contract.run;
    r->given = true;
    r->command = (struct text_list){.v = s->argv, .n = k};
    s->inputs[0] = (struct run_input){.from = (char *)(uintptr_t)d->options->program, .at = program};
    s->inputs[1] = (struct run_input){.from = input, .at = canary};
    s->inputs[2] = (struct run_input){.from = socket_from, .at = socket_at};
    r->inputs = s->inputs;
    r->inputs_n = off & OFF_SOCKET ? 3 : 2;
    s->env[0] = (struct text_pair){.key = d->variable, .value = value};
    if (off & OFF_ENVIRONMENT)
        r->env = (struct pair_list){.v = s->env, .n = 1};
    r->limits.has_wall = true;
    r->limits.wall_ms = PROBE_WALL_MS;
}

/* Runs the named probes once. -1 with errno only where the driver itself fails. */
static int run_box(struct driver *d, struct box_setup *s, const char *const *names, size_t n, uint32_t off,
                   struct answers *a, struct box_result *result, int *ended)
{
    struct box_options o = {.contract = &s->contract, .contract_dir_fd = d->options->work_dir_fd,
                            .capture_dir_fd = d->options->work_dir_fd, .interrupted = d->options->interrupted,
                            .off = (off | d->options->off) & (OFF_ENVIRONMENT - 1)};
    memset(a, 0, sizeof *a);
    (void)canary_reached(&d->canary);
    a->rc = d->options->run ? d->options->run(d->options->context, &o, result) : box_run(&o, result);
    int saved = errno;
    snprintf(a->fault, sizeof a->fault, "%s", result->fault);
    if (a->rc < 0) {
        snprintf(d->report->fault, sizeof d->report->fault, "%s", result->fault);
        errno = saved;
        return -1;
    }
    if (result->end == BOX_INTERRUPTED)
        d->report->stopped = true;
    take_answers(a, names, n, result->stdout_fd);
    a->reached = canary_reached(&d->canary);
    /* the unmount is only waited for in the real profile: there it has to come */
    *ended = a->rc == 0 && !(off & OFF(CONTROL_CLEANUP)) ? box_end(result) : 1;
    return 0;
}

/* --- the rows that share a box ----------------------------------------------------------------------------------------- */

static bool host_has(const struct driver *d, const struct static_row *row)
{
    return !((row->flags & ROW_PUBLIC) && !canary_public(&d->canary)) &&
           !((row->flags & ROW_TCP6) && !canary_listens(&d->canary, 1)) &&
           !((row->flags & ROW_UDP6) && !canary_listens(&d->canary, 3));
}

/* A container elsewhere only has copies of the inputs: no change of them shows here, and no socket or FIFO is behind them. */
static unsigned oracle_of(const struct driver *d, const struct static_row *row)
{
    return d->options->oracle ? row->oracle & REACHED_NET : row->oracle;
}

static void judge_static(struct driver *d, const struct static_row *row, size_t i, const struct answers *real,
                         const struct answers *mutant)
{
    unsigned oracle = oracle_of(d, row);
    bool got_out = real->attempt[i] == ATTEMPT_OPEN || (row->oracle & real->reached) != 0;
    bool detected = mutant->attempt[i] == ATTEMPT_OPEN && (oracle == 0 || (oracle & mutant->reached) != 0);
    if (!host_has(d, row))
        add_row(d, row->name, row->control, PROBE_UNSUPPORTED, false,
                row->flags & ROW_PUBLIC ? "not decisive: no public host is reachable from outside either" : "this host has no IPv6",
                "");
    else if (real->rc != 0)
        add_row(d, row->name, row->control, PROBE_UNSUPPORTED, true, "not run", real->fault);
    else if (got_out)
        add_row(d, row->name, row->control, PROBE_BROKEN, true, "the attempt got through", real->detail[i]);
    else if (!real->positive[i])
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "its counterpart does not work", "");
    else if (real->attempt[i] == ATTEMPT_NONE)
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "no answer", "");
    else if (d->options->oracle && (row->flags & ROW_SAME_HOST))
        add_row(d, row->name, row->control, PROBE_UNSUPPORTED, false,
                "the inputs are copies on the daemon's host: nothing of this host is behind them", "");
    else if (mutant->rc != 0)
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "the mutant did not run", mutant->fault);
    else if (detected)
        add_row(d, row->name, row->control, PROBE_HELD, true, real->detail[i], "");
    else if (row->flags & ROW_MAY_LACK && mutant->attempt[i] == ATTEMPT_HELD)
        add_row(d, row->name, row->control, PROBE_UNSUPPORTED, false, "this kernel does not offer it, with or without the control",
                mutant->detail[i]);
    else if (row->flags & ROW_NNP && mutant->attempt[i] == ATTEMPT_HELD && !d->options->run &&
             prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        add_row(d, row->name, row->control, PROBE_UNSUPPORTED, false,
                "sallyport itself runs under no_new_privs, which no mutant can be without", "");
    else
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "the mutant was not detected", mutant->detail[i]);
}

/* All rows whose mutant is this one, in one box. */
static int run_mutant(struct driver *d, const char *const *names, uint32_t off, struct answers *a)
{
    struct box_setup s;
    struct box_result result;
    int ended = 1;
    char none[] = "";
    const char *mine[ANSWERS];
    AUTO_FREE struct answers *got = calloc(1, sizeof *got);
    size_t where[ANSWERS], n = 0;
    if (!got)
        return -1;
    for (size_t i = 0; i < static_rows_n; i++)
        if (static_rows[i].off == off) {
            where[n] = i;
            mine[n++] = names[i];
        }
    set_up(&s, d, mine, n, off, none);
    int rc = run_box(d, &s, mine, n, off, got, &result, &ended);
    int saved = errno;
    box_result_free(&result);
    a->rc = got->rc;
    a->reached = got->reached;
    memcpy(a->fault, got->fault, sizeof a->fault);
    for (size_t k = 0; k < n; k++) {
        a->attempt[where[k]] = got->attempt[k];
        memcpy(a->detail[where[k]], got->detail[k], sizeof got->detail[k]);
    }
    errno = saved;
    return rc;
}

static int prove_static(struct driver *d)
{
    const char *names[ANSWERS];
    struct box_setup s;
    struct box_result result;
    int ended = 1;
    char none[] = "";
    AUTO_FREE struct answers *real = calloc(1, sizeof *real);
    AUTO_FREE struct answers *mutant = calloc(1, sizeof *mutant);
    uint32_t done[ANSWERS] = {0};
    size_t done_n = 0;
    if (!real || !mutant)
        return -1;
    for (size_t i = 0; i < static_rows_n; i++)
        names[i] = static_rows[i].name;
    set_up(&s, d, names, static_rows_n, 0, none);
    int rc = run_box(d, &s, names, static_rows_n, 0, real, &result, &ended);
    memcpy(d->report->controls, result.controls, sizeof result.controls);
    memcpy(d->report->base, result.base, sizeof result.base);
    if (real->rc == 1)
        memcpy(d->report->fault, result.fault, sizeof result.fault);
    box_result_free(&result);
    for (size_t i = 0; rc == 0 && i < static_rows_n && !d->report->stopped; i++) {
        bool known = false;
        for (size_t k = 0; k < done_n; k++)
            known = known || done[k] == static_rows[i].off;
        if (known)
            continue;
        done[done_n++] = static_rows[i].off;
        memset(mutant, 0, sizeof *mutant);
        if (real->rc == 0)
            rc = run_mutant(d, names, static_rows[i].off, mutant);
        for (size_t k = 0; rc == 0 && k < static_rows_n; k++)
            if (static_rows[k].off == static_rows[i].off)
                judge_static(d, &static_rows[k], k, real, mutant);
    }
    return rc;
}

/* --- the rows with a limit --------------------------------------------------------------------------------------------- */

static int run_limit(struct driver *d, const struct limit_row *row, uint32_t off, struct answers *a, enum attempt *attempt)
{
    struct box_setup s;
    struct box_result result;
    int ended = 1;
    char size[32];
    snprintf(size, sizeof size, "size=%llu", (unsigned long long)row->size);
    set_up(&s, d, &row->name, 1, off, size);
    row->set(&s.contract.run.limits, row->size);
    int rc = run_box(d, &s, &row->name, 1, off, a, &result, &ended);
    if (rc == 0 && a->rc == 0) {
        struct probe_run run = {.result = &result, .positive = a->positive[0], .said = a->attempt[0], .ended = ended};
        *attempt = row->judge(&run, row->size);
    }
    if (result.controls[row->control].state != CONTROL_NOT_ASKED && off == 0)
        d->report->controls[row->control] = result.controls[row->control];
    int saved = errno;
    box_result_free(&result);
    errno = saved;
    return rc;
}

static int try_limit(struct driver *d, const struct limit_row *row)
{
    enum attempt real = ATTEMPT_NONE, mutant = ATTEMPT_NONE;
    AUTO_FREE struct answers *a = calloc(2, sizeof *a);
    if (!a || run_limit(d, row, 0, &a[0], &real) < 0)
        return -1;
    if (a[0].rc != 0) {
        add_row(d, row->name, row->control, PROBE_UNSUPPORTED, true, a[0].fault, "");
        return 0;
    }
    if (run_limit(d, row, OFF(row->control), &a[1], &mutant) < 0)
        return -1;
    if (real == ATTEMPT_OPEN)
        add_row(d, row->name, row->control, PROBE_BROKEN, true, "the limit was passed", a[0].detail[0]);
    else if (!a[0].positive[0])
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "staying below the limit does not work", "");
    else if (real == ATTEMPT_NONE)
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "no answer", "");
    else if (a[1].rc != 0 || mutant != ATTEMPT_OPEN)
        add_row(d, row->name, row->control, PROBE_INSTRUMENT_BROKEN, true, "the mutant was not detected", a[1].fault);
    else
        add_row(d, row->name, row->control, PROBE_HELD, true, d->report->controls[row->control].how, "");
    return 0;
}

/* An instrument that does not work on a machine that is slow just now is tried once more, with more time; never an attempt
 * that got through. */
static int prove_limit(struct driver *d, const struct limit_row *row)
{
    size_t at = d->report->n;
    struct limit_row patient = *row;
    if (try_limit(d, row) < 0)
        return -1;
    if (d->report->n == at || d->report->rows[at].verdict != PROBE_INSTRUMENT_BROKEN || d->report->stopped)
        return 0;
    if (row->control == CONTROL_WALL)
        patient.size *= WALL_PATIENCE;
    d->report->n = at;
    return try_limit(d, &patient);
}

static int prove_all(struct driver *d)
{
    if (!canary_works(&d->canary)) {
        add_row(d, "canaries", CONTROL_NETWORK, PROBE_INSTRUMENT_BROKEN, true, "the oracle cannot be reached from outside (is the loopback of this network up?)", "");
        return 0;
    }
    if (prove_static(d) < 0)
        return -1;
    for (size_t i = 0; i < limit_rows_n && !d->report->stopped; i++)
        if ((!d->options->asked || limit_rows[i].asked(d->options->asked)) && prove_limit(d, &limit_rows[i]) < 0)
            return -1;
    return 0;
}

/* What is tried in a container elsewhere is tried against its host. */
static int attach_oracle(struct driver *d)
{
    int in, out;
    if (d->options->oracle(d->options->context, d->options->program, &in, &out) < 0)
        return -1;
    return canary_far_attach(&d->canary, in, out);
}

int probe_run_all(const struct probe_options *options, struct probe_report *report)
{
    AUTO_FREE struct driver *d = calloc(1, sizeof *d);
    struct timespec start, end;
    struct probe_snapshot before, after;
    char what[128] = "";
    memset(report, 0, sizeof *report);
    if (!d)
        return -1;
    d->options = options;
    d->report = report;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (snapshot_take(&before, box_job_uid()) < 0)
        return -1;
    int rc = canary_open(&d->canary, options->work_dir_fd, box_job_uid());
    if (rc == 0 && options->oracle)
        rc = attach_oracle(d);
    make_words(d);
    if (rc == 0)
        rc = canary_add_setuid(&d->canary, options->program);
    if (rc == 0)
        rc = prove_all(d);
    int saved = errno;
    canary_close(&d->canary, options->work_dir_fd);
    if (options->oracle && !options->oracle_end(options->context))
        add_row(d, "oracle", CONTROL_CLEANUP, PROBE_BROKEN, true, "the probes' own oracle is left on the daemon's host", "");
    if (rc == 0 && snapshot_take(&after, box_job_uid()) == 0)
        add_row(d, "host-snapshot", CONTROL_CLEANUP, snapshot_same(&before, &after, what, sizeof what) ? PROBE_HELD : PROBE_BROKEN,
                true, what[0] ? "left on the host" : box_job_uid() >= BOX_UID_FIRST
                                    ? "mounts, groups, links, processes, IPC and keys are as before"
                                    : "mounts, groups, links and processes are as before", what);
    clock_gettime(CLOCK_MONOTONIC, &end);
    report->elapsed_ms = (uint64_t)((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000);
    errno = saved;
    return rc;
}
