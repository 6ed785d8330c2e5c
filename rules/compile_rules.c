/* SPDX-License-Identifier: ISC
 * sallyport-rules: reads rule files and checks each rule against its samples with the very engine that will run it. At
 * build time it then writes the default rules' table and trigger database as C files; installed, it is what `sallyport
 * rules test` runs. Trusts the operator's files to be the operator's; sees no hostile byte. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/rules_parse.h"
#include "inspect/secret.h"
#include "inspect/sink.h"

/* The engine speaks through the frame, whose table of inspectors is empty here. */
const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

static bool read_file(const char *path, uint8_t **data, size_t *len)
{
    FILE *f = fopen(path, "rb");
    struct buf b;
    char part[4096];
    buf_init(&b, RULE_FILE_BYTES);
    if (!f)
        return false;
    for (size_t n; (n = fread(part, 1, sizeof(part), f)) > 0;)
        buf_bytes(&b, part, n);
    bool good = !ferror(f) && !b.failed;
    fclose(f);
    *len = b.len;
    *data = (uint8_t *)buf_take_text(&b);
    return good && *data;
}

/* --- samples ----------------------------------------------------------------------------------------- */

/* A sample is a line; <+> joins its halves, <n> is a line break. So no file of the tree looks like a leak. */
static size_t assemble(const char *line, size_t len, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        if (len - i >= 3 && memcmp(line + i, "<+>", 3) == 0) {
            i += 3;
        } else if (len - i >= 3 && memcmp(line + i, "<n>", 3) == 0) {
            out[n++] = '\n';
            i += 3;
        } else {
            out[n++] = line[i++];
        }
    }
    return n;
}

static bool hits(struct secret_engine *engine, const struct rule *rule, const char *text, size_t len)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    bool found = false;
    sink_list_init(&list);
    sink_task(&task, "sample.txt", NULL);
    bytes_init_memory(&bytes, text, len);
    inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
    secret_scan(engine, &in);
    for (size_t i = 0; i < list.findings.n; i++) {
        const struct finding *f = &list.findings.v[i];
        found = found || (strcmp(f->rule, rule->id) == 0 && f->level == rule->level);
    }
    sink_list_free(&list);
    bytes_free(&bytes);
    return found;
}

static bool check_sample(struct secret_engine *engine, const struct rule *rule, const char *line, size_t len, bool want)
{
    char *text = malloc(len + 1);
    bool good = text && hits(engine, rule, text, assemble(line, len, text)) == want;
    free(text);
    return good;
}

static bool check_samples(struct secret_engine *engine, const struct rule *rule, const char *dir, bool want,
                          bool needed)
{
    char path[4096];
    uint8_t *data = NULL;
    size_t len = 0, n = 0, number = 0;
    bool good = true;
    snprintf(path, sizeof(path), "%s/%s.%s", dir, rule->id, want ? "hit" : "miss");
    if (!read_file(path, &data, &len)) {
        fprintf(stderr, "rule %s: %s: no samples: a rule needs texts that hit and texts that do not\n", rule->id, path);
        return !needed;
    }
    for (const char *line = (char *)data, *end = line + len, *next; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        number++;
        if (next == line)
            continue;
        n++;
        if (!check_sample(engine, rule, line, (size_t)(next - line), want)) {
            fprintf(stderr, "rule %s: %s:%zu: the sample %s\n", rule->id, path, number,
                    want ? "does not hit" : "hits and should not");
            good = false;
        }
    }
    free(data);
    if (n == 0)
        fprintf(stderr, "rule %s: %s: no sample in it\n", rule->id, path);
    return good && n > 0;
}

/* --- output ------------------------------------------------------------------------------------------ */

static void write_array(FILE *out, const char *name, const uint8_t *data, size_t len)
{
    fprintf(out, "_Alignas(%d) const unsigned char %s[] =\n", SECRET_DB_ALIGN, name);
    for (size_t i = 0; i < len; i++) {
        if (i % 32 == 0)
            fputs("    \"", out);
        fprintf(out, "\\%03o", data[i]);
        if (i % 32 == 31 || i + 1 == len)
            fputs("\"\n", out);
    }
    fprintf(out, "    ;\nconst size_t %s_len = %zu;\n", name, len);
}

static bool write_file(const char *path, const char *name, const struct buf *data)
{
    FILE *out = data->failed ? NULL : fopen(path, "w");
    if (!out) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return false;
    }
    fputs("/* Made by sallyport-rules from rules/secrets.yaml. */\n#include \"inspect/secret_first.h\"\n", out);
    write_array(out, name, data->data, data->len);
    bool good = !ferror(out);
    return fclose(out) == 0 && good;
}

static bool write_all(const struct secret_engine *engine, const char *table_path, const char *db_path)
{
    struct buf table, db;
    buf_init(&table, RULE_TABLE_BYTES);
    buf_init(&db, 64 * MIB);
    rule_table_encode(&engine->table, &table);
    if (!table.failed)
        secret_db_store(engine->db, table.data + table.len - SHA256_SIZE, &db);
    bool good = write_file(table_path, "rules_table", &table) && write_file(db_path, "rules_database", &db);
    buf_free(&table);
    buf_free(&db);
    return good;
}

/* --- main -------------------------------------------------------------------------------------------- */

static bool load(const char *path, struct rule_table *all)
{
    struct rule_table table;
    struct buf errors;
    uint8_t *text = NULL;
    size_t len = 0;
    if (!read_file(path, &text, &len)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    buf_init(&errors, 64 * KIB);
    bool good = rules_parse(path, text, len, &table, &errors) == 0;
    if (!good)
        fprintf(stderr, "%.*s", (int)errors.len, (const char *)errors.data);
    else if (rule_table_move(all, &table) != 0)
        good = false;
    buf_free(&errors);
    free(text);
    return good;
}

/* Takes the table. NULL after it said which rule is wrong. */
static struct secret_engine *check(struct rule_table *table, const char *samples, bool needed)
{
    char why[512] = "";
    struct secret_engine *engine = NULL;
    if (secret_db_measure(table, why, sizeof(why)))
        engine = secret_engine_new(table, NULL, 0, why, sizeof(why));
    rule_table_free(table);
    if (!engine) {
        fprintf(stderr, "%s\n", why);
        return NULL;
    }
    bool good = true;
    for (size_t i = 0; i < engine->table.n; i++) {
        good = check_samples(engine, &engine->table.v[i], samples, true, needed) && good;
        good = check_samples(engine, &engine->table.v[i], samples, false, needed) && good;
    }
    if (!good)
        secret_engine_free(&engine);
    return engine;
}

static int compile(char **paths)
{
    struct rule_table table = {0};
    struct secret_engine *engine = load(paths[0], &table) ? check(&table, paths[1], true) : NULL;
    bool good = engine && write_all(engine, paths[2], paths[3]);
    secret_engine_free(&engine);
    return good ? 0 : 1;
}

static int is_rule_file(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

static int test(const char *dir)
{
    struct rule_table table = {0};
    struct dirent **names = NULL;
    int n = scandir(dir, &names, is_rule_file, alphasort);
    bool good = n > 0;
    if (n <= 0)
        fprintf(stderr, "%s: no rule file (*.yaml) can be read there\n", dir);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
        good = load(path, &table) && good;
        free(names[i]);
    }
    free(names);
    size_t rules = table.n;
    struct secret_engine *engine = good ? check(&table, dir, false) : NULL;
    rule_table_free(&table);
    if (!engine)
        return 1;
    printf("%zu rules, every sample that is there behaves\n", rules);
    secret_engine_free(&engine);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "compile") == 0)
        return compile(argv + 2);
    if (argc == 3 && strcmp(argv[1], "test") == 0)
        return test(argv[2]);
    fprintf(stderr, "usage: sallyport-rules test DIR\n"
                    "       sallyport-rules compile RULES.yaml SAMPLES-DIR TABLE.c DATABASE.c\n");
    return 2;
}
