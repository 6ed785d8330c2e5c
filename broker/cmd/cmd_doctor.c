/* SPDX-License-Identifier: ISC
 * What this host can do for a promotion: each line was tried, not guessed; what could not be tried is unknown. The job's
 * sandbox has a command of its own, probe. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "inspect/inspect.h"
#include "publish/publish.h"

enum state { STATE_UNKNOWN = 0, STATE_FAIL, STATE_PASS };
enum { CHECKS_MAX = 24 };

struct doctor {
    struct {
        const char *name;
        enum state state;
        char detail[160];
    } v[CHECKS_MAX];
    size_t n;
};

static const char *state_name(enum state state)
{
    static const char *const names[] = {[STATE_UNKNOWN] = "unknown", [STATE_FAIL] = "fail", [STATE_PASS] = "pass"};
    return names[state];
}

static void add(struct doctor *d, const char *name, enum state state, const char *detail)
{
    if (d->n == CHECKS_MAX)
        return;
    d->v[d->n].name = name;
    d->v[d->n].state = state;
    snprintf(d->v[d->n].detail, sizeof(d->v[0].detail), "%s", detail);
    d->n++;
}

static void add_bool(struct doctor *d, const char *name, bool holds, const char *yes, const char *no)
{
    add(d, name, holds ? STATE_PASS : STATE_FAIL, holds ? yes : no);
}

/* The inspector is started, asked one question, and says what it could apply to itself. */
static void check_inspectors(struct doctor *d)
{
    static const char question[] = "nothing secret\n";
    const struct inspect_options options = {.rules_fd = -1};
    struct inspect_confinement c;
    struct finding_list hits = {0};
    char landlock[64];
    struct inspect_pool *pool = inspect_open(&options);
    if (!pool || inspect_ready(pool) != 0) {
        add(d, "inspectors", STATE_FAIL, errno == ENOENT ? "sallyport-inspect is not beside the program nor in " SP_LIBEXECDIR
                                                         : strerror(errno));
        inspect_close(&pool);
        return;
    }
    int rc = inspect_scan(pool, SCAN_OURS, question, strlen(question), &hits);
    add_bool(d, "inspectors", rc == 0 && hits.n == 0, "started, and answered a question", "started, and did not answer");
    inspect_confinement(pool, &c);
    add_bool(d, "inspect-filter", c.seccomp, "seccomp applied", "no filter: promotions answer with exit 4");
    add_bool(d, "inspect-limits", c.rlimits, "resource limits applied", "no resource limits");
    snprintf(landlock, sizeof(landlock), "Landlock ABI %d", c.landlock_abi);
    add(d, "inspect-landlock", c.landlock ? STATE_PASS : STATE_UNKNOWN, c.landlock ? landlock : "this kernel has none");
    finding_list_free(&hits);
    inspect_close(&pool);
}

static void check_names(struct doctor *d)
{
    struct root root;
    if (root_open(&root, ".", RESOLVE_UNPROBED) != 0) {
        add(d, "names", STATE_UNKNOWN, strerror(errno));
        return;
    }
    add(d, "names", STATE_PASS, root.tier == RESOLVE_OPENAT2 ? "openat2 below the root" : "one component at a time");
    root_close(&root);
}

static void check_destination(struct doctor *d, const struct args *args)
{
    struct destination dest;
    if (!args->to) {
        add(d, "destination", STATE_UNKNOWN, "not asked: give --to DEST");
        return;
    }
    if (destination_open(&dest, args->to, args->shared_dest) != 0) {
        add(d, "destination", STATE_FAIL, errno == EACCES ? "others can write to it, or we cannot" : strerror(errno));
        return;
    }
    add(d, "destination", STATE_PASS, dest.grade.filesystem);
    add_bool(d, "publish-atomic", dest.grade.noreplace, "renames without replacing", "no RENAME_NOREPLACE: a slower way");
    add_bool(d, "publish-durable", dest.grade.dir_sync, "directories can be synced", "directories cannot be synced");
    add_bool(d, "publish-modes", dest.grade.modes, "modes are kept", "modes are not kept: verify with --transported");
    destination_close(&dest);
}

static void check_surroundings(struct doctor *d)
{
    const char *agent = getenv("SSH_AUTH_SOCK");
    bool floor = access(SP_SYSCONFDIR "/sallyport/floor.yaml", R_OK) == 0;
    add(d, "floor", floor ? STATE_PASS : STATE_UNKNOWN, floor ? "every contract is held to it" : "there is none on this host");
    add(d, "ssh-agent", agent && *agent ? STATE_PASS : STATE_UNKNOWN, agent && *agent ? "named by SSH_AUTH_SOCK" : "none is named");
}

static int print_json(const struct doctor *d)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, 64 * KIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "checks");
    jsonw_array(&j);
    for (size_t i = 0; i < d->n; i++) {
        jsonw_object(&j);
        jsonw_put_text(&j, "detail", d->v[i].detail);
        jsonw_put_text(&j, "name", d->v[i].name);
        jsonw_put_text(&j, "state", state_name(d->v[i].state));
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_put_text(&j, "schema", "sallyport.doctor/1");
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

int cmd_doctor(const struct args *args)
{
    struct doctor d = {.n = 0};
    int rc = EXIT_OK;
    if (args->operands.n > 0) {
        say("doctor takes no argument but --to DEST");
        return EXIT_USAGE;
    }
    check_inspectors(&d);
    check_names(&d);
    check_destination(&d, args);
    check_surroundings(&d);
    if (args->format == REPORT_JSON)
        rc = print_json(&d);
    for (size_t i = 0; i < d.n; i++) {
        if (args->format != REPORT_JSON)
            printf("%-8s %-17s %s\n", state_name(d.v[i].state), d.v[i].name, d.v[i].detail);
        if (d.v[i].state == STATE_FAIL)
            rc = exit_worst(rc, EXIT_CONTROL);
    }
    if (args->format != REPORT_JSON && !args->quiet)
        puts("the job's sandbox: see sallyport probe");
    return rc;
}
