/* SPDX-License-Identifier: ISC
 * Pure: no system call, no clock. A finding can only be lifted here, and only by an accept of the item's own output;
 * whatever was not copied or not inspected to the end refuses without a case for it. */
#include "decide/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct clearance {
    struct digest digest;
    bool executable;
};

static const struct verdict promoted = {OUTCOME_PROMOTE, REASON_CLEAN};

static struct verdict refused(enum reason reason)
{
    return (struct verdict){OUTCOME_REFUSE, reason};
}

static bool expired(const struct accept *accept, int64_t now)
{
    return accept->until != 0 && accept->until < now;
}

static bool narrowed_to(const struct decide_context *ctx, const char *pattern, const char *text)
{
    bool hidden = false;
    return !pattern || (text && (strcmp(pattern, text) == 0 || ctx->glob(pattern, text, &hidden)));
}

static bool accept_covers(const struct decide_context *ctx, const struct accept *accept, const struct item *item,
                          const struct finding *finding)
{
    if (accept->code != finding->code || !finding_acceptable(finding->code))
        return false;
    if (finding->code == FINDING_SECRET && strcmp(accept->rule, finding->rule) != 0)
        return false;
    if (accept->has_sha256 && (!item->copied || !sha256_equal(accept->sha256, item->digest.sha256)))
        return false;
    return narrowed_to(ctx, accept->path, item->path) && narrowed_to(ctx, accept->member, finding->member);
}

static void apply_accepts(const struct decide_context *ctx, struct item *item)
{
    for (size_t i = 0; i < item->findings.n; i++) {
        struct finding *finding = &item->findings.v[i];
        for (size_t a = 0; a < item->output->accept_n; a++) {
            const struct accept *accept = &item->output->accept[a];
            if (expired(accept, ctx->now) || !accept_covers(ctx, accept, item, finding))
                continue;
            finding->accepted = true;
            ctx->accept_used[accept->index] = true;
        }
    }
}

static int note_type(struct item *item, enum finding_code code, enum type culprit)
{
    char message[160];
    if (culprit == TYPE_NONE)
        snprintf(message, sizeof(message), "%s", finding_sentence(code));
    else
        snprintf(message, sizeof(message), "%s: the content or name says %s", finding_sentence(code),
                 type_name(culprit));
    return finding_list_note(&item->findings, code, message);
}

/* What the claims show, each as a finding of its own: accepting one must not hide the next. No memory for a finding:
 * the verdict refuses all the same. */
static struct verdict judge_type(struct item *item)
{
    struct type_set admitted = item->output->types;
    for (int asked = 0; asked < TYPE_COUNT; asked++) {
        enum type culprit = TYPE_NONE;
        enum finding_code code = type_judge(&item->claims, &admitted, &culprit);
        if (code == FINDING_NONE)
            return promoted;
        if (note_type(item, code, culprit) != 0)
            return refused(REASON_NOT_INSPECTED);
        if (code == FINDING_TYPE_CONFLICT || culprit == TYPE_NONE)
            return promoted;
        type_set_add(&admitted, culprit);
    }
    return refused(REASON_NOT_INSPECTED);
}

static bool stands(const struct decide_context *ctx, const struct finding *finding)
{
    if (finding->accepted)
        return false;
    return finding->level == LEVEL_REFUSE || (finding->level == LEVEL_WARN && ctx->strict);
}

static struct verdict judge_findings(const struct decide_context *ctx, const struct item *item)
{
    for (size_t i = 0; i < item->findings.n; i++)
        if (stands(ctx, &item->findings.v[i]))
            return refused(REASON_FINDING);
    return promoted;
}

static bool has_inspect_finding(const struct item *item)
{
    for (size_t i = 0; i < item->findings.n; i++)
        if (finding_group(item->findings.v[i].code) == GROUP_inspect)
            return true;
    return false;
}

static struct verdict judge_inspected(struct item *item)
{
    if (item->inspected && (item->done & INSPECTORS_ALL) == INSPECTORS_ALL)
        return judge_type(item);
    if (!has_inspect_finding(item) &&
        finding_list_note(&item->findings, FINDING_INSPECT_INCOMPLETE, NULL) != 0)
        return refused(REASON_UNDECIDED);
    return refused(REASON_NOT_INSPECTED);
}

static bool is_executable(const struct item *item)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if ((type_flags((enum type)t) & T_EXEC) && claims_has(&item->claims, (enum type)t) &&
            type_set_has(&item->output->types, (enum type)t))
            return true;
    return false;
}

struct verdict decide_item(const struct decide_context *ctx, struct item *item)
{
    struct verdict verdict;
    if (!item->output || item->skipped) {
        verdict = refused(REASON_UNLISTED);
    } else if (!item->copied) {
        verdict = refused(REASON_NOT_COPIED);
    } else {
        struct verdict inspected = judge_inspected(item);
        apply_accepts(ctx, item);
        verdict = verdict_worst(inspected, judge_findings(ctx, item));
    }
    item->verdict = verdict;
    item->executable = verdict.outcome == OUTCOME_PROMOTE && is_executable(item);
    return verdict;
}

struct clearance *decide_clear(const struct item *item)
{
    if (item->verdict.outcome != OUTCOME_PROMOTE || !item->copied || !item->output)
        return NULL;
    struct clearance *clearance = calloc(1, sizeof(*clearance));
    if (!clearance)
        return NULL;
    clearance->digest = item->digest;
    clearance->executable = item->executable;
    return clearance;
}

void clearance_free(struct clearance **clearance)
{
    free(*clearance);
    *clearance = NULL;
}

bool clearance_covers(const struct clearance *clearance, const struct digest *digest)
{
    return clearance->digest.bytes == digest->bytes && sha256_equal(clearance->digest.sha256, digest->sha256) &&
           memcmp(clearance->digest.xxh128, digest->xxh128, XXH128_SIZE) == 0;
}

bool clearance_executable(const struct clearance *clearance)
{
    return clearance->executable;
}

static int report_accepts(const struct decide_context *ctx, struct finding_list *whole)
{
    char message[256];
    for (size_t o = 0; o < ctx->contract->outputs_n; o++) {
        const struct output *output = &ctx->contract->outputs[o];
        for (size_t a = 0; a < output->accept_n; a++) {
            const struct accept *accept = &output->accept[a];
            bool late = expired(accept, ctx->now);
            if (!late && ctx->accept_used[accept->index])
                continue;
            snprintf(message, sizeof(message), "line %u: the accept of %s%s %s", accept->line,
                     finding_code_name(accept->code), accept->rule,
                     late ? "has expired and was not applied" : "matched no finding");
            if (finding_list_note(whole, late ? FINDING_CONTRACT_ACCEPT_EXPIRED : FINDING_CONTRACT_ACCEPT_UNUSED,
                                  message) != 0)
                return -1;
        }
    }
    if (ctx->contract->review_by != 0 && ctx->contract->review_by < ctx->now)
        return finding_list_note(whole, FINDING_CONTRACT_REVIEW_DUE, NULL);
    return 0;
}

static bool whole_refuses(const struct finding_list *whole)
{
    for (size_t i = 0; i < whole->n; i++)
        if (whole->v[i].level == LEVEL_REFUSE)
            return true;
    return false;
}

/* Does this item stand against promoting everything? An unlisted file does only where a finding refuses it. */
static bool item_stands_against(const struct item *item)
{
    if (item->unmet)
        return true;
    if (!item->output || item->skipped)
        return item_refused(item);
    return item->verdict.outcome != OUTCOME_PROMOTE;
}

enum decision decide_whole(const struct decide_context *ctx, const struct item_list *items, struct finding_list *whole)
{
    bool against = whole_refuses(whole), any = false, some_refused = false;
    if (report_accepts(ctx, whole) != 0)
        against = true;
    for (size_t i = 0; i < items->n; i++) {
        any |= items->v[i].verdict.outcome == OUTCOME_PROMOTE;
        some_refused |= item_stands_against(&items->v[i]);
    }
    if (against || (some_refused && !(ctx->contract->partial && any)))
        return DECISION_REFUSE;
    return some_refused ? DECISION_PARTIAL : DECISION_PROMOTE;
}

const char *decision_name(enum decision decision)
{
    switch (decision) {
    case DECISION_REFUSE:
        return "refuse";
    case DECISION_PARTIAL:
        return "partial";
    case DECISION_PROMOTE:
        return "promote";
    }
    return "refuse";
}
