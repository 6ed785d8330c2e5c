/* SPDX-License-Identifier: ISC
 * Compile, store, load and scan with the trigger database; the only file with <hs.h>. Runs in the worker (load, or
 * compile for the operator's rules, before confinement) and at build time. Trusts no stored database. */
#include "inspect/secret_db.h"

#include <hs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum { VERSION_BYTES = 64, ARCH_BYTES = 16 };

#if defined(__x86_64__)
#define ARCH "x86-64"
#elif defined(__aarch64__)
#define ARCH "aarch64"
#elif defined(__powerpc64__)
#define ARCH "ppc64"
#else
#define ARCH "other"
#endif

static const uint8_t magic[8] = {'s', 'p', 'd', 'b', 0, 0, 0, 1};

struct secret_db {
    hs_database_t *db;
    hs_scratch_t *scratch;
};

const char *secret_db_version(void)
{
    return hs_version();
}

void secret_db_free(struct secret_db **db)
{
    struct secret_db *d = *db;
    *db = NULL;
    if (!d)
        return;
    hs_free_scratch(d->scratch);
    hs_free_database(d->db);
    free(d);
}

/* Takes the database. */
static struct secret_db *wrap(hs_database_t *db)
{
    struct secret_db *d = calloc(1, sizeof(*d));
    if (!d) {
        hs_free_database(db);
        return NULL;
    }
    d->db = db;
    if (hs_alloc_scratch(db, &d->scratch) != HS_SUCCESS)
        secret_db_free(&d);
    return d;
}

/* --- measuring ------------------------------------------------------------------------------------- */

enum { TRIGGER_TEXT = RULE_TEXT_MAX + 64 };

/* A trigger that starts a token asks for its left guard already, which halves the work on text. What it lets through
 * is more than rule_left_clear() does: the letters that end \n, \r, \t and a terminal colour. */
static void trigger_of(const struct rule *rule, char out[TRIGGER_TEXT])
{
    static const char *const guards[GUARD_COUNT] = {
        [GUARD_NONE] = "",
        [GUARD_WORD] = "(?:^|[^0-9A-Za-lo-qsu-z_])",
        [GUARD_BASE64] = "(?:^|[^0-9A-Za-lo-qsu-z_+/-])",
    };
    const char *guard = rule->lead > 0 ? "" : guards[rule->left];
    snprintf(out, TRIGGER_TEXT, "%s(?:%s)", guard, rule->trigger ? rule->trigger : rule->pattern);
}

/* Look-around and back references are no automaton: with PREFILTER the library takes a pattern that hits more often
 * than the text says and never less, and the confirmation decides. */
static bool expression_width(const char *expression, unsigned *flags, unsigned *width, char *why, size_t why_size)
{
    hs_expr_info_t *info = NULL;
    hs_compile_error_t *error = NULL;
    for (*flags = 0;; *flags = HS_FLAG_PREFILTER) {
        if (hs_expression_info(expression, *flags, &info, &error) == HS_SUCCESS)
            break;
        bool again = *flags == 0;
        if (!again)
            snprintf(why, why_size, "%s", error && error->message ? error->message : "not usable");
        hs_free_compile_error(error);
        error = NULL;
        if (!again)
            return false;
    }
    *width = info->min_width == 0 ? 0 : info->max_width;
    free(info);
    return true;
}

static bool measure_one(struct rule *rule, char *why, size_t why_size)
{
    unsigned flags, width, full;
    char reason[200] = "", trigger[TRIGGER_TEXT];
    trigger_of(rule, trigger);
    if (!expression_width(trigger, &flags, &width, reason, sizeof(reason))) {
        snprintf(why, why_size, "rule %s: the trigger cannot be compiled: %s", rule->id, reason);
        return false;
    }
    if (width == 0 || width > RULE_TRIGGER_WIDTH) {
        snprintf(why, why_size, "rule %s: the trigger must match between 1 and %u bytes; give a `trigger` of bounded width",
                 rule->id, RULE_TRIGGER_WIDTH);
        return false;
    }
    rule->width = width;
    if (rule->max > 0)
        return true;
    if (!expression_width(rule->pattern, &flags, &full, reason, sizeof(reason)) || full > RULE_WIDTH_MAX) {
        snprintf(why, why_size, "rule %s: the pattern's width is not bounded; give `max`", rule->id);
        return false;
    }
    rule->max = full;
    return true;
}

bool secret_db_measure(struct rule_table *table, char *why, size_t why_size)
{
    for (size_t i = 0; i < table->n; i++)
        if (!measure_one(&table->v[i], why, why_size))
            return false;
    return true;
}

/* --- compiling ------------------------------------------------------------------------------------- */

static struct secret_db *compile_all(char **expressions, unsigned *flags, unsigned *ids, const struct rule_table *table,
                                     char *why, size_t why_size)
{
    /* No processor features: one database for every machine of this architecture, and measured no slower. */
    const hs_platform_info_t plain = {.tune = HS_TUNE_FAMILY_GENERIC};
    hs_compile_error_t *error = NULL;
    hs_database_t *db = NULL;
    for (size_t i = 0; i < table->n; i++) {
        unsigned width;
        char trigger[TRIGGER_TEXT];
        trigger_of(&table->v[i], trigger);
        expressions[i] = strdup(trigger);
        ids[i] = (unsigned)i;
        if (!expressions[i] || !expression_width(expressions[i], &flags[i], &width, why, why_size))
            return NULL;
    }
    if (hs_compile_multi((const char *const *)expressions, flags, ids, (unsigned)table->n, HS_MODE_BLOCK, &plain, &db, &error) != HS_SUCCESS) {
        const char *id = error && error->expression >= 0 ? table->v[error->expression].id : "?";
        snprintf(why, why_size, "rule %s: %s", id, error ? error->message : "out of memory");
        hs_free_compile_error(error);
        return NULL;
    }
    return wrap(db);
}

struct secret_db *secret_db_compile(const struct rule_table *table, char *why, size_t why_size)
{
    char **expressions = calloc(table->n + 1, sizeof(*expressions));
    unsigned *flags = calloc(table->n + 1, sizeof(*flags)), *ids = calloc(table->n + 1, sizeof(*ids));
    struct secret_db *db = NULL;
    snprintf(why, why_size, "out of memory");
    if (expressions && flags && ids)
        db = compile_all(expressions, flags, ids, table, why, why_size);
    for (size_t i = 0; expressions && i < table->n; i++)
        free(expressions[i]);
    free(expressions);
    free(flags);
    free(ids);
    return db;
}

/* --- storing and loading --------------------------------------------------------------------------- */

static void put_header(struct buf *out, const uint8_t rules[32])
{
    char version[VERSION_BYTES] = "", arch[ARCH_BYTES] = ARCH;
    snprintf(version, sizeof(version), "%s", hs_version());
    buf_bytes(out, magic, sizeof(magic));
    buf_bytes(out, arch, sizeof(arch));
    buf_bytes(out, version, sizeof(version));
    buf_bytes(out, rules, 32);
}

void secret_db_store(const struct secret_db *db, const uint8_t rules[32], struct buf *out)
{
    char *bytes = NULL;
    size_t len = 0;
    put_header(out, rules);
    if (hs_serialize_database(db->db, &bytes, &len) != HS_SUCCESS || len > UINT32_MAX) {
        out->failed = true;
        return;
    }
    buf_u32(out, (uint32_t)len);
    buf_bytes(out, bytes, len);
    free(bytes);
}

struct secret_db *secret_db_load(const uint8_t *data, size_t len, const uint8_t rules[32])
{
    struct buf want;
    struct reader r;
    hs_database_t *db = NULL;
    buf_init(&want, 256);
    put_header(&want, rules);
    reader_init(&r, data, len);
    const uint8_t *header = reader_take(&r, want.len);
    bool ours = header && !want.failed && memcmp(header, want.data, want.len) == 0;
    buf_free(&want);
    size_t n = reader_u32(&r);
    const uint8_t *bytes = reader_take(&r, n);
    if (!ours || !bytes || !reader_done(&r))
        return NULL;
    return hs_deserialize_database((const char *)bytes, n, &db) == HS_SUCCESS ? wrap(db) : NULL;
}

/* --- scanning -------------------------------------------------------------------------------------- */

int secret_db_scan(const struct secret_db *db, const uint8_t *data, size_t len, secret_hit *hit, void *context)
{
    if (len > UINT32_MAX)
        return -1;
    return hs_scan(db->db, (const char *)data, (unsigned)len, 0, db->scratch, hit, context) == HS_SUCCESS ? 0 : -1;
}
