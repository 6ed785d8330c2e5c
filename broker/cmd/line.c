/* SPDX-License-Identifier: ISC */
#include "cmd/line.h"
#include "source/source_container.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/key_check.h"
#include "cmd/line_parts.h"
#include "contract/contract_parse.h"

int64_t line_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int line_fail(const char *what, const char *name, int error)
{
    char *shown = name ? say_name(name) : NULL;
    say("%s%s%s%s: %s", what, shown ? " '" : "", shown ? shown : "", shown ? "'" : "", strerror(error));
    free(shown);
    return exit_for_errno(error);
}

/* SOURCE_DATE_EPOCH fixes every time that ends up in the bag (reproducible-builds.org). */
bool line_epoch(int64_t *seconds)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end;
    if (!epoch || *epoch < '0' || *epoch > '9')
        return false;
    errno = 0;
    long long v = strtoll(epoch, &end, 10);
    *seconds = v;
    return !errno && !*end && v <= EPOCH_MAX;
}

int line_epoch_check(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    if (!epoch || !*epoch || line_epoch(&seconds))
        return EXIT_OK;
    char *shown = say_name(epoch);
    say("SOURCE_DATE_EPOCH is seconds since 1970, up to the year 9999, not '%s'", shown ? shown : "?");
    free(shown);
    return EXIT_USAGE;
}

int64_t line_wall_clock(void)
{
    int64_t seconds;
    return line_epoch(&seconds) ? seconds : (int64_t)time(NULL);
}

int line_settled(const struct line *line, int rc)
{
    if (!line->published && !line->tree_path)
        return rc;
    if (rc == EXIT_NOT_NOW || rc == EXIT_INT || rc == EXIT_TERM)
        rc = EXIT_BROKER;
    if (rc == EXIT_BROKER || rc == EXIT_INTERNAL) {
        char *shown = say_name(line->published ? line->bag_path : line->tree_path);
        say("%s %s %s published and whole", line->published ? "the bag" : "the files in", shown ? shown : "?",
            line->published ? "is" : "are");
        free(shown);
    }
    return rc;
}

static bool id_valid(const char *id)
{
    size_t n = strlen(id);
    if (n == 0 || n > 64 || id[0] == '.' || id[0] == '-')
        return false;
    return id[0] != '_' && strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == n && id[n - 1] != '.';
}

/* The UTC time and random letters: sorts by time, and two runs of one second differ. */
static int make_id(struct line *line)
{
    uint8_t random[6];
    struct tm tm;
    time_t now = (time_t)line->started;
    if (!gmtime_r(&now, &tm) || strftime(line->id, sizeof(line->id), "%Y%m%dT%H%M%SZ-", &tm) == 0)
        return EXIT_INTERNAL;
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return line_fail("no random bytes", NULL, errno);
    size_t at = strlen(line->id);
    for (size_t i = 0; i < sizeof(random); i++)
        line->id[at + i] = (char)('a' + random[i] % 26);
    line->id[at + sizeof(random)] = '\0';
    return EXIT_OK;
}

int line_begin(struct line *line, const struct args *args, bool publishes)
{
    *line = (struct line){.args = args, .publishes = publishes, .root.fd = -1, .spool = -1, .rules_fd = -1, .dest.fd = -1,
                          .hold_dest.fd = -1, .tree_dest.fd = -1, .refusal_dest.fd = -1, .worst = STABILITY_QUIESCED};
    line->captured[0].fd = line->captured[1].fd = -1;
    line->started_ns = line_now_ns();
    line->started = line_wall_clock();
    line->clock = (int64_t)time(NULL);
    int rc = line_epoch_check();
    if (rc == EXIT_OK && publishes)
        rc = key_check(&args->sign);
    if (rc != EXIT_OK)
        return rc;
    if (!args->id)
        return make_id(line);
    if (!id_valid(args->id)) {
        say("--id must be 1 to 64 letters, digits, '.', '_' or '-' and start with a letter or digit");
        return EXIT_USAGE;
    }
    snprintf(line->id, sizeof(line->id), "%s", args->id);
    return EXIT_OK;
}

void line_end(struct line *line)
{
    line_progress_end(line);
    inspect_close(&line->pool);
    publish_end(&line->publish);
    publish_end(&line->hold);
    publish_end(&line->tree);
    publish_end(&line->refusal);
    destination_close(&line->dest);
    destination_close(&line->hold_dest);
    destination_close(&line->tree_dest);
    destination_close(&line->refusal_dest);
    if (line->scratch_dest)
        rmdir(line->scratch_dest);
    free(line->scratch_dest);
    line_parts_free(line);
    walk_result_free(&line->walk);
    extent_list_free(&line->extents);
    finding_list_free(&line->whole);
    root_close(&line->root);
    fd_close(&line->spool);
    fd_close(&line->rules_fd);
    for (size_t i = 0; i < line->actions_n; i++)
        free(line->actions[i].detail);
    bag_list_free(&line->files);
    buf_free(&line->record);
    free(line->accept_used);
    free(line->source_text);
    if (line->container)
        container_source_close(line->container);
    free(line->container);
    free(line->bag_path);
    contract_free(&line->contract);
}

/* The key makes a step recognisable when a run is repeated: same id, step and detail give the same key. */
static void action_key(const struct line *line, const char *step, const char *detail, uint8_t key[SHA256_SIZE])
{
    char text[512];
    int n = snprintf(text, sizeof(text), "%s\n%s\n%s\n", line->id, step, detail ? detail : "");
    sha256_bytes(text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1, key);
}

void line_did(struct line *line, const char *step, const char *detail)
{
    if (line->actions_n == LINE_ACTIONS)
        return;
    struct action *action = &line->actions[line->actions_n++];
    action->step = step;
    action->detail = detail ? strdup(detail) : NULL;
    action->at_ms = (line_now_ns() - line->started_ns) / 1000000;
    action_key(line, step, detail, action->key);
    if (line->args->verbose)
        say("%s%s%s", step, detail ? ": " : "", detail ? detail : "");
}

static bool progress_wanted(const struct args *args)
{
    const char *term = getenv("TERM");
    if (args->progress == WHEN_NEVER || args->quiet)
        return false;
    return args->progress == WHEN_ALWAYS || (isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0);
}

void line_progress(struct line *line, const char *step, size_t done, size_t of)
{
    enum { EVERY_NS = 200 * 1000 * 1000 };
    int64_t now = line_now_ns();
    bool plain = line->args->progress == WHEN_ALWAYS;
    if (!progress_wanted(line->args) || now - line->started_ns < 2 * (int64_t)EVERY_NS ||
        now - line->progress_ns < (plain ? 10 : 1) * (int64_t)EVERY_NS)
        return;
    line->progress_ns = now;
    fprintf(stderr, plain ? "%s %zu of %zu\n" : "\r\033[K%s %zu of %zu", step, done, of);
}

void line_progress_end(struct line *line)
{
    if (line->progress_ns && line->args->progress != WHEN_ALWAYS)
        fputs("\r\033[K", stderr);
    line->progress_ns = 0;
}
