/* SPDX-License-Identifier: ISC
 * Proving the sandbox, for `probe` and for `run`. */
#ifndef SALLYPORT_CMD_PROBE_H
#define SALLYPORT_CMD_PROBE_H

#include "probe/probe.h"

struct container_engine;

/* Runs the probes; asked: the limits that are to be proven, NULL for all; engine: NULL for the built-in runner. EXIT_OK with
 * the report filled whatever its verdicts, or an exit code after the reason was said. */
int prove_controls(const struct run_limits *asked, struct container_engine *engine, struct probe_report *report) MUST_CHECK;
/* Opens docker or podman with an image, or says why not and returns the exit code. Close in either case. */
int open_engine(struct container_engine *engine, const char *name, const char *image) MUST_CHECK;

#endif
