/* SPDX-License-Identifier: ISC */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "base/say.h"
#include "cmd/line_facts.h"
#include "cmd/line_worker.h"

/* The one mutable file-scope variable of the broker: which signal asked to stop. */
static volatile sig_atomic_t stop_signal;

struct command {
    const char *name;
    int (*run)(const struct args *args); /* NULL: not there yet */
    unsigned groups, formats;
    bool watches; /* for the signals that ask it to stop, and cleans up; else it ends at once */
    const char *operands, *what;
};

#define LINE_ARGS (ARG_LINE | ARG_SOURCE | ARG_TO)
/* What --format a command knows: one that it would ignore is a usage error. */
#define TEXT_ALONE (1u << REPORT_HUMAN)
#define TEXT_OR_JSON (TEXT_ALONE | 1u << REPORT_JSON)
#define EVERY_FORMAT UINT_MAX

static const struct command commands[] = {
    {"run", cmd_run, ARG_LINE | ARG_TO | ARG_PROOF, EVERY_FORMAT, true, "CONTRACT --to DEST", "prove the sandbox, run the job, then promote its outputs"},
    {"promote", cmd_promote, LINE_ARGS, EVERY_FORMAT, true, "CONTRACT --from SOURCE --to DEST", "copy out what the contract names, inspect it, publish a bag"},
    {"check", cmd_check, LINE_ARGS, EVERY_FORMAT, true, "CONTRACT [--from SOURCE]", "the same without publishing; without a source, only read the contract"},
    {"verify", cmd_verify, ARG_VERIFY, TEXT_OR_JSON, false, "BAG", "recompute everything in a bag"},
    {"explain", cmd_explain, 0, TEXT_OR_JSON, false, "CODE", "what a finding means and how to fix it"},
    {"init", cmd_init, ARG_DIR, TEXT_ALONE, false, "[--from DIR]", "write a commented contract to standard output"},
    {"probe", cmd_probe, ARG_PROBE, TEXT_OR_JSON, true, "[CONTRACT] [--in docker:IMAGE|podman:IMAGE|orb:MACHINE]", "prove every control of the sandbox, or say which is missing"},
    {"sign", cmd_sign, ARG_KEY, TEXT_OR_JSON, false, "BAG --key KEY", "add a signature to a published bag"},
    {"note", cmd_note, ARG_KEY | ARG_NOTE, TEXT_OR_JSON, false, "BAG --event released|received|held|retired --key KEY [--reason TEXT]",
     "write a signed line about a bag into the ledger beside it"},
    {"export", cmd_export, ARG_EXPORT, TEXT_OR_JSON, false, "BAG --dir DIR | --tar FILE | --zip FILE | --oci DIR | --sigstore DIR", "copy a verified bag into another form"},
    {"rules", cmd_rules, ARG_RULES, TEXT_OR_JSON, false, "list | show ID | test [DIR] | diff OLD NEW", "the secret rules"},
    {"batch", NULL, 0, 0, false, "", ""},
    {"cut", cmd_cut, ARG_CUT, TEXT_ALONE, true, "orb:MACHINE [--restore]", "cut an OrbStack machine off every network, shown before and after"},
    {"diff", cmd_diff, 0, TEXT_OR_JSON, false, "BAG BAG", "what the second bag has that the first has not, both verified first"},
    {"doctor", cmd_doctor, ARG_TO, TEXT_OR_JSON, true, "[--to DEST]", "what this host can do for a promotion"},
    {"stats", cmd_stats, 0, TEXT_OR_JSON, false, "DEST", "what the ledger of a destination tells, in numbers"},
};

int exit_worst(int a, int b)
{
    static const int order[] = {EXIT_INTERNAL, EXIT_INT,    EXIT_TERM, EXIT_NOT_NOW, EXIT_BROKER,
                                EXIT_CONTROL,  EXIT_VERIFY, EXIT_JOB,  EXIT_REFUSED, EXIT_PARTIAL};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_OK;
}

int exit_for_errno(int error)
{
    static const int transient[] = {ENOSPC, EDQUOT, EAGAIN, EBUSY, ENFILE, EMFILE, ETIMEDOUT, ECONNREFUSED};
    if (cmd_interrupted())
        return 128 + cmd_interrupted();
    for (size_t i = 0; i < ARRAY_LEN(transient); i++)
        if (error == transient[i])
            return EXIT_NOT_NOW;
    return error == ENOMEM ? EXIT_INTERNAL : EXIT_BROKER;
}

int cmd_interrupted(void)
{
    return stop_signal;
}

const volatile sig_atomic_t *cmd_stop_signal(void)
{
    return &stop_signal;
}

static void on_stop(int signal_number)
{
    stop_signal = signal_number;
}

/* Of a command that leaves nothing half done: there is nothing to wait for. */
static void on_stop_at_once(int signal_number)
{
    _exit(128 + signal_number);
}

/* A broken pipe, a file-size limit and a broken lease are errors to be read from errno, not deaths. */
static void set_signals(void)
{
    static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGIO};
    struct sigaction sa = {.sa_handler = SIG_IGN};
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        sigaction(ignored[i], &sa, NULL);
}

static void set_stops(void (*handler)(int))
{
    static const int stops[] = {SIGINT, SIGTERM};
    struct sigaction sa = {.sa_handler = handler};
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < ARRAY_LEN(stops); i++)
        sigaction(stops[i], &sa, NULL);
}

static const char common_help[] =
    "\n"
    "SOURCE is a directory, '-' (a tar stream on standard input), '- -- CMD ARG...',\n"
    "docker:CONTAINER:/path, podman:CONTAINER:/path, orb:MACHINE:/path, bag:DIR or held:DIR/ID.\n"
    "\n"
    "  --to DEST               publish a bag there          --tree DIR    write the promoted files alone\n"
    "  --id ID                 name the promotion           --sign KEY    sign the bag (repeatable)\n"
    "  --take 'PATH=TYPE,MAX'  an output without a contract file (repeatable)\n"
    "  --format FORMAT         human, json, jsonl, sarif, junit, github, gitlab (one document on standard output)\n"
    "  --report FORMAT=PATH    write another report, also when the gate refuses (env=PATH for the next step)\n"
    "  --hold DIR              keep the files of a refused promotion for held:DIR/ID\n"
    "  --record DIR            write the record of a refusal there\n"
    "  --label K=V  --floor FILE  --rules DIR  --strict  --exit-zero  --shared-dest  --reproducible\n"
    "  -q, -v, --color auto|always|never, --progress auto|plain|none, --version [--format json], --help\n"
    "\n"
    "Exit status: 0 done, 1 refused, 2 usage or contract, 3 broker error, 4 control missing, 5 verification\n"
    "failed, 6 job failed, 7 partial, 70 internal, 75 try again later, 130/143 interrupted.\n"
    "See sallyport(1), sallyport-contract(5), sallyport-bag(5).\n";

static void help_all(void)
{
    printf("sallyport moves named results out of a sandbox.\n\n");
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (commands[i].run)
            printf("  sallyport %-8s %s\n      %s\n", commands[i].name, commands[i].operands, commands[i].what);
    fputs(common_help, stdout);
}

static void help_one(const struct command *command)
{
    printf("sallyport %s %s\n    %s\n", command->name, command->operands, command->what);
    fputs(common_help, stdout);
}

int cmd_print_document(struct buf *out)
{
    buf_u8(out, '\n');
    if (!out->failed)
        fwrite(out->data, 1, out->len, stdout);
    int rc = out->failed ? EXIT_INTERNAL : EXIT_OK;
    buf_free(out);
    return rc;
}

static int print_version(const struct args *args)
{
    struct buf out;
    struct jsonw j;
    if (!args->format_given || args->format != REPORT_JSON) {
        printf("sallyport %s\n", PACKAGE_VERSION);
        return EXIT_OK;
    }
    buf_init(&out, 4096);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "libraries");
    jsonw_array(&j);
    struct line_facts facts = {0};
    const struct worker_facts none = {0};
    line_facts_libraries(&facts, &none);
    for (size_t i = 0; i < facts.libraries.n; i++) {
        jsonw_object(&j);
        jsonw_put_text(&j, "name", facts.libraries.v[i].key);
        jsonw_put_text(&j, "version", facts.libraries.v[i].value);
        jsonw_object_end(&j);
    }
    jsonw_array_end(&j);
    jsonw_put_text(&j, "record_schema", "sallyport.record/1");
    jsonw_put_text(&j, "tool", "sallyport");
    jsonw_put_text(&j, "version", PACKAGE_VERSION);
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct args args;
    int rc;
    if (!command->run) {
        say("'%s' is not there yet", command->name);
        return EXIT_USAGE;
    }
    set_stops(command->watches ? on_stop : on_stop_at_once);
    rc = args_parse(&args, argc, argv, command->groups);
    if (rc == EXIT_OK && args.help)
        help_one(command);
    else if (rc == EXIT_OK && args.version)
        rc = print_version(&args);
    else if (rc == EXIT_OK && !(command->formats >> args.format & 1)) {
        say("%s knows --format human%s alone", command->name, command->formats == TEXT_OR_JSON ? " and json" : "");
        rc = EXIT_USAGE;
    } else if (rc == EXIT_OK)
        rc = command->run(&args);
    args_free(&args);
    return rc;
}

static int no_command(int argc, char **argv)
{
    struct args args;
    int rc = args_parse(&args, argc, argv, 0);
    if (rc == EXIT_OK && args.version) {
        rc = print_version(&args);
    } else if (rc == EXIT_OK && args.help) {
        help_all();
    } else if (rc == EXIT_OK) {
        say("no command given; see sallyport --help");
        rc = EXIT_USAGE;
    }
    args_free(&args);
    return rc;
}

/* A document that did not reach its reader whole is not a success. */
static int flush_output(int rc)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return rc;
    say("standard output could not be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return exit_worst(rc, EXIT_BROKER);
}

/* A standard stream that is closed would be the next file that is opened, and take what is said: into the ledger, or into
 * the socket of an inspector. A directory in its place can be neither read nor written. */
static bool hold_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/", O_RDONLY | O_DIRECTORY) != fd)
            return false;
    return true;
}

int cmd_main(int argc, char **argv)
{
    set_signals();
    if (!hold_standard())
        return EXIT_BROKER;
    if (argc < 2 || argv[1][0] == '-')
        return flush_output(no_command(argc, argv));
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return flush_output(run_command(&commands[i], argc - 1, argv + 1));
    if (strcmp(argv[1], "help") == 0) {
        help_all();
        return flush_output(EXIT_OK);
    }
    char *shown = say_name(argv[1]);
    say("'%s' is not a command; see sallyport --help", shown ? shown : "?");
    free_auto(&shown);
    return EXIT_USAGE;
}
