/* SPDX-License-Identifier: ISC
 * Names, memory and the sealed form of rule tables. Trusts nothing in a sealed form: every count and length is checked
 * before it is used. Pure. */
#include "base/ruletable.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/limits.h"

static const uint8_t magic[8] = {'s', 'p', 'r', 'u', 'l', 'e', 's', 1};

static const char *const guard_names[GUARD_COUNT] = {"none", "word", "base64"};
static const char *const kind_names[KIND_COUNT] = {"token", "value", "password", "raw"};
static const char *const check_names[CHECK_COUNT] = {
    "none",
#define CHECK(sym, name) name,
#include "base/checks.def"
#undef CHECK
};

static size_t index_of(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

enum rule_guard rule_guard_named(const char *name)
{
    return (enum rule_guard)index_of(guard_names, GUARD_COUNT, name);
}

enum rule_kind rule_kind_named(const char *name)
{
    return (enum rule_kind)index_of(kind_names, KIND_COUNT, name);
}

enum rule_check rule_check_named(const char *name)
{
    return (enum rule_check)index_of(check_names, CHECK_COUNT, name);
}

const char *rule_guard_name(enum rule_guard guard)
{
    return guard < GUARD_COUNT ? guard_names[guard] : "?";
}

const char *rule_kind_name(enum rule_kind kind)
{
    return kind < KIND_COUNT ? kind_names[kind] : "?";
}

const char *rule_check_name(enum rule_check check)
{
    return check < CHECK_COUNT ? check_names[check] : "?";
}

bool rule_id_valid(const char *id)
{
    size_t len = strlen(id);
    if (len == 0 || len > RULE_ID_MAX || id[0] == '-')
        return false;
    return strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

/* --- memory ---------------------------------------------------------------------------------------- */

void rule_clear(struct rule *rule)
{
    free(rule->id);
    free(rule->about);
    free(rule->pattern);
    free(rule->trigger);
    *rule = (struct rule){0};
}

void rule_table_free(struct rule_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        rule_clear(&table->v[i]);
    free(table->v);
    *table = (struct rule_table){0};
}

int rule_table_move(struct rule_table *to, struct rule_table *from)
{
    if (from->n > RULES_MAX || to->n > RULES_MAX - from->n) {
        errno = E2BIG;
        return -1;
    }
    if (from->n > 0) {
        struct rule *v = realloc(to->v, (to->n + from->n) * sizeof(*v));
        if (!v)
            return -1;
        memcpy(v + to->n, from->v, from->n * sizeof(*v));
        to->v = v;
        to->n += from->n;
        memset(to->seal, 0, sizeof(to->seal));
    }
    free(from->v);
    *from = (struct rule_table){0};
    return 0;
}

const struct rule *rule_table_find(const struct rule_table *table, const char *id)
{
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(table->v[i].id, id) == 0)
            return &table->v[i];
    return NULL;
}

/* --- the sealed form ------------------------------------------------------------------------------- */

static void put_text(struct buf *out, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    if (len > RULE_TEXT_MAX) {
        out->failed = true;
        return;
    }
    buf_u16(out, (uint16_t)len);
    buf_bytes(out, text, len);
}

static void put_rule(struct buf *out, const struct rule *rule)
{
    put_text(out, rule->id);
    put_text(out, rule->about);
    put_text(out, rule->pattern);
    put_text(out, rule->trigger);
    buf_u8(out, (uint8_t)rule->level);
    buf_u8(out, (uint8_t)rule->left);
    buf_u8(out, (uint8_t)rule->right);
    buf_u8(out, (uint8_t)rule->kind);
    buf_u8(out, (uint8_t)rule->check);
    buf_u8(out, rule->must ? 1 : 0);
    buf_u32(out, rule->entropy);
    buf_u32(out, rule->max);
    buf_u32(out, rule->lead);
    buf_u32(out, rule->width);
}

void rule_table_encode(const struct rule_table *table, struct buf *out)
{
    uint8_t digest[SHA256_SIZE];
    size_t start = out->len;
    buf_bytes(out, magic, sizeof(magic));
    buf_u32(out, (uint32_t)table->n);
    for (size_t i = 0; i < table->n; i++)
        put_rule(out, &table->v[i]);
    if (out->failed)
        return;
    sha256_bytes(out->data + start, out->len - start, digest);
    buf_bytes(out, digest, sizeof(digest));
}

/* NULL and a failed reader on any text that holds a NUL. Empty is NULL, too. */
static char *take_text(struct reader *r)
{
    size_t len;
    const uint8_t *text = reader_text(r, UINT16_MAX, &len);
    if (!text || len == 0)
        return NULL;
    char *copy = malloc(len + 1);
    if (!copy) {
        r->failed = true;
        return NULL;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static bool take_rule(struct reader *r, struct rule *rule)
{
    rule->id = take_text(r);
    rule->about = take_text(r);
    rule->pattern = take_text(r);
    rule->trigger = take_text(r);
    uint8_t level = reader_u8(r), left = reader_u8(r), right = reader_u8(r), kind = reader_u8(r), check = reader_u8(r);
    uint8_t must = reader_u8(r);
    rule->entropy = reader_u32(r);
    rule->max = reader_u32(r);
    rule->lead = reader_u32(r);
    rule->width = reader_u32(r);
    rule->level = (enum finding_level)level;
    rule->left = (enum rule_guard)left;
    rule->right = (enum rule_guard)right;
    rule->kind = (enum rule_kind)kind;
    rule->check = (enum rule_check)check;
    rule->must = must == 1;
    return !r->failed && rule->id && rule_id_valid(rule->id) && rule->about && rule->pattern && level <= LEVEL_NOTE &&
           left < GUARD_COUNT && right < GUARD_COUNT && kind < KIND_COUNT && check < CHECK_COUNT && must <= 1 &&
           rule->max <= RULE_WIDTH_MAX && rule->lead <= RULE_WIDTH_MAX && rule->width <= RULE_TRIGGER_WIDTH;
}

static bool sealed(const uint8_t *data, size_t len)
{
    uint8_t digest[SHA256_SIZE];
    if (len < sizeof(magic) + 4 + SHA256_SIZE || memcmp(data, magic, sizeof(magic)) != 0)
        return false;
    sha256_bytes(data, len - SHA256_SIZE, digest);
    return sha256_equal(digest, data + len - SHA256_SIZE);
}

bool rule_table_decode(struct rule_table *table, const uint8_t *data, size_t len)
{
    struct reader r;
    *table = (struct rule_table){0};
    if (!sealed(data, len))
        return false;
    reader_init(&r, data + sizeof(magic), len - sizeof(magic) - SHA256_SIZE);
    size_t n = reader_u32(&r);
    if (n > RULES_MAX)
        return false;
    table->v = calloc(n ? n : 1, sizeof(*table->v));
    if (!table->v)
        return false;
    bool good = true;
    while (good && table->n < n) {
        table->n++;
        good = take_rule(&r, &table->v[table->n - 1]);
    }
    memcpy(table->seal, data + len - SHA256_SIZE, SHA256_SIZE);
    if (good && reader_done(&r))
        return true;
    rule_table_free(table);
    return false;
}
