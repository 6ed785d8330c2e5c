/* SPDX-License-Identifier: ISC
 * The command line as a struct. Every command takes the same options; which of them a command knows is in its row of
 * the command table. */
#ifndef SALLYPORT_ARGS_H
#define SALLYPORT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/contract.h"
#include "report/report.h"

enum { ARGS_LIST = 64 };

struct arg_list {
    char *v[ARGS_LIST];
    size_t n;
};

struct report_target {
    enum report_format format;
    char *path;
};

enum when { WHEN_AUTO = 0, WHEN_ALWAYS, WHEN_NEVER };

/* Strings are borrowed from argv; label pairs are owned. */
struct args {
    struct arg_list operands;
    struct arg_list from, takes, sign, key;
    char **producer;        /* after "--": a command whose tar stream is the source; NULL */
    char *to, *tree, *id, *hold, *record_dir, *floor, *rules, *root, *in, *dir, *tar, *zip, *oci, *sigstore;
    char *allowed_signers, *identity, *head, *save, *proof, *event, *reason, *shard;
    uint64_t at_least;
    struct pair_list labels;
    enum report_format format;
    bool format_given;
    struct report_target reports[ARGS_LIST];
    size_t reports_n;
    enum when color, progress;
    bool quiet, verbose, strict, exit_zero, dry_run, shared_dest, reproducible, transported, fast, help, version, wait, plain, restore;
    bool components;        /* resolve one component at a time, as where openat2 is missing */
};

/* Options a command knows, as bits. */
enum arg_group {
    ARG_LINE = 1u << 0,    /* promotion: --id --label --hold --record --floor --rules --strict ... */
    ARG_SOURCE = 1u << 1,  /* --from --root --take */
    ARG_TO = 1u << 2,      /* --to --tree --shared-dest --sign */
    ARG_VERIFY = 1u << 3,  /* --allowed-signers --identity --transported --at-least --head */
    ARG_EXPORT = 1u << 4,  /* --dir --tar --zip --oci --sigstore */
    ARG_PROBE = 1u << 5,   /* --in --plain --save */
    ARG_KEY = 1u << 6,     /* --key */
    ARG_RULES = 1u << 7,   /* --rules */
    ARG_DIR = 1u << 8,     /* --from alone */
    ARG_NOTE = 1u << 9,    /* --event --reason */
    ARG_PROOF = 1u << 10,  /* --proof */
    ARG_CUT = 1u << 12     /* --restore */
};

/* Parses argv[1..]. 0; or an exit code after the message was said. */
int args_parse(struct args *args, int argc, char **argv, unsigned groups);
void args_free(struct args *args);

#endif
