/* SPDX-License-Identifier: ISC
 * Findings on what the walk saw. Broker. Trusts nothing about a name or an object; what it says here only
 * refuses early, the copy decides again on the opened object. */
#include "collect/collect_walk_judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/path.h"

int walk_state_init(struct walk_state *s, const struct root *root, const struct contract *contract,
                    struct walk_result *out)
{
    size_t n = contract->outputs_n ? contract->outputs_n : 1;
    *s = (struct walk_state){.root = root, .contract = contract, .out = out};
    s->seen = calloc(n, sizeof(*s->seen));
    s->met = calloc(n, sizeof(*s->met));
    return s->seen && s->met ? 0 : -1;
}

void walk_state_free(struct walk_state *s)
{
    for (size_t i = 0; i < s->names_n; i++)
        free(s->names[i]);
    free(s->names);
    free(s->links);
    free(s->seen);
    free(s->met);
    *s = (struct walk_state){0};
}

static void *grow(void *v, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return v;
    size_t more = *cap ? *cap * 2 : 64;
    void *grown = realloc(v, more * size);
    if (grown)
        *cap = more;
    return grown;
}

static int note_link(struct walk_state *s, const struct source_facts *facts)
{
    struct linked *grown = grow(s->links, s->links_n, &s->links_cap, sizeof(*s->links));
    if (!grown)
        return -1;
    s->links = grown;
    s->links[s->links_n++] = (struct linked){.dev = facts->dev, .ino = facts->ino, .names = 1};
    return 0;
}

static int count_name(struct walk_state *s, char *take_path)
{
    char **grown = grow(s->names, s->names_n, &s->names_cap, sizeof(*s->names));
    if (!grown) {
        free(take_path);
        return -1;
    }
    s->names = grown;
    s->names[s->names_n++] = take_path;
    return 0;
}

static int take_unlisted(struct walk_state *s, char *take_path, const struct source_facts *facts, bool hidden)
{
    enum unlisted policy = s->contract->unlisted;
    s->out->unlisted++;
    if (policy == UNLISTED_COUNT)
        return count_name(s, take_path);
    if (policy == UNLISTED_IGNORE) {
        free(take_path);
        return 0;
    }
    struct item *item = item_list_add(&s->out->items, take_path);
    if (!item)
        return -1;
    item->source = *facts;
    const char *message = hidden                            ? "skipped by a glob for its leading dot"
                          : facts->kind == OBJECT_DIRECTORY ? "a directory that no output names, not entered"
                                                            : NULL;
    struct finding f = {.code = FINDING_FILE_UNLISTED,
                        .level = policy == UNLISTED_REFUSE ? LEVEL_REFUSE : LEVEL_NOTE,
                        .message = message ? strdup(message) : NULL};
    return finding_list_add(&item->findings, &f);
}

static int judge_name(const struct walk_state *s, struct item *item)
{
    char message[MESSAGE_BYTES];
    size_t len = strlen(item->path), depth = 1;
    enum path_fault fault = path_check(item->path, len, s->contract->names);
    for (size_t i = 0; i < len; i++)
        depth += item->path[i] == '/';
    snprintf(message, sizeof(message), "the name %s", path_fault_text(fault));
    if (fault != PATH_OK && finding_list_note(&item->findings, FINDING_NAME_UNSAFE, message) < 0)
        return -1;
    if (path_auto_run(item->path, len, false) &&
        finding_list_note(&item->findings, FINDING_NAME_AUTO_RUN, NULL) < 0)
        return -1;
    if (depth > s->contract->limits.depth || depth > WALK_DEPTH_MAX)
        return finding_list_note(&item->findings, FINDING_FILE_TOO_DEEP, NULL);
    return 0;
}

static const char *kind_text(enum object_kind kind)
{
    static const char *const text[] = {[OBJECT_UNKNOWN] = "an object of no known kind",
                                       [OBJECT_FILE] = "a file",
                                       [OBJECT_DIRECTORY] = "a directory",
                                       [OBJECT_SYMLINK] = "a symbolic link",
                                       [OBJECT_FIFO] = "a FIFO",
                                       [OBJECT_SOCKET] = "a socket",
                                       [OBJECT_DEVICE] = "a device",
                                       [OBJECT_OTHER] = "an object of no known kind"};
    return text[kind];
}

static int judge_object(const struct walk_state *s, struct item *item)
{
    char message[MESSAGE_BYTES];
    if (item->source.kind == OBJECT_SYMLINK) {
        item->skipped = s->contract->symlinks == SYMLINKS_SKIP;
        struct finding f = {.code = FINDING_FILE_SYMLINK, .level = item->skipped ? LEVEL_NOTE : LEVEL_REFUSE};
        return finding_list_add(&item->findings, &f);
    }
    if (s->root && root_foreign(s->root, &item->source))
        return finding_list_note(&item->findings, FINDING_FILE_OTHER_MOUNT, NULL);
    if (item->source.kind == OBJECT_FILE)
        return 0;
    if (!s->root && item->source.kind == OBJECT_OTHER) /* how the reader of streams names one */
        return finding_list_note(&item->findings, FINDING_FILE_HARD_LINK,
                                 "in the stream this is a hard link to another name, without bytes of its own");
    snprintf(message, sizeof(message), "the name is %s, not a regular file", kind_text(item->source.kind));
    return finding_list_note(&item->findings, FINDING_FILE_NOT_REGULAR, message);
}

int walk_take(struct walk_state *s, char *take_path, const struct source_facts *facts,
              const struct output *output, bool hidden, enum finding_code fault)
{
    s->out->hidden += hidden && !output;
    if (facts->kind == OBJECT_FILE && facts->links > 1 && note_link(s, facts) < 0) {
        free(take_path);
        return -1;
    }
    if (!output)
        return take_unlisted(s, take_path, facts, hidden);
    struct item *item = item_list_add(&s->out->items, take_path);
    if (!item)
        return -1;
    item->output = output;
    item->source = *facts;
    s->seen[output->index]++;
    if (judge_name(s, item) < 0)
        return -1;
    if (fault != FINDING_NONE)
        return finding_list_note(&item->findings, fault, NULL);
    if (judge_object(s, item) < 0)
        return -1;
    s->met[output->index] += !item->skipped;
    return 0;
}

static int unmet_item(struct walk_state *s, const struct output *output, enum finding_code code,
                      const char *message)
{
    char *path = strdup(output->path ? output->path : output->glob);
    struct item *item = path ? item_list_add(&s->out->items, path) : NULL;
    if (!item)
        return -1;
    item->output = output;
    item->unmet = true;
    return finding_list_note(&item->findings, code, message);
}

int walk_unmet(struct walk_state *s, const struct output *output, int error)
{
    if (error == ENOENT)
        return output->optional ? 0 : unmet_item(s, output, FINDING_FILE_MISSING, NULL);
    if (error == ELOOP)
        return unmet_item(s, output, FINDING_FILE_SYMLINK, "a directory on the way is a symbolic link");
    if (error == ENOTDIR)
        return unmet_item(s, output, FINDING_FILE_MISSING, "a name on the way is not a directory");
    if (error == EXDEV)
        return unmet_item(s, output, FINDING_FILE_OTHER_MOUNT, NULL);
    return unmet_item(s, output, FINDING_FILE_UNREADABLE, strerror(error));
}

static int by_identity(const void *a, const void *b)
{
    const struct linked *x = a, *y = b;
    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Sorts by inode and sums the names of each. */
static void merge_links(struct walk_state *s)
{
    size_t n = 0;
    if (s->links_n > 1)
        qsort(s->links, s->links_n, sizeof(*s->links), by_identity);
    for (size_t i = 0; i < s->links_n; i++) {
        if (n > 0 && by_identity(&s->links[n - 1], &s->links[i]) == 0)
            s->links[n - 1].names++;
        else
            s->links[n++] = s->links[i];
    }
    s->links_n = n;
}

static int judge_links(struct walk_state *s, struct item *item)
{
    char message[MESSAGE_BYTES];
    struct linked key = {.dev = item->source.dev, .ino = item->source.ino};
    if (!item->output || item->source.kind != OBJECT_FILE || item->source.links <= 1)
        return 0;
    const struct linked *all = bsearch(&key, s->links, s->links_n, sizeof(key), by_identity);
    uint64_t names = all ? all->names : 0;
    if (s->contract->hard_links == HARD_LINKS_WITHIN && names == item->source.links)
        return 0;
    snprintf(message, sizeof(message), "the file has %" PRIu64 " names, %" PRIu64 " of them seen in scratch",
             item->source.links, names);
    return finding_list_note(&item->findings, FINDING_FILE_HARD_LINK, message);
}

static int judge_count(struct walk_state *s, const struct output *o, const char *cut)
{
    char message[MESSAGE_BYTES];
    uint64_t met = s->met[o->index];
    uint64_t min = o->has_count ? o->count_min : !o->optional;
    if (o->path)
        return 0;
    if (cut)
        return unmet_item(s, o, FINDING_FILE_TOO_MANY, cut);
    if (o->has_count && met > o->count_max) {
        snprintf(message, sizeof(message), "%" PRIu64 " files match, at most %" PRIu64 " may", met,
                 o->count_max);
        return unmet_item(s, o, FINDING_FILE_TOO_MANY, message);
    }
    if (met < min) {
        snprintf(message, sizeof(message), "%" PRIu64 " files match, at least %" PRIu64 " must", met, min);
        return unmet_item(s, o, FINDING_FILE_MISSING, message);
    }
    return 0;
}

static int judge_items(struct walk_state *s)
{
    uint64_t files = 0;
    for (size_t i = 0; i < s->out->items.n; i++) {
        struct item *item = &s->out->items.v[i];
        if (!item->output || item->unmet)
            continue;
        if (judge_links(s, item) < 0)
            return -1;
        if (item->skipped && item->output->path && !item->output->optional) {
            item->unmet = true;
            if (finding_list_note(&item->findings, FINDING_FILE_MISSING, "a link was skipped in its place") <
                0)
                return -1;
        }
        if (!item->skipped && ++files > s->contract->limits.files &&
            finding_list_note(&item->findings, FINDING_FILE_TOO_MANY,
                              "beyond `limits: files`, in path order") < 0)
            return -1;
    }
    return 0;
}

static int by_text(const void *a, const void *b)
{
    char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static bool is_unlisted(const struct item *item)
{
    return !item->output && item->findings.n > 0 && item->findings.v[0].code == FINDING_FILE_UNLISTED;
}

/* Over the sorted unlisted names, however the policy keeps them. */
static int digest_names(struct walk_state *s)
{
    struct digest_state *state = digest_new();
    struct digest digest;
    if (!state)
        return -1;
    if (s->names_n > 1)
        qsort(s->names, s->names_n, sizeof(*s->names), by_text);
    for (size_t i = 0; i < s->names_n; i++)
        digest_update(state, s->names[i], strlen(s->names[i]) + 1);
    for (size_t i = 0; i < s->out->items.n; i++)
        if (is_unlisted(&s->out->items.v[i]))
            digest_update(state, s->out->items.v[i].path, strlen(s->out->items.v[i].path) + 1);
    digest_final(state, &digest);
    digest_free(&state);
    memcpy(s->out->unlisted_sha256, digest.sha256, SHA256_SIZE);
    return 0;
}

int walk_finish(struct walk_state *s, const char *cut)
{
    bool globs = false;
    merge_links(s);
    item_list_sort(&s->out->items);
    if (judge_items(s) < 0)
        return -1;
    for (size_t i = 0; i < s->contract->outputs_n; i++) {
        globs |= s->contract->outputs[i].glob != NULL;
        if (judge_count(s, &s->contract->outputs[i], cut) < 0)
            return -1;
    }
    if (cut && !globs && finding_list_note(&s->out->findings, FINDING_FILE_TOO_MANY, cut) < 0)
        return -1;
    item_list_sort(&s->out->items);
    return digest_names(s);
}
