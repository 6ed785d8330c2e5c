/* SPDX-License-Identifier: ISC
 * Systems without the built-in runner: there is nothing to prove, and that is no proof. */
#include <stdio.h>
#include <string.h>

#include "probe/probe.h"

int probe_run_all(const struct probe_options *options, struct probe_report *report)
{
    (void)options;
    memset(report, 0, sizeof *report);
    snprintf(report->fault, sizeof report->fault, "namespaces: the built-in runner needs Linux; use an engine");
    report->rows[0] = (struct probe_result){.name = "runner", .control = CONTROL_NAMESPACES, .verdict = PROBE_UNSUPPORTED,
                                            .required = true, .how = "the built-in runner needs Linux"};
    report->n = 1;
    return 0;
}
