/* SPDX-License-Identifier: ISC
 * Keys are written in byte order, as the canonical form demands; jsonw.c fails the buffer where they are not. */
#include "record/record.h"

#include <string.h>

#include "base/jsonw.h"
#include "base/say.h"
#include "record/record_entry.h"

void record_pairs(struct jsonw *j, const char *key, const struct pair_list *pairs)
{
    /* An object would need sorted, unique keys; the pairs are the operator's, in the operator's order. */
    jsonw_key(j, key);
    jsonw_array(j);
    for (size_t i = 0; pairs && i < pairs->n; i++) {
        jsonw_object(j);
        jsonw_put_text(j, "key", pairs->v[i].key);
        jsonw_put_text(j, "value", pairs->v[i].value);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

void record_texts(struct jsonw *j, const char *key, const struct text_list *list)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (size_t i = 0; i < list->n; i++)
        jsonw_text(j, list->v[i]);
    jsonw_array_end(j);
}

static void write_accepted(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "accepted");
    jsonw_array(j);
    for (size_t o = 0; o < r->contract->outputs_n; o++) {
        const struct output *output = &r->contract->outputs[o];
        for (size_t a = 0; a < output->accept_n; a++) {
            const struct accept *accept = &output->accept[a];
            char code[128];
            struct finding named = {.code = accept->code};
            memcpy(named.rule, accept->rule, sizeof(named.rule));
            finding_name(&named, code, sizeof(code));
            jsonw_object(j);
            jsonw_put_text(j, "approved_by", accept->approved_by);
            jsonw_put_text(j, "code", code);
            jsonw_put_u64(j, "line", accept->line);
            jsonw_put_u64(j, "output", output->index);
            jsonw_put_text(j, "reason", accept->reason);
            record_date(j, "until", accept->until);
            jsonw_put_bool(j, "used", r->accept_used[accept->index]);
            jsonw_object_end(j);
        }
    }
    jsonw_array_end(j);
}

static void write_checks(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "checks");
    jsonw_array(j);
    for (size_t i = 0; i < r->checks_n; i++) {
        const struct check *check = &r->checks[i];
        jsonw_object(j);
        jsonw_put_u64(j, "bytes", check->bytes);
        jsonw_put_bool(j, "complete", check->complete);
        jsonw_put_text(j, "engine", check->engine);
        jsonw_put_u64(j, "files", check->files);
        jsonw_put_text(j, "name", check->name);
        jsonw_put_text(j, "own_rules_sha256", check->own_rules_sha256[0] ? check->own_rules_sha256 : NULL);
        jsonw_put_text(j, "rules_sha256", check->rules_sha256[0] ? check->rules_sha256 : NULL);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void write_contract(struct jsonw *j, const struct contract *contract)
{
    jsonw_key(j, "contract");
    jsonw_object(j);
    jsonw_put_u64(j, "bytes", contract->text_len);
    record_pairs(j, "labels", &contract->labels);
    jsonw_put_text(j, "name", contract->name);
    record_texts(j, "not_covered", &contract->not_covered);
    jsonw_put_text(j, "owner", contract->owner);
    jsonw_put_text(j, "purpose", contract->purpose);
    record_date(j, "review_by", contract->review_by);
    jsonw_put_text(j, "revision", contract->revision);
    record_hex(j, "sha256", contract->sha256, SHA256_SIZE);
    jsonw_object_end(j);
}

static void write_entries(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "entries");
    jsonw_array(j);
    for (size_t i = 0; i < r->items->n; i++)
        record_entry(j, &r->items->v[i]);
    jsonw_array_end(j);
}

/* The bags this one was made from, bound by their digests. */
static void write_parts(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "parts");
    jsonw_array(j);
    for (size_t i = 0; i < r->parts_n; i++) {
        jsonw_object(j);
        jsonw_put_text(j, "content_sha256", r->parts[i].content_sha256);
        jsonw_put_text(j, "id", r->parts[i].id);
        jsonw_put_text(j, "name", r->parts[i].name);
        jsonw_put_text(j, "tagmanifest_sha256", r->parts[i].tagmanifest_sha256);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void write_source(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "source");
    jsonw_object(j);
    record_pairs(j, "declared", &r->contract->source);
    jsonw_put_text(j, "kind", r->source_kind);
    if (r->parts_n)
        write_parts(j, r);
    if (r->shard_of) {
        jsonw_key(j, "shard");
        jsonw_object(j);
        jsonw_put_u64(j, "index", r->shard_index);
        jsonw_put_u64(j, "of", r->shard_of);
        jsonw_object_end(j);
    }
    jsonw_object_end(j);
}

/* seen = promoted + refused + unlisted; missing outputs were never seen. */
static void write_totals(struct jsonw *j, const struct record *r)
{
    uint64_t promoted = 0, refused = 0, unlisted = 0, missing = 0, bytes = 0;
    for (size_t i = 0; i < r->items->n; i++) {
        const struct item *item = &r->items->v[i];
        const char *verdict = item_verdict_name(item);
        if (strcmp(verdict, "promote") == 0) {
            promoted++;
            bytes += item->digest.bytes;
        } else if (strcmp(verdict, "missing") == 0) {
            missing++;
        } else if (strcmp(verdict, "unlisted") == 0) {
            unlisted++;
        } else {
            refused++;
        }
    }
    jsonw_key(j, "totals");
    jsonw_object(j);
    jsonw_put_u64(j, "bytes_promoted", bytes);
    jsonw_put_u64(j, "hidden", r->hidden);
    jsonw_put_u64(j, "missing", missing);
    jsonw_put_u64(j, "promoted", promoted);
    jsonw_put_u64(j, "refused", refused);
    jsonw_put_u64(j, "unlisted", r->unlisted_counted ? r->unlisted : unlisted);
    if (r->unlisted_counted)
        record_hex(j, "unlisted_sha256", r->unlisted_sha256, SHA256_SIZE);
    jsonw_put_u64(j, "visited", r->visited);
    jsonw_object_end(j);
}

static void write_floors(struct jsonw *j, const struct record *r)
{
    char hex[SHA256_HEX];
    jsonw_key(j, "floors");
    jsonw_array(j);
    for (size_t i = 0; i < r->floors_n; i++) {
        hex_encode(r->floors[i], SHA256_SIZE, hex);
        jsonw_text(j, hex);
    }
    jsonw_array_end(j);
}

static void write_content(struct jsonw *j, const struct record *r)
{
    jsonw_object(j);
    write_accepted(j, r);
    write_checks(j, r);
    write_contract(j, r->contract);
    jsonw_put_text(j, "decision", r->decision);
    write_entries(j, r);
    jsonw_key(j, "findings");
    record_findings(j, r->whole);
    write_floors(j, r);
    write_source(j, r);
    write_totals(j, r);
    jsonw_object_end(j);
}

static void write_actions(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "actions");
    jsonw_array(j);
    for (size_t i = 0; i < r->actions_n; i++) {
        const struct action *action = &r->actions[i];
        jsonw_object(j);
        jsonw_put_i64(j, "at_ms", r->reproducible ? 0 : action->at_ms);
        jsonw_put_text(j, "detail", action->detail);
        record_hex(j, "key", action->key, SHA256_SIZE);
        jsonw_put_text(j, "step", action->step);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void write_controls(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "controls");
    jsonw_array(j);
    for (size_t i = 0; i < r->controls_n; i++) {
        jsonw_object(j);
        jsonw_put_text(j, "how", r->controls[i].how);
        jsonw_put_text(j, "name", r->controls[i].name);
        jsonw_put_text(j, "state", r->controls[i].state);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void write_sources(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "sources");
    jsonw_array(j);
    for (size_t i = 0; i < r->items->n; i++)
        if (r->items->v[i].copied)
            record_source_facts(j, &r->items->v[i]);
    jsonw_array_end(j);
}

/* What went wrong while the files were acquired. */
static void write_errors(struct jsonw *j, const struct item_list *items)
{
    static const enum finding_code codes[] = {FINDING_FILE_UNREADABLE, FINDING_FILE_BUSY, FINDING_FILE_CHANGED,
                                              FINDING_FILE_SIZE_MISMATCH};
    jsonw_key(j, "errors");
    jsonw_array(j);
    for (size_t i = 0; i < items->n; i++)
        for (size_t k = 0; k < items->v[i].findings.n; k++)
            for (size_t c = 0; c < ARRAY_LEN(codes); c++)
                if (items->v[i].findings.v[k].code == codes[c]) {
                    jsonw_object(j);
                    jsonw_put_text(j, "code", finding_code_name(codes[c]));
                    record_name(j, "path", "path_escaped", item_shown(&items->v[i]));
                    jsonw_object_end(j);
                }
    jsonw_array_end(j);
}

static void write_engine(struct jsonw *j, const struct job_line *job)
{
    jsonw_key(j, "engine");
    jsonw_object(j);
    jsonw_put_text(j, "flags", job->engine_flags);
    jsonw_put_text(j, "image", job->image);
    jsonw_put_text(j, "image_id", job->image_id);
    jsonw_put_text(j, "runtime", job->engine_runtime);
    jsonw_put_text(j, "version", job->engine);
    jsonw_object_end(j);
}

static void write_job(struct jsonw *j, const struct record *r)
{
    const struct job_line *job = &r->job;
    jsonw_key(j, "job");
    if (!job->end) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_put_text(j, "base", job->base);
    jsonw_put_u64(j, "cpu_ms", r->reproducible ? 0 : job->cpu_ms);
    jsonw_put_u64(j, "elapsed_ms", r->reproducible ? 0 : job->elapsed_ms);
    jsonw_put_text(j, "end", job->end);
    if (job->engine)
        write_engine(j, job);
    jsonw_put_u64(j, "memory_peak", r->reproducible ? 0 : job->memory_peak);
    jsonw_put_i64(j, "status", job->status);
    jsonw_put_u64(j, "stderr_bytes", job->stderr_bytes);
    jsonw_put_u64(j, "stdout_bytes", job->stdout_bytes);
    jsonw_object_end(j);
}

static void write_probes(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "probes");
    jsonw_array(j);
    for (size_t i = 0; i < r->probes_n; i++) {
        jsonw_object(j);
        jsonw_put_text(j, "control", r->probes[i].control);
        jsonw_put_text(j, "name", r->probes[i].name);
        jsonw_put_bool(j, "required", r->probes[i].required);
        jsonw_put_text(j, "verdict", r->probes[i].verdict);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static void write_run(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "run");
    jsonw_object(j);
    write_actions(j, r);
    jsonw_put_bool(j, "already", r->already);
    write_controls(j, r);
    jsonw_put_text(j, "destination", r->destination_grade);
    jsonw_put_u64(j, "elapsed_ms", r->reproducible ? 0 : r->elapsed_ms);
    write_errors(j, r->items);
    if (r->fetch)
        record_fetch(j, r->fetch);
    record_time(j, "finished", r->finished);
    jsonw_put_text(j, "host", r->reproducible ? NULL : r->host);
    jsonw_put_text(j, "id", r->id);
    write_job(j, r);
    record_pairs(j, "labels", r->labels);
    record_pairs(j, "libraries", r->libraries);
    jsonw_put_text(j, "operator", r->reproducible ? NULL : r->operator_name);
    write_probes(j, r);
    jsonw_put_text(j, "source", r->reproducible ? NULL : r->source_text);
    write_sources(j, r);
    jsonw_put_text(j, "stability", r->stability);
    record_time(j, "started", r->started);
    jsonw_put_text(j, "tool", "sallyport");
    jsonw_put_text(j, "version", r->tool_version);
    jsonw_object_end(j);
}

int record_write(const struct record *record, struct buf *out, uint8_t content_sha256[SHA256_SIZE])
{
    struct buf content;
    struct jsonw j;
    buf_init(&content, out->max);
    jsonw_init(&j, &content);
    write_content(&j, record);
    if (content.failed) {
        buf_free(&content);
        return -1;
    }
    sha256_bytes(content.data, content.len, content_sha256);

    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_key(&j, "content");
    jsonw_raw(&j, (const char *)content.data, content.len);
    buf_free(&content);
    record_hex(&j, "content_sha256", content_sha256, SHA256_SIZE);
    record_handoff(&j, record);
    write_run(&j, record);
    jsonw_put_text(&j, "schema", "sallyport.record/1");
    jsonw_object_end(&j);
    buf_u8(out, '\n');
    return out->failed ? -1 : 0;
}
