/* SPDX-License-Identifier: ISC
 * Outcome and reason. Zero bytes refuse: forgotten, short or cleared memory is never a pass. Pure. */
#ifndef SALLYPORT_VERDICT_H
#define SALLYPORT_VERDICT_H

#include "base/compiler.h"

enum outcome { OUTCOME_REFUSE = 0, OUTCOME_PROMOTE };

enum reason {
    REASON_UNDECIDED = 0,  /* nobody judged it */
    REASON_FINDING,        /* a finding refuses */
    REASON_NOT_INSPECTED,  /* an inspector is missing or did not finish */
    REASON_NOT_COPIED,     /* the broker has no copy of its own */
    REASON_UNLISTED,       /* no output names it */
    REASON_CLEAN           /* every inspector finished and nothing refuses */
};

struct verdict {
    enum outcome outcome;
    enum reason reason;
};

/* The worse of two: a refusal wins; of two refusals the first. The only way to combine verdicts. */
struct verdict verdict_worst(struct verdict a, struct verdict b) MUST_CHECK;
const char *verdict_reason_name(enum reason reason);

#endif
