/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "decide/decide.h"

/* One output that admits text, one item of it that is clean until a test changes something. */
struct bench {
    struct output output;
    struct accept accept;
    struct contract contract;
    struct item item;
    bool used[1];
    struct decide_context ctx;
};

static bool same_text(const char *glob, const char *path, bool *hidden)
{
    *hidden = false;
    return strcmp(glob, path) == 0;
}

static void set_up(struct bench *b)
{
    memset(b, 0, sizeof(*b));
    static char path[] = "a.txt", reason[] = "r", who[] = "w";
    b->output.path = path;
    type_set_add(&b->output.types, TYPE_TEXT);
    b->accept = (struct accept){.code = FINDING_ACTIVE_BIDI, .reason = reason, .approved_by = who, .until = 2000, .line = 9};
    b->contract.outputs = &b->output;
    b->contract.outputs_n = 1;
    b->contract.accepts_n = 1;
    b->item = (struct item){.path = path, .output = &b->output, .copied = true, .inspected = true, .staged = -1, .fd = -1,
                            .done = INSPECTORS_ALL};
    b->item.digest.bytes = 6;
    claims_add(&b->item.claims, TYPE_PLAIN, EVIDENCE_TEXT);
    b->ctx = (struct decide_context){.contract = &b->contract, .now = 1000, .accept_used = b->used, .glob = same_text};
}

static void with_accept(struct bench *b)
{
    b->output.accept = &b->accept;
    b->output.accept_n = 1;
}

static enum outcome outcome_of(struct bench *b)
{
    return decide_item(&b->ctx, &b->item).outcome;
}

Test(decide, zeroed_memory_refuses)
{
    struct verdict zero;
    memset(&zero, 0, sizeof(zero));
    cr_assert_eq(zero.outcome, OUTCOME_REFUSE);
    struct item item;
    memset(&item, 0, sizeof(item));
    cr_assert_null(decide_clear(&item));
}

Test(decide, a_clean_item_is_promoted_and_cleared)
{
    struct bench b;
    set_up(&b);
    cr_assert_eq(outcome_of(&b), OUTCOME_PROMOTE);
    struct clearance *clearance = decide_clear(&b.item);
    cr_assert_not_null(clearance);
    cr_assert(clearance_covers(clearance, &b.item.digest));
    struct digest other = b.item.digest;
    other.sha256[0] ^= 1;
    cr_assert(!clearance_covers(clearance, &other));
    cr_assert(!clearance_executable(clearance));
    clearance_free(&clearance);
}

Test(decide, a_missing_inspector_refuses)
{
    for (unsigned k = 0; k < INSPECTOR_COUNT; k++) {
        struct bench b;
        set_up(&b);
        b.item.done &= ~(1u << k);
        cr_assert_eq(outcome_of(&b), OUTCOME_REFUSE, "inspector %u", k);
        cr_assert_eq(b.item.findings.v[0].code, FINDING_INSPECT_INCOMPLETE);
        finding_list_free(&b.item.findings);
    }
}

Test(decide, not_inspected_not_copied_not_listed_refuse)
{
    struct bench b;
    set_up(&b);
    b.item.inspected = false;
    cr_assert_eq(outcome_of(&b), OUTCOME_REFUSE);
    set_up(&b);
    b.item.copied = false;
    cr_assert_eq(outcome_of(&b), OUTCOME_REFUSE);
    set_up(&b);
    b.item.output = NULL;
    cr_assert_eq(outcome_of(&b), OUTCOME_REFUSE);
    cr_assert_str_eq(item_verdict_name(&b.item), "unlisted");
}

Test(decide, levels_refuse_warn_note)
{
    struct bench b;
    static const struct {
        enum finding_level level;
        bool strict;
        enum outcome want;
    } rows[] = {{LEVEL_REFUSE, false, OUTCOME_REFUSE}, {LEVEL_WARN, false, OUTCOME_PROMOTE},
                {LEVEL_WARN, true, OUTCOME_REFUSE},    {LEVEL_NOTE, true, OUTCOME_PROMOTE}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        set_up(&b);
        struct finding f = {.code = FINDING_ACTIVE_BIDI, .level = rows[i].level};
        cr_assert_eq(finding_list_add(&b.item.findings, &f), 0);
        b.ctx.strict = rows[i].strict;
        cr_assert_eq(outcome_of(&b), rows[i].want, "row %zu", i);
        finding_list_free(&b.item.findings);
    }
}

Test(decide, a_claim_that_is_not_admitted_refuses)
{
    struct bench b;
    set_up(&b);
    claims_add(&b.item.claims, TYPE_ELF, EVIDENCE_HEAD);
    cr_assert_eq(outcome_of(&b), OUTCOME_REFUSE);
    cr_assert_gt(b.item.findings.n, 0u);
    finding_list_free(&b.item.findings);
}

static enum outcome with_finding(struct bench *b, enum finding_code code, const char *member)
{
    struct finding f = {.code = code, .level = LEVEL_REFUSE, .member = member ? strdup(member) : NULL};
    cr_assert_eq(finding_list_add(&b->item.findings, &f), 0);
    enum outcome outcome = outcome_of(b);
    finding_list_free(&b->item.findings);
    return outcome;
}

Test(decide, an_accept_lifts_its_code_and_no_other)
{
    struct bench b;
    set_up(&b);
    with_accept(&b);
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, NULL), OUTCOME_PROMOTE);
    cr_assert(b.used[0]);
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_CSV_FORMULA, NULL), OUTCOME_REFUSE);
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, "a.zip!x"), OUTCOME_PROMOTE);
}

Test(decide, an_expired_accept_does_not_apply_and_is_reported)
{
    struct bench b;
    struct finding_list whole = {0};
    struct item_list items = {.v = &b.item, .n = 1};
    set_up(&b);
    with_accept(&b);
    b.ctx.now = 2001;
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, NULL), OUTCOME_REFUSE);
    cr_assert(!b.used[0]);
    cr_assert_eq(decide_whole(&b.ctx, &items, &whole), DECISION_REFUSE);
    cr_assert_eq(whole.v[0].code, FINDING_CONTRACT_ACCEPT_EXPIRED);
    finding_list_free(&whole);
}

Test(decide, an_accept_that_names_what_cannot_be_accepted_lifts_nothing)
{
    struct bench b;
    set_up(&b);
    with_accept(&b);
    b.accept.code = FINDING_TYPE_CONFLICT;
    cr_assert_eq(with_finding(&b, FINDING_TYPE_CONFLICT, NULL), OUTCOME_REFUSE);
}

Test(decide, narrowing_by_path_member_and_digest)
{
    static char other[] = "b.txt", member[] = "x.txt";
    struct bench b;
    set_up(&b);
    with_accept(&b);
    b.accept.path = other;
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, NULL), OUTCOME_REFUSE);
    b.accept.path = b.item.path;
    b.accept.member = member;
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, NULL), OUTCOME_REFUSE);
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, "x.txt"), OUTCOME_PROMOTE);
    b.accept.has_sha256 = true;
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, "x.txt"), OUTCOME_PROMOTE);
    b.accept.sha256[5] = 1;
    cr_assert_eq(with_finding(&b, FINDING_ACTIVE_BIDI, "x.txt"), OUTCOME_REFUSE);
}

Test(decide, a_secret_is_accepted_by_its_rule_alone)
{
    struct bench b;
    set_up(&b);
    with_accept(&b);
    b.accept.code = FINDING_SECRET;
    strcpy(b.accept.rule, "one-rule");
    struct finding f = {.code = FINDING_SECRET, .level = LEVEL_REFUSE, .rule = "other-rule"};
    cr_assert_eq(finding_list_add(&b.item.findings, &f), 0);
    cr_assert_eq(outcome_of(&b), OUTCOME_REFUSE);
    strcpy(b.item.findings.v[0].rule, "one-rule");
    cr_assert_eq(outcome_of(&b), OUTCOME_PROMOTE);
    finding_list_free(&b.item.findings);
}

Test(decide, all_or_nothing_and_partial)
{
    struct bench b, c;
    struct finding_list whole = {0};
    set_up(&b);
    set_up(&c);
    cr_assert_eq(outcome_of(&b), OUTCOME_PROMOTE);
    c.item.copied = false;
    cr_assert_eq(outcome_of(&c), OUTCOME_REFUSE);
    struct item both[2] = {b.item, c.item};
    struct item_list items = {.v = both, .n = 2};
    cr_assert_eq(decide_whole(&b.ctx, &items, &whole), DECISION_REFUSE);
    b.contract.partial = true;
    cr_assert_eq(decide_whole(&b.ctx, &items, &whole), DECISION_PARTIAL);
    items.n = 1;
    cr_assert_eq(decide_whole(&b.ctx, &items, &whole), DECISION_PROMOTE);
    both[0] = c.item;
    cr_assert_eq(decide_whole(&b.ctx, &items, &whole), DECISION_REFUSE, "partial with nothing to promote");
    finding_list_free(&whole);
}

Test(decide, a_refusing_finding_of_no_item_refuses_the_whole)
{
    struct bench b;
    struct finding_list whole = {0};
    set_up(&b);
    b.contract.partial = true;
    cr_assert_eq(outcome_of(&b), OUTCOME_PROMOTE);
    struct item_list items = {.v = &b.item, .n = 1};
    cr_assert_eq(finding_list_note(&whole, FINDING_FILE_TOO_MANY, NULL), 0);
    cr_assert_eq(decide_whole(&b.ctx, &items, &whole), DECISION_REFUSE);
    finding_list_free(&whole);
}
