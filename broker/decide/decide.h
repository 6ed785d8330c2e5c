/* SPDX-License-Identifier: ISC
 * The judge. Contract, item and findings in, verdict out; the only maker of a clearance. Pure: time comes as an
 * argument. */
#ifndef SALLYPORT_DECIDE_H
#define SALLYPORT_DECIDE_H

#include "base/clearance.h"
#include "base/item.h"

struct decide_context {
    const struct contract *contract;
    int64_t now;         /* Unix seconds, for expiry */
    bool strict;         /* warnings refuse */
    bool *accept_used;   /* contract->accepts_n, set to true where one applied */
    /* The contract's glob matcher, for accepts narrowed by path or member. */
    bool (*glob)(const char *glob, const char *path, bool *hidden);
};

/* Judges one item: marks accepted findings, adds what its claims show (type codes), and sets item->verdict. Returns the verdict.
 * -1 is not possible: no memory refuses. */
struct verdict decide_item(const struct decide_context *ctx, struct item *item) MUST_CHECK;
/* Leave to publish: NULL unless item->verdict promotes and its bytes are known. */
struct clearance *decide_clear(const struct item *item) MUST_CHECK;
void clearance_free(struct clearance **clearance);

enum decision { DECISION_REFUSE = 0, DECISION_PARTIAL, DECISION_PROMOTE };

/* The whole: every item's verdict, outputs met or not, findings of no item. Adds contract/accept-* and review-due findings to `whole`. */
enum decision decide_whole(const struct decide_context *ctx, const struct item_list *items, struct finding_list *whole) MUST_CHECK;
const char *decision_name(enum decision decision);

#endif
