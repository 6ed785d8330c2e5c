/* SPDX-License-Identifier: ISC
 * What a person who takes over must know: who answers for it, what was not done and why, and the scoreboard, on which
 * unknown is never a pass. Pure. */
#include <string.h>

#include "record/record_entry.h"

enum score { SCORE_UNKNOWN = 0, SCORE_FAIL, SCORE_PASS };

static void put_option(struct jsonw *j, const char *option, const char *because)
{
    jsonw_object(j);
    jsonw_put_text(j, "because", because);
    jsonw_put_text(j, "option", option);
    jsonw_object_end(j);
}

static size_t count(const struct record *r, const char *verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < r->items->n; i++)
        n += strcmp(item_verdict_name(&r->items->v[i]), verdict) == 0;
    return n;
}

static bool any_warning(const struct record *r)
{
    for (size_t i = 0; i < r->items->n; i++)
        for (size_t k = 0; k < r->items->v[i].findings.n; k++)
            if (r->items->v[i].findings.v[k].level == LEVEL_WARN)
                return true;
    return false;
}

/* What could have been done instead, and what spoke against it. */
static void put_rejected(struct jsonw *j, const struct record *r)
{
    jsonw_key(j, "rejected");
    jsonw_array(j);
    if (strcmp(r->decision, "refuse") == 0 && count(r, "promote") > 0 && !r->contract->partial)
        put_option(j, "publish the files that passed", "the contract's partial is false: all or nothing");
    if (strcmp(r->decision, "partial") == 0)
        put_option(j, "refuse the whole", "the contract's partial is true: what passes is published, the rest is recorded");
    if (count(r, "unlisted") > 0 || (r->unlisted_counted && r->unlisted > 0))
        put_option(j, "copy files that no output names", "the outputs are an allowlist");
    if (any_warning(r) && !r->contract->strict)
        put_option(j, "refuse for warnings", "the contract is not strict");
    jsonw_array_end(j);
}

struct board {
    struct record_score *v;
    size_t n;
};

static void put_score(struct board *board, const char *name, enum score score, const char *evidence)
{
    static const char *const words[] = {[SCORE_UNKNOWN] = "unknown", [SCORE_FAIL] = "fail", [SCORE_PASS] = "pass"};
    board->v[board->n++] = (struct record_score){.name = name, .state = words[score], .evidence = evidence};
}

static bool in_force(const struct control_line *control)
{
    return strcmp(control->state, "enforced") == 0 || strcmp(control->state, "proven") == 0;
}

static bool is_of_workers(const struct control_line *control)
{
    return strncmp(control->name, "inspect-", strlen("inspect-")) == 0;
}

/* Every control of the workers, or of the job's sandbox: missing or given up fails, none at all is unknown. */
static enum score controls_score(const struct record *r, bool workers)
{
    enum score score = SCORE_UNKNOWN;
    for (size_t i = 0; i < r->controls_n; i++) {
        const struct control_line *control = &r->controls[i];
        if (is_of_workers(control) != workers || strcmp(control->state, "not-asked") == 0)
            continue;
        if (in_force(control))
            score = score == SCORE_UNKNOWN ? SCORE_PASS : score;
        else if (strcmp(control->name, "inspect-landlock") != 0)
            score = SCORE_FAIL;
    }
    return score;
}

static enum score named_control(const struct record *r, const char *name)
{
    for (size_t i = 0; i < r->controls_n; i++)
        if (strcmp(r->controls[i].name, name) == 0)
            return in_force(&r->controls[i])                         ? SCORE_PASS
                   : strcmp(r->controls[i].state, "not-asked") == 0 ? SCORE_UNKNOWN
                                                                    : SCORE_FAIL;
    return SCORE_UNKNOWN;
}

static enum score probes_score(const struct record *r)
{
    enum score score = r->probes_n ? SCORE_PASS : SCORE_UNKNOWN;
    for (size_t i = 0; i < r->probes_n; i++)
        if (r->probes[i].required && !r->probes[i].held)
            score = SCORE_FAIL;
    return score;
}

static enum score checks_score(const struct record *r)
{
    enum score score = r->checks_n ? SCORE_PASS : SCORE_UNKNOWN;
    for (size_t i = 0; i < r->checks_n; i++)
        if (!r->checks[i].complete)
            score = SCORE_FAIL;
    return score;
}

static enum score group_score(const struct record *r, enum finding_group group)
{
    for (size_t i = 0; i < r->items->n; i++)
        for (size_t k = 0; k < r->items->v[i].findings.n; k++) {
            const struct finding *f = &r->items->v[i].findings.v[k];
            if (finding_group(f->code) == group && f->level == LEVEL_REFUSE && !f->accepted)
                return SCORE_FAIL;
        }
    return checks_score(r) == SCORE_PASS ? SCORE_PASS : SCORE_UNKNOWN;
}

static enum score stability_score(const struct record *r)
{
    bool stable = strcmp(r->stability, "quiesced") == 0 || strcmp(r->stability, "leased") == 0;
    return stable ? SCORE_PASS : SCORE_UNKNOWN;
}

static enum score whole_score(const struct record *r, enum finding_code code, enum score otherwise)
{
    for (size_t i = 0; i < r->whole->n; i++)
        if (r->whole->v[i].code == code)
            return SCORE_FAIL;
    return otherwise;
}

static enum score publication_score(const struct record *r)
{
    if (!r->destination_grade || !*r->destination_grade)
        return SCORE_UNKNOWN;
    return r->atomic && r->durable ? SCORE_PASS : SCORE_FAIL;
}

size_t record_scoreboard(const struct record *r, struct record_score out[RECORD_SCORES])
{
    struct board b = {.v = out};
    const struct contract *c = r->contract;
    put_score(&b, "every required output is there", count(r, "missing") ? SCORE_FAIL : SCORE_PASS, "content.totals.missing");
    put_score(&b, "every file was inspected to the end", checks_score(r), "content.checks");
    put_score(&b, "no credential was found", group_score(r, GROUP_secret), "content.entries");
    put_score(&b, "no active content was found", group_score(r, GROUP_active), "content.entries");
    put_score(&b, "the inspectors were confined", controls_score(r, true), "run.controls");
    put_score(&b, "the job's sandbox was enforced", controls_score(r, false), "run.controls");
    put_score(&b, "the sandbox was proven by probes", probes_score(r), "run.probes");
    put_score(&b, "nothing of the job is left", named_control(r, "cleanup"), "run.controls");
    put_score(&b, "the source could not change while it was read", stability_score(r), "run.stability");
    put_score(&b, "publication is atomic and durable", publication_score(r), "run.destination");
    put_score(&b, "no accepted finding has expired", whole_score(r, FINDING_CONTRACT_ACCEPT_EXPIRED, SCORE_PASS), "content.findings");
    put_score(&b, "somebody answers for it", c->owner ? SCORE_PASS : SCORE_UNKNOWN, "handoff.owner");
    put_score(&b, "the contract's review is not overdue",
              whole_score(r, FINDING_CONTRACT_REVIEW_DUE, c->review_by ? SCORE_PASS : SCORE_UNKNOWN), "handoff.next_review");
    return b.n;
}

static void put_scoreboard(struct jsonw *j, const struct record *r)
{
    struct record_score scores[RECORD_SCORES];
    size_t n = record_scoreboard(r, scores);
    jsonw_key(j, "scoreboard");
    jsonw_array(j);
    for (size_t i = 0; i < n; i++) {
        jsonw_object(j);
        jsonw_put_text(j, "evidence", scores[i].evidence);
        jsonw_put_text(j, "name", scores[i].name);
        jsonw_put_text(j, "state", scores[i].state);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}

void record_handoff(struct jsonw *j, const struct record *r)
{
    const struct contract *contract = r->contract;
    jsonw_key(j, "handoff");
    jsonw_object(j);
    jsonw_put_text(j, "escalate", contract->escalate);
    record_texts(j, "exclusions", &contract->not_covered);
    record_date(j, "next_review", contract->review_by);
    jsonw_put_text(j, "owner", contract->owner);
    put_rejected(j, r);
    record_pairs(j, "risks", &contract->threat);
    put_scoreboard(j, r);
    jsonw_object_end(j);
}
