/* SPDX-License-Identifier: ISC
 * Rule text to compiled pattern, and matching under limits; the only file with <pcre2.h>. Runs in the worker and in
 * the program that compiles the default rules. Trusts rules, which are ours or the operator's, and no subject. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "inspect/rule.h"

#include <ctype.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

enum {
    COMPONENT = 32,  /* longest component of a path that is told from base64 */
    HOT_WIDTH = 4096 /* of a match: the window is large */
};

struct rule_set {
    const struct rule_table *table;
    pcre2_code **codes;
    pcre2_compile_context *compile;
    pcre2_match_context *context;
    pcre2_match_data *data;
    pcre2_jit_stack *stack;
};

/* --- compiling ------------------------------------------------------------------------------------- */

static const char *const right_guard[GUARD_COUNT] = {
    [GUARD_NONE] = "",
    [GUARD_WORD] = "(?![0-9A-Za-z_])",
    [GUARD_BASE64] = "(?![0-9A-Za-z_+/=-])",
};

static bool compile_one(const struct rule_set *set, size_t i, char *why, size_t why_size)
{
    const struct rule *rule = &set->table->v[i];
    const uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP |
                             PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    char text[RULE_TEXT_MAX + 64];
    unsigned char reason[120];
    int error = 0;
    PCRE2_SIZE at = 0;
    uint32_t empty = 1;
    snprintf(text, sizeof(text), "(?:%s)%s", rule->pattern, right_guard[rule->right]);
    set->codes[i] = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &error, &at, set->compile);
    if (!set->codes[i]) {
        pcre2_get_error_message(error, reason, sizeof(reason));
        snprintf(why, why_size, "rule %s: the pattern is wrong at character %zu: %s", rule->id, at > 3 ? at - 3 : 0,
                 (const char *)reason);
        return false;
    }
    pcre2_pattern_info(set->codes[i], PCRE2_INFO_MATCHEMPTY, &empty);
    if (empty) {
        snprintf(why, why_size, "rule %s: the pattern matches an empty text", rule->id);
        return false;
    }
    return true;
}

/* Patterns that a text can make work hard, again and again: what stands behind a word like "password", and what may be
 * long. They get machine code, which only rule_set_warm() may make. A vendor's token is rare, and the interpreter decides it the
 * same in a microsecond. So it is where the library has no JIT. */
static bool is_hot(const struct rule *rule)
{
    return rule->kind == KIND_VALUE || rule->kind == KIND_PASSWORD || rule->max >= HOT_WIDTH;
}

void rule_set_warm(struct rule_set *set)
{
    char why[200];
    for (size_t i = 0; i < set->table->n; i++)
        if (is_hot(&set->table->v[i]) && (set->codes[i] || compile_one(set, i, why, sizeof(why))))
            pcre2_jit_compile(set->codes[i], PCRE2_JIT_COMPLETE);
}

static bool make_contexts(struct rule_set *set)
{
    set->compile = pcre2_compile_context_create(NULL);
    set->context = pcre2_match_context_create(NULL);
    set->data = pcre2_match_data_create(2, NULL);
    set->stack = pcre2_jit_stack_create(32 * 1024, RULE_JIT_STACK, NULL);
    if (!set->compile || !set->context || !set->data || !set->stack)
        return false;
    pcre2_set_newline(set->compile, PCRE2_NEWLINE_LF);
    pcre2_set_match_limit(set->context, RULE_MATCH_LIMIT);
    pcre2_set_depth_limit(set->context, RULE_MATCH_LIMIT);
    pcre2_set_heap_limit(set->context, (uint32_t)(RULE_MATCH_HEAP / KIB));
    pcre2_jit_stack_assign(set->context, NULL, set->stack);
    return true;
}

struct rule_set *rule_set_new(const struct rule_table *table, bool all, char *why, size_t why_size)
{
    struct rule_set *set = calloc(1, sizeof(*set));
    snprintf(why, why_size, "out of memory");
    if (!set)
        return NULL;
    set->table = table;
    set->codes = calloc(table->n ? table->n : 1, sizeof(*set->codes));
    bool good = set->codes && make_contexts(set);
    for (size_t i = 0; all && good && i < table->n; i++)
        good = compile_one(set, i, why, why_size);
    if (all && good)
        rule_set_warm(set);
    if (!good)
        rule_set_free(&set);
    return set;
}

void rule_set_free(struct rule_set **set)
{
    struct rule_set *s = *set;
    *set = NULL;
    if (!s)
        return;
    for (size_t i = 0; s->codes && i < s->table->n; i++)
        pcre2_code_free(s->codes[i]);
    free(s->codes);
    pcre2_jit_stack_free(s->stack);
    pcre2_match_data_free(s->data);
    pcre2_match_context_free(s->context);
    pcre2_compile_context_free(s->compile);
    free(s);
}

/* --- guards ---------------------------------------------------------------------------------------- */

static bool in_guard(enum rule_guard guard, uint8_t c)
{
    if (isalnum(c) || c == '_')
        return true;
    return guard == GUARD_BASE64 && (c == '+' || c == '/' || c == '-');
}

/* ESC [ digits and semicolons m */
static bool ends_colour(const uint8_t *s, size_t end)
{
    size_t i = end;
    if (i == 0 || s[--i] != 'm')
        return false;
    while (i > 0 && (isdigit(s[i - 1]) || s[i - 1] == ';'))
        i--;
    return i >= 2 && s[i - 1] == '[' && s[i - 2] == 0x1b;
}

/* \n, \r or \t as text. Other escapes are decoded by the views. */
static bool ends_escape(const uint8_t *s, size_t end)
{
    return end >= 2 && s[end - 2] == '\\' && (s[end - 1] == 'n' || s[end - 1] == 'r' || s[end - 1] == 't');
}

/* The slash of a path or an address: what stands in front of it, up to another slash or to what is no base64, is short. In
 * base64 a slash is one character of 64. */
static bool ends_component(const uint8_t *s, size_t end)
{
    if (s[end - 1] != '/')
        return false;
    for (size_t n = 1; n <= COMPONENT && n < end; n++)
        if (s[end - 1 - n] == '/' || !in_guard(GUARD_BASE64, s[end - 1 - n]))
            return true;
    return end <= COMPONENT;
}

bool rule_left_clear(enum rule_guard guard, const uint8_t *subject, size_t start)
{
    if (guard == GUARD_NONE || start == 0 || !in_guard(guard, subject[start - 1]))
        return true;
    return ends_escape(subject, start) || ends_colour(subject, start) ||
           (guard == GUARD_BASE64 && ends_component(subject, start));
}

/* --- matching -------------------------------------------------------------------------------------- */

/* A pattern that needs more stack than compiled code may use is decided by the interpreter, under its own limits. */
static int match_once(const struct rule_set *set, size_t rule, const uint8_t *subject, size_t len, size_t from)
{
    int n = pcre2_match(set->codes[rule], subject, len, from, 0, set->data, set->context);
    if (n == PCRE2_ERROR_JIT_STACKLIMIT)
        n = pcre2_match(set->codes[rule], subject, len, from, PCRE2_NO_JIT, set->data, set->context);
    return n;
}

enum match_result rule_match(const struct rule_set *set, size_t rule, const uint8_t *subject, size_t len, size_t from,
                             size_t last, struct match *match)
{
    char why[200];
    if (!set->codes[rule] && !compile_one(set, rule, why, sizeof(why)))
        return MATCH_UNDECIDED;
    pcre2_set_offset_limit(set->context, last);
    for (;;) {
        int n = match_once(set, rule, subject, len, from);
        if (n == PCRE2_ERROR_NOMATCH)
            return MATCH_NO;
        if (n < 0)
            return MATCH_UNDECIDED;
        const PCRE2_SIZE *v = pcre2_get_ovector_pointer(set->data);
        if (rule_left_clear(set->table->v[rule].left, subject, v[0])) {
            bool group = (n == 0 || n > 1) && v[2] != PCRE2_UNSET && v[3] > v[2];
            *match = (struct match){v[0], v[1], group ? v[2] : v[0], group ? v[3] : v[1]};
            return MATCH_YES;
        }
        from = v[0] + 1;
        if (from > last)
            return MATCH_NO;
    }
}

const char *rule_engine_version(void)
{
    static char version[64]; /* written once, before any child is made */
    int len = pcre2_config(PCRE2_CONFIG_VERSION, NULL);
    if (len > 0 && (size_t)len <= sizeof(version))
        pcre2_config(PCRE2_CONFIG_VERSION, version);
    return version;
}
