/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/finding.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/ruletable.h"
#include "base/say.h"
#include "cmd/cmd.h"

/* One answer: a code of the table, or a rule of the group secret. */
struct answer {
    const char *group, *rule; /* the code is their sum */
    enum finding_level level;
    bool acceptable;
    const char *sentence, *fix;
};

static void show(const struct answer *a, struct jsonw *j)
{
    char code[160];
    if (!j) {
        printf("%s%s  (%s%s)\n  %s.\n  Fix: %s.\n", a->group, a->rule, finding_level_name(a->level),
               a->acceptable ? ", can be accepted for an output" : ", cannot be accepted", a->sentence, a->fix);
        return;
    }
    snprintf(code, sizeof(code), "%s%s", a->group, a->rule);
    jsonw_object(j);
    jsonw_put_bool(j, "acceptable", a->acceptable);
    jsonw_put_text(j, "code", code);
    jsonw_put_text(j, "fix", a->fix);
    jsonw_put_text(j, "level", finding_level_name(a->level));
    jsonw_put_text(j, "sentence", a->sentence);
    jsonw_object_end(j);
}

static void explain_code(enum finding_code code, const char *rule, struct jsonw *j)
{
    const struct answer answer = {.group = finding_code_name(code), .rule = rule, .level = finding_default_level(code),
                                  .acceptable = finding_acceptable(code), .sentence = finding_sentence(code),
                                  .fix = finding_fix(code)};
    show(&answer, j);
}

/* What a secret rule is about; false: there is none of this id among the default ones. */
static bool explain_rule(const char *id, struct jsonw *j)
{
    struct rule_table table;
    if (!rule_table_decode(&table, rules_table, rules_table_len))
        return false;
    const struct rule *rule = rule_table_find(&table, id);
    if (rule) {
        const struct answer answer = {.group = "secret/", .rule = rule->id, .level = rule->level, .acceptable = true,
                                      .sentence = rule->about, .fix = finding_fix(FINDING_SECRET)};
        show(&answer, j);
    }
    rule_table_free(&table);
    return rule != NULL;
}

/* The list has one line for all rules: "secret/RULE", which is explained like any other. */
static const char any_rule[] = "RULE";

static void explain_all(struct jsonw *j)
{
    char name[160];
    for (int i = FINDING_NONE + 1; i < FINDING_COUNT; i++) {
        enum finding_code code = (enum finding_code)i;
        const char *rule = code == FINDING_SECRET ? any_rule : "";
        snprintf(name, sizeof(name), "%s%s", finding_code_name(code), rule);
        if (j)
            explain_code(code, rule, j);
        else
            printf("%-26s %s\n", name, finding_sentence(code));
    }
}

static int explain(const struct args *args, struct jsonw *j)
{
    const char *rule;
    if (args->operands.n == 0)
        explain_all(j);
    for (size_t i = 0; i < args->operands.n; i++) {
        enum finding_code code = finding_from_name(args->operands.v[i], &rule);
        if (code == FINDING_SECRET && explain_rule(rule, j))
            continue;
        bool any = code == FINDING_SECRET && strcmp(rule, any_rule) == 0;
        if (code == FINDING_NONE || (code == FINDING_SECRET && !any)) {
            char *shown = say_name(args->operands.v[i]);
            say("'%s' is not a finding code; sallyport explain lists all", shown ? shown : "?");
            free(shown);
            return EXIT_USAGE;
        }
        explain_code(code, rule, j);
    }
    return EXIT_OK;
}

int cmd_explain(const struct args *args)
{
    struct buf out;
    struct jsonw j;
    if (args->format != REPORT_JSON)
        return explain(args, NULL);
    buf_init(&out, MIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "codes");
    jsonw_array(&j);
    int rc = explain(args, &j);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    if (rc == EXIT_OK)
        return cmd_print_document(&out);
    buf_free(&out);
    return rc;
}
