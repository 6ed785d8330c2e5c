/* SPDX-License-Identifier: ISC
 * Bounded walk of a hostile directory. Broker. Trusts no name and no answer of readdir; each directory is
 * opened anew beneath the root, so one descriptor is enough and no moved directory leads outside. Invariant:
 * whatever was seen is an item, is counted, or made a finding. */
#include "collect/collect_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/path.h"
#include "collect/collect_fault.h"
#include "collect/collect_walk_judge.h"

/* Directories yet to be listed; a stack, so that memory follows depth and not breadth. */
struct pending {
    char **v;
    size_t n, cap;
};

struct walk {
    const struct root *root;
    const struct walk_options *opt;
    struct walk_result *out;
    struct walk_state state;
    struct pending dirs;
    bool exhausted, late;
};

static int pending_push(struct pending *p, char *take_path)
{
    if (p->n == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 16;
        char **grown = realloc(p->v, cap * sizeof(*grown));
        if (!grown) {
            free(take_path);
            return -1;
        }
        p->v = grown;
        p->cap = cap;
    }
    p->v[p->n++] = take_path;
    return 0;
}

static void pending_free(struct pending *p)
{
    while (p->n > 0)
        free(p->v[--p->n]);
    free(p->v);
}

static char *join(const char *dir, const char *name)
{
    size_t a = strlen(dir), b = strlen(name);
    char *path = malloc(a + b + 2);
    if (!path)
        return NULL;
    memcpy(path, dir, a);
    if (a > 0)
        path[a++] = '/';
    memcpy(path + a, name, b + 1);
    return path;
}

static size_t components(const char *path)
{
    size_t n = 1;
    for (; *path; path++)
        n += *path == '/';
    return n;
}

static size_t depth_max(const struct contract *c)
{
    return c->limits.depth < WALK_DEPTH_MAX ? (size_t)c->limits.depth : WALK_DEPTH_MAX;
}

/* A directory that has to be listed and cannot be is never silent: an output could lie below it. */
static int refuse_directory(struct walk *w, char *take_path, const struct source_facts *facts,
                            enum finding_code code, const char *message)
{
    struct item *item = item_list_add(&w->out->items, take_path);
    if (!item)
        return -1;
    item->source = *facts;
    item->source.kind = OBJECT_DIRECTORY;
    return finding_list_note(&item->findings, code, message);
}

/* Queues a directory for listing, or says why it is not listed. */
static int enter_directory(struct walk *w, const char *path, const struct source_facts *facts)
{
    enum finding_code fault = FINDING_NONE;
    char *mine = strdup(path);
    if (!mine)
        return -1;
    if (path_grammar(path, strlen(path)) != PATH_OK)
        fault = FINDING_NAME_UNSAFE;
    else if (root_foreign(w->root, facts))
        fault = FINDING_FILE_OTHER_MOUNT;
    else if (components(path) > depth_max(w->opt->contract))
        fault = FINDING_FILE_TOO_DEEP;
    if (fault != FINDING_NONE)
        return refuse_directory(w, mine, facts, fault, "this directory was not entered");
    return pending_push(&w->dirs, mine);
}

/* A glob names files; a directory of a fitting name is simply not one, while under an exact path it is a
 * fault. */
static int see_directory(struct walk *w, char *take_path, const struct source_facts *facts)
{
    AUTO_FREE char *path = take_path;
    bool hidden = false;
    if (w->opt->skip && facts->dev == w->opt->skip_dev && facts->ino == w->opt->skip_ino)
        return 0;
    const struct output *exact = w->opt->match(w->opt->ctx, path, &hidden);
    bool named = exact && exact->path;
    bool wanted = w->opt->contract->unlisted == UNLISTED_REFUSE || w->opt->enter(w->opt->ctx, path);
    if (wanted && enter_directory(w, path, facts) < 0)
        return -1;
    if (wanted && !named)
        return 0;
    hidden = !wanted && w->opt->hides && w->opt->hides(w->opt->ctx, path);
    char *mine = path;
    path = NULL;
    return walk_take(&w->state, mine, facts, named ? exact : NULL, hidden, FINDING_NONE);
}

/* One name of a directory: its facts, its output, and what becomes of it. */
static int see(struct walk *w, int dir, const char *parent, const char *name)
{
    struct source_facts facts = {0};
    enum finding_code fault = FINDING_NONE;
    bool hidden = false;
    char *path = join(parent, name);
    if (!path)
        return -1;
    if (fd_facts_at(dir, name, &facts) < 0)
        fault = errno == ENOENT ? FINDING_FILE_CHANGED : FINDING_FILE_UNREADABLE;
    if (facts.kind == OBJECT_DIRECTORY)
        return see_directory(w, path, &facts);
    const struct output *output = w->opt->match(w->opt->ctx, path, &hidden);
    return walk_take(&w->state, path, &facts, output, hidden, fault);
}

static bool time_is_up(struct walk *w)
{
    struct timespec now;
    if (w->opt->deadline_ns == 0 || clock_gettime(CLOCK_MONOTONIC, &now) < 0)
        return false;
    w->late = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec > w->opt->deadline_ns;
    return w->late;
}

/* 0 the end of the directory or of the walk's bound; 1 readdir failed; -1 the broker failed. */
static int list_names(struct walk *w, DIR *dir, const char *path)
{
    for (;;) {
        errno = 0;
        const struct dirent *e = readdir(dir);
        if (!e)
            return errno ? 1 : 0;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (strchr(e->d_name, '/') || !e->d_name[0]) { /* a server of names that are none */
            errno = EBADMSG;
            return 1;
        }
        if (w->out->visited == w->opt->contract->limits.visited) {
            w->exhausted = true;
            return 0;
        }
        w->out->visited++;
        if (see(w, dirfd(dir), path, e->d_name) < 0)
            return -1;
    }
}

static int list_directory(struct walk *w, char *take_path)
{
    AUTO_FREE char *path = take_path;
    bool top = path[0] == 0;
    struct source_facts facts = {0};
    int fd = top ? openat(w->root->fd, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
                 : root_openat(w->root, path, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    int error = errno, result = 1;
    if (dir) {
        w->out->directories++;
        result = list_names(w, dir, path);
        error = errno;
        closedir(dir);
    } else {
        fd_close(&fd);
    }
    errno = error;
    if (result <= 0)
        return result;
    if (top || collect_is_ours(error))
        return -1;
    char *mine = path;
    path = NULL;
    return refuse_directory(w, mine, &facts, collect_fault(error), strerror(error));
}

/* Exact paths that no directory showed (not entered, bound exhausted, `unlisted: ignore`) are looked up by
 * name. */
static int look_up_exact(struct walk *w, const struct output *o)
{
    struct source_facts facts;
    if (root_facts(w->root, o->path, &facts) < 0) {
        if (collect_is_ours(errno))
            return -1;
        return walk_unmet(&w->state, o, errno);
    }
    char *path = strdup(o->path);
    return path ? walk_take(&w->state, path, &facts, o, false, FINDING_NONE) : -1;
}

static bool has_glob(const struct contract *c)
{
    for (size_t i = 0; i < c->outputs_n; i++)
        if (c->outputs[i].glob)
            return true;
    return false;
}

static int walk_directories(struct walk *w)
{
    if (w->opt->contract->unlisted == UNLISTED_IGNORE && !has_glob(w->opt->contract))
        return 0;
    char *top = strdup("");
    if (!top || pending_push(&w->dirs, top) < 0)
        return -1;
    while (w->dirs.n > 0 && !w->exhausted && !time_is_up(w))
        if (list_directory(w, w->dirs.v[--w->dirs.n]) < 0)
            return -1;
    return 0;
}

static int walk_all(struct walk *w)
{
    const struct contract *c = w->opt->contract;
    if (walk_state_init(&w->state, w->root, c, w->out) < 0 || walk_directories(w) < 0)
        return -1;
    for (size_t i = 0; i < w->opt->provided_n; i++)
        if (walk_take_listed(&w->state, w->opt, &w->opt->provided[i]) < 0)
            return -1;
    for (size_t i = 0; i < c->outputs_n; i++)
        if (c->outputs[i].path && w->state.seen[i] == 0 && look_up_exact(w, &c->outputs[i]) < 0)
            return -1;
    const char *cut = w->exhausted ? "the walk stopped at `limits: visited`"
                      : w->late    ? "the walk stopped at `limits: time`"
                                   : NULL;
    return walk_finish(&w->state, cut);
}

int collect_walk(const struct root *root, const struct walk_options *options, struct walk_result *out)
{
    struct walk w = {.root = root, .opt = options, .out = out};
    *out = (struct walk_result){0};
    int result = walk_all(&w);
    int saved = errno;
    pending_free(&w.dirs);
    walk_state_free(&w.state);
    if (result < 0)
        walk_result_free(out);
    errno = saved;
    return result;
}

void walk_result_free(struct walk_result *result)
{
    item_list_free(&result->items);
    finding_list_free(&result->findings);
    *result = (struct walk_result){0};
}
