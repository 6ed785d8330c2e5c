/* SPDX-License-Identifier: ISC
 * rules: what is looked for, and whether the operator's own rules work. The default rules are the table that is embedded
 * here and in the inspector; testing needs the engine, which the broker does not link, so sallyport-rules does it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/ruletable.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "contract/rules_parse.h"
#include "inspect/inspect_spawn.h"

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void json_rule(struct jsonw *j, const struct rule *rule)
{
    jsonw_object(j);
    jsonw_put_text(j, "about", rule->about);
    jsonw_put_text(j, "check", rule_check_name(rule->check));
    jsonw_put_text(j, "id", rule->id);
    jsonw_put_text(j, "kind", rule_kind_name(rule->kind));
    jsonw_put_text(j, "level", finding_level_name(rule->level));
    jsonw_put_text(j, "pattern", rule->pattern);
    jsonw_object_end(j);
}

static int list_json(const struct rule_table *table)
{
    struct buf out;
    struct jsonw j;
    char digest[SHA256_HEX];
    buf_init(&out, 4 * MIB);
    hex_encode(rules_table + rules_table_len - SHA256_SIZE, SHA256_SIZE, digest);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "rules");
    jsonw_array(&j);
    for (size_t i = 0; i < table->n; i++)
        json_rule(&j, &table->v[i]);
    jsonw_array_end(&j);
    jsonw_put_text(&j, "sha256", digest);
    jsonw_object_end(&j);
    return cmd_print_document(&out);
}

static int list(const struct args *args, const struct rule_table *table)
{
    if (args->format == REPORT_JSON)
        return list_json(table);
    for (size_t i = 0; i < table->n; i++)
        printf("%-32s %-6s %s\n", table->v[i].id, finding_level_name(table->v[i].level), table->v[i].about);
    return EXIT_OK;
}

static int show_json(const struct rule *rule)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, MIB);
    jsonw_init(&j, &out);
    json_rule(&j, rule);
    return cmd_print_document(&out);
}

static int show(const struct args *args, const struct rule_table *table)
{
    const char *id = args->operands.v[1];
    const struct rule *r = rule_table_find(table, strncmp(id, "secret/", 7) == 0 ? id + 7 : id);
    if (!r) {
        char *shown = say_name(id);
        say("there is no rule '%s'; sallyport rules list names all", shown ? shown : "?");
        free(shown);
        return EXIT_USAGE;
    }
    if (args->format == REPORT_JSON)
        return show_json(r);
    printf("secret/%s  (%s)\n  %s\n  pattern: %s\n  trigger: %s\n", r->id, finding_level_name(r->level), r->about,
           r->pattern, or_dash(r->trigger));
    printf("  guards: %s, %s\n  kind: %s\n  check: %s%s\n  entropy: %u.%02u\n  longest: %u bytes\n",
           rule_guard_name(r->left), rule_guard_name(r->right), rule_kind_name(r->kind), rule_check_name(r->check),
           r->must ? ", must hold" : "", r->entropy / 100, r->entropy % 100, r->max);
    return EXIT_OK;
}

/* --- test ------------------------------------------------------------------------------------------------ */

static NORETURN void run_tester(int program, char *dir)
{
    static char name[] = "sallyport-rules", verb[] = "test", lc[] = "LC_ALL=C.UTF-8";
    char *argv[] = {name, verb, dir, NULL}, *env[] = {lc, NULL};
    fexecve(program, argv, env);
    _exit(EXIT_INTERNAL);
}

static int test(char *dir)
{
    int status;
    AUTO_FD program = spawn_find(NULL, "sallyport-rules");
    if (program < 0) {
        say("sallyport-rules was not found beside the program nor in " SP_LIBEXECDIR ": install sallyport whole");
        return EXIT_BROKER;
    }
    pid_t pid = fork();
    if (pid == 0)
        run_tester(program, dir);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        say("the rules were not tested: %s", strerror(errno));
        return EXIT_BROKER;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_OK;
    return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? EXIT_USAGE : EXIT_INTERNAL;
}

/* --- diff ------------------------------------------------------------------------------------------------ */

static int load(const char *path, struct rule_table *table)
{
    struct buf errors;
    uint8_t *text = NULL;
    size_t len = 0;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || fd_read_all(fd, RULE_FILE_BYTES, &text, &len) != 0) {
        char *shown = say_name(path);
        say("%s cannot be read: %s", shown ? shown : "?", strerror(errno));
        free(shown);
        return EXIT_USAGE;
    }
    buf_init(&errors, MIB);
    int rc = rules_parse(path, text, len, table, &errors) == 0 ? EXIT_OK : EXIT_USAGE;
    if (rc != EXIT_OK)
        fwrite(errors.data, 1, errors.len, stderr);
    buf_free(&errors);
    free(text);
    return rc;
}

static bool equal_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool equal_rules(const struct rule *a, const struct rule *b)
{
    return equal_text(a->about, b->about) && equal_text(a->pattern, b->pattern) && equal_text(a->trigger, b->trigger) &&
           a->level == b->level && a->left == b->left && a->right == b->right && a->kind == b->kind &&
           a->check == b->check && a->must == b->must && a->entropy == b->entropy && a->max == b->max &&
           a->lead == b->lead;
}

static void print_difference(struct jsonw *j, const char *what, const char *id)
{
    if (!j) {
        printf("%-7s %s\n", what, id);
        return;
    }
    jsonw_object(j);
    jsonw_put_text(j, "id", id);
    jsonw_put_text(j, "what", what);
    jsonw_object_end(j);
}

static size_t print_differences(const struct rule_table *old, const struct rule_table *new, struct jsonw *j)
{
    size_t n = 0;
    for (size_t i = 0; i < old->n; i++) {
        const struct rule *now = rule_table_find(new, old->v[i].id);
        if (now && equal_rules(&old->v[i], now))
            continue;
        print_difference(j, now ? "changed" : "removed", old->v[i].id);
        n++;
    }
    for (size_t i = 0; i < new->n; i++)
        if (!rule_table_find(old, new->v[i].id)) {
            print_difference(j, "added", new->v[i].id);
            n++;
        }
    return n;
}

static int diff_json(const struct rule_table *old, const struct rule_table *new)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, 4 * MIB);
    jsonw_init(&j, &out);
    jsonw_object(&j);
    jsonw_key(&j, "differences");
    jsonw_array(&j);
    size_t n = print_differences(old, new, &j);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    int rc = cmd_print_document(&out);
    return rc == EXIT_OK && n > 0 ? EXIT_REFUSED : rc;
}

static int diff(const struct args *args)
{
    struct rule_table old = {0}, new = {0};
    int rc = load(args->operands.v[1], &old);
    if (rc == EXIT_OK)
        rc = load(args->operands.v[2], &new);
    if (rc == EXIT_OK && args->format == REPORT_JSON)
        rc = diff_json(&old, &new);
    else if (rc == EXIT_OK && print_differences(&old, &new, NULL) > 0)
        rc = EXIT_REFUSED;
    rule_table_free(&old);
    rule_table_free(&new);
    return rc;
}

/* --- the command ----------------------------------------------------------------------------------------- */

int cmd_rules(const struct args *args)
{
    struct rule_table table;
    const char *verb = args->operands.n > 0 ? args->operands.v[0] : "";
    size_t n = args->operands.n;
    if (!rule_table_decode(&table, rules_table, rules_table_len)) {
        say("the embedded rules are damaged");
        return EXIT_INTERNAL;
    }
    int rc = EXIT_USAGE;
    if (strcmp(verb, "list") == 0 && n == 1) {
        rc = list(args, &table);
    } else if (strcmp(verb, "show") == 0 && n == 2) {
        rc = show(args, &table);
    } else if (strcmp(verb, "test") == 0 && args->format == REPORT_JSON) {
        say("rules test knows --format human alone");
    } else if (strcmp(verb, "test") == 0 && n == 2) {
        rc = test(args->operands.v[1]);
    } else if (strcmp(verb, "test") == 0 && n == 1) {
        printf("%zu default rules; their samples were run when this program was built\n", table.n);
        rc = EXIT_OK;
    } else if (strcmp(verb, "diff") == 0 && n == 3) {
        rc = diff(args);
    } else {
        say("rules list | show ID | test [DIR] | diff OLD NEW");
    }
    rule_table_free(&table);
    return rc;
}
