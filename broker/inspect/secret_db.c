/* SPDX-License-Identifier: ISC
 * Compile, store, load and scan with the trigger database; the only file with <hs.h>. Runs in the worker (load, or
 * compile for the operator's rules, before confinement) and at build time. Trusts no stored database. */
#include "inspect/secret_db.h"

#include <math.h>
#include <inttypes.h>
#include <hs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/secret_shape.h"
#include "inspect/secret_trigger.h"

enum {
    VERSION_BYTES = 64,
    ARCH_BYTES = 16,
    HEAD_BYTES = SECRET_DB_ALIGN, /* of an image: the library's fields. Its checksum is over what follows them */
    HEADER_BYTES = 2 * SECRET_DB_ALIGN + HEAD_BYTES,
    IMAGE_AT = HEADER_BYTES + sizeof(struct secret_shapes),
    IMAGE_LEAST = 256 /* no database is smaller, and the library reads its first fields unasked */
};

#if defined(__x86_64__)
#define ARCH "x86-64"
#elif defined(__aarch64__)
#define ARCH "aarch64"
#elif defined(__powerpc64__)
#define ARCH "ppc64"
#else
#define ARCH "other"
#endif

static const uint8_t magic[8] = {'s', 'p', 'd', 'b', 0, 0, 0, 3};

_Static_assert(sizeof(struct secret_shapes) % SECRET_DB_ALIGN == 0, "the image behind the shapes is aligned");

struct secret_db {
    struct secret_shapes shapes;
    const hs_database_t *db;
    hs_database_t *made; /* NULL: db is the stored image itself */
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
    hs_free_database(d->made);
    free(d);
}

/* Takes what was made. hs_alloc_scratch() holds the whole database to its checksum. */
static struct secret_db *wrap(const hs_database_t *db, hs_database_t *made)
{
    struct secret_db *d = calloc(1, sizeof(*d));
    if (!d) {
        hs_free_database(made);
        return NULL;
    }
    d->db = db;
    d->made = made;
    if (hs_alloc_scratch(db, &d->scratch) != HS_SUCCESS)
        secret_db_free(&d);
    return d;
}

/* --- measuring ------------------------------------------------------------------------------------- */

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
    secret_trigger_expression(rule, trigger);
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

/* n bytes hold at most log2(n) bits each. */
static bool can_fire(const struct rule *rule, char *why, size_t why_size)
{
    uint32_t distinct = rule->max < 256 ? rule->max : 256;
    if (rule->entropy == 0 || (double)rule->entropy <= 100 * log2((double)distinct))
        return true;
    snprintf(why, why_size, "rule %s: it can never hit: no text of %" PRIu32 " bytes has its entropy; lower `entropy`",
             rule->id, rule->max);
    return false;
}

bool secret_db_measure(struct rule_table *table, char *why, size_t why_size)
{
    for (size_t i = 0; i < table->n; i++)
        if (!measure_one(&table->v[i], why, why_size) || !can_fire(&table->v[i], why, why_size))
            return false;
    return true;
}

/* --- compiling ------------------------------------------------------------------------------------- */

/* What the library is given: one expression for each rule, or one for each form of its trigger. */
struct expressions {
    char **text;
    unsigned *flags, *ids;
    unsigned n, max;
};

static bool expressions_room(struct expressions *e)
{
    if (e->n < e->max)
        return true;
    unsigned max = e->max * 2 + 512;
    char **text = realloc(e->text, max * sizeof(*text));
    e->text = text ? text : e->text;
    unsigned *flags = realloc(e->flags, max * sizeof(*flags));
    e->flags = flags ? flags : e->flags;
    unsigned *ids = realloc(e->ids, max * sizeof(*ids));
    e->ids = ids ? ids : e->ids;
    if (text && flags && ids)
        e->max = max;
    return e->n < e->max;
}

static void expressions_free(struct expressions *e)
{
    for (unsigned i = 0; i < e->n; i++)
        free(e->text[i]);
    free(e->text);
    free(e->flags);
    free(e->ids);
}

/* Takes the text. */
static bool expressions_add(struct expressions *e, char *text, unsigned flags, unsigned id)
{
    if (!text || !expressions_room(e)) {
        free(text);
        return false;
    }
    e->text[e->n] = text;
    e->flags[e->n] = flags;
    e->ids[e->n++] = id;
    return true;
}

static bool expressions_of(struct expressions *e, const struct rule *rule, unsigned id, char *why, size_t why_size)
{
    char trigger[TRIGGER_TEXT];
    unsigned width, flags;
    secret_trigger_expression(rule, trigger);
    if (!expression_width(trigger, &flags, &width, why, why_size))
        return false;
    for (size_t i = 0, n = secret_trigger_forms(trigger); i < n; i++)
        if (!expressions_add(e, secret_trigger_form(trigger, i), flags, id))
            return false;
    return true;
}

size_t secret_db_first(const struct rule_table *table, size_t rule)
{
    size_t i = 0;
    while (i < rule && !secret_trigger_share(&table->v[i], &table->v[rule]))
        i++;
    return i;
}

static struct secret_db *compile_all(const struct expressions *e, const struct rule_table *table, char *why,
                                     size_t why_size)
{
    /* No processor features: one database for every machine of this architecture, and measured no slower. */
    const hs_platform_info_t plain = {.tune = HS_TUNE_FAMILY_GENERIC};
    hs_compile_error_t *error = NULL;
    hs_database_t *db = NULL;
    if (hs_compile_multi((const char *const *)e->text, e->flags, e->ids, e->n, HS_MODE_BLOCK, &plain, &db, &error) ==
        HS_SUCCESS)
        return wrap(db, db);
    const char *id = error && error->expression >= 0 && e->ids[error->expression] < table->n ? table->v[e->ids[error->expression]].id : "?";
    snprintf(why, why_size, "rule %s: %s", id, error ? error->message : "out of memory");
    hs_free_compile_error(error);
    return NULL;
}

struct secret_db *secret_db_compile(const struct rule_table *table, char *why, size_t why_size)
{
    struct expressions e = {0};
    struct secret_db *db = NULL;
    struct secret_shapes shapes;
    bool good = table->n > 0;
    snprintf(why, why_size, "out of memory");
    secret_shapes_choose(table, &shapes);
    for (size_t i = 0; good && i < table->n; i++)
        good = secret_shapes_have(&shapes, i) || secret_db_first(table, i) < i ||
               expressions_of(&e, &table->v[i], (unsigned)i, why, why_size);
    /* RFC 1952: magic, method, flags */
    good = good && expressions_add(&e, strdup("\\x1f\\x8b\\x08[\\x00-\\x1f]"), 0, (unsigned)table->n);
    if (good)
        db = compile_all(&e, table, why, why_size);
    if (db)
        db->shapes = shapes;
    expressions_free(&e);
    return db;
}

/* --- storing and loading --------------------------------------------------------------------------- */

/* FNV-1a: tells what is damaged, as the library's own sum does for the image. */
static uint32_t sum_of(const struct secret_shapes *shapes)
{
    const uint8_t *p = (const uint8_t *)shapes;
    uint32_t sum = 0x811c9dc5u;
    for (size_t i = 0; i < sizeof(*shapes); i++)
        sum = (sum ^ p[i]) * 0x01000193u;
    return sum;
}

/* Fills up to the image's alignment, so that the image is aligned where the whole is. */
static void put_header(struct buf *out, const uint8_t seal[32], const struct secret_shapes *shapes, const void *image,
                       size_t size)
{
    char version[VERSION_BYTES] = "", arch[ARCH_BYTES] = ARCH;
    snprintf(version, sizeof(version), "%s", hs_version());
    buf_bytes(out, magic, sizeof(magic));
    buf_bytes(out, arch, sizeof(arch));
    buf_bytes(out, version, sizeof(version));
    buf_bytes(out, seal, 32);
    buf_u32(out, size <= UINT32_MAX ? (uint32_t)size : 0);
    buf_u32(out, sum_of(shapes));
    while (!out->failed && out->len % SECRET_DB_ALIGN != 0)
        buf_u8(out, 0);
    buf_bytes(out, image, HEAD_BYTES);
}

/* The database as it lies in memory: it holds no pointer, and from an aligned place it can be used where it is. */
static char *image_of(const struct secret_db *db, size_t *size)
{
    char *packed = NULL, *image = NULL;
    size_t len = 0;
    if (hs_serialize_database(db->db, &packed, &len) == HS_SUCCESS &&
        hs_serialized_database_size(packed, len, size) == HS_SUCCESS && *size <= SIZE_MAX - SECRET_DB_ALIGN)
        image = aligned_alloc(SECRET_DB_ALIGN, (*size + SECRET_DB_ALIGN - 1) / SECRET_DB_ALIGN * SECRET_DB_ALIGN);
    if (image) {
        memset(image, 0, *size);
        if (hs_deserialize_database_at(packed, len, (hs_database_t *)(void *)image) != HS_SUCCESS) {
            free(image);
            image = NULL;
        }
    }
    free(packed);
    return image;
}

void secret_db_store(const struct secret_db *db, const uint8_t seal[32], struct buf *out)
{
    size_t size = 0;
    char *image = image_of(db, &size);
    if (image && size >= IMAGE_LEAST && size <= UINT32_MAX) {
        put_header(out, seal, &db->shapes, image, size);
        buf_bytes(out, &db->shapes, sizeof(db->shapes));
        buf_bytes(out, image, size);
    } else
        out->failed = true;
    free(image);
}

struct secret_db *secret_db_load(const uint8_t *data, size_t len, const uint8_t seal[32])
{
    struct buf want;
    size_t size = 0;
    if (len < IMAGE_AT + IMAGE_LEAST || (uintptr_t)data % SECRET_DB_ALIGN != 0)
        return NULL;
    const struct secret_shapes *shapes = (const void *)(data + HEADER_BYTES);
    buf_init(&want, HEADER_BYTES);
    put_header(&want, seal, shapes, data + IMAGE_AT, len - IMAGE_AT);
    bool ours = !want.failed && want.len == HEADER_BYTES && memcmp(data, want.data, HEADER_BYTES) == 0;
    const hs_database_t *db = (const hs_database_t *)(const void *)(data + IMAGE_AT);
    buf_free(&want);
    if (!ours || hs_database_size(db, &size) != HS_SUCCESS || size != len - IMAGE_AT)
        return NULL;
    struct secret_db *d = wrap(db, NULL);
    if (d)
        d->shapes = *shapes;
    return d;
}

/* --- scanning -------------------------------------------------------------------------------------- */

int secret_db_scan(const struct secret_db *db, const uint8_t *data, size_t len, secret_hit *hit, void *context)
{
    if (len > UINT32_MAX || !secret_shapes_scan(&db->shapes, data, len, hit, context))
        return -1;
    return hs_scan(db->db, (const char *)data, (unsigned)len, 0, db->scratch, hit, context) == HS_SUCCESS ? 0 : -1;
}
