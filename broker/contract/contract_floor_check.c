/* SPDX-License-Identifier: ISC
 * Broker. Holds a contract against a floor. The contract's text is read into a tree once more, so that every error can
 * stand where the looser value is written, or where it should have been. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/say.h"
#include "contract/floor.h"
#include "contract/schema.h"

struct check {
    struct schema s;
    const struct contract_floor *floor;
    const struct contract *contract;
    int64_t now;
};

/* Where the floor says so, for the end of a sentence. */
struct place {
    char text[160];
};

static struct place place_of(const struct check *c, const struct node *key)
{
    struct place place;
    snprintf(place.text, sizeof(place.text), "%.100s:%u", contract_quote(c->floor->file, strlen(c->floor->file)).text,
             key->line);
    return place;
}

/* The floor's value of "key" or "map.key"; NULL: the floor says nothing. */
static const struct node *demand(const struct check *c, const char *map, const char *key)
{
    const struct node *in = map ? node_get(c->floor->tree.root, map) : c->floor->tree.root;
    return in ? node_get(in, key) : NULL;
}

enum unit { PIECES, BYTES, MILLISECONDS };

struct bound {
    const char *map, *key;
    size_t offset;
    enum unit unit;
};

static void show(uint64_t v, enum unit unit, char out[32])
{
    if (unit == BYTES)
        say_size(v, out);
    else if (unit == MILLISECONDS)
        snprintf(out, 32, "%llu s", (unsigned long long)(v / 1000));
    else
        snprintf(out, 32, "%llu", (unsigned long long)v);
}

/* One greatest bound: `mine` and `theirs` are structs of one kind, `at` the contract's mapping that the bound is in. */
static void check_bound(struct check *c, const struct bound *b, const struct node *at, const void *mine,
                        const void *theirs)
{
    const struct node *want = demand(c, b->map, b->key);
    const struct node *in = b->map ? node_get(at, b->map) : at, *have = in ? node_get(in, b->key) : NULL;
    uint64_t v = *(const uint64_t *)(const void *)((const char *)mine + b->offset);
    uint64_t most = *(const uint64_t *)(const void *)((const char *)theirs + b->offset);
    char is[32], may[32];
    if (!want || v <= most)
        return;
    show(v, b->unit, is);
    show(most, b->unit, may);
    if (have)
        schema_error(&c->s, have, "'%s' is %s, and the floor admits at most %s (%s)", b->key, is, may,
                     place_of(c, want->key).text);
    else
        schema_error(&c->s, in ? in : at, "'%s%s%s' is left out, which means %s, and the floor admits at most %s (%s)",
                     b->map ? b->map : "", b->map ? ": " : "", b->key, is, may, place_of(c, want->key).text);
}

static bool subset(const struct type_set *of, const struct type_set *set, enum type *first)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (type_set_has(of, (enum type)t) && !type_set_has(set, (enum type)t)) {
            *first = (enum type)t;
            return false;
        }
    return true;
}

/* Each entry of a list of types, since a group may hold more than the floor admits. */
static void check_types(struct check *c, const struct node *list, const struct type_set *admitted,
                        const struct node *want)
{
    for (const struct node *item = list->first; item; item = item->next) {
        struct type_set set = {{0, 0}};
        enum type first = TYPE_NONE;
        type_set_add(&set, type_from_name(item->text, item->len));
        if (type_set_empty(&set))
            (void)type_group_add(&set, item->text, item->len);
        if (!subset(&set, admitted, &first))
            schema_error(&c->s, item, "the type '%s' is not among the types of the floor (%s)", type_name(first),
                         place_of(c, want->key).text);
    }
}

/* Does the output admit a type with one of these flags, or of one of these groups? */
static bool admits(const struct output *o, unsigned flags, unsigned groups)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (type_set_has(&o->types, (enum type)t) &&
            ((type_flags((enum type)t) & flags) || (type_groups((enum type)t) & groups)))
            return true;
    return false;
}

/* Members are held against `inside: types` of the floor, else against its `types`. */
static void check_inside_types(struct check *c, const struct node *item, const struct output *o)
{
    const struct node *want = demand(c, "inside", "types"), *inside = node_get(item, "inside");
    const struct type_set *admitted = want ? &c->floor->output.inside.types : &c->floor->output.types;
    const struct node *list = inside ? node_get(inside, "types") : NULL;
    enum type first = TYPE_NONE;
    want = want ? want : demand(c, NULL, "types");
    if (want && list)
        check_types(c, list, admitted, want);
    else if (want && !subset(&o->inside.types, admitted, &first))
        schema_error(&c->s, inside ? inside : item,
                     "'inside: types' is left out, which admits '%s' inside, and the floor does not (%s)",
                     type_name(first), place_of(c, want->key).text);
}

static bool listed(const struct text_list *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i], text) == 0)
            return true;
    return false;
}

static bool code_listed(const struct text_list *codes, const char *name)
{
    for (size_t i = 0; i < codes->n; i++) {
        size_t n = strlen(codes->v[i]);
        if (strcmp(codes->v[i], name) == 0)
            return true;
        if (n && codes->v[i][n - 1] == '*' && strncmp(codes->v[i], name, n - 1) == 0)
            return true;
    }
    return false;
}

static void check_accept(struct check *c, const struct node *item, const struct accept *a)
{
    const struct contract_floor *f = c->floor;
    const struct node *codes = demand(c, "accept", "codes"), *who = demand(c, "accept", "approved-by");
    const struct node *days = demand(c, "accept", "days"), *code = node_get(item, "code");
    if (codes && !code_listed(&f->codes, code->text))
        schema_error(&c->s, code, "the floor does not let '%s' be accepted (%s)",
                     contract_quote(code->text, code->len).text, place_of(c, codes->key).text);
    if (who && !listed(&f->approvers, a->approved_by))
        schema_error(&c->s, node_get(item, "approved-by"), "'%s' is not among the approvers of the floor (%s)",
                     contract_quote(a->approved_by, strlen(a->approved_by)).text, place_of(c, who->key).text);
    /* Both ends are ends of days, so that "30" is thirty days whatever the hour. */
    if (days && a->until > (c->now / 86400 + (int64_t)f->days + 1) * 86400 - 1)
        schema_error(&c->s, node_get(item, "until"), "the floor lets an accept last at most %llu days from today (%s)",
                     (unsigned long long)f->days, place_of(c, days->key).text);
}

static void check_stability(struct check *c, const struct node *item, const struct output *o)
{
    const struct node *want = demand(c, NULL, "require-stability"), *have = node_get(item, "require-stability");
    bool good = o->require_quiesced || (o->require_leased && !c->floor->output.require_quiesced);
    if (want && !good)
        schema_error(&c->s, have ? have : item, "the floor asks for 'require-stability: %s' (%s)",
                     c->floor->output.require_quiesced ? "quiesced" : "leased", place_of(c, want->key).text);
}

static void check_links(struct check *c, const struct node *item, const struct output *o)
{
    const struct node *want = demand(c, "inside", "links");
    if (want && o->inside.links != LINKS_REFUSE)
        schema_error(&c->s, node_get(node_get(item, "inside"), "links"), "the floor refuses links in archives (%s)",
                     place_of(c, want->key).text);
}

static const struct bound output_bound = {NULL, "max", offsetof(struct output, max), BYTES};

static const struct bound inside_bounds[] = {
    {"inside", "entries", offsetof(struct output, inside.entries), PIECES},
    {"inside", "member", offsetof(struct output, inside.member), BYTES},
    {"inside", "unpacked", offsetof(struct output, inside.unpacked), BYTES},
    {"inside", "ratio", offsetof(struct output, inside.ratio), PIECES},
    {"inside", "nesting", offsetof(struct output, inside.nesting), PIECES},
};

static void check_output(struct check *c, const struct node *item, const struct output *o)
{
    const struct node *types = demand(c, NULL, "types"), *accept = node_get(item, "accept");
    size_t n = 0;
    if (types)
        check_types(c, node_get(item, "types"), &c->floor->output.types, types);
    check_bound(c, &output_bound, item, o, &c->floor->output);
    for (size_t i = 0; i < ARRAY_LEN(inside_bounds) && admits(o, T_CONTAINER, 0); i++)
        check_bound(c, &inside_bounds[i], item, o, &c->floor->output);
    if (admits(o, 0, G_ARCHIVES)) /* packages bring member rules of their own */
        check_inside_types(c, item, o);
    check_links(c, item, o);
    check_stability(c, item, o);
    for (const struct node *a = accept ? accept->first : NULL; a && n < o->accept_n; a = a->next)
        check_accept(c, a, &o->accept[n++]);
}

static const struct bound limit_bounds[] = {
    {"limits", "files", offsetof(struct contract, limits.files), PIECES},
    {"limits", "total", offsetof(struct contract, limits.total), BYTES},
    {"limits", "depth", offsetof(struct contract, limits.depth), PIECES},
    {"limits", "visited", offsetof(struct contract, limits.visited), PIECES},
    {"limits", "time", offsetof(struct contract, limits.time_ms), MILLISECONDS},
};

/* Policies with two sides, of which the floor can demand the tighter one. */
static void check_policies(struct check *c, const struct node *root)
{
    const struct contract *mine = c->contract, *floor = &c->floor->bounds;
    const struct {
        const char *key, *word;
        bool looser;
    } rows[] = {
        {"names", "portable", floor->names == NAMES_PORTABLE && mine->names != NAMES_PORTABLE},
        {"hard-links", "refuse", mine->hard_links != HARD_LINKS_REFUSE},
        {"symlinks", "refuse", mine->symlinks != SYMLINKS_REFUSE},
        {"partial", "false", !floor->partial && mine->partial},
        {"strict", "true", floor->strict && !mine->strict},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct node *want = demand(c, NULL, rows[i].key), *have = node_get(root, rows[i].key);
        if (want && rows[i].looser)
            schema_error(&c->s, have ? have : root, "the floor asks for '%s: %s' (%s)", rows[i].key, rows[i].word,
                         place_of(c, want->key).text);
    }
}

/* Is the dotted key there, in every entry of a list on its way? Reports where it is not. */
static void check_required(struct check *c, const struct node *in, const char *rest, const char *whole,
                           const struct node *want, unsigned depth)
{
    char key[64];
    size_t n = strcspn(rest, ".");
    if (in->kind == NODE_SEQUENCE && depth < CONTRACT_DEPTH) {
        for (const struct node *item = in->first; item; item = item->next)
            check_required(c, item, rest, whole, want, depth + 1);
        return;
    }
    snprintf(key, sizeof(key), "%.*s", (int)n, rest);
    const struct node *value = node_get(in, key);
    /* An output that accepts nothing has no accept to complete; everything else must be there on the way too. */
    if (!value && strcmp(key, "accept") == 0)
        return;
    if (!value)
        schema_error(&c->s, in, "the floor requires the key '%s' (%s)", whole, place_of(c, want).text);
    else if (rest[n] == '.' && depth < CONTRACT_DEPTH)
        check_required(c, value, rest + n + 1, whole, want, depth + 1);
}

/* May a job have a fetch phase? */
static void check_fetch(struct check *c, const struct node *root)
{
    const struct node *run = node_get(root, "run"), *fetch = run ? node_get(run, "fetch") : NULL;
    const struct node *want = demand(c, NULL, "fetch");
    if (fetch && want)
        schema_error(&c->s, fetch->key, "the floor allows no fetch phase: 'fetch: refuse' (%s)", place_of(c, want->key).text);
}

static void check_contract(struct check *c, const struct node *root)
{
    const struct node *outputs = node_get(root, "outputs"), *require = demand(c, NULL, "require");
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(limit_bounds); i++)
        check_bound(c, &limit_bounds[i], root, c->contract, &c->floor->bounds);
    check_policies(c, root);
    check_fetch(c, root);
    for (const struct node *item = outputs->first; item && n < c->contract->outputs_n; item = item->next)
        check_output(c, item, &c->contract->outputs[n++]);
    for (const struct node *item = require ? require->first : NULL; item; item = item->next)
        check_required(c, root, item->text, item->text, item, 0);
}

int contract_floor_check(const struct contract_floor *floor, const struct contract *contract, int64_t now,
                         struct contract_errors *errors)
{
    struct check c = {.s = {.errors = errors}, .floor = floor, .contract = contract, .now = now};
    struct yaml_tree tree;
    *errors = (struct contract_errors){.n = 0};
    if (yaml_tree_parse(contract->text, contract->text_len, &tree, errors) < 0)
        return -1;
    if (tree.root)
        check_contract(&c, tree.root);
    yaml_tree_free(&tree);
    contract_errors_sort(errors);
    errno = EINVAL;
    return errors->n || errors->more ? -1 : 0;
}
