/* SPDX-License-Identifier: ISC
 * The fetch phase, from its approval to the frozen files. The names that it asked for are hostile text: they are scanned
 * as names of files are before they reach the record. */
#include "cmd/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/say.h"
#include "box/box_tree.h"
#include "cmd/cmd.h"
#include "inspect/inspect.h"

enum { PROXY_WORDS = 5 };

int fetch_allowed(const struct line *line)
{
    const struct run_fetch *f = &line->contract->run.fetch;
    if (!f->given)
        return EXIT_OK;
    if (f->until < line->clock) {
        char day[32];
        time_t until = (time_t)f->until;
        struct tm tm;
        strftime(day, sizeof(day), "%Y-%m-%d", gmtime_r(&until, &tm));
        say("run: fetch: the approval by %s ended on %s; renew `until`, or leave the fetch phase out", f->approved_by, day);
        return EXIT_USAGE;
    }
    if (line->contract->run.engine != ENGINE_BUILTIN) {
        say("run: fetch: a fetch phase needs the built-in runner; leave `engine` out, or fetch in a job of its own");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

/* The contract's run with the fetch command, and where its programs find the relay. */
static struct contract phase_of(const struct contract *contract, struct text_pair *env)
{
    static const char *const words[PROXY_WORDS] = {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"};
    static char proxy[] = "http://127.0.0.1:3128";
    struct contract phase = *contract;
    size_t n = 0;
    for (size_t i = 0; i < contract->run.env.n; i++)
        env[n++] = contract->run.env.v[i];
    for (size_t i = 0; i < PROXY_WORDS; i++)
        env[n++] = (struct text_pair){.key = (char *)(uintptr_t)words[i], .value = proxy};
    phase.run.command = contract->run.fetch.command;
    phase.run.env = (struct pair_list){.v = env, .n = n};
    return phase;
}

static const char *state_word(uint32_t state)
{
    return state == GATE_REACHED ? "reached" : state == GATE_REFUSED ? "refused" : "tried";
}

static struct fetch_destination *find(struct fetch_line *f, const struct gate_destination *e)
{
    for (size_t i = 0; i < f->destinations_n; i++) {
        struct fetch_destination *d = &f->destinations[i];
        if (d->port == e->port && strcmp(d->host, e->host) == 0 && strcmp(d->address, e->address) == 0 &&
            strcmp(d->state, state_word(e->state)) == 0)
            return d;
    }
    return NULL;
}

/* A name can carry what it should not: then only that there was one is recorded. */
static const char *shown_host(struct line *line, const char *host)
{
    struct finding_list found = {0};
    bool clean = inspect_scan(line->pool, SCAN_THEIRS, host, strlen(host), &found) == 0 && found.n == 0;
    finding_list_free(&found);
    return clean ? host : "masked";
}

/* The table, one line for each destination. */
static int gather(struct line *line, struct fetch *fetch)
{
    struct fetch_line *f = &fetch->facts;
    size_t n = gate_count(&fetch->gate);
    f->attempts = fetch->gate.table->claimed;
    f->destinations = calloc(n + 1, sizeof(*f->destinations));
    if (!f->destinations)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct gate_destination *e = &fetch->gate.table->entries[i];
        struct fetch_destination *d = find(f, e);
        if (!d) {
            d = &f->destinations[f->destinations_n++];
            *d = (struct fetch_destination){.host = e->host, .address = e->address, .port = e->port, .state = state_word(e->state)};
        }
        d->connections++;
        d->sent += e->sent;
        d->received += e->received;
    }
    for (size_t i = 0; i < f->destinations_n; i++)
        f->destinations[i].host = shown_host(line, f->destinations[i].host);
    return 0;
}

static const char *how_it_ended(const struct box_result *b)
{
    static const char *const words[] = {[BOX_EXITED] = "its command ended with another status than 0",
                                        [BOX_SIGNALLED] = "its command was killed by a signal",
                                        [BOX_TIMED_OUT] = "it ran over the wall limit",
                                        [BOX_OUTPUT_LIMIT] = "it wrote more output than the limit",
                                        [BOX_MEMORY_LIMIT] = "it ran over the memory limit"};
    return (unsigned)b->end < ARRAY_LEN(words) && words[b->end] ? words[b->end] : b->fault;
}

static int ended_well(const struct fetch *fetch)
{
    const struct box_result *b = &fetch->box;
    if (cmd_interrupted())
        return 128 + cmd_interrupted();
    if (b->not_started || b->end != BOX_EXITED || b->status != 0) {
        say("the fetch phase failed, and the job was not started: %s", b->not_started ? b->fault : how_it_ended(b));
        return EXIT_JOB;
    }
    if (!b->quiesced) {
        say("the fetch phase: what it fetched could not be frozen; the job was not started");
        return EXIT_CONTROL;
    }
    if (fetch->gate.table->claimed > GATE_DESTINATIONS) {
        say("the fetch phase asked for more than %u connections, and the rest was refused; the job was not started", GATE_DESTINATIONS);
        return EXIT_CONTROL;
    }
    return EXIT_OK;
}

int fetch_run(struct line *line, const struct box_options *options, struct fetch *fetch)
{
    const struct contract *contract = line->contract;
    char detail[96];
    uint8_t digest[SHA256_SIZE];
    AUTO_FREE struct text_pair *env = calloc(contract->run.env.n + PROXY_WORDS, sizeof(*env));
    if (!env || gate_open(&fetch->gate) != 0)
        return line_fail("the fetch phase could not be prepared", NULL, errno);
    struct contract phase = phase_of(contract, env);
    struct box_options own = *options;
    own.contract = &phase;
    own.gate = &fetch->gate;
    say("fetch phase, with the network, approved by %s until %lld: %s", contract->run.fetch.approved_by,
        (long long)contract->run.fetch.until, contract->run.fetch.reason);
    int rc = box_run(&own, &fetch->box);
    gate_stop(&fetch->gate);
    fetch->ran = true;
    if (rc != 0) {
        say("the fetch phase could not be set up: %s", fetch->box.fault[0] ? fetch->box.fault : strerror(errno));
        return EXIT_CONTROL;
    }
    int ended = ended_well(fetch);
    if (ended != EXIT_OK)
        return ended;
    if (gather(line, fetch) != 0 || tree_digest(fetch->box.scratch_fd, digest) != 0)
        return line_fail("what was fetched could not be read", NULL, errno);
    hex_encode(digest, sizeof(digest), fetch->tree);
    const struct run_fetch *f = &contract->run.fetch;
    fetch->facts.approved_by = f->approved_by;
    fetch->facts.reason = f->reason;
    fetch->facts.until = f->until;
    fetch->facts.tree = fetch->tree;
    fetch->facts.status = fetch->box.status;
    fetch->facts.elapsed_ms = fetch->box.elapsed_ms;
    fetch->facts.network_gone = "the relay has ended, the job's namespace has loopback alone, and the probes ran after it";
    snprintf(detail, sizeof(detail), "%zu destinations, %zu attempts", fetch->facts.destinations_n, (size_t)fetch->facts.attempts);
    line_did(line, "fetch", detail);
    line->fetch = &fetch->facts;
    return EXIT_OK;
}

int fetch_end(struct fetch *fetch)
{
    return fetch->ran ? box_end(&fetch->box) : 0;
}

void fetch_free(struct fetch *fetch)
{
    gate_close(&fetch->gate);
    if (fetch->ran)
        box_result_free(&fetch->box);
    free(fetch->facts.destinations);
    fetch->facts.destinations = NULL;
}
