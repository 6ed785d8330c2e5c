/* SPDX-License-Identifier: ISC */
#include "cmd/args.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "base/utf8.h"
#include "cmd/cmd.h"

enum kind { KIND_FLAG, KIND_TEXT, KIND_WHERE, KIND_LIST, KIND_NUMBER, KIND_FORMAT, KIND_REPORT, KIND_LABEL, KIND_WHEN, KIND_LATER };

struct option_row {
    const char *name;
    enum kind kind;
    unsigned groups; /* 0: every command */
    size_t offset;
};

#define AT(field) offsetof(struct args, field)

static const struct option_row rows[] = {
    {"allowed-signers", KIND_TEXT, ARG_VERIFY, AT(allowed_signers)},
    {"at-least", KIND_NUMBER, ARG_VERIFY, AT(at_least)},
    {"color", KIND_WHEN, 0, AT(color)},
    {"components", KIND_FLAG, ARG_LINE, AT(components)},
    {"dir", KIND_TEXT, ARG_EXPORT, AT(dir)},
    {"dry-run", KIND_FLAG, ARG_SOURCE, AT(dry_run)},
    {"event", KIND_TEXT, ARG_NOTE, AT(event)},
    {"exit-zero", KIND_FLAG, ARG_LINE, AT(exit_zero)},
    {"fast", KIND_FLAG, ARG_VERIFY, AT(fast)},
    {"floor", KIND_TEXT, ARG_LINE, AT(floor)},
    {"format", KIND_FORMAT, 0, AT(format)},
    {"from", KIND_LIST, ARG_SOURCE | ARG_DIR, AT(from)},
    {"head", KIND_TEXT, ARG_VERIFY, AT(head)},
    {"help", KIND_FLAG, 0, AT(help)},
    {"hold", KIND_WHERE, ARG_LINE, AT(hold)},
    {"id", KIND_TEXT, ARG_LINE, AT(id)},
    {"identity", KIND_TEXT, ARG_VERIFY, AT(identity)},
    {"in", KIND_TEXT, ARG_PROBE, AT(in)},
    {"key", KIND_LIST, ARG_KEY, AT(key)},
    {"label", KIND_LABEL, ARG_LINE, AT(labels)},
    {"oci", KIND_TEXT, ARG_EXPORT, AT(oci)},
    {"plain", KIND_FLAG, ARG_PROBE, AT(plain)},
    {"progress", KIND_WHEN, 0, AT(progress)},
    {"proof", KIND_TEXT, ARG_PROOF, AT(proof)},
    {"quiet", KIND_FLAG, 0, AT(quiet)},
    {"reason", KIND_TEXT, ARG_NOTE, AT(reason)},
    {"record", KIND_WHERE, ARG_LINE, AT(record_dir)},
    {"report", KIND_REPORT, ARG_LINE, 0},
    {"reproducible", KIND_FLAG, ARG_LINE, AT(reproducible)},
    {"rescan", KIND_LATER, ARG_VERIFY, 0},
    {"restore", KIND_FLAG, ARG_CUT, AT(restore)},
    {"root", KIND_TEXT, ARG_SOURCE, AT(root)},
    {"rules", KIND_TEXT, ARG_LINE | ARG_RULES, AT(rules)},
    {"save", KIND_TEXT, ARG_PROBE, AT(save)},
    {"shard", KIND_TEXT, ARG_LINE, AT(shard)},
    {"shared-dest", KIND_FLAG, ARG_TO, AT(shared_dest)},
    {"sign", KIND_LIST, ARG_TO, AT(sign)},
    {"sigstore", KIND_TEXT, ARG_EXPORT, AT(sigstore)},
    {"strict", KIND_FLAG, ARG_LINE, AT(strict)},
    {"take", KIND_LIST, ARG_SOURCE, AT(takes)},
    {"tar", KIND_TEXT, ARG_EXPORT, AT(tar)},
    {"to", KIND_WHERE, ARG_TO, AT(to)},
    {"transported", KIND_FLAG, ARG_VERIFY, AT(transported)},
    {"tree", KIND_WHERE, ARG_TO, AT(tree)},
    {"verbose", KIND_FLAG, 0, AT(verbose)},
    {"version", KIND_FLAG, 0, AT(version)},
    {"wait", KIND_FLAG, ARG_TO, AT(wait)},
    {"zip", KIND_TEXT, ARG_EXPORT, AT(zip)},
};

static bool takes_value(enum kind kind)
{
    return kind != KIND_FLAG;
}

/* "--name problem 'value'", the value escaped; name or value may be NULL. */
static int usage(const char *name, const char *problem, const char *value)
{
    char *shown = value ? say_name(value) : NULL;
    say("%s%s%s%s%s%s%s; see sallyport --help", name ? "--" : "", name ? name : "", name ? " " : "", problem,
        shown ? " '" : "", shown ? shown : "", shown ? "'" : "");
    free(shown);
    return EXIT_USAGE;
}

/* A label becomes a line of bag-info.txt: no control character may end that line or act on who reads it. */
static bool is_plain_line(const char *text)
{
    size_t len = strlen(text);
    uint32_t code;
    for (size_t i = 0; i < len;) {
        size_t n = utf8_decode((const uint8_t *)text + i, len - i, &code);
        if (n == 0 || utf8_is_control(code))
            return false;
        i += n;
    }
    return true;
}

static int add_label(struct pair_list *labels, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return usage("label", "wants K=V, not", text);
    if (!is_plain_line(text))
        return usage("label", "wants one line of UTF-8, not", text);
    struct text_pair *grown = realloc(labels->v, (labels->n + 1) * sizeof(*grown));
    if (!grown)
        return EXIT_INTERNAL;
    labels->v = grown;
    struct text_pair *pair = &labels->v[labels->n];
    pair->key = strndup(text, (size_t)(equals - text));
    pair->value = strdup(equals + 1);
    labels->n++;
    return pair->key && pair->value ? EXIT_OK : EXIT_INTERNAL;
}

/* What is written there is told in lines and variables: one line break in its name would be a line of its own. */
static bool has_control(const char *path)
{
    for (; *path; path++)
        if ((unsigned char)*path < ' ' || *path == 0x7f)
            return true;
    return false;
}

static int add_report(struct args *args, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || !equals[1] || args->reports_n == ARGS_LIST)
        return usage("report", "wants FORMAT=PATH, not", text);
    *equals = '\0';
    struct report_target *target = &args->reports[args->reports_n++];
    target->format = report_format_from_name(text);
    target->path = equals + 1;
    if (has_control(target->path))
        return usage("report", "holds a control character in its path:", target->path);
    if (target->format == REPORT_FORMAT_COUNT)
        return usage("report", "knows human, json, jsonl, sarif, junit, github, gitlab, html and env, not", text);
    return EXIT_OK;
}

/* --color auto|always|never, --progress auto|plain|none */
static int parse_when(enum when *when, const char *name, const char *text)
{
    const bool color = strcmp(name, "color") == 0;
    if (strcmp(text, "auto") == 0)
        *when = WHEN_AUTO;
    else if (strcmp(text, color ? "always" : "plain") == 0)
        *when = WHEN_ALWAYS;
    else if (strcmp(text, color ? "never" : "none") == 0)
        *when = WHEN_NEVER;
    else
        return usage(name, color ? "knows auto, always and never, not" : "knows auto, plain and none, not", text);
    return EXIT_OK;
}

static int parse_number(uint64_t *out, const char *name, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || *end || *text < '0' || *text > '9')
        return usage(name, "wants a number, not", text);
    *out = v;
    return EXIT_OK;
}

static int apply(struct args *args, const struct option_row *row, char *value)
{
    char *field = (char *)args + row->offset;
    struct arg_list *list;
    if (value && !*value) /* a variable of a script that was never set */
        return usage(row->name, "has an empty value", NULL);
    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)(void *)field = true;
        return EXIT_OK;
    case KIND_WHERE:
    case KIND_TEXT:
        if (row->kind == KIND_WHERE && has_control(value))
            return usage(row->name, "holds a control character:", value);
        if (*(char **)(void *)field)
            return usage(row->name, "is given twice", NULL);
        *(char **)(void *)field = value;
        return EXIT_OK;
    case KIND_LIST:
        list = (struct arg_list *)(void *)field;
        if (list->n == ARGS_LIST)
            return usage(row->name, "is given too often", NULL);
        list->v[list->n++] = value;
        return EXIT_OK;
    case KIND_NUMBER:
        return parse_number((uint64_t *)(void *)field, row->name, value);
    case KIND_FORMAT:
        args->format = report_format_from_name(value);
        args->format_given = true;
        if (args->format == REPORT_FORMAT_COUNT || args->format == REPORT_ENV || args->format == REPORT_HTML)
            return usage("format", "knows human, json, jsonl, sarif, junit, github and gitlab, not", value);
        return EXIT_OK;
    case KIND_REPORT:
        return add_report(args, value);
    case KIND_LABEL:
        return add_label(&args->labels, value);
    case KIND_WHEN:
        return parse_when((enum when *)(void *)field, row->name, value);
    case KIND_LATER:
        return usage(row->name, "is not there yet", NULL);
    }
    return EXIT_INTERNAL;
}

static void long_options(struct option *out, unsigned groups)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].groups == 0 || (rows[i].groups & groups))
            out[n++] = (struct option){rows[i].name, takes_value(rows[i].kind) ? required_argument : no_argument, NULL,
                                       (int)(256 + i)};
    out[n] = (struct option){0};
}

/* Where there is a source, what stands after "--" is a producer command; getopt must not see it, since it moves operands
 * about. Elsewhere it ends the options, as everywhere. */
static int split_producer(struct args *args, int argc, char **argv, unsigned groups)
{
    if (!(groups & ARG_SOURCE))
        return argc;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            args->producer = argv[i + 1] ? argv + i + 1 : NULL;
            argv[i] = NULL;
            return i;
        }
    return argc;
}

static int short_option(struct args *args, int c, char **argv)
{
    if (c == 'q')
        args->quiet = true;
    else if (c == 'v')
        args->verbose = true;
    else if (c == 'h')
        args->help = true;
    else if (c == ':')
        return usage(NULL, "this option wants a value:", argv[optind - 1]);
    else
        return usage(NULL, "no such option for this command:", argv[optind - 1] ? argv[optind - 1] : "--");
    return EXIT_OK;
}

int args_parse(struct args *args, int argc, char **argv, unsigned groups)
{
    struct option options[ARRAY_LEN(rows) + 1];
    *args = (struct args){0};
    long_options(options, groups);
    argc = split_producer(args, argc, argv, groups);
    opterr = 0;
    optind = 1;
    for (;;) {
        int c = getopt_long(argc, argv, ":qvh", options, NULL);
        if (c == -1)
            break;
        int rc = c >= 256 ? apply(args, &rows[c - 256], optarg) : short_option(args, c, argv);
        if (rc != EXIT_OK)
            return rc;
    }
    for (int i = optind; i < argc; i++) {
        if (args->operands.n == ARGS_LIST)
            return usage(NULL, "too many arguments, from", argv[i]);
        args->operands.v[args->operands.n++] = argv[i];
    }
    return EXIT_OK;
}

void args_free(struct args *args)
{
    for (size_t i = 0; i < args->labels.n; i++) {
        free(args->labels.v[i].key);
        free(args->labels.v[i].value);
    }
    free(args->labels.v);
    args->labels = (struct pair_list){0};
}
