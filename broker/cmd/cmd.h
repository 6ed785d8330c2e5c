/* SPDX-License-Identifier: ISC
 * The command table and the exit codes. The only place that knows the order of the line. */
#ifndef SALLYPORT_CMD_H
#define SALLYPORT_CMD_H

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

int cmd_main(int argc, char **argv);

#endif
