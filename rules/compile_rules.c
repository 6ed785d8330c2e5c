/* SPDX-License-Identifier: ISC
 * Build-time program: reads the default rules, checks each against its samples with the very engine that will run
 * them, and writes table and trigger database as a C file. A rule that misses its own sample stops the build. */
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

static bool check_samples(struct secret_engine *engine, const struct rule *rule, const char *dir, bool want)
{
    char path[4096];
    uint8_t *data = NULL;
    size_t len = 0, n = 0, number = 0;
    bool good = true;
    snprintf(path, sizeof(path), "%s/%s.%s", dir, rule->id, want ? "hit" : "miss");
    if (!read_file(path, &data, &len)) {
        fprintf(stderr, "rule %s: %s: no samples: every rule needs texts that hit and texts that do not\n", rule->id, path);
        return false;
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
    fprintf(out, "const unsigned char %s[] =\n", name);
    for (size_t i = 0; i < len; i++) {
        if (i % 32 == 0)
            fputs("    \"", out);
        fprintf(out, "\\%03o", data[i]);
        if (i % 32 == 31 || i + 1 == len)
            fputs("\"\n", out);
    }
    fprintf(out, "    ;\nconst size_t %s_len = %zu;\n", name, len);
}

static bool write_all(const struct secret_engine *engine, const char *path)
{
    uint8_t digest[SHA256_SIZE];
    struct buf table, db;
    buf_init(&table, RULE_TABLE_BYTES);
    buf_init(&db, 64 * MIB);
    rule_table_encode(&engine->table, &table);
    if (!table.failed) {
        sha256_bytes(table.data, table.len, digest);
        secret_db_store(engine->db, digest, &db);
    }
    FILE *out = table.failed || db.failed ? NULL : fopen(path, "w");
    bool good = out;
    if (out) {
        fputs("/* Made by rules/compile_rules from rules/secrets.yaml. */\n#include \"inspect/secret_first.h\"\n", out);
        write_array(out, "rules_table", table.data, table.len);
        write_array(out, "rules_database", db.data, db.len);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    buf_free(&table);
    buf_free(&db);
    return good;
}

/* --- main -------------------------------------------------------------------------------------------- */

static struct secret_engine *load(const char *path)
{
    struct rule_table table;
    struct buf errors;
    char why[512] = "";
    uint8_t *text = NULL;
    size_t len = 0;
    struct secret_engine *engine = NULL;
    if (!read_file(path, &text, &len)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    buf_init(&errors, 64 * KIB);
    if (rules_parse(path, text, len, &table, &errors) != 0) {
        fprintf(stderr, "%.*s", (int)errors.len, (const char *)errors.data);
    } else {
        if (secret_db_measure(&table, why, sizeof(why)))
            engine = secret_engine_new(&table, NULL, 0, why, sizeof(why));
        if (!engine)
            fprintf(stderr, "%s: %s\n", path, why);
        rule_table_free(&table);
    }
    buf_free(&errors);
    free(text);
    return engine;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: compile_rules RULES.yaml SAMPLES-DIR OUT.c\n");
        return 2;
    }
    struct secret_engine *engine = load(argv[1]);
    bool good = engine;
    for (size_t i = 0; engine && i < engine->table.n; i++) {
        good = check_samples(engine, &engine->table.v[i], argv[2], true) && good;
        good = check_samples(engine, &engine->table.v[i], argv[2], false) && good;
    }
    if (good && !write_all(engine, argv[3])) {
        fprintf(stderr, "%s: cannot be written\n", argv[3]);
        good = false;
    }
    secret_engine_free(&engine);
    return good ? 0 : 1;
}
