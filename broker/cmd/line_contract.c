/* SPDX-License-Identifier: ISC
 * Reads the contract, shows its errors, and lets no line of it be printed before the inspector said that it holds no
 * credential. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#include "base/limits.h"
#include "base/ruletable.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "contract/contract_floor.h"
#include "contract/contract_parse.h"

struct text {
    const char *file;
    uint8_t *data; /* owned */
    size_t len;
};

static void position_of(const struct text *text, uint64_t offset, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < text->len && i < offset; i++) {
        (*column)++;
        if (text->data[i] == '\n') {
            (*line)++;
            *column = 1;
        }
    }
}

/* 0: clean. The value is never printed: only where it stands and which rule saw it. */
static int scan_text(struct line *line, const struct text *text)
{
    struct finding_list hits = {0};
    int rc = EXIT_OK;
    if (text->len == 0)
        return EXIT_OK;
    if (inspect_scan(line->pool, SCAN_OURS, text->data, text->len, &hits) != 0)
        rc = line_fail("could not look for credentials in", text->file, errno);
    for (size_t i = 0; rc != EXIT_BROKER && i < hits.n; i++) {
        unsigned at_line, column;
        char code[128];
        if (hits.v[i].level != LEVEL_REFUSE)
            continue;
        position_of(text, hits.v[i].has_offset ? hits.v[i].offset : 0, &at_line, &column);
        finding_name(&hits.v[i], code, sizeof(code));
        if (hits.v[i].code != FINDING_SECRET) {
            say("%s could not be looked through for credentials: %s", text->file, code);
            rc = EXIT_BROKER;
            break;
        }
        fprintf(stderr, "%s:%u:%u: the contract holds a credential (%s); remove and revoke it\n", text->file, at_line,
                column, code);
        rc = EXIT_USAGE;
    }
    finding_list_free(&hits);
    return rc;
}

static int read_text(struct text *text, const char *file, const char *what)
{
    AUTO_FD fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    text->file = file;
    if (fd >= 0 && fd_read_all(fd, CONTRACT_BYTES, &text->data, &text->len) == 0)
        return EXIT_OK;
    if (errno == EFBIG)
        fprintf(stderr, "%s:1:1: the %s is larger than 256 KiB\n", file, what);
    else
        line_fail(what, file, errno);
    return EXIT_USAGE;
}

static int show_errors(const struct contract_errors *errors, const struct text *text)
{
    struct buf out;
    buf_init(&out, MIB);
    contract_errors_print(errors, text->file, text->data, text->len, &out);
    fwrite(out.data, 1, out.len, stderr);
    buf_free(&out);
    return EXIT_USAGE;
}

bool line_surroundings(void)
{
#ifdef __linux__
    if (access("/proc/self/fd", X_OK) != 0)
        say("control missing: namespaces: no /proc is mounted here, and everything is opened through it: mount -t proc proc /proc");
    else if (access("/dev/null", R_OK | W_OK) != 0)
        say("control missing: namespaces: /dev/null is not there or cannot be used: give this sandbox a /dev");
    else
        return true;
    return false;
#else
    return true;
#endif
}

static int pool_trouble(const struct line *line)
{
    if (errno == ENOTSUP) {
        say("this system cannot confine the inspector (seccomp on Linux): nothing was inspected and nothing leaves");
        return EXIT_CONTROL;
    }
    if (errno == ENOENT)
        say("sallyport-inspect was not found beside the program nor in " SP_LIBEXECDIR ": install sallyport whole");
    else if (errno == EPERM)
        say("sallyport-inspect belongs to somebody else or can be written by others: nothing was started");
    else if (line->rules_fd >= 0) {
        say("the inspector did not take the rules of --rules; `sallyport rules test DIR` names the one that is wrong");
        return EXIT_USAGE;
    } else
        return line_fail("the inspector did not start", NULL, errno);
    return EXIT_BROKER;
}

static int start_pool(struct line *line)
{
    struct inspect_options options = {.rules_fd = line->rules_fd};
    if (!line_surroundings())
        return EXIT_CONTROL;
    line->pool = inspect_open(&options);
    return line->pool ? EXIT_OK : pool_trouble(line);
}

static int await_pool(struct line *line)
{
    return inspect_ready(line->pool) == 0 ? EXIT_OK : pool_trouble(line);
}

static int parse_takes(struct line *line)
{
    struct contract_errors errors = {0};
    const struct text none = {.file = "--take"};
    char *const *takes = line->args->takes.v;
    int rc = EXIT_OK;
    if (contract_from_takes(takes, line->args->takes.n, &line->contract, &errors) != 0)
        rc = show_errors(&errors, &none);
    contract_errors_free(&errors);
    return rc == EXIT_OK ? await_pool(line) : rc;
}

static int parse_file(struct line *line, const char *file)
{
    struct text text = {0};
    struct contract_errors errors = {0};
    int rc = read_text(&text, file, "contract");
    /* While the inspector starts. What is wrong is only shown once no line of it can be a credential. */
    bool wrong = rc == EXIT_OK && contract_parse(file, text.data, text.len, &line->contract, &errors) != 0;
    if (rc == EXIT_OK)
        rc = await_pool(line);
    if (rc == EXIT_OK)
        rc = scan_text(line, &text);
    if (rc == EXIT_OK && wrong)
        rc = show_errors(&errors, &text);
    contract_errors_free(&errors);
    free(text.data);
    return rc;
}

/* What the floor demands of the run and not of the contract's text. */
static int check_floor_run(const struct line *line, const struct contract_floor *floor, const char *file)
{
    uint64_t signatures = contract_floor_signatures(floor);
    uint8_t rules[SHA256_SIZE];
    /* Rules of --rules only add to these. */
    if (contract_floor_rules(floor, rules) && !sha256_equal(rules, rules_table + rules_table_len - SHA256_SIZE)) {
        fprintf(stderr, "%s:%u:1: the floor demands other secret rules than this program has (sallyport rules list "
                "--format json shows their sha256)\n", file, contract_floor_line(floor, "rules-sha256"));
        return EXIT_USAGE;
    }
    if (!line->publishes || signatures <= line->args->sign.n)
        return EXIT_OK;
    fprintf(stderr, "%s:%u:1: the floor demands %llu signatures and %zu were asked for: give --sign KEY\n", file,
            contract_floor_line(floor, "signatures"), (unsigned long long)signatures, line->args->sign.n);
    return EXIT_USAGE;
}

static int hold_against(struct line *line, const struct contract_floor *floor, const char *file)
{
    const struct contract *contract = line->contract;
    struct contract_errors errors = {0};
    struct text text = {.file = contract->file ? contract->file : "--take", .data = contract->text, .len = contract->text_len};
    int rc = check_floor_run(line, floor, file);
    if (rc == EXIT_OK && contract_floor_check(floor, contract, (int64_t)time(NULL), &errors) != 0)
        rc = show_errors(&errors, &text);
    contract_errors_free(&errors);
    if (rc == EXIT_OK)
        memcpy(line->floors[line->floors_n++], contract_floor_sha256(floor), SHA256_SIZE);
    return rc;
}

static int check_floor(struct line *line, const char *file)
{
    struct text text = {0};
    struct contract_errors errors = {0};
    struct contract_floor *floor = NULL;
    int rc = read_text(&text, file, "floor");
    if (rc == EXIT_OK)
        rc = scan_text(line, &text);
    if (rc == EXIT_OK && contract_floor_parse(file, text.data, text.len, &floor, &errors) != 0)
        rc = show_errors(&errors, &text);
    if (rc == EXIT_OK)
        rc = hold_against(line, floor, file);
    contract_floor_free(&floor);
    contract_errors_free(&errors);
    free(text.data);
    return rc;
}

static int check_floors(struct line *line)
{
    static const char system_floor[] = "/etc/sallyport/floor.yaml";
    AUTO_FD fd = open(system_floor, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int rc = EXIT_OK;
    /* Anything but "not there" must be heard: an unreadable floor is not an absent one. */
    if (fd >= 0 || errno != ENOENT)
        rc = check_floor(line, system_floor);
    if (rc == EXIT_OK && line->args->floor)
        rc = check_floor(line, line->args->floor);
    return rc;
}

/* A value of --label goes into the record and must be no credential either. */
static int scan_labels(struct line *line)
{
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < line->args->labels.n; i++) {
        char *value = line->args->labels.v[i].value;
        struct text text = {.file = "--label", .data = (uint8_t *)value, .len = strlen(value)};
        rc = scan_text(line, &text);
    }
    return rc;
}

int line_contract(struct line *line)
{
    const struct args *args = line->args;
    if ((args->operands.n == 0) == (args->takes.n == 0) || args->operands.n > 1) {
        say("one contract is wanted, or --take for a promotion without one");
        return EXIT_USAGE;
    }
    int rc = line_rules(line);
    if (rc == EXIT_OK)
        rc = start_pool(line);
    (void)line_operator(line);
    if (rc == EXIT_OK)
        rc = args->takes.n ? parse_takes(line) : parse_file(line, args->operands.v[0]);
    if (rc == EXIT_OK)
        rc = line_rules_accepts(line);
    if (rc == EXIT_OK)
        rc = scan_labels(line);
    if (rc == EXIT_OK)
        rc = check_floors(line);
    if (rc != EXIT_OK)
        return rc;
    if (line->args->strict)
        line->contract->strict = true;
    line->accept_used = calloc(line->contract->accepts_n + 1, sizeof(bool));
    if (!line->accept_used)
        return line_fail("contract", NULL, ENOMEM);
    snprintf(line->name, sizeof(line->name), "%s-%s", line->contract->name, line->id);
    line_did(line, "contract", line->contract->name);
    return EXIT_OK;
}
