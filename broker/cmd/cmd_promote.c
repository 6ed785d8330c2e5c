/* SPDX-License-Identifier: ISC
 * The line, one verb on each step: this is the architecture of the program. promote and check are the same line; check
 * ends before anything is published. */
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
    return exit_worst(rc, line_report(line));
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

/* Without a source only the contract is read. */
static int check_contract(const struct args *args)
{
    struct line line;
    int rc = line_begin(&line, args, false);
    if (rc == EXIT_OK)
        rc = line_contract(&line);
    if (rc == EXIT_OK && !args->quiet)
        say("%s is a valid contract: %zu outputs", args->operands.v[0], line.contract->outputs_n);
    line_end(&line);
    return rc;
}

int cmd_check(const struct args *args)
{
    return args->from.n == 0 && args->takes.n == 0 ? check_contract(args) : promote(args, false);
}
