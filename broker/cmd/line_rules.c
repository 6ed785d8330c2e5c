/* SPDX-License-Identifier: ISC
 * --rules DIR: the operator's own secret rules, read here, checked, and handed to the inspector as one sealed table. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/ruletable.h"
#include "base/say.h"
#include "cmd/cmd.h"
#include "cmd/line.h"
#include "contract/rules_parse.h"

static int is_rule_file(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

static int read_rules(int dir, const char *name, struct rule_table *all)
{
    struct rule_table table = {0};
    struct buf errors;
    uint8_t *text = NULL;
    size_t len = 0;
    AUTO_FD fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fd_read_all(fd, RULE_FILE_BYTES, &text, &len) != 0) {
        line_fail("the rule file cannot be read", name, errno);
        return EXIT_USAGE;
    }
    buf_init(&errors, MIB);
    int rc = EXIT_OK;
    if (rules_parse(name, text, len, &table, &errors) != 0) {
        fwrite(errors.data, 1, errors.len, stderr);
        rc = EXIT_USAGE;
    } else if (rule_table_move(all, &table) != 0) {
        rc = line_fail("the rules", name, errno);
    }
    buf_free(&errors);
    free(text);
    return rc;
}

static int seal(const struct rule_table *table, int *out)
{
    struct buf sealed;
    buf_init(&sealed, 64 * MIB);
    rule_table_encode(table, &sealed);
    AUTO_FD fd = memfd_create("rules", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int rc = -1;
    if (fd >= 0 && !sealed.failed && fd_write_full(fd, sealed.data, sealed.len) == 0)
        rc = fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    buf_free(&sealed);
    if (rc == 0) {
        *out = fd;
        fd = -1;
    }
    return rc;
}

static bool has_rule(const struct rule_table *table, const char *id)
{
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(table->v[i].id, id) == 0)
            return true;
    return false;
}

static int say_no_rule(const struct contract *contract, const struct accept *accept)
{
    char *rule = say_name(accept->rule);
    fprintf(stderr, "%s:%u:1: there is no secret rule '%s'; see sallyport rules list\n",
            contract->file ? contract->file : "--take", accept->line, rule ? rule : "?");
    free(rule);
    return EXIT_USAGE;
}

/* An accept of a rule that is not there would lift nothing and look as if it did. The table is only read where one is. */
int line_rules_accepts(const struct line *line)
{
    struct rule_table table = {0};
    const struct contract *contract = line->contract;
    int rc = EXIT_OK;
    for (size_t o = 0; o < contract->outputs_n; o++)
        for (size_t a = 0; a < contract->outputs[o].accept_n; a++) {
            const struct accept *accept = &contract->outputs[o].accept[a];
            if (accept->code != FINDING_SECRET || line->args->rules)
                continue;
            if (table.n == 0 && !rule_table_decode(&table, rules_table, rules_table_len))
                return line_fail("the embedded rules", NULL, EPROTO);
            if (!has_rule(&table, accept->rule))
                rc = say_no_rule(contract, accept);
        }
    rule_table_free(&table);
    return rc;
}

int line_rules(struct line *line)
{
    struct rule_table all = {0};
    struct dirent **names = NULL;
    const char *path = line->args->rules;
    if (!path)
        return EXIT_OK;
    AUTO_FD dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int n = dir < 0 ? -1 : scandir(path, &names, is_rule_file, alphasort);
    if (n <= 0) {
        line_fail("no rule file (*.yaml) can be read in", path, n < 0 ? errno : ENOENT);
        return EXIT_USAGE;
    }
    int rc = EXIT_OK;
    for (int i = 0; i < n; i++) {
        if (rc == EXIT_OK)
            rc = read_rules(dir, names[i]->d_name, &all);
        free(names[i]);
    }
    free(names);
    if (rc == EXIT_OK && seal(&all, &line->rules_fd) != 0)
        rc = line_fail("the rules cannot be handed to the inspector", path, errno);
    rule_table_free(&all);
    return rc;
}
