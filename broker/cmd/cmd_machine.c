/* SPDX-License-Identifier: ISC
 * The probe program is copied into the machine and run there as an ordinary user; the oracle is our own listener. Its mutant
 * is the same program outside of the machine, which must get through. `cut` puts a firewall table of our own into the machine
 * and shows before and after; `--restore` removes that table and nothing else. Deleting a machine is its owner's act. */
#include "cmd/cmd_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>

#include "base/limits.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "engine/engine_machine.h"
#include "inspect/inspect_spawn.h"
#include "probe/probe_listener.h"

enum { ANSWER = 8192 };
/* The program is one for Linux machines: where we run on another system, the oracle's own test stands for its mutant. */
#ifdef __linux__
#define RUNS_HERE true
#else
#define RUNS_HERE false
#endif

struct machine_probe {
    struct machine machine;
    struct engine_client here; /* the program itself, outside of the machine */
    struct client_words words;
    struct probe_listener oracle;
    struct probe_report *report;
    char program[64];
    int program_fd;
};

/* What one try said, and what the oracle saw. */
struct attempt_seen {
    bool positive, held, open, reached;
};

static void add_row(struct machine_probe *p, const char *name, enum probe_verdict verdict, bool required, const char *how)
{
    if (p->report->n >= PROBE_ROWS)
        return;
    struct probe_result *r = &p->report->rows[p->report->n++];
    *r = (struct probe_result){.name = name, .control = CONTROL_NETWORK, .verdict = verdict, .required = required};
    snprintf(r->how, sizeof r->how, "%s", how);
}

static bool has_line(const char *text, char kind, const char *name, const char *word)
{
    char want[64];
    size_t n = (size_t)snprintf(want, sizeof want, "%c %s %s ", kind, name, word);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, want, n) == 0)
            return true;
    return false;
}

static struct attempt_seen take(struct machine_probe *p, const char *name, const char *answer)
{
    usleep(20000);
    return (struct attempt_seen){.positive = has_line(answer, 'P', name, "ok"), .held = has_line(answer, 'N', name, "held"),
                                 .open = has_line(answer, 'N', name, "open"), .reached = listener_reached(&p->oracle)};
}

/* The program with these words, in the machine as an ordinary user, or here. */
static struct attempt_seen try_program(struct machine_probe *p, bool inside, const char *name, const char *hosts, const char *port)
{
    char answer[ANSWER] = "";
    const char *const there[] = {MACHINE_PROGRAM, hosts, port, "--", name, NULL};
    (void)listener_reached(&p->oracle);
    if (inside) {
        (void)machine_run(&p->machine, "nobody", there, -1, answer, sizeof answer);
    } else if (!RUNS_HERE) {
        return (struct attempt_seen){.open = true, .reached = listener_works(&p->oracle)};
    } else {
        p->here.name = p->program;
        p->words.n = 0;
        for (size_t i = 1; there[i]; i++)
            client_word(&p->words, there[i]);
        (void)client_ask(&p->here, &p->words, answer, sizeof answer);
    }
    return take(p, name, answer);
}

static void judge(struct machine_probe *p, const char *row, const char *name, const char *hosts, const char *port,
                  const char *held_how)
{
    struct attempt_seen in = try_program(p, true, name, hosts, port), out = try_program(p, false, name, hosts, port);
    if (in.open || in.reached)
        add_row(p, row, PROBE_BROKEN, true, "the host was reached from the machine");
    else if (!in.positive || !in.held)
        add_row(p, row, PROBE_INSTRUMENT_BROKEN, true, in.held ? "its counterpart does not work" : "no answer from the machine");
    else if (!out.reached || !out.open)
        add_row(p, row, PROBE_INSTRUMENT_BROKEN, true, "the same program outside of the machine was not noticed");
    else
        add_row(p, row, PROBE_HELD, true, held_how);
}

/* The host by name, as the machine resolves it; what it answers is only taken where it is an address. */
static void prove_host_name(struct machine_probe *p, const char *port)
{
    static const char *const words[] = {"getent", "ahostsv4", "host.orb.internal", NULL};
    char answer[1024], hosts[128];
    struct in_addr address;
    int rc = machine_run(&p->machine, "nobody", words, -1, answer, sizeof answer);
    answer[strcspn(answer, " \t\n")] = 0;
    if (rc != 0 || inet_pton(AF_INET, answer, &address) != 1) {
        add_row(p, "host-name", rc == 2 ? PROBE_HELD : PROBE_INSTRUMENT_BROKEN, true,
                rc == 2 ? "host.orb.internal has no address there" : "the name could not be asked for in the machine");
        return;
    }
    snprintf(hosts, sizeof hosts, "hosts=%.64s", answer);
    judge(p, "host-name", "hosts", hosts, port, "host.orb.internal does not answer");
}

/* Commands that OrbStack gives a machine to act on the Mac. */
static void prove_command(struct machine_probe *p, const char *command, const char *words)
{
    char script[128], answer[1024];
    snprintf(script, sizeof script, "command -v %s > /dev/null || exit 97; exec timeout 5 %s %s", command, command, words);
    const char *const ordinary[] = {"sh", "-c", "exec timeout 5 true", NULL}, *const attempt[] = {"sh", "-c", script, NULL};
    bool works = machine_run(&p->machine, "nobody", ordinary, -1, answer, sizeof answer) == 0;
    int rc = machine_run(&p->machine, "nobody", attempt, -1, answer, sizeof answer);
    add_row(p, command, rc == 0 ? PROBE_BROKEN : !works || rc < 0 ? PROBE_INSTRUMENT_BROKEN : PROBE_HELD, true,
            rc == 0    ? "a command ran on the Mac"
            : rc == 97 ? "not there"
                       : "it does not come through");
}

static void prove_rows(struct machine_probe *p)
{
    char hosts[600], port[32];
    snprintf(hosts, sizeof hosts, "hosts=%s", p->oracle.hosts);
    snprintf(port, sizeof port, "tcp4=%u", p->oracle.port);
    if (p->oracle.hosts[0])
        judge(p, "hosts", "hosts", hosts, port, "no address of the host answers");
    else
        add_row(p, "hosts", PROBE_UNSUPPORTED, false, "this host has no address but its loopback");
    prove_host_name(p, port);
    prove_command(p, "mac", "uname");
    prove_command(p, "macctl", "status");
    int cut = machine_is_cut(&p->machine);
    add_row(p, "cut", cut == 1 ? PROBE_HELD : cut == 0 ? PROBE_BROKEN : PROBE_INSTRUMENT_BROKEN, true,
            cut == 1   ? "the table inet sallyport_cut is in place"
            : cut == 0 ? "there is no table of ours: sallyport cut orb:MACHINE"
                       : "nftables cannot be asked in the machine");
}

static int say_machine(const struct machine *m)
{
    say("%s", m->fault[0] ? m->fault : strerror(errno));
    return errno == EAGAIN ? EXIT_NOT_NOW : EXIT_CONTROL;
}

static int prove_open(struct machine_probe *p)
{
    int rc = EXIT_OK;
    snprintf(p->program, sizeof p->program, "/proc/self/fd/%d", p->program_fd);
    if (listener_open(&p->oracle) < 0)
        rc = line_fail("the oracle of the probes", NULL, errno);
    else if (machine_copy_in(&p->machine, p->program_fd) < 0)
        rc = line_fail("the probe program could not be copied into the machine", p->machine.name, errno);
    if (rc == EXIT_OK && !listener_works(&p->oracle))
        add_row(p, "canaries", PROBE_INSTRUMENT_BROKEN, true, "the oracle cannot be reached from outside");
    else if (rc == EXIT_OK)
        prove_rows(p);
    if (rc == EXIT_OK)
        machine_copy_out(&p->machine);
    listener_close(&p->oracle);
    return rc;
}

/* The rows, into the report; the machine is open. */
static int prove_opened(struct machine_probe *p)
{
    struct timespec start, end;
    AUTO_FD program = spawn_find(NULL, "sallyport-probe");
    if (program < 0) {
        say("sallyport-probe was not found beside the program nor in " SP_LIBEXECDIR " (%s); it is built on Linux, for machines of "
            "this architecture", strerror(errno));
        return EXIT_CONTROL;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    memset(p->report, 0, sizeof *p->report);
    snprintf(p->report->base, sizeof p->report->base, "orb: machine %.60s (%.40s)", p->machine.name,
             p->machine.system[0] ? p->machine.system : "unknown system");
    p->program_fd = program;
    int rc = prove_open(p);
    clock_gettime(CLOCK_MONOTONIC, &end);
    p->report->elapsed_ms = (uint64_t)((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000);
    return rc;
}

int prove_machine(const char *name, struct probe_report *report)
{
    AUTO_FREE struct machine_probe *p = calloc(1, sizeof *p);
    if (!p)
        return EXIT_INTERNAL;
    if (!machine_name_valid(name, strlen(name))) {
        say("--in orb:MACHINE wants the name of a machine");
        return EXIT_USAGE;
    }
    p->report = report;
    return machine_open(&p->machine, name) != 0 ? say_machine(&p->machine) : prove_opened(p);
}

/* Ways out, in all or still open; whether our table is there is none. */
static size_t ways(const struct probe_report *report, bool open_only)
{
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++)
        n += strcmp(report->rows[i].name, "cut") != 0 && (!open_only || report->rows[i].verdict == PROBE_BROKEN);
    return n;
}

static void print_rows(const char *title, const struct probe_report *report)
{
    printf("%s\n", title);
    for (size_t i = 0; i < report->n; i++)
        printf("  %-18s %-10s %s\n", probe_verdict_name(report->rows[i].verdict), report->rows[i].name, report->rows[i].how);
}

/* Before, the table, after: only that everything is shut after it counts. */
static int cut(struct machine_probe *p)
{
    int rc = prove_opened(p);
    if (rc != EXIT_OK)
        return rc;
    print_rows("before the cut", p->report);
    size_t open_before = ways(p->report, true);
    if (machine_cut(&p->machine) != 0)
        return say_machine(&p->machine);
    rc = prove_opened(p);
    if (rc != EXIT_OK)
        return rc;
    print_rows("after the cut", p->report);
    printf("%zu of %zu ways were open before, %zu after\n", open_before, ways(p->report, false), ways(p->report, true));
    printf("undo: sallyport cut orb:%s --restore\nrebuild: orb create %s %s\ndelete (the owner's act, never sallyport's): orb delete %s\n",
           p->machine.name, p->machine.system[0] ? p->machine.system : "DISTRO", p->machine.name, p->machine.name);
    return probe_all_held(p->report) ? EXIT_OK : EXIT_CONTROL;
}

int cmd_cut(const struct args *args)
{
    AUTO_FREE struct machine_probe *p = calloc(1, sizeof *p);
    AUTO_FREE struct probe_report *report = calloc(1, sizeof *report);
    const char *operand = args->operands.n == 1 ? args->operands.v[0] : "";
    if (!p || !report)
        return EXIT_INTERNAL;
    if (strncmp(operand, "orb:", 4) != 0 || !machine_name_valid(operand + 4, strlen(operand + 4))) {
        say("cut wants one orb:MACHINE");
        return EXIT_USAGE;
    }
    p->report = report;
    if (machine_open(&p->machine, operand + 4) != 0)
        return say_machine(&p->machine);
    if (!args->restore)
        return cut(p);
    if (machine_restore(&p->machine) != 0)
        return say_machine(&p->machine);
    printf("the table inet sallyport_cut is gone from %s; no other rule was touched\n", p->machine.name);
    return EXIT_OK;
}
