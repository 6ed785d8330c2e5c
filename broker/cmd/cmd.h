/* SPDX-License-Identifier: ISC
 * The command table and the exit codes. cmd/ is the only place that knows the order of the line, that prints, and that
 * decides exit codes. */
#ifndef SALLYPORT_CMD_H
#define SALLYPORT_CMD_H

#include <signal.h>

#include "base/buf.h"
#include "cmd/args.h"

enum exit_code {
    EXIT_OK = 0,
    EXIT_REFUSED = 1,
    EXIT_USAGE = 2,
    EXIT_BROKER = 3,
    EXIT_CONTROL = 4,
    EXIT_VERIFY = 5,
    EXIT_JOB = 6,
    EXIT_PARTIAL = 7,
    EXIT_INTERNAL = 70,
    EXIT_NOT_NOW = 75,
    EXIT_INT = 130,
    EXIT_TERM = 143
};

/* Of two that apply, the one that counts: 70, 130/143, 75, 3, 4, 5, 6, 1, 7, 0; 2 is decided before anything. */
int exit_worst(int a, int b);
/* 75 for what trying again can help (ENOSPC, EDQUOT, EAGAIN, ...), 70 for ENOMEM, else 3. */
int exit_for_errno(int error);

/* The signal that asked to stop, 0 otherwise; cleared never. */
int cmd_interrupted(void);
/* The same as a variable, for the box. */
const volatile sig_atomic_t *cmd_stop_signal(void);

/* Ends the document with a line break, prints it whole or not at all, and frees it. An exit code. */
int cmd_print_document(struct buf *out);

/* One command: its arguments are parsed; returns an exit code. */
int cmd_run(const struct args *args);
int cmd_promote(const struct args *args);
int cmd_check(const struct args *args);
int cmd_verify(const struct args *args);
int cmd_cut(const struct args *args);
int cmd_doctor(const struct args *args);
int cmd_export(const struct args *args);
int cmd_note(const struct args *args);
int cmd_diff(const struct args *args);
int cmd_sign(const struct args *args);
int cmd_stats(const struct args *args);
int cmd_explain(const struct args *args);
int cmd_init(const struct args *args);
int cmd_probe(const struct args *args);
int cmd_rules(const struct args *args);

int cmd_main(int argc, char **argv);

#endif
