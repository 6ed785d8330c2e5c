/* SPDX-License-Identifier: ISC
 * Proving the sandbox, for `probe` and for `run`. */
#ifndef SALLYPORT_CMD_PROBE_H
#define SALLYPORT_CMD_PROBE_H

#include "probe/probe.h"

/* Runs the probes; asked: the limits that are to be proven, NULL for all. EXIT_OK with the report filled whatever its
 * verdicts, or an exit code after the reason was said. */
int prove_controls(const struct run_limits *asked, struct probe_report *report) MUST_CHECK;

#endif
