/* SPDX-License-Identifier: ISC
 * The line, one verb on each step: this is the architecture of the program. promote and check are the same line; check
 * ends before anything is published. */
#include <stdlib.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"

static int go(struct line *line)
{
    int rc = line_contract(line);
    if (rc == EXIT_OK)
        rc = line_source(line);
    if (rc == EXIT_OK)
        rc = line_destination(line);
    if (rc == EXIT_OK)
        rc = line_walk(line);
    if (rc == EXIT_OK)
        rc = line_items(line);
    if (rc == EXIT_OK)
        rc = line_decide(line);
    if (rc == EXIT_OK)
        rc = line_record(line);
    if (rc != EXIT_OK)
        return rc;
    rc = line_publish(line);
    return line_settled(line, exit_worst(rc, line_report(line)));
}

static int lenient(const struct args *args, int rc)
{
    return args->exit_zero && (rc == EXIT_REFUSED || rc == EXIT_PARTIAL) ? EXIT_OK : rc;
}

static int promote(const struct args *args, bool publishes)
{
    struct line line;
    int rc = line_begin(&line, args, publishes);
    if (rc == EXIT_OK)
        rc = go(&line);
    line_end(&line);
    return lenient(args, rc);
}

int cmd_promote(const struct args *args)
{
    return promote(args, !args->dry_run);
}

static int show_contract(const struct line *line)
{
    struct buf out;
    struct jsonw j;
    uint8_t sha256[SHA256_SIZE];
    char hex[SHA256_HEX];
    sha256_bytes(line->contract->text, line->contract->text_len, sha256);
    hex_encode(sha256, SHA256_SIZE, hex);
    buf_init(&out, 64 * KIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_put_text(&j, "name", line->contract->name);
    jsonw_put_u64(&j, "outputs", line->contract->outputs_n);
    jsonw_put_text(&j, "sha256", hex);
    jsonw_put_bool(&j, "valid", true);
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

/* Without a source only the contract is read. */
static int check_contract(const struct args *args)
{
    struct line line;
    if (args->format != REPORT_HUMAN && args->format != REPORT_JSON) {
        say("check of a contract alone knows --format human and json alone; the others want --from SOURCE");
        return EXIT_USAGE;
    }
    int rc = line_begin(&line, args, false);
    if (rc == EXIT_OK)
        rc = line_contract(&line);
    if (rc == EXIT_OK && args->format == REPORT_JSON) {
        rc = show_contract(&line);
    } else if (rc == EXIT_OK && !args->quiet) {
        char *shown = say_name(args->operands.v[0]);
        say("%s is a valid contract: %zu output%s", shown ? shown : "?", line.contract->outputs_n,
            line.contract->outputs_n == 1 ? "" : "s");
        free(shown);
    }
    line_end(&line);
    return rc;
}

int cmd_check(const struct args *args)
{
    return args->from.n == 0 && args->takes.n == 0 ? check_contract(args) : promote(args, false);
}
