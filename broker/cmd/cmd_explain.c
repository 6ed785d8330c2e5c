/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/finding.h"
#include "base/ruletable.h"
#include "base/say.h"
#include "cmd/cmd.h"

static void explain_one(enum finding_code code, const char *rule)
{
    printf("%s%s  (%s%s)\n  %s.\n  Fix: %s.\n", finding_code_name(code), rule,
           finding_level_name(finding_default_level(code)),
           finding_acceptable(code) ? ", can be accepted for an output" : ", cannot be accepted", finding_sentence(code),
           finding_fix(code));
}

/* What a secret rule is about; false: there is none of this id among the default ones. */
static bool explain_rule(const char *id)
{
    struct rule_table table;
    bool found = false;
    if (!rule_table_decode(&table, rules_table, rules_table_len))
        return false;
    for (size_t i = 0; i < table.n && !found; i++) {
        found = strcmp(table.v[i].id, id) == 0;
        if (found)
            printf("secret/%s  (%s, can be accepted for an output)\n  %s.\n  Fix: %s.\n", id,
                   finding_level_name(table.v[i].level), table.v[i].about, finding_fix(FINDING_SECRET));
    }
    rule_table_free(&table);
    return found;
}

int cmd_explain(const struct args *args)
{
    const char *rule;
    if (args->operands.n == 0) {
        for (int code = FINDING_NONE + 1; code < FINDING_COUNT; code++)
            printf("%-26s %s\n", finding_code_name((enum finding_code)code), finding_sentence((enum finding_code)code));
        return EXIT_OK;
    }
    for (size_t i = 0; i < args->operands.n; i++) {
        enum finding_code code = finding_from_name(args->operands.v[i], &rule);
        if (code == FINDING_SECRET && explain_rule(rule))
            continue;
        if (code == FINDING_NONE || code == FINDING_SECRET) {
            char *shown = say_name(args->operands.v[i]);
            say("'%s' is not a finding code; sallyport explain lists all", shown ? shown : "?");
            free(shown);
            return EXIT_USAGE;
        }
        explain_one(code, rule);
    }
    return EXIT_OK;
}
