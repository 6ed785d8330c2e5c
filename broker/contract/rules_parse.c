/* SPDX-License-Identifier: ISC
 * Rule file to rule table: libyaml events against a fixed shape. Runs in the broker (for --rules) and in the program
 * that compiles the default rules at build time. Trusts the text to be the operator's, not to be right. */
#include "contract/rules_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/limits.h"

struct parse {
    const char *name;
    yaml_parser_t yaml;
    yaml_event_t event;
    bool has_event;
    struct rule_table *out;
    size_t cap;
    struct buf *errors;
    unsigned errors_n;
};

/* --- errors ---------------------------------------------------------------------------------------- */

static void fault_at(struct parse *p, const yaml_mark_t *mark, const char *what, const char *detail)
{
    if (p->errors_n++ >= CONTRACT_ERRORS)
        return;
    buf_printf(p->errors, "%s:%zu:%zu: %s%s%s\n", p->name, mark->line + 1, mark->column + 1, what, detail ? " " : "",
               detail ? detail : "");
}

static void fault(struct parse *p, const char *what, const char *detail)
{
    fault_at(p, &p->event.start_mark, what, detail);
}

/* --- events ---------------------------------------------------------------------------------------- */

static bool plain_event(struct parse *p)
{
    const yaml_event_t *e = &p->event;
    const bool anchored = e->type == YAML_ALIAS_EVENT || (e->type == YAML_SCALAR_EVENT && e->data.scalar.anchor) ||
                          (e->type == YAML_MAPPING_START_EVENT && e->data.mapping_start.anchor) ||
                          (e->type == YAML_SEQUENCE_START_EVENT && e->data.sequence_start.anchor);
    if (!anchored)
        return true;
    fault(p, "anchors and aliases are not used in rule files: write the text out", NULL);
    return false;
}

static bool next(struct parse *p)
{
    if (p->has_event)
        yaml_event_delete(&p->event);
    p->has_event = yaml_parser_parse(&p->yaml, &p->event) != 0;
    if (!p->has_event) {
        fault_at(p, &p->yaml.problem_mark, "not YAML:", p->yaml.problem ? p->yaml.problem : "out of memory");
        return false;
    }
    return plain_event(p);
}

static const char *scalar(const struct parse *p)
{
    return p->event.type == YAML_SCALAR_EVENT ? (const char *)p->event.data.scalar.value : NULL;
}

static bool expect(struct parse *p, yaml_event_type_t type, const char *what)
{
    if (p->event.type == type)
        return true;
    fault(p, what, NULL);
    return false;
}

/* --- the fields of a rule -------------------------------------------------------------------------- */

static const char *set_text(char **field, const char *value)
{
    if (*field)
        return "this key stands twice in the rule:";
    if (value[0] == '\0' || strlen(value) > RULE_TEXT_MAX)
        return "an empty or over-long text:";
    *field = strdup(value);
    return *field ? NULL : "out of memory";
}

static const char *set_number(uint32_t *field, const char *value, uint32_t max)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno || n > max)
        return "a whole number is needed, or it is too large:";
    *field = (uint32_t)n;
    return NULL;
}

static const char *set_id(struct rule *rule, const char *value)
{
    return rule_id_valid(value) ? set_text(&rule->id, value)
                                : "an id is lower-case letters, digits and dashes, at most 63:";
}

static const char *set_about(struct rule *rule, const char *value)
{
    return set_text(&rule->about, value);
}

static const char *set_pattern(struct rule *rule, const char *value)
{
    return set_text(&rule->pattern, value);
}

static const char *set_trigger(struct rule *rule, const char *value)
{
    return set_text(&rule->trigger, value);
}

static const char *set_level(struct rule *rule, const char *value)
{
    for (int i = LEVEL_REFUSE; i <= LEVEL_NOTE; i++)
        if (strcmp(value, finding_level_name((enum finding_level)i)) == 0) {
            rule->level = (enum finding_level)i;
            return NULL;
        }
    return "a level is refuse, warn or note, not";
}

static const char *set_left(struct rule *rule, const char *value)
{
    rule->left = rule_guard_named(value);
    return rule->left < GUARD_COUNT ? NULL : "a guard is none, word or base64, not";
}

static const char *set_right(struct rule *rule, const char *value)
{
    rule->right = rule_guard_named(value);
    return rule->right < GUARD_COUNT ? NULL : "a guard is none, word or base64, not";
}

static const char *set_guard(struct rule *rule, const char *value)
{
    const char *wrong = set_left(rule, value);
    return wrong ? wrong : set_right(rule, value);
}

static const char *set_kind(struct rule *rule, const char *value)
{
    rule->kind = rule_kind_named(value);
    return rule->kind < KIND_COUNT ? NULL : "a kind is token, value, password or raw, not";
}

static const char *set_check(struct rule *rule, const char *value)
{
    rule->check = rule_check_named(value);
    return rule->check < CHECK_COUNT && rule->check != CHECK_NONE ? NULL : "there is no check of the name";
}

static const char *set_must(struct rule *rule, const char *value)
{
    const char *wrong = set_check(rule, value);
    rule->must = true;
    return wrong;
}

static const char *set_entropy(struct rule *rule, const char *value)
{
    char *end;
    double bits = strtod(value, &end);
    if (end == value || *end || !(bits >= 0 && bits <= 8))
        return "entropy is bits per byte, 0 to 8, not";
    rule->entropy = (uint32_t)(bits * 100 + 0.5);
    return NULL;
}

static const char *set_max(struct rule *rule, const char *value)
{
    return set_number(&rule->max, value, RULE_WIDTH_MAX);
}

static const char *set_lead(struct rule *rule, const char *value)
{
    return set_number(&rule->lead, value, RULE_WIDTH_MAX);
}

static const struct field {
    const char *name;
    const char *(*set)(struct rule *rule, const char *value);
} fields[] = {
    {"id", set_id},       {"about", set_about},     {"pattern", set_pattern}, {"trigger", set_trigger},
    {"level", set_level}, {"guard", set_guard},     {"left", set_left},       {"right", set_right},
    {"kind", set_kind},   {"check", set_check},     {"must", set_must},       {"entropy", set_entropy},
    {"max", set_max},     {"lead", set_lead},
};

static void set_field(struct parse *p, struct rule *rule, const struct field *field)
{
    const char *value = scalar(p);
    const char *wrong = value ? field->set(rule, value) : "one text is needed for the key";
    if (wrong)
        fault(p, wrong, value ? value : field->name);
}

static const struct field *find_field(struct parse *p)
{
    const char *key = scalar(p);
    for (size_t i = 0; key && i < ARRAY_LEN(fields); i++)
        if (strcmp(fields[i].name, key) == 0)
            return &fields[i];
    fault(p, "no key of a rule:", key ? key : "(not a text)");
    return NULL;
}

/* --- shape ----------------------------------------------------------------------------------------- */

static void check_rule(struct parse *p, const struct rule *rule, const yaml_mark_t *mark)
{
    if (!rule->id || !rule->about || !rule->pattern)
        fault_at(p, mark, "a rule needs id, about and pattern", NULL);
    else if (strncmp(rule->pattern, "(*", 2) == 0)
        fault_at(p, mark, "a pattern may not start with a (*VERB): rule", rule->id);
    else
        for (size_t i = 0; i + 1 < p->out->n; i++)
            if (p->out->v[i].id && strcmp(p->out->v[i].id, rule->id) == 0)
                fault_at(p, mark, "two rules have the id", rule->id);
}

static struct rule *new_rule(struct parse *p)
{
    struct rule_table *t = p->out;
    if (t->n >= RULES_MAX) {
        fault(p, "too many rules", NULL);
        return NULL;
    }
    if (t->n == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 64;
        struct rule *v = realloc(t->v, cap * sizeof(*v));
        if (!v) {
            fault(p, "out of memory", NULL);
            return NULL;
        }
        t->v = v;
        p->cap = cap;
    }
    t->v[t->n] = (struct rule){0};
    return &t->v[t->n++];
}

static bool parse_rule(struct parse *p)
{
    yaml_mark_t mark = p->event.start_mark;
    struct rule *rule = new_rule(p);
    if (!rule || !expect(p, YAML_MAPPING_START_EVENT, "a rule is a mapping of keys"))
        return false;
    while (next(p)) {
        if (p->event.type == YAML_MAPPING_END_EVENT) {
            check_rule(p, rule, &mark);
            return true;
        }
        const struct field *field = find_field(p);
        if (!next(p))
            return false;
        if (field)
            set_field(p, rule, field);
        if (!scalar(p))
            return false;
    }
    return false;
}

static bool parse_rules(struct parse *p)
{
    if (!next(p) || !expect(p, YAML_SEQUENCE_START_EVENT, "`rules:` is a list"))
        return false;
    while (next(p)) {
        if (p->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        if (!parse_rule(p))
            return false;
    }
    return false;
}

static bool parse_version(struct parse *p)
{
    if (!next(p))
        return false;
    if (scalar(p) && strcmp(scalar(p), "1") == 0)
        return true;
    fault(p, "this program reads `sallyport-rules: 1`", NULL);
    return false;
}

static bool parse_top(struct parse *p)
{
    bool version = false, rules = false;
    while (next(p)) {
        const char *key = scalar(p);
        bool good = false;
        if (p->event.type == YAML_MAPPING_END_EVENT && version && rules)
            return true;
        if (key && strcmp(key, "sallyport-rules") == 0 && !version)
            good = version = parse_version(p);
        else if (key && strcmp(key, "rules") == 0 && !rules)
            good = rules = parse_rules(p);
        else
            fault(p, "a rule file has `sallyport-rules: 1` and `rules:`, once each", NULL);
        if (!good)
            return false;
    }
    return false;
}

static bool parse_document(struct parse *p)
{
    return next(p) && next(p) && expect(p, YAML_DOCUMENT_START_EVENT, "an empty file") && next(p) &&
           expect(p, YAML_MAPPING_START_EVENT, "a rule file is a mapping") && parse_top(p) && next(p) && next(p) &&
           expect(p, YAML_STREAM_END_EVENT, "only one document");
}

int rules_parse(const char *name, const uint8_t *text, size_t len, struct rule_table *out, struct buf *errors)
{
    struct parse p = {.name = name, .out = out, .errors = errors};
    *out = (struct rule_table){0};
    if (len > RULE_FILE_BYTES || !yaml_parser_initialize(&p.yaml)) {
        buf_printf(errors, "%s:1:1: larger than a rule file may be, or out of memory\n", name);
        return -1;
    }
    yaml_parser_set_input_string(&p.yaml, text, len);
    bool good = parse_document(&p);
    if (p.has_event)
        yaml_event_delete(&p.event);
    yaml_parser_delete(&p.yaml);
    if (good && p.errors_n == 0 && out->n > 0)
        return 0;
    if (p.errors_n == 0)
        buf_printf(errors, "%s:1:1: no rules in it\n", name);
    rule_table_free(out);
    return -1;
}
