/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>

#include "base/finding.h"
#include "base/say.h"
#include "cmd/cmd.h"

static void explain_one(enum finding_code code, const char *rule)
{
    printf("%s%s  (%s%s)\n  %s.\n  Fix: %s.\n", finding_code_name(code), rule,
           finding_level_name(finding_default_level(code)),
           finding_acceptable(code) ? ", can be accepted for an output" : ", cannot be accepted", finding_sentence(code),
           finding_fix(code));
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
        if (code == FINDING_NONE) {
            char *shown = say_name(args->operands.v[i]);
            say("'%s' is not a finding code; sallyport explain lists all", shown ? shown : "?");
            free(shown);
            return EXIT_USAGE;
        }
        explain_one(code, rule);
    }
    return EXIT_OK;
}
