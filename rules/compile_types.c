/* SPDX-License-Identifier: ISC
 * Build-time program: turns rules/types into the tables of broker/inspect/type_table.h. Reads the file named on the command
 * line, writes C to standard output, and stops at the first line it does not understand.
 * Trusts the file no further than that: every row is checked here, so the table needs no check at run time. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, PATTERN_MAX = 24, NAMES_MAX = 2048, ROWS_MAX = 512 };

static const char *const type_symbols[] = {
#define TYPE(sym, name, groups, flags) #sym,
#include "base/types.def"
#undef TYPE
};

struct row {
    const char *file;
    unsigned line;
    char *word[WORDS_MAX];
    size_t words;
};

struct name {
    char *text;
    const char *type;
};

struct output {
    char *sigs[ROWS_MAX], *marks[ROWS_MAX];
    size_t sigs_n, marks_n;
    struct name names[NAMES_MAX];
    size_t names_n;
};

static void die(const struct row *row, const char *what)
{
    fprintf(stderr, "%s:%u: %s\n", row->file, row->line, what);
    exit(1);
}

static char *copy(const char *text)
{
    char *p = strdup(text);
    if (!p)
        exit(1);
    return p;
}

static const char *symbol(const struct row *row, const char *word)
{
    for (size_t i = 0; i < sizeof(type_symbols) / sizeof(type_symbols[0]); i++)
        if (strcmp(type_symbols[i], word) == 0)
            return type_symbols[i];
    die(row, "no such type in base/types.def");
    return NULL;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

struct pattern {
    unsigned char byte[PATTERN_MAX], mask[PATTERN_MAX];
    size_t len;
};

static void add_byte(const struct row *row, struct pattern *p, unsigned byte, unsigned mask)
{
    if (p->len == PATTERN_MAX)
        die(row, "a signature of more than 24 bytes");
    p->byte[p->len] = (unsigned char)byte;
    p->mask[p->len++] = (unsigned char)mask;
}

static void add_word(const struct row *row, struct pattern *p, const char *word)
{
    size_t len = strlen(word);
    if (word[0] == '"' && len > 2 && word[len - 1] == '"') {
        for (size_t i = 1; i + 1 < len; i++)
            add_byte(row, p, (unsigned char)word[i], 0xFF);
    } else if (strcmp(word, "??") == 0) {
        add_byte(row, p, 0, 0);
    } else if (len == 2 && isxdigit((unsigned char)word[0]) && isxdigit((unsigned char)word[1])) {
        add_byte(row, p, hex_digit(word[0]) << 4 | hex_digit(word[1]), 0xFF);
    } else {
        die(row, "not two hex digits, ?? or \"text\"");
    }
}

static const char *evidence(const struct row *row, const char *word)
{
    if (strcmp(word, "head") == 0)
        return "EVIDENCE_HEAD";
    if (strcmp(word, "window") == 0)
        return "EVIDENCE_WINDOW";
    if (strcmp(word, "tail") != 0)
        die(row, "the evidence is head, window or tail");
    return "EVIDENCE_TAIL";
}

static void put_bytes(char *out, size_t size, const unsigned char *bytes, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < len; i++)
        at += (size_t)snprintf(out + at, size - at, "%s0x%02x", i ? ", " : "", bytes[i]);
}

/* "is NAME..." at the end: a string of C in out, or NULL. Returns how many words stand before it. */
static size_t take_what(const struct row *row, char *out, size_t size)
{
    size_t at, n;
    for (at = 4; at < row->words && strcmp(row->word[at], "is") != 0; at++)
        ;
    bool closed = strcmp(row->word[1], "OTHER_ARCHIVE") == 0;
    if (at + 1 >= row->words && (closed || at < row->words))
        die(row, "is NAME... is missing: an archive that cannot be looked into is named");
    snprintf(out, size, "NULL");
    for (size_t i = at + 1; i < row->words; i++) {
        n = i == at + 1 ? 0 : strlen(out) - 1;
        if (strpbrk(row->word[i], "\"\\") || n + strlen(row->word[i]) + 4 > size)
            die(row, "a name is short and has no quotes");
        snprintf(out + n, size - n, "%s%s\"", n ? " " : "\"", row->word[i]);
    }
    return at;
}

static void take_sig(const struct row *row, struct output *out)
{
    struct pattern p = {.len = 0};
    char text[640], bytes[8 * PATTERN_MAX] = "", mask[8 * PATTERN_MAX] = "", check[80] = "NULL", what[80], *end;
    if (row->words < 5 || out->sigs_n == ROWS_MAX)
        die(row, "sig TYPE EVIDENCE OFFSET BYTES... [if CHECK] [is NAME...]");
    unsigned long offset = strtoul(row->word[3], &end, 10);
    if (*end || offset > 131072)
        die(row, "an offset is a number of at most 131072");
    size_t last = take_what(row, what, sizeof(what));
    if (last >= 7 && strcmp(row->word[last - 2], "if") == 0) {
        snprintf(check, sizeof(check), "type_check_%.60s", row->word[last - 1]);
        last -= 2;
    }
    for (size_t i = 4; i < last; i++)
        add_word(row, &p, row->word[i]);
    put_bytes(bytes, sizeof(bytes), p.byte, p.len);
    put_bytes(mask, sizeof(mask), p.mask, p.len);
    snprintf(text, sizeof(text), "{TYPE_%s, %s, %lu, %zu, {%s}, {%s}, %s, %s}", symbol(row, row->word[1]),
             evidence(row, row->word[2]), offset, p.len, bytes, mask, check, what);
    out->sigs[out->sigs_n++] = copy(text);
}

static void take_mark(const struct row *row, struct output *out)
{
    char text[256], mark[64];
    size_t n = 0;
    if (row->words != 4 || out->marks_n == ROWS_MAX || strlen(row->word[2]) >= sizeof(mark))
        die(row, "mark TYPE \"TEXT\" start|line");
    bool line = strcmp(row->word[3], "line") == 0;
    if (!line && strcmp(row->word[3], "start") != 0)
        die(row, "a mark stands at start or line");
    for (const char *p = row->word[2] + 1; p[0] && p[1]; p++) {
        char c = *p;
        if (c == '\\' && (p[1] == 's' || p[1] == 'q' || p[1] == 'n')) {
            p++;
            c = *p == 's' ? ' ' : *p == 'q' ? '"' : '\n';
        }
        mark[n++] = (char)tolower((unsigned char)c);
    }
    char bytes[512] = "";
    put_bytes(bytes, sizeof(bytes), (const unsigned char *)mark, n);
    snprintf(text, sizeof(text), "{TYPE_%s, %s, %zu, {", symbol(row, row->word[1]), line ? "true" : "false", n);
    char all[sizeof(text) + sizeof(bytes) + 4];
    snprintf(all, sizeof(all), "%s%s}}", text, bytes);
    out->marks[out->marks_n++] = copy(all);
}

static void take_ext(const struct row *row, struct output *out)
{
    for (size_t i = 2; i < row->words; i++) {
        if (out->names_n == NAMES_MAX)
            die(row, "too many extensions");
        for (const char *p = row->word[i]; *p; p++)
            if (isupper((unsigned char)*p))
                die(row, "extensions are written in lower case");
        out->names[out->names_n++] = (struct name){copy(row->word[i]), symbol(row, row->word[1])};
    }
}

static void split(struct row *row, char *line)
{
    row->words = 0;
    for (char *p = strtok(line, " \t\n"); p && *p != '#'; p = strtok(NULL, " \t\n")) {
        if (row->words == WORDS_MAX)
            die(row, "too many words");
        row->word[row->words++] = p;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void write_table(const char *file, struct output *out)
{
    struct row nowhere = {.file = file};
    qsort(out->names, out->names_n, sizeof(out->names[0]), by_text);
    printf("/* Generated from rules/types by rules/compile_types.c. */\n#include \"inspect/type_table.h\"\n\n");
    printf("const struct type_signature type_signatures[] = {\n");
    for (size_t i = 0; i < out->sigs_n; i++)
        printf("    %s,\n", out->sigs[i]);
    printf("};\nconst size_t type_signatures_n = %zu;\nconst struct type_mark type_marks[] = {\n", out->sigs_n);
    for (size_t i = 0; i < out->marks_n; i++)
        printf("    %s,\n", out->marks[i]);
    printf("};\nconst size_t type_marks_n = %zu;\nconst struct type_extension type_extensions[] = {\n", out->marks_n);
    for (size_t i = 0; i < out->names_n; i++) {
        if (i > 0 && strcmp(out->names[i].text, out->names[i - 1].text) == 0) {
            fprintf(stderr, "extension %s: ", out->names[i].text);
            die(&nowhere, "an extension stands twice");
        }
        printf("    {\"%s\", TYPE_%s},\n", out->names[i].text, out->names[i].type);
    }
    printf("};\nconst size_t type_extensions_n = %zu;\n", out->names_n);
}

int main(int argc, char **argv)
{
    static struct output out;
    char line[1024];
    struct row row = {.file = argc == 2 ? argv[1] : "rules/types"};
    FILE *in = fopen(row.file, "r");
    if (!in) {
        perror(row.file);
        return 1;
    }
    while (fgets(line, sizeof(line), in)) {
        row.line++;
        if (!strchr(line, '\n') && !feof(in))
            die(&row, "the line is too long");
        split(&row, line);
        if (row.words == 0)
            continue;
        if (row.words < 3)
            die(&row, "too few words");
        if (strcmp(row.word[0], "sig") == 0)
            take_sig(&row, &out);
        else if (strcmp(row.word[0], "mark") == 0)
            take_mark(&row, &out);
        else if (strcmp(row.word[0], "ext") == 0)
            take_ext(&row, &out);
        else
            die(&row, "a row starts with sig, mark or ext");
    }
    fclose(in);
    write_table(row.file, &out);
    return fflush(stdout) != 0 || ferror(stdout);
}
