/* SPDX-License-Identifier: ISC
 * Contract -> plan, in the broker, before the fork. Trusts the contract; touches inputs only to pin them. */
#include "box/box_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/digest.h"
#include "base/fd.h"
#include "base/limits.h"
#include "box/box_tree.h"

/* First components of the box's own layout: an input there would hide a control. */
static const char *const reserved[] = {"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32",
                                       "proc", "sbin", "scratch", "sys", "tmp", "usr"};

static PRINTF(3, 4) int fault(struct box_result *result, int error, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(result->fault, sizeof result->fault, fmt, args);
    va_end(args);
    errno = error;
    return -1;
}

static bool at_is_reserved(const char *at)
{
    size_t len = strcspn(at + 1, "/");
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
        if (strlen(reserved[i]) == len && memcmp(reserved[i], at + 1, len) == 0)
            return true;
    return false;
}

/* Absolute, no empty, dot or dotdot component. */
static bool at_is_plain(const char *at)
{
    if (at[0] != '/' || at[1] == 0 || strlen(at) > PATH_BYTES)
        return false;
    for (const char *p = at; *p;) {
        size_t len = strcspn(p + 1, "/");
        if (len == 0 || len > COMPONENT_BYTES || (len == 1 && p[1] == '.') || (len == 2 && p[1] == '.' && p[2] == '.'))
            return false;
        p += 1 + len;
    }
    return true;
}

static char *fd_path(int fd)
{
    char link[64], target[PATH_BYTES + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0)
        return NULL;
    target[n] = 0;
    return strdup(target);
}

static int original_digest(const struct box_input *in, uint8_t out[32])
{
    AUTO_FD fd = open(in->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -1 : tree_digest(fd, out);
}

bool box_plan_unchanged(const struct box_plan *plan)
{
    uint8_t now[32];
    for (size_t i = 0; i < plan->inputs_n; i++)
        if (plan->inputs[i].copy &&
            (original_digest(&plan->inputs[i], now) < 0 || memcmp(now, plan->inputs[i].digest, sizeof now) != 0))
            return false;
    return true;
}

static void pin(struct box_input *in, const struct stat *st)
{
    in->lower = -1;
    in->dev = st->st_dev;
    in->ino = st->st_ino;
    in->uid = st->st_uid;
    in->gid = st->st_gid;
    in->directory = S_ISDIR(st->st_mode);
}

static int pin_input(struct box_input *in, const struct run_input *from, int dir_fd, bool fetches,
                     struct box_result *result)
{
    struct stat st;
    if (!at_is_plain(from->at) || at_is_reserved(from->at) ||
        (fetches && strncmp(from->at, BOX_FETCHED, strlen(BOX_FETCHED)) == 0))
        return fault(result, EINVAL, "input '%s': 'at: %s' is not a place inputs can go to; use a directory of its own "
                     "such as /target", from->from, from->at);
    AUTO_FD fd = openat(dir_fd, from->from, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return fault(result, errno, "input '%s' cannot be opened: %s", from->from, strerror(errno));
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return fault(result, EINVAL, "input '%s' is neither a directory nor a plain file", from->from);
    in->path = fd_path(fd);
    if (!in->path)
        return -1;
    in->at = from->at;
    in->copy = from->copy;
    pin(in, &st);
    if (in->copy && original_digest(in, in->digest) < 0)
        return fault(result, errno, "input '%s' cannot be read whole, which 'copy: true' needs: %s", from->from,
                     strerror(errno));
    return 0;
}

/* What a fetch phase left: its scratch, which only we hold, frozen. */
static int plan_fetched(struct box_plan *plan, const struct box_result *fetched, struct box_result *result)
{
    if (fetched->scratch_fd < 0 || !fetched->quiesced)
        return fault(result, EINVAL, "what was fetched could not be frozen");
    plan->fetched = fetched->scratch_fd;
    plan->inputs[plan->inputs_n++] = (struct box_input){.at = BOX_FETCHED, .directory = true, .lower = -1, .fetched = true};
    return 0;
}

static int plan_inputs(struct box_plan *plan, const struct box_options *options, struct box_result *result)
{
    const struct run *run = plan->run;
    plan->inputs = calloc(run->inputs_n + 2, sizeof *plan->inputs);
    if (!plan->inputs)
        return -1;
    for (size_t i = 0; i < run->inputs_n; i++) {
        plan->inputs_n = i + 1;
        if (pin_input(&plan->inputs[i], &run->inputs[i], options->contract_dir_fd, run->fetch.given, result) < 0)
            return -1;
    }
    return options->fetched ? plan_fetched(plan, options->fetched, result) : 0;
}

static char *env_text(const char *key, const char *value)
{
    struct buf b;
    buf_init(&b, CONTRACT_BYTES);
    buf_text(&b, key);
    buf_text(&b, "=");
    buf_text(&b, value);
    char *text = buf_take_text(&b);
    buf_free(&b);
    return text;
}

/* Nothing is inherited. The contract's own value wins over a fixed one. */
static int plan_env(struct box_plan *plan)
{
    static const char *const fixed[][2] = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/scratch"}, {"PWD", "/scratch"},
                                           {"USER", "job"}};
    const struct pair_list *env = &plan->run->env;
    size_t n = 0;
    plan->envp = calloc(ARRAY_LEN(fixed) + env->n + 1, sizeof *plan->envp);
    if (!plan->envp)
        return -1;
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
        bool own = false;
        for (size_t k = 0; k < env->n; k++)
            own = own || strcmp(env->v[k].key, fixed[i][0]) == 0;
        if (!own && !(plan->envp[n++] = env_text(fixed[i][0], fixed[i][1])))
            return -1;
    }
    for (size_t k = 0; k < env->n; k++)
        if (!(plan->envp[n++] = env_text(env->v[k].key, env->v[k].value)))
            return -1;
    return 0;
}

static int plan_argv(struct box_plan *plan)
{
    const struct text_list *command = &plan->run->command;
    plan->argv = calloc(command->n + 1, sizeof *plan->argv);
    if (!plan->argv)
        return -1;
    for (size_t i = 0; i < command->n; i++)
        if (!(plan->argv[i] = strdup(command->v[i])))
            return -1;
    return 0;
}

static int plan_base(struct box_plan *plan, const struct box_options *options, struct box_result *result)
{
    struct stat st;
    uint8_t digest[32];
    char hex[65];
    const char *base = plan->run->base;
    plan->base_host = !base || strcmp(base, "host") == 0;
    plan->base.lower = -1;
    if (plan->base_host)
        return 0;
    AUTO_FD fd = openat(options->contract_dir_fd, base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || !(plan->base.path = fd_path(fd)))
        return fault(result, errno, "base '%s' cannot be opened as a directory: %s", base, strerror(errno));
    if (faccessat(fd, "usr", F_OK, 0) < 0 && faccessat(fd, "bin", F_OK, 0) < 0)
        return fault(result, EINVAL, "base '%s' is no root filesystem: it has neither usr nor bin", base);
    pin(&plan->base, &st);
    if (tree_digest(fd, digest) < 0)
        return fault(result, errno, "base '%s' cannot be read whole, and its digest belongs into the record: %s", base,
                     strerror(errno));
    hex_encode(digest, sizeof digest, hex);
    snprintf(result->base, sizeof result->base, "directory: tree sha256:%s", hex);
    return 0;
}

/* Root that may become anybody: inside a user namespace it often may not, and is then an ordinary user like others. */
static bool owns_reserved_ids(void)
{
    unsigned long inside, outside, count;
    if (geteuid() != 0)
        return false;
    FILE *map = fopen("/proc/self/uid_map", "re");
    bool found = false;
    while (map && !found && fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3)
        found = inside <= BOX_UID_FIRST && BOX_UID_FIRST + BOX_UID_COUNT <= inside + count;
    if (map)
        fclose(map);
    return found;
}

uint32_t box_job_uid(void)
{
    return owns_reserved_ids() ? BOX_UID_FIRST + (uint32_t)getpid() % BOX_UID_COUNT : geteuid();
}

int box_plan_init(struct box_plan *plan, const struct box_options *options, struct box_result *result)
{
    *plan = (struct box_plan){.run = &options->contract->run, .control = -1, .go = -1, .out = -1, .err = -1,
                              .fetched = -1, .own_dev = -1, .gate = options->gate != NULL};
    plan->uid = box_job_uid();
    plan->root = plan->uid != geteuid();
    plan->gid = plan->root ? plan->uid : getegid();
    if (plan->run->command.n == 0)
        return fault(result, EINVAL, "the contract has no command to run");
    if (plan->run->engine != ENGINE_BUILTIN)
        return fault(result, ENOTSUP, "run.engine: only 'builtin' is there yet");
    if (plan->run->inputs_n > BOX_INPUTS_MAX)
        return fault(result, EINVAL, "more than 256 inputs: put them into one directory");
    if (plan_argv(plan) < 0 || plan_env(plan) < 0 || plan_base(plan, options, result) < 0 ||
        plan_inputs(plan, options, result) < 0)
        return -1;
    return 0;
}

static void free_texts(char **v)
{
    for (size_t i = 0; v && v[i]; i++)
        free(v[i]);
    free(v);
}

void box_plan_free(struct box_plan *plan)
{
    for (size_t i = 0; i < plan->inputs_n; i++)
        free(plan->inputs[i].path);
    free(plan->inputs);
    free_texts(plan->argv);
    free_texts(plan->envp);
    free(plan->base.path);
    fd_close(&plan->control);
    fd_close(&plan->go);
    fd_close(&plan->out);
    fd_close(&plan->err);
}
