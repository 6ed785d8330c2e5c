/* SPDX-License-Identifier: ISC
 * record.json: what happened, as canonical JSON. `content` is deterministic (same inputs, contract and version give the
 * same bytes), `run` varies, `handoff` is for people. See sallyport-bag(5). */
#ifndef SALLYPORT_RECORD_H
#define SALLYPORT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/contract.h"
#include "base/item.h"

/* One step of the ordered action log. */
struct action {
    const char *step;   /* fixed word: "contract", "walk", "copy", ... */
    char *detail;       /* owned; may be NULL */
    int64_t at_ms;      /* since the start, monotonic */
    uint8_t key[SHA256_SIZE]; /* idempotency key */
};

struct check {
    const char *name;   /* "type", "archive", "active", "secret" */
    char engine[128];
    char rules_sha256[SHA256_HEX], own_rules_sha256[SHA256_HEX]; /* "" none */
    uint64_t files, bytes;
    bool complete;
};

/* One bag that this promotion was made from. */
struct part_line {
    char id[128], name[128], content_sha256[SHA256_HEX], tagmanifest_sha256[SHA256_HEX];
};

/* How the job of a run ended; all zero where there was none. */
struct job_line {
    const char *end;          /* "exited", ...; NULL: there was no job */
    const char *base;         /* identity of the root filesystem it ran on */
    int status;
    uint64_t elapsed_ms, cpu_ms, memory_peak, stdout_bytes, stderr_bytes;
    const char *engine;       /* name and versions of a container engine; NULL: the built-in runner */
    const char *engine_flags, *engine_runtime, *image, *image_id;
};

/* One destination of a fetch phase. */
struct fetch_destination {
    const char *host, *address, *state; /* as named; "": it led nowhere; reached, tried or refused */
    uint16_t port;
    uint64_t connections, sent, received;
};

/* The fetch phase of a run. */
struct fetch_line {
    const char *approved_by, *reason, *tree, *network_gone;
    int64_t until;
    int status;
    uint64_t elapsed_ms, attempts;
    struct fetch_destination *destinations;
    size_t destinations_n;
};

/* One probe of the sandbox. */
struct probe_line {
    const char *control, *name, *verdict;
    bool required, held;
};

struct control_line { char name[32], state[16], how[128]; };

/* Everything the record says, gathered by cmd. Borrowed pointers. */
struct record {
    const struct contract *contract;
    const struct item_list *items;
    const struct finding_list *whole;        /* findings of no entry */
    const char *decision;
    uint64_t visited, unlisted, hidden;
    bool unlisted_counted;
    uint8_t unlisted_sha256[SHA256_SIZE];
    const bool *accept_used;
    const uint8_t (*floors)[SHA256_SIZE];    /* digests of the floors the contract was held against */
    size_t floors_n;
    const struct check *checks;
    size_t checks_n;
    const char *source_kind, *source_text;   /* "directory", "tar", ... and an escaped description */
    const struct part_line *parts;           /* bag: sources */
    size_t parts_n;
    uint64_t shard_index, shard_of;          /* --shard K/N; 0 none */
    const struct pair_list *labels;          /* --label beside the contract's */
    /* run */
    const char *id, *tool_version, *operator_name, *host;
    int64_t started, finished;               /* Unix seconds */
    uint64_t elapsed_ms;
    bool reproducible;                       /* elapsed 0, no host, no operator */
    bool already;                            /* the same promotion had been published before */
    const char *stability;                   /* the worst over all copied */
    const char *destination_grade;           /* words */
    const struct pair_list *libraries;
    const struct control_line *controls;
    size_t controls_n;
    struct job_line job;
    const struct fetch_line *fetch;          /* NULL: there was none */
    const struct probe_line *probes;
    size_t probes_n;
    bool atomic, durable;                    /* the destination renames without replacing; can sync */
    const struct action *actions;
    size_t actions_n;
};

enum { RECORD_SCORES = 16 };

/* One line of the scoreboard: "pass", "fail" or "unknown". Texts are constant. */
struct record_score {
    const char *name, *state, *evidence;
};

size_t record_scoreboard(const struct record *record, struct record_score out[RECORD_SCORES]);

/* Appends the whole document with its LF. 0, or -1 (the buffer failed). */
int record_write(const struct record *record, struct buf *out, uint8_t content_sha256[SHA256_SIZE]) MUST_CHECK;

#endif
