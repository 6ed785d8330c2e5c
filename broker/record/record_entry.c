/* SPDX-License-Identifier: ISC
 * Keys are written in byte order, as the canonical form demands; jsonw.c fails the buffer where they are not. */
#include "record/record_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/say.h"

/* The digest of a small file refused for a secret could be guessed back to the secret. */
enum { GUESSABLE_BYTES = 4096 };

void record_name(struct jsonw *j, const char *key, const char *escaped_key, const char *name)
{
    bool escaped = false;
    char *text = say_path_text(name, strlen(name), &escaped);
    if (!text) {
        j->out->failed = true;
        return;
    }
    jsonw_put_text(j, key, text);
    if (escaped)
        jsonw_put_bool(j, escaped_key, true);
    free(text);
}

void record_hex(struct jsonw *j, const char *key, const uint8_t *data, size_t len)
{
    char hex[SHA256_HEX];
    hex_encode(data, len, hex);
    jsonw_put_text(j, key, hex);
}

void record_time(struct jsonw *j, const char *key, int64_t seconds)
{
    char text[32];
    struct tm tm;
    time_t t = (time_t)seconds;
    jsonw_key(j, key);
    if (!gmtime_r(&t, &tm) || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        jsonw_null(j);
    else
        jsonw_text(j, text);
}

void record_date(struct jsonw *j, const char *key, int64_t seconds)
{
    if (seconds != 0) {
        record_time(j, key, seconds);
        return;
    }
    jsonw_key(j, key);
    jsonw_null(j);
}

const char *record_kind_name(enum object_kind kind)
{
    static const char *const names[] = {[OBJECT_UNKNOWN] = "unknown", [OBJECT_FILE] = "file",
                                        [OBJECT_DIRECTORY] = "directory", [OBJECT_SYMLINK] = "symlink",
                                        [OBJECT_FIFO] = "fifo", [OBJECT_SOCKET] = "socket",
                                        [OBJECT_DEVICE] = "device", [OBJECT_OTHER] = "other"};
    return (unsigned)kind < ARRAY_LEN(names) ? names[kind] : "unknown";
}

const char *record_stability_name(enum stability stability)
{
    static const char *const names[] = {[STABILITY_UNKNOWN] = "unknown", [STABILITY_REMOTE] = "remote-unverifiable",
                                        [STABILITY_STAT_ONLY] = "stat-only", [STABILITY_LEASED] = "leased",
                                        [STABILITY_QUIESCED] = "quiesced"};
    return (unsigned)stability < ARRAY_LEN(names) ? names[stability] : "unknown";
}

static void record_finding(struct jsonw *j, const struct finding *finding)
{
    char code[128];
    finding_name(finding, code, sizeof(code));
    jsonw_object(j);
    jsonw_put_bool(j, "accepted", finding->accepted);
    jsonw_put_text(j, "code", code);
    if (finding->length)
        jsonw_put_u64(j, "length", finding->length);
    jsonw_put_text(j, "level", finding_level_name(finding->level));
    if (finding->has_line)
        jsonw_put_u64(j, "line", finding->line);
    if (finding->member)
        record_name(j, "member", "member_escaped", finding->member);
    jsonw_put_text(j, "message", finding->message ? finding->message : finding_sentence(finding->code));
    if (finding->has_offset)
        jsonw_put_u64(j, "offset", finding->offset);
    jsonw_object_end(j);
}

void record_findings(struct jsonw *j, const struct finding_list *list)
{
    jsonw_array(j);
    for (size_t i = 0; i < list->n; i++)
        record_finding(j, &list->v[i]);
    jsonw_array_end(j);
}

static void record_claims(struct jsonw *j, const struct claims *claims)
{
    static const char *const names[] = {NULL,   "extension", "text",      "head",
                                        "window", "tail",    "structure", "second-reader"};
    _Static_assert(ARRAY_LEN(names) == EVIDENCE_COUNT, "one word for each kind of evidence");
    jsonw_array(j);
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
        if (!claims_has(claims, (enum type)t))
            continue;
        jsonw_object(j);
        jsonw_key(j, "by");
        jsonw_array(j);
        for (unsigned e = 1; e < EVIDENCE_COUNT; e++)
            if (claims->of[t] >> e & 1)
                jsonw_text(j, names[e]);
        jsonw_array_end(j);
        jsonw_put_text(j, "type", type_name((enum type)t));
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

static bool digest_is_guessable(const struct item *item)
{
    return item_has_secret(item) && item->digest.bytes <= GUESSABLE_BYTES;
}

void record_entry(struct jsonw *j, const struct item *item)
{
    bool digest = item->copied && !digest_is_guessable(item);
    jsonw_object(j);
    if (item->copied) {
        jsonw_key(j, "claims");
        record_claims(j, &item->claims);
    }
    if (!digest)
        jsonw_put_text(j, "digest_omitted", item->copied ? "could be guessed back to the secret" : "not read");
    jsonw_key(j, "findings");
    record_findings(j, &item->findings);
    if (item->inner_entries) {
        jsonw_key(j, "inside");
        jsonw_object(j);
        jsonw_put_u64(j, "bytes", item->inner_bytes);
        jsonw_put_u64(j, "entries", item->inner_entries);
        jsonw_object_end(j);
    }
    if (item->source.known)
        jsonw_put_text(j, "kind", record_kind_name(item->source.kind));
    if (item->verdict.outcome == OUTCOME_PROMOTE)
        jsonw_put_text(j, "mode", item->executable ? "0555" : "0444");
    if (item->output)
        jsonw_put_u64(j, "output", item->output->index);
    record_name(j, "path", "path_escaped", item_shown(item));
    if (digest)
        record_hex(j, "sha256", item->digest.sha256, SHA256_SIZE);
    if (item->copied)
        jsonw_put_u64(j, "size", item->digest.bytes);
    else if (item->source.known && item->source.kind == OBJECT_FILE)
        jsonw_put_u64(j, "size", item->source.size);
    jsonw_put_text(j, "verdict", item_verdict_name(item));
    if (digest)
        record_hex(j, "xxh128", item->digest.xxh128, XXH128_SIZE);
    jsonw_object_end(j);
}

static void record_xattrs(struct jsonw *j, const struct source_facts *facts)
{
    jsonw_key(j, "xattrs");
    jsonw_array(j);
    for (size_t i = 0; i < facts->xattrs_n; i++) {
        bool escaped = false;
        char *text = say_path_text(facts->xattrs[i], strlen(facts->xattrs[i]), &escaped);
        jsonw_text(j, text);
        free(text);
    }
    jsonw_array_end(j);
}

void record_source_facts(struct jsonw *j, const struct item *item)
{
    char mode[16];
    const struct source_facts *facts = &item->source;
    snprintf(mode, sizeof(mode), "%04o", facts->mode & 07777u);
    jsonw_object(j);
    jsonw_put_bool(j, "atime_moved", facts->atime_moved);
    jsonw_put_u64(j, "gid", facts->gid);
    jsonw_put_u64(j, "links", facts->links);
    jsonw_put_text(j, "mode", mode);
    jsonw_put_i64(j, "mtime_ns", facts->mtime_ns);
    record_name(j, "path", "path_escaped", item_shown(item));
    jsonw_put_text(j, "stability", record_stability_name(item->stability));
    jsonw_put_u64(j, "uid", facts->uid);
    record_xattrs(j, facts);
    jsonw_object_end(j);
}
