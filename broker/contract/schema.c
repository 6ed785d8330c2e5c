/* SPDX-License-Identifier: ISC
 * Broker. The engine behind the tables of contract_parse.c, contract_outputs.c, contract_run.c and contract_floor.c:
 * unknown and missing keys, and the readers of single values. Invariant: a value is stored only when it is right. */
#include "contract/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "contract/suggest.h"
#include "contract/value.h"

#define FIELD(base, key, type) ((type *)(void *)((char *)(base) + (key)->offset))

void schema_error(struct schema *s, const struct node *at, const char *fmt, ...)
{
    char sentence[MESSAGE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof(sentence), fmt, args);
    va_end(args);
    contract_errors_add(s->errors, at->line, at->column, "%s", sentence);
}

void *schema_array(struct schema *s, size_t n, size_t size)
{
    void *v = calloc(n ? n : 1, size);
    if (!v)
        s->no_memory = true;
    return v;
}

static void unknown_key(struct schema *s, const struct node *key, const struct schema_key *keys, size_t n,
                        const char *what)
{
    struct suggest near = {.word = key->text, .len = key->len};
    for (size_t i = 0; i < n; i++)
        suggest_try(&near, keys[i].name);
    struct quoted q = contract_quote(key->text, key->len);
    if (near.best)
        schema_error(s, key, "unknown key '%s' in %s; did you mean '%s'?", q.text, what, near.best);
    else
        schema_error(s, key, "unknown key '%s' in %s; see sallyport-contract(5) for the keys", q.text, what);
}

static const struct schema_key *key_find(const struct schema_key *keys, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

bool schema_map(struct schema *s, const struct node *map, const struct schema_key *keys, size_t n, void *base,
                const char *what)
{
    if (map->kind != NODE_MAPPING) {
        if (map->kind != NODE_BAD)
            schema_error(s, map, "%s must be a mapping (key: value)", what);
        return false;
    }
    for (const struct node *child = map->first; child; child = child->next) {
        if (child->key->kind != NODE_SCALAR)
            continue;
        const struct schema_key *key = key_find(keys, n, child->key->text);
        if (!key)
            unknown_key(s, child->key, keys, n, what);
        else if (child->kind != NODE_BAD) {
            if (key->has)
                *(bool *)((char *)base + key->has) = true;
            key->read(s, key, child, base);
        }
    }
    for (size_t i = 0; i < n; i++)
        if ((keys[i].flags & KEY_REQUIRED) && !node_get(map, keys[i].name))
            schema_error(s, map, "%s needs the key '%s'", what, keys[i].name);
    return true;
}

bool schema_list(struct schema *s, const struct node *value, const char *name, size_t min)
{
    if (value->kind == NODE_SEQUENCE && value->n >= min)
        return true;
    if (value->kind == NODE_SEQUENCE)
        schema_error(s, value, "'%s' is an empty list", name);
    else if (value->kind != NODE_BAD)
        schema_error(s, value, "'%s' must be a list, as in [a, b]", name);
    return false;
}

bool schema_scalar(struct schema *s, const char *name, const struct node *value)
{
    if (value->kind == NODE_BAD)
        return false;
    if (value->kind != NODE_SCALAR)
        schema_error(s, value, "'%s' must be a single value, not a list or mapping", name);
    else if (node_is_null(value))
        schema_error(s, value, "'%s' has no value; give one or leave the key out", name);
    else
        return true;
    return false;
}

/* Text is written into records, lists and reports: control characters have no business there. */
static const char *text_fault(const struct node *value, unsigned flags)
{
    uint32_t code;
    for (size_t i = 0; i < value->len;) {
        size_t n = utf8_decode((const uint8_t *)value->text + i, value->len - i, &code);
        if (n == 0)
            return "is not UTF-8";
        if (code == 0)
            return "holds a NUL character";
        if (!(flags & KEY_RAW) && code == '\n' && !(flags & KEY_LINES))
            return "has more than one line";
        if (!(flags & KEY_RAW) && code != '\n' && code != '\t' && utf8_is_control(code))
            return "holds a control character";
        i += n;
    }
    return NULL;
}

static bool blank(const struct node *value)
{
    return strspn(value->text, " \t\n") == value->len;
}

char *schema_take_text(struct schema *s, const char *name, unsigned flags, const struct node *value)
{
    if (!schema_scalar(s, name, value))
        return NULL;
    const char *fault = text_fault(value, flags);
    if (!fault && blank(value) && !(flags & KEY_RAW))
        fault = "is empty";
    if (fault) {
        schema_error(s, value, "'%s' %s", name, fault);
        return NULL;
    }
    char *text = strdup(value->text);
    if (!text)
        s->no_memory = true;
    return text;
}

void schema_ignore(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)s;
    (void)key;
    (void)value;
    (void)base;
}

void schema_text(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    *FIELD(base, key, char *) = schema_take_text(s, key->name, key->flags, value);
}

void schema_texts(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct text_list *list = FIELD(base, key, struct text_list);
    if (!schema_list(s, value, key->name, (size_t)key->min))
        return;
    list->v = schema_array(s, value->n, sizeof(*list->v));
    for (const struct node *item = list->v ? value->first : NULL; item; item = item->next) {
        char *text = schema_take_text(s, key->name, key->flags, item);
        if (text)
            list->v[list->n++] = text;
    }
}

void schema_pairs(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct pair_list *list = FIELD(base, key, struct pair_list);
    if (value->kind != NODE_MAPPING) {
        schema_error(s, value, "'%s' must be a mapping (key: value)", key->name);
        return;
    }
    list->v = schema_array(s, value->n, sizeof(*list->v));
    for (const struct node *item = list->v ? value->first : NULL; item; item = item->next) {
        if (item->key->kind != NODE_SCALAR)
            continue;
        struct text_pair pair = {.key = schema_take_text(s, key->name, 0, item->key)};
        pair.value = pair.key ? schema_take_text(s, pair.key, key->flags, item) : NULL;
        if (pair.value)
            list->v[list->n++] = pair;
        else
            free(pair.key);
    }
}

void schema_bool(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    if (!schema_scalar(s, key->name, value))
        return;
    bool yes = value->plain && strcmp(value->text, "true") == 0;
    if (yes || (value->plain && strcmp(value->text, "false") == 0))
        *FIELD(base, key, bool) = yes;
    else
        schema_error(s, value, "'%s' is true or false, not '%s'", key->name,
                     contract_quote(value->text, value->len).text);
}

/* Numbers of every kind: parsed by `read`, then held against the key's bounds. */
static void number(struct schema *s, const struct schema_key *key, const struct node *value, void *base,
                   bool (*read)(const char *, size_t, uint64_t *), const char *form)
{
    uint64_t v;
    if (!schema_scalar(s, key->name, value))
        return;
    struct quoted q = contract_quote(value->text, value->len);
    if (!read(value->text, value->len, &v))
        schema_error(s, value, "'%s' is %s, not '%s'", key->name, form, q.text);
    else if (v < key->min)
        schema_error(s, value, "'%s' is too small: %s", key->name, q.text);
    else if (key->max && v > key->max)
        schema_error(s, value, "'%s' is too large: %s", key->name, q.text);
    else
        *FIELD(base, key, uint64_t) = v;
}

void schema_u64(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    number(s, key, value, base, value_u64, "a whole number");
}

void schema_size(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    number(s, key, value, base, value_size, "a size in bytes, K, M or G, as in 64M");
}

void schema_duration(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct schema_key bounded = *key;
    bounded.max = key->max ? key->max : DURATION_MAX_MS;
    number(s, &bounded, value, base, value_duration, "a duration, as in 90s, 10m or 1h30m");
}

void schema_date(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    if (schema_scalar(s, key->name, value) && !value_date(value->text, value->len, FIELD(base, key, int64_t)))
        schema_error(s, value, "'%s' is a date, as in 2027-01-31, not '%s'", key->name,
                     contract_quote(value->text, value->len).text);
}

void schema_word(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    char known[160] = "";
    if (!schema_scalar(s, key->name, value))
        return;
    struct suggest near = {.word = value->text, .len = value->len};
    for (unsigned i = 0; key->words[i]; i++) {
        if (strcmp(key->words[i], value->text) == 0 && value->len == strlen(value->text)) {
            *FIELD(base, key, unsigned) = i;
            return;
        }
        suggest_try(&near, key->words[i]);
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i ? " | " : "", key->words[i]);
    }
    schema_error(s, value, "'%s' cannot be '%s'%s%s%s (it is one of: %s)", key->name,
                 contract_quote(value->text, value->len).text, near.best ? "; did you mean '" : "",
                 near.best ? near.best : "", near.best ? "'?" : "", known);
}

static void unknown_type(struct schema *s, const struct node *item)
{
    static const char *const groups[] = {"passive", "images", "fonts", "web", "archives", "packages"};
    struct suggest near = {.word = item->text, .len = item->len};
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (type_flags((enum type)t) & T_LISTABLE)
            suggest_try(&near, type_name((enum type)t));
    for (size_t g = 0; g < ARRAY_LEN(groups); g++)
        suggest_try(&near, groups[g]);
    struct quoted q = contract_quote(item->text, item->len);
    if (near.best)
        schema_error(s, item, "unknown type '%s'; did you mean '%s'?", q.text, near.best);
    else
        schema_error(s, item, "unknown type '%s'; sallyport-contract(5) lists the types", q.text);
}

void schema_types(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct type_set *set = FIELD(base, key, struct type_set);
    if (!schema_list(s, value, key->name, 1))
        return;
    for (const struct node *item = value->first; item; item = item->next) {
        if (!schema_scalar(s, key->name, item))
            continue;
        enum type type = type_from_name(item->text, item->len);
        if (type != TYPE_NONE)
            type_set_add(set, type);
        else if (!type_group_add(set, item->text, item->len))
            unknown_type(s, item);
    }
}
