/* SPDX-License-Identifier: ISC
 * Broker. Floor text into struct contract_floor, with the tree and tables of contracts. The text is the organisation's.
 * Invariant: a floor comes out whole, or not at all, so that a slip in it never loosens it. */
#include "contract/contract_floor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "contract/contract_sections.h"
#include "contract/floor.h"
#include "contract/suggest.h"

static const char *const names_words[] = {"portable", "posix", NULL};
static const char *const refuse_words[] = {"refuse", NULL};
static const char *const stability_words[] = {"leased", "quiesced", NULL};

/* Keys that `require` can name: a dot goes one level down, and into every entry of a list. */
static const char *const known_keys[] = {
    "revision", "owner", "escalate", "purpose", "not-covered", "review-by", "labels", "threat", "threat.untrusted",
    "threat.secrets", "threat.consequence", "source", "source.kind", "source.target", "run", "run.engine", "run.base",
    "run.image", "run.inputs", "run.env", "run.stdout", "run.stderr", "run.accept-exit", "run.limits",
    "run.limits.wall", "run.limits.cpus", "run.limits.memory", "run.limits.processes", "run.limits.scratch",
    "run.limits.inodes", "run.limits.file", "run.limits.output", "outputs.max", "outputs.inside",
    "outputs.require-stability", "outputs.accept.path", "outputs.accept.member", "outputs.accept.sha256", "limits",
    "limits.files", "limits.total", "limits.depth", "limits.visited", "limits.time", "names", "hard-links", "symlinks",
    "unlisted", "partial", "strict"};

static void read_version(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)base;
    if (schema_scalar(s, key->name, value) && strcmp(value->text, "1") != 0)
        schema_error(s, value, "floor version '%s' is not known; this program reads version 1",
                     contract_quote(value->text, value->len).text);
}

static bool key_known(const char *name, struct suggest *near)
{
    for (size_t i = 0; i < ARRAY_LEN(known_keys); i++) {
        if (strcmp(known_keys[i], name) == 0)
            return true;
        suggest_try(near, known_keys[i]);
    }
    return strncmp(name, "labels.", 7) == 0 && name[7];
}

static void read_require(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    schema_texts(s, key, value, base);
    for (const struct node *item = value->kind == NODE_SEQUENCE ? value->first : NULL; item; item = item->next) {
        if (item->kind != NODE_SCALAR)
            continue;
        struct suggest near = {.word = item->text, .len = item->len};
        if (key_known(item->text, &near))
            continue;
        schema_error(s, item, "'require' names no key of a contract: '%s'%s%s%s",
                     contract_quote(item->text, item->len).text, near.best ? "; did you mean '" : "",
                     near.best ? near.best : "", near.best ? "'?" : "");
    }
}

/* "active/html-script", "secret/RULE", or all of a group as in "active/" and a star. */
static bool code_known(const char *name)
{
    const char *rule = NULL, *slash = strchr(name, '/');
    enum finding_code code = finding_from_name(name, &rule);
    if (code != FINDING_NONE)
        return finding_acceptable(code);
    for (int c = FINDING_NONE + 1; slash && strcmp(slash, "/*") == 0 && c < FINDING_COUNT; c++)
        if (finding_acceptable((enum finding_code)c) &&
            strncmp(finding_code_name((enum finding_code)c), name, (size_t)(slash - name) + 1) == 0)
            return true;
    return false;
}

static void read_codes(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    schema_texts(s, key, value, base);
    for (const struct node *item = value->kind == NODE_SEQUENCE ? value->first : NULL; item; item = item->next)
        if (item->kind == NODE_SCALAR && !code_known(item->text))
            schema_error(s, item, "'codes' lists codes that can be accepted, as in active/html-script or active/*, not "
                                  "'%s'",
                         contract_quote(item->text, item->len).text);
}

static void read_rules(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct contract_floor *floor = base;
    if (!schema_scalar(s, key->name, value))
        return;
    floor->has_rules = strlen(value->text) == value->len && hex_decode(value->text, floor->rules, SHA256_SIZE);
    if (!floor->has_rules)
        schema_error(s, value, "'rules-sha256' is 64 hexadecimal digits, as 'sallyport rules list' prints it");
}

static void read_stability(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct contract_floor *floor = base;
    struct schema_key word = *key;
    unsigned grade = 2;
    word.offset = 0;
    schema_word(s, &word, value, &grade);
    floor->output.require_leased = grade == 0;
    floor->output.require_quiesced = grade == 1;
}

#define AT(field) offsetof(struct contract_floor, field)
#define BOUND(name, read, field) {name, read, AT(field), 0, 1, 0, NULL, 0}

static const struct schema_key limit_keys[] = {
    BOUND("files", schema_u64, bounds.limits.files),     BOUND("total", schema_size, bounds.limits.total),
    BOUND("depth", schema_u64, bounds.limits.depth),     BOUND("visited", schema_u64, bounds.limits.visited),
    BOUND("time", schema_duration, bounds.limits.time_ms),
};

static const struct schema_key inside_keys[] = {
    {"types", schema_types, AT(output.inside.types), 0, 0, 0, NULL, AT(output.inside.types_given)},
    BOUND("entries", schema_u64, output.inside.entries),
    BOUND("member", schema_size, output.inside.member),
    BOUND("unpacked", schema_size, output.inside.unpacked),
    BOUND("ratio", schema_u64, output.inside.ratio),
    BOUND("nesting", schema_u64, output.inside.nesting),
    {"links", schema_word, AT(output.inside.links), 0, 0, 0, refuse_words, 0},
};

static const struct schema_key accept_keys[] = {
    {"codes", read_codes, AT(codes), 0, 0, 0, NULL, 0},
    {"approved-by", schema_texts, AT(approvers), 0, 0, 0, NULL, 0},
    {"days", schema_u64, AT(days), 0, 1, DAYS_MAX, NULL, 0},
};

static void read_limits(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)key;
    schema_map(s, value, limit_keys, ARRAY_LEN(limit_keys), base, "'limits'");
}

static void read_inside(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)key;
    schema_map(s, value, inside_keys, ARRAY_LEN(inside_keys), base, "'inside'");
}

static void read_accept(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)key;
    schema_map(s, value, accept_keys, ARRAY_LEN(accept_keys), base, "'accept'");
}

static const struct schema_key floor_keys[] = {
    {"floor", read_version, 0, KEY_REQUIRED, 0, 0, NULL, 0},
    {"types", schema_types, AT(output.types), 0, 0, 0, NULL, 0},
    BOUND("max", schema_size, output.max),
    {"limits", read_limits, 0, 0, 0, 0, NULL, 0},
    {"inside", read_inside, 0, 0, 0, 0, NULL, 0},
    {"accept", read_accept, 0, 0, 0, 0, NULL, 0},
    {"require", read_require, AT(require), 0, 1, 0, NULL, 0},
    {"rules-sha256", read_rules, 0, 0, 0, 0, NULL, 0},
    {"require-stability", read_stability, 0, 0, 0, 0, stability_words, 0},
    BOUND("signatures", schema_u64, signatures),
    {"names", schema_word, AT(bounds.names), 0, 0, 0, names_words, 0},
    {"hard-links", schema_word, AT(bounds.hard_links), 0, 0, 0, refuse_words, 0},
    {"symlinks", schema_word, AT(bounds.symlinks), 0, 0, 0, refuse_words, 0},
    {"fetch", schema_word, AT(fetch), 0, 0, 0, refuse_words, 0},
    {"partial", schema_bool, AT(bounds.partial), 0, 0, 0, NULL, 0},
    {"strict", schema_bool, AT(bounds.strict), 0, 0, 0, NULL, 0},
};

static int read_floor(struct contract_floor *floor, const char *file, const uint8_t *text, size_t len,
                      struct contract_errors *errors)
{
    struct schema s = {.errors = errors};
    floor->file = strdup(file);
    if (!floor->file || yaml_tree_parse(text, len, &floor->tree, errors) < 0) {
        errno = ENOMEM;
        return -1;
    }
    if (floor->tree.root)
        schema_map(&s, floor->tree.root, floor_keys, ARRAY_LEN(floor_keys), floor, "the floor");
    contract_errors_sort(errors);
    errno = s.no_memory ? ENOMEM : EINVAL;
    return s.no_memory || errors->n || errors->more ? -1 : 0;
}

int contract_floor_parse(const char *file, const uint8_t *text, size_t len, struct contract_floor **out,
                         struct contract_errors *errors)
{
    struct contract_floor *floor = calloc(1, sizeof(*floor));
    *errors = (struct contract_errors){.n = 0};
    *out = NULL;
    if (!floor || read_floor(floor, file, text, len, errors) < 0) {
        int saved = floor ? errno : ENOMEM;
        contract_floor_free(&floor);
        errno = saved;
        return -1;
    }
    sha256_bytes(text, len, floor->sha256);
    *out = floor;
    return 0;
}

void contract_floor_free(struct contract_floor **floor)
{
    if (!*floor)
        return;
    struct text_list *const lists[] = {&(*floor)->codes, &(*floor)->approvers, &(*floor)->require};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        for (size_t i = 0; i < lists[l]->n; i++)
            free(lists[l]->v[i]);
        free(lists[l]->v);
    }
    yaml_tree_free(&(*floor)->tree);
    free((*floor)->file);
    free(*floor);
    *floor = NULL;
}

uint64_t contract_floor_signatures(const struct contract_floor *floor)
{
    return floor->signatures;
}

bool contract_floor_rules(const struct contract_floor *floor, uint8_t sha256[SHA256_SIZE])
{
    if (floor->has_rules)
        memcpy(sha256, floor->rules, SHA256_SIZE);
    return floor->has_rules;
}

unsigned contract_floor_line(const struct contract_floor *floor, const char *key)
{
    const struct node *value = node_get(floor->tree.root, key);
    return value ? value->key->line : 0;
}

const uint8_t *contract_floor_sha256(const struct contract_floor *floor)
{
    return floor->sha256;
}
