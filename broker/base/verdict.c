/* SPDX-License-Identifier: ISC */
#include "base/verdict.h"

struct verdict verdict_worst(struct verdict a, struct verdict b)
{
    if (a.outcome == OUTCOME_REFUSE)
        return a;
    return b;
}

const char *verdict_reason_name(enum reason reason)
{
    switch (reason) {
    case REASON_UNDECIDED:
        return "undecided";
    case REASON_FINDING:
        return "finding";
    case REASON_NOT_INSPECTED:
        return "not inspected";
    case REASON_NOT_COPIED:
        return "not copied";
    case REASON_UNLISTED:
        return "unlisted";
    case REASON_CLEAN:
        return "clean";
    }
    return "undecided";
}
