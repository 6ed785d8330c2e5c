/* SPDX-License-Identifier: ISC
 * Facts of this run in the record's form: libraries, the job, the probes. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "box/box.h"
#include "cmd/line.h"
#include "cmd/line_facts.h"
#include "cmd/line_worker.h"
#include "contract/contract_parse.h"
#include "engine/engine.h"

static void add(struct line_facts *facts, const char *name, const char *version)
{
    struct text_pair *pair = &facts->pairs[facts->libraries.n++];
    snprintf(facts->names[facts->libraries.n], sizeof(facts->names[0]), "%s", name);
    snprintf(facts->versions[facts->libraries.n], sizeof(facts->versions[0]), "%s", version);
    pair->key = facts->names[facts->libraries.n];
    pair->value = facts->versions[facts->libraries.n];
}

/* The broker's own, then those that the workers read with; the digest of the rules is no library. */
void line_facts_libraries(struct line_facts *facts, const struct worker_facts *workers)
{
    char openssl[32], xxhash[32];
    facts->libraries = (struct pair_list){.v = facts->pairs};
    digest_libraries(openssl, xxhash);
    add(facts, "jansson", jansson_version_str());
    add(facts, "libyaml", contract_library());
    add(facts, "openssl", openssl);
    add(facts, "utf8proc", path_library());
    add(facts, "xxhash", xxhash);
    for (size_t i = 0; i < workers->libraries.n; i++) {
        const struct text_pair *pair = &workers->libraries.v[i];
        if (strcmp(pair->key, "secret-rules") == 0)
            snprintf(facts->rules_sha256, sizeof(facts->rules_sha256), "%s", pair->value);
        else
            add(facts, pair->key, pair->value);
    }
}

void line_facts_job(const struct line *line, struct job_line *job)
{
    static const char *const ends[] = {[BOX_NOT_RUN] = NULL, [BOX_EXITED] = "exited", [BOX_SIGNALLED] = "signalled",
                                       [BOX_TIMED_OUT] = "timed-out", [BOX_OUTPUT_LIMIT] = "output-limit",
                                       [BOX_MEMORY_LIMIT] = "memory-limit", [BOX_INTERRUPTED] = "interrupted",
                                       [BOX_SETUP_FAILED] = "setup-failed"};
    const struct box_result *box = line->box;
    *job = (struct job_line){0};
    if (!box || (unsigned)box->end >= ARRAY_LEN(ends))
        return;
    *job = (struct job_line){.end = ends[box->end], .base = box->base, .status = box->status, .elapsed_ms = box->elapsed_ms,
                             .cpu_ms = box->cpu_ms, .memory_peak = box->memory_peak, .stdout_bytes = box->stdout_bytes,
                             .stderr_bytes = box->stderr_bytes};
    if (line->engine) {
        job->engine = line->engine->version;
        job->engine_flags = line->engine->flags;
        job->engine_runtime = line->engine->runtime;
        job->image = line->engine->image;
        job->image_id = line->engine->image_id;
    }
}

size_t line_facts_probes(const struct line *line, struct probe_line probes[PROBE_ROWS])
{
    if (!line->proof)
        return 0;
    for (size_t i = 0; i < line->proof->n; i++) {
        const struct probe_result *row = &line->proof->rows[i];
        probes[i] = (struct probe_line){.control = control_name(row->control), .name = row->name, .required = row->required,
                                        .held = row->verdict == PROBE_HELD, .verdict = probe_verdict_name(row->verdict)};
    }
    return line->proof->n;
}
