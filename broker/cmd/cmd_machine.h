/* SPDX-License-Identifier: ISC
 * OrbStack machines: what of the Mac and its networks can be reached from one, and cutting it off. */
#ifndef SALLYPORT_CMD_MACHINE_H
#define SALLYPORT_CMD_MACHINE_H

#include "probe/probe.h"

/* probe --in orb:MACHINE. EXIT_OK with the report filled whatever its verdicts, or an exit code after the reason was said. */
int prove_machine(const char *name, struct probe_report *report) MUST_CHECK;

#endif
