/* SPDX-License-Identifier: ISC
 * Broker. `run` of a contract: the job, its inputs, its environment and its limits. Only read and checked here; what a
 * host can enforce is found out by box/. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "contract/contract_sections.h"
#include "contract/value.h"

static const char *const engine_words[] = {"builtin", "docker", "podman", NULL};

static void read_path(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    *(char **)(void *)((char *)base + key->offset) = contract_take_path(s, key->name, value);
}

/* Places that the box makes itself: an input there would hide them. */
static bool reserved(const char *at)
{
    static const char *const places[] = {"/proc", "/sys", "/dev", "/scratch"};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        size_t n = strlen(places[i]);
        if (strncmp(at, places[i], n) == 0 && (at[n] == '\0' || at[n] == '/'))
            return true;
    }
    return false;
}

static void read_at(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run_input *input = base;
    if (!schema_scalar(s, key->name, value))
        return;
    struct quoted q = contract_quote(value->text, value->len);
    enum path_fault fault = value->len ? path_grammar(value->text + 1, value->len - 1) : PATH_EMPTY;
    if (value->len == 0 || value->text[0] != '/')
        schema_error(s, value, "'at' is an absolute path inside the sandbox, not '%s'", q.text);
    else if (fault != PATH_OK)
        schema_error(s, value, "'at' cannot be '%s': the part after the first '/' %s", q.text, path_fault_text(fault));
    else if (reserved(value->text))
        schema_error(s, value, "'at' cannot be '%s': the sandbox keeps /proc, /sys, /dev and /scratch for itself", q.text);
    else
        input->at = schema_take_text(s, key->name, KEY_RAW, value);
}

static const struct schema_key input_keys[] = {
    {"from", schema_text, offsetof(struct run_input, from), KEY_REQUIRED, 0, 0, NULL, 0},
    {"at", read_at, offsetof(struct run_input, at), KEY_REQUIRED, 0, 0, NULL, 0},
    {"copy", schema_bool, offsetof(struct run_input, copy), 0, 0, 0, NULL, 0},
};

static void read_inputs(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run *run = base;
    if (!schema_list(s, value, key->name, 0))
        return;
    run->inputs = schema_array(s, value->n, sizeof(*run->inputs));
    for (const struct node *item = run->inputs ? value->first : NULL; item; item = item->next) {
        struct run_input *input = &run->inputs[run->inputs_n++];
        schema_map(s, item, input_keys, ARRAY_LEN(input_keys), input, "an input");
        for (size_t i = 0; input->at && i + 1 < run->inputs_n; i++)
            if (run->inputs[i].at && strcmp(run->inputs[i].at, input->at) == 0)
                schema_error(s, item, "two inputs at '%s'", contract_quote(input->at, strlen(input->at)).text);
    }
}

static bool variable_valid(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return name[0] && strchr(first, name[0]) && name[strspn(name, rest)] == '\0';
}

static void read_env(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    for (const struct node *item = value->kind == NODE_MAPPING ? value->first : NULL; item; item = item->next)
        if (item->key->kind == NODE_SCALAR && !variable_valid(item->key->text))
            schema_error(s, item->key, "'%s' is no name of an environment variable (letters, digits and '_')",
                         contract_quote(item->key->text, item->key->len).text);
    schema_pairs(s, key, value, base);
}

static void read_accept_exit(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run *run = base;
    if (!schema_list(s, value, key->name, 1))
        return;
    memset(run->accept_exit, 0, sizeof(run->accept_exit));
    for (const struct node *item = value->first; item; item = item->next) {
        uint64_t status;
        if (!schema_scalar(s, key->name, item))
            continue;
        if (value_u64(item->text, item->len, &status) && status <= 255)
            run->accept_exit[status / 8] = (uint8_t)(run->accept_exit[status / 8] | 1u << (status % 8));
        else
            schema_error(s, item, "'accept-exit' lists exit statuses from 0 to 255, not '%s'",
                         contract_quote(item->text, item->len).text);
    }
}

static void read_cpus(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run_limits *limits = base;
    if (!schema_scalar(s, key->name, value))
        return;
    if (!value_milli(value->text, value->len, &limits->cpus_milli) || limits->cpus_milli == 0)
        schema_error(s, value, "'cpus' is a number above 0, as in 2 or 1.5, not '%s'",
                     contract_quote(value->text, value->len).text);
}

/* The one limit that may be given up in words, for hosts without a memory control. */
static void read_memory(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run_limits *limits = base;
    limits->memory_unenforced = value->kind == NODE_SCALAR && strcmp(value->text, "unenforced") == 0;
    limits->has_memory = !limits->memory_unenforced;
    if (limits->has_memory)
        schema_size(s, key, value, base);
}

#define LIMIT(name, read, field, has_field, least, most) \
    {name, read, offsetof(struct run_limits, field), 0, least, most, NULL, offsetof(struct run_limits, has_field)}

/* has_wall is the first member, and an offset of 0 means "none" in a schema_key. */
static void read_wall(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run_limits *limits = base;
    limits->has_wall = true;
    schema_duration(s, key, value, base);
}

static const struct schema_key limit_keys[] = {
    {"wall", read_wall, offsetof(struct run_limits, wall_ms), 0, 1, 0, NULL, 0},
    LIMIT("cpus", read_cpus, cpus_milli, has_cpus, 1, 0),
    LIMIT("memory", read_memory, memory, has_memory, RUN_MEMORY_MIN, 0),
    LIMIT("processes", schema_u64, processes, has_processes, 1, RUN_PROCESSES_MAX),
    LIMIT("scratch", schema_size, scratch, has_scratch, 1, 0),
    LIMIT("inodes", schema_u64, inodes, has_inodes, RUN_INODES_MIN, 0),
    LIMIT("file", schema_size, file, has_file, 1, 0),
    LIMIT("output", schema_size, output, has_output, 1, 0),
};

static void read_limits(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run *run = base;
    (void)key;
    schema_map(s, value, limit_keys, ARRAY_LEN(limit_keys), &run->limits, "'run: limits'");
}

static const struct schema_key fetch_keys[] = {
    {"command", schema_texts, offsetof(struct run_fetch, command), KEY_REQUIRED | KEY_RAW, 1, 0, NULL, 0},
    {"reason", schema_text, offsetof(struct run_fetch, reason), KEY_REQUIRED | KEY_LINES, 0, 0, NULL, 0},
    {"approved-by", schema_text, offsetof(struct run_fetch, approved_by), KEY_REQUIRED, 0, 0, NULL, 0},
    {"until", schema_date, offsetof(struct run_fetch, until), KEY_REQUIRED, 0, 0, NULL, 0},
};

static void read_fetch(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct run *run = base;
    (void)key;
    run->fetch.given = schema_map(s, value, fetch_keys, ARRAY_LEN(fetch_keys), &run->fetch, "'run: fetch'");
}

#define RUN(name, read, field, flags, min) {name, read, offsetof(struct run, field), flags, min, 0, NULL, 0}

static const struct schema_key run_keys[] = {
    RUN("command", schema_texts, command, KEY_REQUIRED | KEY_RAW, 1),
    {"engine", schema_word, offsetof(struct run, engine), 0, 0, 0, engine_words, 0},
    RUN("image", schema_text, image, 0, 0),
    RUN("base", schema_text, base, 0, 0),
    RUN("inputs", read_inputs, inputs, 0, 0),
    RUN("env", read_env, env, KEY_RAW, 0),
    RUN("stdout", read_path, stdout_name, 0, 0),
    RUN("stderr", read_path, stderr_name, 0, 0),
    RUN("accept-exit", read_accept_exit, accept_exit, 0, 0),
    RUN("limits", read_limits, limits, 0, 0),
    RUN("fetch", read_fetch, fetch, 0, 0),
};

/* NAME@sha256:64 digits: a tag could be moved between the review and the run. */
static bool image_pinned(const char *image)
{
    static const char mark[] = "@sha256:";
    const char *at = strstr(image, mark);
    return at && at != image && strlen(at + strlen(mark)) == 64 &&
           strspn(at + strlen(mark), "0123456789abcdef") == 64 && image[strcspn(image, " \t\n")] == '\0';
}

static void check_run(struct schema *s, const struct node *map, const struct run *run)
{
    const struct node *image = node_get(map, "image"), *base = node_get(map, "base");
    const struct node *out = node_get(map, "stdout"), *err = node_get(map, "stderr");
    bool builtin = run->engine == ENGINE_BUILTIN;
    if (run->command.n && run->command.v[0][0] == '\0')
        schema_error(s, node_get(map, "command"), "'command' starts with an empty word; name the program");
    if (builtin && image)
        schema_error(s, image->key, "'image' needs 'engine: docker' or 'engine: podman'; the built-in sandbox takes "
                                    "'base'");
    if (!builtin && base)
        schema_error(s, base->key, "'base' belongs to the built-in sandbox; an engine takes 'image'");
    if (!builtin && !image)
        schema_error(s, map, "'run' with an engine needs 'image: NAME@sha256:...'");
    if (run->image && !builtin && !image_pinned(run->image))
        schema_error(s, image, "'image' must be pinned by digest, as in NAME@sha256:64 hexadecimal digits");
    if (run->stdout_name && run->stderr_name && strcmp(run->stdout_name, run->stderr_name) == 0)
        schema_error(s, node_later(out, err), "'stdout' and 'stderr' need names of their own");
}

void contract_read_run(struct schema *s, const struct schema_key *key, const struct node *value, void *base)
{
    struct contract *c = base;
    (void)key;
    c->run.given = true;
    c->run.accept_exit[0] = 1;
    if (schema_map(s, value, run_keys, ARRAY_LEN(run_keys), &c->run, "'run'"))
        check_run(s, value, &c->run);
    if (!c->run.base && c->run.engine == ENGINE_BUILTIN) {
        c->run.base = strdup("host");
        s->no_memory |= c->run.base == NULL;
    }
}
