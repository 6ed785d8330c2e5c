/* SPDX-License-Identifier: ISC
 * Broker. `outputs` of a contract: the allowlist with its types, bounds and lifted findings. Invariant: an output that
 * comes out names exactly one path or glob and at least one type, and lifts only what may be lifted. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "contract/contract_match.h"
#include "contract/contract_sections.h"
#include "contract/suggest.h"
#include "contract/value.h"

static const char *const link_words[] = {"refuse", "inside", NULL};
static const char *const stability_words[] = {"leased", "quiesced", NULL};

char *contract_take_path(struct schema *s, const char *name, const struct node *value)
{
    if (!schema_scalar(s, name, value))
        return NULL;
    /* A control character can stand in no name that leaves, whatever `names` says. */
    enum path_fault fault = path_grammar(value->text, value->len);
    if (fault == PATH_OK && path_check(value->text, value->len, NAMES_POSIX) == PATH_CONTROL)
        fault = PATH_CONTROL;
    if (fault != PATH_OK) {
        schema_error(s, value, "'%s' must be relative to the scratch root: '%s' %s", name,
                     contract_quote(value->text, value->len).text, path_fault_text(fault));
        return NULL;
    }
    return schema_take_text(s, name, KEY_RAW, value);
}

char *contract_take_glob(struct schema *s, const char *name, const struct node *value)
{
    if (!schema_scalar(s, name, value))
        return NULL;
    if (!glob_valid(value->text, value->len)) {
        schema_error(s, value,
                     "'%s' is no glob: '%s' (relative; '*', '?', '[a-z]', '**' as a whole component; no braces, "
                     "no backslash, no '.' or '..')",
                     name, contract_quote(value->text, value->len).text);
        return NULL;
    }
    return schema_take_text(s, name, KEY_RAW, value);
}

static void read_path(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    *(char **)(void *)((char *)base + key->offset) = contract_take_path(s, key->name, value);
}

static void read_glob(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    *(char **)(void *)((char *)base + key->offset) = contract_take_glob(s, key->name, value);
}

static void read_exclude(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct output *output = base;
    if (!schema_list(s, value, key->name, 1))
        return;
    output->exclude.v = schema_array(s, value->n, sizeof(*output->exclude.v));
    for (const struct node *item = output->exclude.v ? value->first : NULL; item; item = item->next) {
        char *glob = contract_take_glob(s, key->name, item);
        if (glob)
            output->exclude.v[output->exclude.n++] = glob;
    }
}

static void read_count(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct output *output = base;
    if (!schema_scalar(s, key->name, value))
        return;
    output->has_count = value_count(value->text, value->len, &output->count_min, &output->count_max);
    if (!output->has_count)
        schema_error(s, value, "'count' is a number or a range, as in 3, 0..50 or 1.., not '%s'",
                     contract_quote(value->text, value->len).text);
    else if (output->count_max == 0)
        schema_error(s, value, "'count' admits no file at all; remove the output");
}

static void read_stability(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct output *output = base;
    struct schema_key word = *key;
    unsigned grade = 2;
    word.offset = 0;
    schema_word(s, &word, value, &grade);
    output->require_leased = grade == 0;
    output->require_quiesced = grade == 1;
}

#define BOUND(name, read, field, max) {name, read, offsetof(struct inside, field), 0, 1, (max), NULL, 0}

static const struct schema_key inside_keys[] = {
    {"types", schema_types, offsetof(struct inside, types), 0, 0, 0, NULL, offsetof(struct inside, types_given)},
    BOUND("entries", schema_u64, entries, 0),
    BOUND("member", schema_size, member, 0),
    BOUND("unpacked", schema_size, unpacked, 0),
    BOUND("ratio", schema_u64, ratio, 0),
    BOUND("nesting", schema_u64, nesting, NESTING_MAX),
    {"links", schema_word, offsetof(struct inside, links), 0, 0, 0, link_words, 0},
};

static void read_inside(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct output *output = base;
    (void)key;
    output->inside.given = schema_map(s, value, inside_keys, ARRAY_LEN(inside_keys), &output->inside, "'inside'");
}

static const char one_rule[] = "name one rule, as in secret/aws-access-key; 'sallyport rules list' prints them";

static void unknown_code(struct schema *s, const struct node *value)
{
    if (strcmp(value->text, finding_code_name(FINDING_SECRET)) == 0) {
        schema_error(s, value, "%s", one_rule);
        return;
    }
    struct suggest near = {.word = value->text, .len = value->len};
    for (int code = FINDING_NONE + 1; code < FINDING_COUNT; code++)
        suggest_try(&near, finding_code_name((enum finding_code)code));
    struct quoted q = contract_quote(value->text, value->len);
    if (near.best)
        schema_error(s, value, "unknown finding code '%s'; did you mean '%s'?", q.text, near.best);
    else
        schema_error(s, value, "unknown finding code '%s'; sallyport(7) lists the codes", q.text);
}

static bool rule_valid(const char *rule)
{
    size_t n = strspn(rule, "abcdefghijklmnopqrstuvwxyz0123456789-._");
    return n > 0 && n <= RULE_ID_MAX && rule[n] == '\0';
}

static void read_code(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct accept *accept = base;
    const char *rule = NULL;
    if (!schema_scalar(s, key->name, value))
        return;
    enum finding_code code = strlen(value->text) == value->len ? finding_from_name(value->text, &rule) : FINDING_NONE;
    if (code == FINDING_NONE)
        unknown_code(s, value);
    else if (!finding_acceptable(code))
        schema_error(s, value, "'%s' cannot be accepted: %s", finding_code_name(code), finding_fix(code));
    else if (code == FINDING_SECRET && !(rule && rule_valid(rule)))
        schema_error(s, value, "%s", one_rule);
    else {
        accept->code = code;
        if (code == FINDING_SECRET)
            memcpy(accept->rule, rule, strlen(rule) + 1);
    }
}

static void read_sha256(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct accept *accept = base;
    if (!schema_scalar(s, key->name, value))
        return;
    accept->has_sha256 = strlen(value->text) == value->len && hex_decode(value->text, accept->sha256, SHA256_SIZE);
    if (!accept->has_sha256)
        schema_error(s, value, "'sha256' is 64 hexadecimal digits, not '%s'",
                     contract_quote(value->text, value->len).text);
}

#define ACCEPT(name, read, field, flags) {name, read, offsetof(struct accept, field), flags, 0, 0, NULL, 0}

static const struct schema_key accept_keys[] = {
    ACCEPT("code", read_code, code, KEY_REQUIRED),
    ACCEPT("reason", schema_text, reason, KEY_REQUIRED | KEY_LINES),
    ACCEPT("approved-by", schema_text, approved_by, KEY_REQUIRED),
    ACCEPT("until", schema_date, until, KEY_REQUIRED),
    ACCEPT("path", read_path, path, 0),
    ACCEPT("member", schema_text, member, KEY_RAW),
    ACCEPT("sha256", read_sha256, sha256, 0),
};

static void read_accept(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct output *output = base;
    if (!schema_list(s, value, key->name, 1))
        return;
    output->accept = schema_array(s, value->n, sizeof(*output->accept));
    for (const struct node *item = output->accept ? value->first : NULL; item; item = item->next) {
        struct accept *accept = &output->accept[output->accept_n++];
        accept->line = item->line;
        schema_map(s, item, accept_keys, ARRAY_LEN(accept_keys), accept, "an accept");
    }
}

#define OUTPUT(name, read, field, flags, min, words) \
    {name, read, offsetof(struct output, field), flags, min, 0, words, 0}

static const struct schema_key output_keys[] = {
    OUTPUT("path", read_path, path, 0, 0, NULL),
    OUTPUT("glob", read_glob, glob, 0, 0, NULL),
    OUTPUT("exclude", read_exclude, exclude, 0, 0, NULL),
    OUTPUT("optional", schema_bool, optional, 0, 0, NULL),
    OUTPUT("count", read_count, count_min, 0, 0, NULL),
    OUTPUT("types", schema_types, types, KEY_REQUIRED, 0, NULL),
    OUTPUT("max", schema_size, max, 0, 1, NULL),
    OUTPUT("reason", schema_text, reason, KEY_LINES, 0, NULL),
    OUTPUT("inside", read_inside, inside, 0, 0, NULL),
    OUTPUT("accept", read_accept, accept, 0, 0, NULL),
    OUTPUT("require-stability", read_stability, require_leased, 0, 0, stability_words),
};

void contract_output_init(struct output *output)
{
    output->count_min = 1;
    output->count_max = UINT64_MAX;
    output->max = DEFAULT_MAX;
    output->inside = (struct inside){.entries = DEFAULT_INSIDE_ENTRIES,
                                     .member = DEFAULT_INSIDE_MEMBER,
                                     .unpacked = DEFAULT_INSIDE_UNPACKED,
                                     .ratio = DEFAULT_INSIDE_RATIO,
                                     .nesting = DEFAULT_INSIDE_NESTING};
}

void contract_output_finish(struct output *output)
{
    if (!output->inside.types_given)
        (void)type_group_add(&output->inside.types, "passive", strlen("passive"));
}

/* Keys that contradict each other within one output. */
static void check_output(struct schema *s, const struct node *item, const struct output *output)
{
    static const char *const of_glob[] = {"exclude", "count"};
    const struct node *path = node_get(item, "path"), *glob = node_get(item, "glob");
    const struct node *optional = node_get(item, "optional");
    if (path && glob)
        schema_error(s, node_later(path, glob), "an output has a path or a glob, not both");
    if (!path && !glob)
        schema_error(s, item, "an output needs the key 'path' or 'glob'");
    for (size_t i = 0; path && !glob && i < ARRAY_LEN(of_glob); i++)
        if (node_get(item, of_glob[i]))
            schema_error(s, node_get(item, of_glob[i])->key, "'%s' belongs to a glob; this output is an exact path",
                         of_glob[i]);
    if (glob && !path && optional)
        schema_error(s, optional->key, "'optional' belongs to an exact path; a glob that may match nothing has "
                                       "'count: 0..'");
    if (type_set_has(&output->types, TYPE_ANY_BINARY) && !node_get(item, "reason"))
        schema_error(s, node_get(item, "types"), "'any-binary' needs a 'reason' why unknown bytes may leave");
}

static const struct node *name_node(const struct node *item)
{
    const struct node *path = node_get(item, "path");
    return path ? path : node_get(item, "glob");
}

static int by_name(const void *a, const void *b)
{
    const struct output *const *x = a, *const *y = b;
    bool x_glob = (*x)->path == NULL, y_glob = (*y)->path == NULL;
    if (x_glob != y_glob)
        return x_glob ? 1 : -1;
    int order = strcmp(x_glob ? (*x)->glob : (*x)->path, y_glob ? (*y)->glob : (*y)->path);
    return order ? order : (*x)->index < (*y)->index ? -1 : 1;
}

/* The same path twice is a mistake; the same glob twice too, because the second never gets a file. */
static void check_twice(struct schema *s, const struct node *list, const struct contract *c)
{
    AUTO_FREE const struct output **sorted = schema_array(s, c->outputs_n, sizeof(*sorted));
    AUTO_FREE const struct node **items = schema_array(s, c->outputs_n, sizeof(*items));
    size_t n = 0, at = 0;
    if (!sorted || !items)
        return;
    for (const struct node *item = list->first; item; item = item->next)
        items[at++] = item;
    for (size_t i = 0; i < c->outputs_n; i++)
        if (c->outputs[i].path || c->outputs[i].glob)
            sorted[n++] = &c->outputs[i];
    qsort(sorted, n, sizeof(*sorted), by_name);
    for (size_t i = 1; i < n; i++) {
        const struct output *a = sorted[i - 1], *b = sorted[i];
        const char *x = a->path ? a->path : a->glob, *y = b->path ? b->path : b->glob;
        if (!a->path == !b->path && strcmp(x, y) == 0)
            schema_error(s, name_node(items[b->index]), "the same %s twice: '%s' stands on line %u already",
                         a->path ? "path" : "glob", contract_quote(x, strlen(x)).text,
                         name_node(items[a->index])->line);
    }
}

void contract_read_outputs(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct contract *c = base;
    if (!schema_list(s, value, key->name, 1))
        return;
    c->outputs = schema_array(s, value->n, sizeof(*c->outputs));
    for (const struct node *item = c->outputs ? value->first : NULL; item; item = item->next) {
        struct output *output = &c->outputs[c->outputs_n];
        output->index = c->outputs_n++;
        output->line = item->line;
        contract_output_init(output);
        if (schema_map(s, item, output_keys, ARRAY_LEN(output_keys), output, "an output"))
            check_output(s, item, output);
        contract_output_finish(output);
        for (size_t i = 0; i < output->accept_n; i++)
            output->accept[i].index = c->accepts_n++;
    }
    if (c->outputs)
        check_twice(s, value, c);
}
