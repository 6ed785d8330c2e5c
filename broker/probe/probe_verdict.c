/* SPDX-License-Identifier: ISC
 * Verdicts in words, and over many. */
#include "probe/probe.h"

const char *probe_verdict_name(enum probe_verdict verdict)
{
    static const char *const names[] = {[PROBE_BROKEN] = "BROKEN",
                                        [PROBE_INSTRUMENT_BROKEN] = "INSTRUMENT-BROKEN",
                                        [PROBE_UNSUPPORTED] = "UNSUPPORTED",
                                        [PROBE_HELD] = "HELD"};
    return (unsigned)verdict < ARRAY_LEN(names) ? names[verdict] : "BROKEN";
}

bool probe_all_held(const struct probe_report *report)
{
    size_t held = 0;
    for (size_t i = 0; i < report->n; i++) {
        if (report->rows[i].required && report->rows[i].verdict != PROBE_HELD)
            return false;
        held += report->rows[i].verdict == PROBE_HELD;
    }
    return held > 0 && !report->stopped;
}

bool probe_control_held(const struct probe_report *report, enum control control)
{
    size_t held = 0;
    for (size_t i = 0; i < report->n; i++) {
        if (report->rows[i].control != control)
            continue;
        if (report->rows[i].required && report->rows[i].verdict != PROBE_HELD)
            return false;
        held += report->rows[i].verdict == PROBE_HELD;
    }
    return held > 0;
}
