/* SPDX-License-Identifier: ISC
 * Throughput of the secret inspector on one core: over files named on the command line (text first, then "--", then
 * binaries; --no-db leaves out the database alone), or, without any, over texts made to be slow. Prints MB, milliseconds and MB/s for each; judges nothing by itself but
 * the promise that no input of one megabyte takes more than 200 ms. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/digest.h"
#include "base/fd.h"
#include "inspect/secret_db.h"
#include "inspect/secret_first.h"
#include "inspect/sink.h"

const struct inspector inspectors[] = {{NULL, INSPECTOR_COUNT, NULL, NULL}};

enum { HOSTILE_BYTES = 1024 * 1024, HOSTILE_MS = 200, CORPUS_BYTES = 512 * 1024 * 1024 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t scan(const void *data, size_t len)
{
    struct sink_list list;
    struct task task;
    struct bytes bytes;
    struct inspection in;
    sink_list_init(&list);
    sink_task(&task, "bench.txt", NULL);
    bytes_init_memory(&bytes, data, len);
    inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
    in.text = TYPE_PLAIN;
    secret_inspect(&in);
    size_t n = list.findings.n;
    sink_list_free(&list);
    bytes_free(&bytes);
    return n;
}

/* --- files --------------------------------------------------------------------------------------------- */

struct corpus {
    uint8_t *data;
    size_t len;
    size_t *ends; /* of each file */
    size_t files;
};

static void corpus_add(struct corpus *c, const char *path)
{
    struct stat st;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size > CORPUS_BYTES - c->len)
        return;
    if (fd_read_full(fd, c->data + c->len, (size_t)st.st_size) != 0)
        return;
    c->len += (size_t)st.st_size;
    c->ends[c->files++] = c->len;
}

static int ignore(unsigned rule, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    (void)rule;
    (void)from;
    (void)to;
    (void)flags;
    (void)context;
    return 0;
}

/* The triggers of the default rules without anything behind them. */
static double db_ms(const struct corpus *c)
{
    struct secret_db *db = secret_db_load(rules_database, rules_database_len, rules_table + rules_table_len - SHA256_SIZE);
    size_t at = 0;
    if (!db)
        return 0;
    double start = now_ms();
    for (size_t i = 0; i < c->files; at = c->ends[i++])
        if (secret_db_scan(db, c->data + at, c->ends[i] - at, ignore, NULL) != 0)
            return 0;
    double ms = now_ms() - start;
    secret_db_free(&db);
    return ms;
}

static void corpus_run(const char *name, const struct corpus *c, bool with_db)
{
    size_t found = 0, at = 0;
    double start = now_ms();
    for (size_t i = 0; i < c->files; i++) {
        found += scan(c->data + at, c->ends[i] - at);
        at = c->ends[i];
    }
    double ms = now_ms() - start, db = with_db ? db_ms(c) : 0;
    printf("%-28s %7.1f MB %6zu files %8.1f ms %8.0f MB/s %zu findings", name, (double)c->len / 1e6, c->files, ms,
           (double)c->len / 1e3 / (ms > 0 ? ms : 1), found);
    if (db > 0)
        printf("; the database alone %.0f MB/s", (double)c->len / 1e3 / db);
    putchar('\n');
}

/* --- hostile text ---------------------------------------------------------------------------------------- */

static const struct hostile {
    const char *name, *text;
} hostile[] = {
    {"password= repeated", "password="},
    {"password=x1Y repeated", "password=x1Yq9"},
    {"eyJ repeated", "eyJ"},
    {"eyJhbGciOi repeated", "eyJhbGciOiJIUzI1NiJ9."},
    {"AKIA repeated", "AKIA"},
    {"key words", "secret token api_key: password passwd auth credential=\"\" client_secret "},
    {"URLs", "https://user:pa$$@host.example.org/path?token=abc&key=def "},
    {"private key headers", "-----BEGIN RSA PRIVATE KEY-----"},
    {"ghp_ tokens", "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\n"},
    {"base64 of A", "A"},
    {"hex digits", "67"},
    {"percent", "%41"},
    {"double percent", "%2541"},
    {"backslashes", "\\"},
    {"\\u0041", "\\u0041"},
    {"quoted-printable", "=41"},
    {"equals", "="},
    {"UTF-16 letters", "a\1"},
    {"spaces", " "},
    {"machine login", "machine a login "},
    {"://", "://a:b"},
    {"kind: Secret data", "kind: Secret\ndata:\n a: b\n"},
    {"okta", "okta "},
    {"EAAA", "EAAA"},
    {"sk-", "sk-proj-"},
    {"base64 lines", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk\n"},
    {"colons", "a:5432:b:c:"},
    {"colours", "a\x1b[31m"},
    {"escape characters", "\x1b"},
};

/* In the table a UTF-16 unit is written with \1, since a text ends at NUL. */
static void fill(uint8_t *data, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < HOSTILE_BYTES; i++)
        data[i] = text[i % n] == '\1' ? 0 : (uint8_t)text[i % n];
}

static int hostile_run(uint8_t *data)
{
    int slow = 0;
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
        fill(data, hostile[i].text);
        double start = now_ms();
        size_t found = scan(data, HOSTILE_BYTES);
        double ms = now_ms() - start;
        printf("%-28s %7.1f MB %21.1f ms %8.0f MB/s %zu findings%s\n", hostile[i].name, HOSTILE_BYTES / 1e6, ms,
               HOSTILE_BYTES / 1e3 / ms, found, ms > HOSTILE_MS ? "  TOO SLOW" : "");
        slow += ms > HOSTILE_MS;
    }
    return slow;
}

int main(int argc, char **argv)
{
    struct corpus text = {.data = malloc(CORPUS_BYTES), .ends = calloc((size_t)argc, sizeof(size_t))};
    struct corpus binary = {.data = malloc(CORPUS_BYTES), .ends = calloc((size_t)argc, sizeof(size_t))};
    struct corpus *into = &text;
    bool with_db = true;
    double start = now_ms();
    if (!text.data || !text.ends || !binary.data || !binary.ends || secret_setup(-1) != 0)
        return 70;
    printf("start-up %.2f ms", now_ms() - start);
    start = now_ms();
    secret_warm();
    printf(", machine code %.2f ms\n", now_ms() - start);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            into = &binary;
        else if (strcmp(argv[i], "--no-db") == 0)
            with_db = false;
        else
            corpus_add(into, argv[i]);
    }
    if (text.files)
        corpus_run("text", &text, with_db);
    if (binary.files)
        corpus_run("binaries", &binary, with_db);
    int slow = text.files || binary.files ? 0 : hostile_run(text.data);
    free(text.data);
    free(text.ends);
    free(binary.data);
    free(binary.ends);
    return slow > 0;
}
