/* SPDX-License-Identifier: ISC */
#include "base/finding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum { YES = 1, NEVER = 0 };

struct finding_row {
    const char *name, *sentence, *fix;
    enum finding_group group;
    enum finding_level level;
    bool acceptable;
};

static const struct finding_row rows[FINDING_COUNT] = {
    [FINDING_NONE] = {"none", "no finding", "", GROUP_NONE, LEVEL_REFUSE, false},
#define FINDING(sym, group, slug, level, accept, sentence, fix)                                                      \
    [FINDING_##sym] = {#group "/" slug, sentence, fix, GROUP_##group, LEVEL_##level, accept},
#include "base/findings.def"
#undef FINDING
};

static const struct finding_row *row_of(enum finding_code code)
{
    return (unsigned)code < FINDING_COUNT ? &rows[code] : &rows[FINDING_NONE];
}

static void finding_clear(struct finding *finding)
{
    free(finding->member);
    free(finding->message);
    finding->member = NULL;
    finding->message = NULL;
}

int finding_list_add(struct finding_list *list, struct finding *take)
{
    struct finding own = *take;
    take->member = NULL;
    take->message = NULL;
    if (list->n >= FINDINGS_MAX + FINDINGS_RESERVE) {
        finding_clear(&own);
        errno = E2BIG;
        return -1;
    }
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 4;
        struct finding *grown = realloc(list->v, cap * sizeof(*grown));
        if (!grown) {
            finding_clear(&own);
            return -1;
        }
        list->v = grown;
        list->cap = cap;
    }
    list->v[list->n++] = own;
    return 0;
}

int finding_list_note(struct finding_list *list, enum finding_code code, const char *message)
{
    struct finding f = {.code = code, .level = finding_default_level(code)};
    if (message && !(f.message = strdup(message)))
        return -1;
    return finding_list_add(list, &f);
}

int finding_list_move(struct finding_list *to, struct finding_list *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (finding_list_add(to, &from->v[i]) != 0)
            return -1;
    finding_list_free(from);
    return 0;
}

void finding_list_free(struct finding_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        finding_clear(&list->v[i]);
    free(list->v);
    *list = (struct finding_list){0};
}

void finding_name(const struct finding *finding, char *out, size_t size)
{
    const char *rule = finding->code == FINDING_SECRET ? finding->rule : "";
    snprintf(out, size, "%s%s", row_of(finding->code)->name, rule);
}

const char *finding_code_name(enum finding_code code)
{
    return row_of(code)->name;
}

const char *finding_sentence(enum finding_code code)
{
    return row_of(code)->sentence;
}

const char *finding_fix(enum finding_code code)
{
    return row_of(code)->fix;
}

enum finding_level finding_default_level(enum finding_code code)
{
    return row_of(code)->level;
}

enum finding_group finding_group(enum finding_code code)
{
    return row_of(code)->group;
}

const char *finding_group_name(enum finding_group group)
{
    switch (group) {
    case GROUP_NONE:
        return "none";
    case GROUP_file:
        return "file";
    case GROUP_name:
        return "name";
    case GROUP_type:
        return "type";
    case GROUP_archive:
        return "archive";
    case GROUP_active:
        return "active";
    case GROUP_secret:
        return "secret";
    case GROUP_contract:
        return "contract";
    case GROUP_inspect:
        return "inspect";
    }
    return "none";
}

const char *finding_level_name(enum finding_level level)
{
    switch (level) {
    case LEVEL_REFUSE:
        return "refuse";
    case LEVEL_WARN:
        return "warn";
    case LEVEL_NOTE:
        return "note";
    }
    return "refuse";
}

bool finding_acceptable(enum finding_code code)
{
    return row_of(code)->acceptable;
}

enum finding_code finding_from_name(const char *name, const char **rule)
{
    *rule = "";
    if (strncmp(name, "secret/", 7) == 0) {
        if (!name[7] || strlen(name + 7) > RULE_ID_MAX)
            return FINDING_NONE;
        *rule = name + 7;
        return FINDING_SECRET;
    }
    for (int i = FINDING_NONE + 1; i < FINDING_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (enum finding_code)i;
    return FINDING_NONE;
}
