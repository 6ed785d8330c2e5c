/* SPDX-License-Identifier: ISC
 * The contract: what may come out, how it is bounded and judged, and how the job runs. Trusted text, parsed by
 * contract/; every pointer is owned by the struct and freed by contract_free(). Sizes are bytes, times are
 * milliseconds or Unix seconds as named. See sallyport-contract(5). */
#ifndef SALLYPORT_CONTRACT_H
#define SALLYPORT_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/finding.h"
#include "base/type.h"

struct text_list {
    char **v;
    size_t n;
};

struct text_pair {
    char *key, *value;
};

struct pair_list {
    struct text_pair *v;
    size_t n;
};

/* One finding code lifted for one output. Expired ones are kept: decide reports them. */
struct accept {
    enum finding_code code;
    char rule[RULE_ID_MAX + 1]; /* secret/RULE; else "" */
    char *reason, *approved_by; /* never NULL */
    int64_t until;              /* last second it applies, Unix time; 0: no date given */
    char *path;                 /* NULL: every file of the output; a glob or exact path */
    char *member;               /* NULL: the file and every member; a glob over the member path */
    bool has_sha256;
    uint8_t sha256[SHA256_SIZE];
    size_t index;               /* position among all accepts of the contract */
    uint32_t line;              /* in the contract file */
};

enum link_policy { LINKS_REFUSE = 0, LINKS_INSIDE };

/* Bounds on what an archive may hold. All fields are set (defaults where the contract is silent). */
struct inside {
    bool given;           /* `inside:` was written */
    struct type_set types;/* member types; without `inside: types` the passive group */
    bool types_given;
    uint64_t entries, member, unpacked, ratio, nesting;
    enum link_policy links;
};

struct output {
    size_t index;          /* position in the contract */
    uint32_t line;
    char *path;            /* exact path, or NULL */
    char *glob;            /* pattern, or NULL; exactly one of the two is set */
    struct text_list exclude;
    bool optional;
    bool has_count;
    uint64_t count_min, count_max; /* a glob's bounds; default 1..UINT64_MAX */
    struct type_set types;
    uint64_t max;
    char *reason;          /* of any-binary; NULL */
    struct inside inside;
    struct accept *accept;
    size_t accept_n;
    bool require_leased;   /* require-stability: leased */
    bool require_quiesced; /* require-stability: quiesced */
};

enum engine { ENGINE_BUILTIN = 0, ENGINE_DOCKER, ENGINE_PODMAN };

struct run_input {
    char *from, *at; /* from: as written, relative to the contract's directory; at: absolute in the box */
    bool copy;
};

/* A limit that is left out has `has_X` false: not required, recorded as none. */
struct run_limits {
    bool has_wall, has_cpus, has_memory, has_processes, has_scratch, has_inodes, has_file, has_output;
    uint64_t wall_ms, cpus_milli, memory, processes, scratch, inodes, file, output;
    bool memory_unenforced;
};

struct run_fetch {
    bool given;
    struct text_list command;
    char *reason, *approved_by;
    int64_t until;
};

struct run {
    bool given;
    struct text_list command;
    enum engine engine;
    char *image;               /* NULL for builtin */
    char *base;                /* "host" or a directory */
    struct run_input *inputs;
    size_t inputs_n;
    struct pair_list env;
    char *stdout_name, *stderr_name; /* NULL: not offered to outputs */
    uint8_t accept_exit[32];   /* bit set of 0..255 */
    struct run_limits limits;
    struct run_fetch fetch;
};

enum names_policy { NAMES_PORTABLE = 0, NAMES_POSIX };
enum hard_links { HARD_LINKS_REFUSE = 0, HARD_LINKS_WITHIN };
enum symlinks { SYMLINKS_REFUSE = 0, SYMLINKS_SKIP };
enum unlisted { UNLISTED_LIST = 0, UNLISTED_COUNT, UNLISTED_IGNORE, UNLISTED_REFUSE };

struct contract {
    char *file;          /* as given by the operator; NULL for --take */
    uint8_t *text;       /* the exact bytes */
    size_t text_len;
    uint8_t sha256[SHA256_SIZE];
    char *name;
    char *revision, *owner, *escalate, *purpose; /* NULL: unknown */
    struct text_list not_covered;
    int64_t review_by;   /* 0: none */
    struct pair_list labels, threat, source;
    struct run run;
    struct output *outputs;
    size_t outputs_n;
    size_t accepts_n;    /* over all outputs */
    struct {
        uint64_t files, total, depth, visited, time_ms;
    } limits;
    enum names_policy names;
    enum hard_links hard_links;
    enum symlinks symlinks;
    enum unlisted unlisted;
    bool partial, strict;
};

bool accept_exit_has(const struct run *run, int status);

#endif
