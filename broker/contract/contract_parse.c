/* SPDX-License-Identifier: ISC
 * Broker. Contract text into struct contract: the tree, then the table of top-level keys. The text is trusted to be
 * the operator's, not to be right. Invariant: a contract comes out whole, or not at all. */
#include "contract/contract_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "contract/contract_sections.h"

static const char *const names_words[] = {"portable", "posix", NULL};
static const char *const hard_link_words[] = {"refuse", "within", NULL};
static const char *const symlink_words[] = {"refuse", "skip", NULL};
static const char *const unlisted_words[] = {"list", "count", "ignore", "refuse", NULL};

static void read_version(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)base;
    if (schema_scalar(s, key->name, value) && strcmp(value->text, "1") != 0)
        schema_error(s, value, "contract version '%s' is not known; this program reads version 1",
                     contract_quote(value->text, value->len).text);
}

static bool name_valid(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool alnum = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9');
        if (!alnum && (i == 0 || name[i] != '-'))
            return false;
    }
    return len >= 1 && len <= 63;
}

static void read_name(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    if (!schema_scalar(s, key->name, value))
        return;
    if (name_valid(value->text, value->len))
        schema_text(s, key, value, base);
    else
        schema_error(s, value, "'name' is up to 63 of a-z, 0-9 and '-', and starts with a letter or digit, not '%s'",
                     contract_quote(value->text, value->len).text);
}

#define LIMIT(name, read, field, max) \
    {name, read, offsetof(struct contract, limits.field), 0, 1, max, NULL, 0}

static const struct schema_key limit_keys[] = {
    LIMIT("files", schema_u64, files, 0),           LIMIT("total", schema_size, total, 0),
    LIMIT("depth", schema_u64, depth, WALK_DEPTH_MAX), LIMIT("visited", schema_u64, visited, 0),
    LIMIT("time", schema_duration, time_ms, 0),
};

static void read_limits(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    (void)key;
    schema_map(s, value, limit_keys, ARRAY_LEN(limit_keys), base, "'limits'");
}

/* Three known questions about the job; the answers are kept as pairs in the order they were written. */
static void read_threat(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    static const struct schema_key known[] = {{.name = "untrusted", .read = schema_ignore},
                                              {.name = "secrets", .read = schema_ignore},
                                              {.name = "consequence", .read = schema_ignore}};
    if (schema_map(s, value, known, ARRAY_LEN(known), base, "'threat'"))
        schema_pairs(s, key, value, base);
}

#define TEXT(name, field, flags) {name, schema_text, offsetof(struct contract, field), flags, 0, 0, NULL, 0}
#define PAIRS(name, read, field) {name, read, offsetof(struct contract, field), KEY_LINES, 0, 0, NULL, 0}
#define WORD(name, field, words) {name, schema_word, offsetof(struct contract, field), 0, 0, 0, words, 0}
#define PART(name, read, flags) {name, read, 0, flags, 0, 0, NULL, 0}

static const struct schema_key contract_keys[] = {
    PART("sallyport", read_version, KEY_REQUIRED),
    {"name", read_name, offsetof(struct contract, name), KEY_REQUIRED, 0, 0, NULL, 0},
    TEXT("revision", revision, 0),
    TEXT("owner", owner, 0),
    TEXT("escalate", escalate, 0),
    TEXT("purpose", purpose, KEY_LINES),
    {"not-covered", schema_texts, offsetof(struct contract, not_covered), KEY_LINES, 0, 0, NULL, 0},
    {"review-by", schema_date, offsetof(struct contract, review_by), 0, 0, 0, NULL, 0},
    {"labels", schema_pairs, offsetof(struct contract, labels), 0, 0, 0, NULL, 0},
    PAIRS("threat", read_threat, threat),
    PAIRS("source", schema_pairs, source),
    PART("run", contract_read_run, 0),
    PART("outputs", contract_read_outputs, KEY_REQUIRED),
    PART("limits", read_limits, 0),
    WORD("names", names, names_words),
    WORD("hard-links", hard_links, hard_link_words),
    WORD("symlinks", symlinks, symlink_words),
    WORD("unlisted", unlisted, unlisted_words),
    {"partial", schema_bool, offsetof(struct contract, partial), 0, 0, 0, NULL, 0},
    {"strict", schema_bool, offsetof(struct contract, strict), 0, 0, 0, NULL, 0},
};

struct contract *contract_new(void)
{
    struct contract *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->limits.files = DEFAULT_FILES;
    c->limits.total = DEFAULT_TOTAL;
    c->limits.depth = DEFAULT_DEPTH;
    c->limits.visited = DEFAULT_VISITED;
    c->limits.time_ms = DEFAULT_TIME_MS;
    return c;
}

/* What a table cannot say, once every key is read. */
static void check_names(struct schema *s, const struct node *root, const struct contract *c)
{
    static const char *const keys[] = {"stdout", "stderr"};
    const struct node *run = node_get(root, "run");
    for (size_t i = 0; run && i < ARRAY_LEN(keys); i++) {
        const struct node *value = node_get(run, keys[i]);
        const char *name = i == 0 ? c->run.stdout_name : c->run.stderr_name;
        if (!value || !name)
            continue;
        enum path_fault fault = path_check(name, strlen(name), c->names);
        if (fault != PATH_OK)
            schema_error(s, value, "'%s' would be refused as name/unsafe: the name %s", keys[i], path_fault_text(fault));
    }
}

static int parse_tree(const struct node *root, struct contract *c, struct contract_errors *errors)
{
    struct schema s = {.errors = errors};
    if (schema_map(&s, root, contract_keys, ARRAY_LEN(contract_keys), c, "the contract"))
        check_names(&s, root, c);
    if (s.no_memory) {
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

/* Keeps the exact bytes: they are what the record and the bag show. */
static int keep_text(struct contract *c, const char *file, const uint8_t *text, size_t len)
{
    c->file = strdup(file);
    c->text = malloc(len ? len : 1);
    if (!c->file || !c->text) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(c->text, text, len);
    c->text_len = len;
    sha256_bytes(text, len, c->sha256);
    return 0;
}

int contract_parse(const char *file, const uint8_t *text, size_t len, struct contract **out,
                   struct contract_errors *errors)
{
    struct yaml_tree tree;
    *errors = (struct contract_errors){.n = 0};
    *out = NULL;
    if (yaml_tree_parse(text, len, &tree, errors) < 0)
        return -1;
    struct contract *c = contract_new();
    int rc = c ? 0 : -1;
    if (rc == 0 && tree.root)
        rc = parse_tree(tree.root, c, errors);
    yaml_tree_free(&tree);
    contract_errors_sort(errors);
    if (rc == 0 && (errors->n > 0 || errors->more)) {
        errno = EINVAL;
        rc = -1;
    }
    if (rc == 0)
        rc = keep_text(c, file, text, len);
    if (rc < 0)
        contract_free(&c);
    *out = c;
    return rc;
}
