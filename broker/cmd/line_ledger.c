/* SPDX-License-Identifier: ISC
 * What is done to the ledger under the destination's lock: repair after a run that died between rename and line, the id
 * that must not repeat, the line itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "record/ledger.h"
#include "record/verify.h"

static int damaged(void)
{
    say("the ledger of the destination is damaged: sallyport verify DEST says where; nothing was appended to it. Put the "
        "intact ledger.jsonl back, or move this one away to begin a new chain");
    return EXIT_BROKER;
}

static int append_verified(struct line *line, const struct verify_result *bag)
{
    struct ledger ledger;
    struct ledger_line entry = {.id = bag->id, .name = bag->name, .decision = bag->decision, .time = bag->started};
    uint64_t sequence;
    char head[SHA256_HEX];
    int rc = ledger_load(line->dest.fd, &ledger);
    if (rc == 1 || (rc < 0 && errno != ENOENT)) {
        ledger_free(&ledger);
        return damaged();
    }
    if (!hex_decode(bag->content_sha256, entry.content_sha256, SHA256_SIZE) ||
        !hex_decode(bag->tagmanifest_sha256, entry.tagmanifest_sha256, SHA256_SIZE))
        rc = EXIT_BROKER;
    else if (ledger_of_bag(&ledger, entry.tagmanifest_sha256))
        rc = EXIT_OK;
    else
        rc = ledger_append(line->dest.fd, &entry, &sequence, head) == 0 ? EXIT_OK : damaged();
    ledger_free(&ledger);
    return rc;
}

/* A run died between its rename and its line: the bag is whole, so its line is written now. */
static int repair(struct line *line)
{
    char name[LINE_NAME_BYTES + 64], path[PATH_BYTES * 2];
    struct verify_result bag = {0};
    const struct verify_options options = {0};
    if (!ledger_pending(line->dest.fd, name, sizeof(name)))
        return EXIT_OK;
    snprintf(path, sizeof(path), "%s/%s", line->args->to, name);
    int rc = verify_bag(path, &options, &bag);
    int code = rc == 0 ? append_verified(line, &bag) : EXIT_OK;
    if (rc == 1)
        say("'%s' was published by a run that died, and it does not verify: it gets no line in the ledger", name);
    else if (rc < 0 && errno != ENOENT)
        code = line_fail("a bag of a run that died cannot be read", name, errno);
    if (code == EXIT_OK)
        ledger_pending_clear(line->dest.fd);
    verify_result_free(&bag);
    return code;
}

static bool bag_is_there(const struct line *line)
{
    struct stat st;
    return fstatat(line->dest.fd, line->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Where the bag is still there, the commit finds it and decides whether it is the same promotion. */
static int check_id(struct line *line)
{
    struct ledger ledger;
    if (!ledger_mentions(line->dest.fd, line->id) || bag_is_there(line))
        return EXIT_OK;
    int rc = ledger_load(line->dest.fd, &ledger);
    bool used = rc == 0 && ledger_id_used(&ledger, line->id);
    ledger_free(&ledger);
    if (rc != 0)
        return damaged();
    if (!used)
        return EXIT_OK;
    say("the id '%s' was used in this destination before: choose another --id", line->id);
    return EXIT_BROKER;
}

/* A line that lost its end when its run died: set aside, and its bag, where it has one, is looked for as well. */
static int mend(struct line *line)
{
    struct ledger_torn torn;
    char pending[256];
    struct stat st;
    int rc = ledger_mend(line->dest.fd, line->clock, &torn);
    if (rc < 0)
        return errno == EILSEQ ? damaged() : line_fail("the ledger could not be mended", NULL, errno);
    if (rc == 0)
        return EXIT_OK;
    say("the last line of the ledger was torn by a run that died: it was set aside, and line %llu says so",
        (unsigned long long)torn.sequence);
    if (torn.bag[0] && !ledger_pending(line->dest.fd, pending, sizeof(pending)) &&
        fstatat(line->dest.fd, torn.bag, &st, AT_SYMLINK_NOFOLLOW) == 0)
        ledger_pending_set(line->dest.fd, torn.bag);
    return EXIT_OK;
}

int line_ledger_ready(struct line *line)
{
    int rc = mend(line);
    if (rc == EXIT_OK)
        rc = repair(line);
    if (rc == EXIT_OK && line->decision != DECISION_REFUSE)
        rc = check_id(line);
    if (rc == EXIT_OK && line->decision != DECISION_REFUSE && !bag_is_there(line))
        ledger_pending_set(line->dest.fd, line->name);
    return rc;
}

int line_ledger_append(struct line *line)
{
    struct ledger_line entry = {.id = line->id, .name = line->contract->name, .time = line->started,
                                .decision = decision_name(line->decision)};
    memcpy(entry.content_sha256, line->content_sha256, SHA256_SIZE);
    memcpy(entry.tagmanifest_sha256, line->tagmanifest_sha256, SHA256_SIZE);
    if (ledger_append(line->dest.fd, &entry, &line->sequence, line->head) == 0) {
        ledger_pending_clear(line->dest.fd);
        return EXIT_OK;
    }
    if (errno == EILSEQ)
        return damaged();
    line_fail("the ledger could not be written", NULL, errno);
    return EXIT_BROKER;
}

void line_ledger_head(struct line *line)
{
    struct ledger ledger;
    if (ledger_load(line->dest.fd, &ledger) == 0 && ledger.n > 0)
        hex_encode(ledger.v[ledger.n - 1].digest, SHA256_SIZE, line->head);
    ledger_free(&ledger);
}

void line_ledger_give_up(struct line *line)
{
    if (!bag_is_there(line))
        ledger_pending_clear(line->dest.fd);
}
