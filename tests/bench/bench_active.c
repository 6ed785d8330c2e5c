/* SPDX-License-Identifier: ISC
 * The type and active inspectors on one core: MB/s over typical texts made here, microseconds of a small file, and
 * milliseconds of texts made to be slow. Judges nothing by itself but the promise that no megabyte takes 200 ms. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "inspect/sink.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL},
                                       {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

enum { TEXT_BYTES = 4 * 1024 * 1024, SMALL_BYTES = 4096, SMALL_FILES = 4000, HOSTILE_BYTES = 1024 * 1024, HOSTILE_MS = 200 };

struct out {
    char *data;
    size_t len, size;
};

PRINTF(2, 3) static void put(struct out *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out->data + out->len, out->size - out->len, format, args);
    va_end(args);
    out->len += n > 0 && (size_t)n < out->size - out->len ? (size_t)n : 0;
}

/* --- typical texts: one row each, numbers varied --------------------------------------------------- */

static void log_row(struct out *out, unsigned k)
{
    put(out, "2026-11-29T18:%02u:%02u level=info msg=\"request served\" path=/a/%u took=%uus\n", k / 60 % 60, k % 60, k % 9973,
        k * 7919 % 99991);
}

static void prose_row(struct out *out, unsigned k)
{
    put(out, "The report of run %u was read again, and nothing in it was found to differ from what had been written.\n", k);
}

static void german_row(struct out *out, unsigned k)
{
    put(out, "Der Pr\xC3\xBC" "fbericht %u l\xC3\xA4uft \xC3\xBC" "ber die Stra\xC3\x9F" "e f\xC3\xBCr alle gro\xC3\x9F" "en M\xC3\xBCller.\n", k);
}

static void han_row(struct out *out, unsigned k)
{
    put(out, "\xE6\xB5\x8B\xE8\xAF\x95\xE6\x8A\xA5\xE5\x91\x8A %u \xE6\xB2\xA1\xE6\x9C\x89\xE5\x8F\x91\xE7\x8E\xB0\xE4\xBB\xBB\xE4\xBD\x95\xE9\x97\xAE\xE9\xA2\x98\xE3\x80\x82\n", k);
}

static void json_row(struct out *out, unsigned k)
{
    put(out, "%s{\"id\": %u, \"name\": \"case-%u\", \"ok\": true, \"score\": %u.%u, \"tags\": [\"a\", \"b\"], \"note\": \"nothing was found here\"}",
        k ? ",\n" : "[", k, k % 977, k % 100, k % 97);
}

static void jsonl_row(struct out *out, unsigned k)
{
    put(out, "{\"time\": \"2026-11-29T18:00:00Z\", \"level\": \"info\", \"msg\": \"request %u served\", \"took\": %u}\n", k, k % 997);
}

static void csv_row(struct out *out, unsigned k)
{
    put(out, "%u,case-%u,%u.%u,-%u.%u,passed\n", k, k % 977, k % 100, k % 97, k % 10, k % 7);
}

static void quoted_row(struct out *out, unsigned k)
{
    put(out, "\"%u\",\"case, the %uth\",\"passed\"\r\n", k, k % 977);
}

static void xml_row(struct out *out, unsigned k)
{
    put(out, "%s  <testcase classname=\"suite.part\" name=\"case %u\" time=\"0.%u\"><system-out>passed</system-out></testcase>\n",
        k ? "" : "<?xml version=\"1.0\"?>\n<testsuite>\n", k, k % 997);
}

static void html_row(struct out *out, unsigned k)
{
    put(out, "%s<p class=\"row\" id=\"r%u\"><a href=\"case%u.html\" title=\"a case\">case %u</a> was <b>read</b> &amp; found to be as it was.</p>\n",
        k ? "" : "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>t</title></head><body>\n", k, k, k);
}

static void svg_row(struct out *out, unsigned k)
{
    put(out, "%s<path d=\"M%u.5 10.25L%u.125 20.5L30.5 %u.75Z\" style=\"fill:#ff0000;stroke-width:0.8\"/>\n",
        k ? "" : "<svg xmlns=\"http://www.w3.org/2000/svg\">\n", k % 991, k % 977, k % 97);
}

static void css_row(struct out *out, unsigned k)
{
    put(out, ".row-%u > .cell, #id%u { color: #%06x; margin: 0 %upx; background: url(img/%u.png) no-repeat }\n", k, k, k, k % 9, k);
}

static void markdown_row(struct out *out, unsigned k)
{
    put(out, "## Case %u\n\nIt was *read* again, see [the log](log/%u.txt) and `make check`.\n\n", k, k);
}

static void yaml_row(struct out *out, unsigned k)
{
    put(out, "case-%u:\n  state: passed\n  note: nothing was found here\n", k);
}

static void notebook_row(struct out *out, unsigned k)
{
    put(out, "%s{\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": [\"## Case %u\\n\", \"It was *read* again, and nothing differed.\\n\"]},\n"
             "{\"cell_type\": \"code\", \"execution_count\": %u, \"metadata\": {}, \"source\": [\"print(total(rows, %u))\\n\"], \"outputs\": "
             "[{\"output_type\": \"stream\", \"name\": \"stdout\", \"text\": [\"%u rows were read\\n\"]}]}",
        k ? ",\n" : "{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {}, \"cells\": [\n", k, k, k % 991, k * 7 % 9973);
}

static void mail_row(struct out *out, unsigned k)
{
    put(out, "%sThe report of run %u was read again, and nothing in it was found to differ.\r\n",
        k ? "" : "From: a@example.org\r\nTo: b@example.org\r\nSubject: report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
                 "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n", k);
}

static void mail_quoted_row(struct out *out, unsigned k)
{
    put(out, "%sDer Pr=C3=BCfbericht %u wurde noch einmal gelesen, und nichts darin wich von =\r\ndem ab, was geschrieben war.\r\n",
        k ? "" : "From: a@example.org\r\nTo: b@example.org\r\nSubject: report\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                 "Content-Transfer-Encoding: quoted-printable\r\n\r\n", k);
}

static const struct kind {
    const char *name, *path;
    void (*row)(struct out *out, unsigned k);
    const char *end;
} kinds[] = {{"log", "a.log", log_row, ""},          {"text", "a.txt", prose_row, ""},      {"text, German", "a.txt", german_row, ""},
             {"text, Chinese", "a.txt", han_row, ""}, {"json", "a.json", json_row, "]\n"},   {"jsonl", "a.jsonl", jsonl_row, ""},
             {"csv", "a.csv", csv_row, ""},          {"csv, quoted", "a.csv", quoted_row, ""}, {"xml", "a.xml", xml_row, "</testsuite>\n"},
             {"html", "a.html", html_row, "</body></html>\n"}, {"svg", "a.svg", svg_row, "</svg>\n"}, {"css", "a.css", css_row, ""},
             {"markdown", "a.md", markdown_row, ""}, {"yaml", "a.yaml", yaml_row, ""},
             {"notebook", "a.ipynb", notebook_row, "]}\n"},
             {"mail", "a.eml", mail_row, "--b--\r\n"}, {"mail, quoted", "a.eml", mail_quoted_row, ""}};

static size_t make(char *data, size_t size, const struct kind *kind)
{
    struct out out = {data, 0, size};
    for (unsigned k = 0; out.len + 512 < size; k++)
        kind->row(&out, k);
    put(&out, "%s", kind->end);
    return out.len;
}

/* --- measuring ------------------------------------------------------------------------------------- */

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may be busy too */
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

struct spent {
    double type, active; /* microseconds */
    size_t refused;
};

static void inspect(const char *path, const void *data, size_t len, struct spent *spent)
{
    static const char *const types[] = {"passive", "web", "source", NULL};
    struct task task;
    struct sink_list list;
    struct bytes bytes;
    struct inspection in;
    sink_task(&task, path, types);
    sink_list_init(&list);
    bytes_init_memory(&bytes, data, len);
    inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
    double start = now_us();
    type_inspect(&in);
    double middle = now_us();
    active_inspect(&in);
    spent->type += middle - start;
    spent->active += now_us() - middle;
    for (size_t i = 0; i < list.findings.n; i++)
        spent->refused += list.findings.v[i].level == LEVEL_REFUSE;
    sink_list_free(&list);
    bytes_free(&bytes);
}

static void typical(char *data, const struct kind *kind)
{
    struct spent large = {0}, small = {0};
    size_t len = make(data, TEXT_BYTES, kind);
    inspect(kind->path, data, len, &large);
    inspect(kind->path, data, len, &large);
    len = make(data, SMALL_BYTES, kind);
    for (int i = 0; i < SMALL_FILES; i++)
        inspect(kind->path, data, len, &small);
    double mb = 2 * TEXT_BYTES / 1e6, files = SMALL_FILES;
    printf("%-16s %6.0f MB/s (type %6.0f, active %6.0f); 4 KiB: %5.1f us (%4.1f, %4.1f)%s\n", kind->name,
           mb * 1e6 / (large.type + large.active), mb * 1e6 / large.type, mb * 1e6 / large.active,
           (small.type + small.active) / files, small.type / files, small.active / files,
           large.refused + small.refused ? "  REFUSED" : "");
}

static const struct {
    const char *path, *before, *unit;
} hostile[] = {{"a.html", "", "<div "},     {"a.html", "", "<svg "},  {"a.html", "", "<!--"},      {"a.html", "", "<a/"},
               {"a.html", "", "<a b='"},    {"a.html", "", "<a b=c>"}, {"a.html", "<a href=\"", "&a"}, {"a.html", "<a ", "\"\"\""},
               {"a.html", "", "<style>url("}, {"a.svg", "<svg xmlns='http://www.w3.org/2000/svg'>", "<svg "},
               {"a.svg", "<!DOCTYPE svg [", "%"}, {"a.xml", "<r>", "<a "}, {"a.xml", "<r><![CDATA[", "]]>"}, {"a.css", "", "{"},
               {"a.css", "", "url("},       {"a.css", "@import ", "\""}, {"a.csv", "", "\""},      {"a.csv", "", "=,"},
               {"a.csv", "", "-a,"},        {"a.json", "", "["},      {"a.json", "", "{\"a\":"},   {"a.md", "", "["},
               {"a.md", "", "]:"},          {"a.md", "", "![]("},     {"a.md", "", "`x``x```x"},   {"a.md", "", "<div "},
               {"a.yaml", "", " !"},        {"a.yaml", "", "(!"},     {"a.txt", "", "\x1B["},      {"a.txt", "", "\xEF\xB8\x80"},
               {"a.txt", "", "PK\5\6"},     {"a.txt", "", "\n"}};

static int slow_texts(char *data)
{
    int slow = 0;
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
        struct spent spent = {0};
        size_t n = strlen(hostile[i].before), unit = strlen(hostile[i].unit);
        memcpy(data, hostile[i].before, n);
        for (; n + unit <= HOSTILE_BYTES; n += unit)
            memcpy(data + n, hostile[i].unit, unit);
        inspect(hostile[i].path, data, n, &spent);
        double ms = (spent.type + spent.active) / 1e3;
        printf("%-8s of %-12s 1 MiB %8.1f ms%s\n", hostile[i].path, *hostile[i].unit < ' ' ? "controls" : hostile[i].unit, ms,
               ms > HOSTILE_MS ? "  TOO SLOW" : "");
        slow += ms > HOSTILE_MS;
    }
    return slow;
}

/* With a name: that text alone, for a profiler. */
int main(int argc, char **argv)
{
    char *data = malloc(TEXT_BYTES);
    if (!data)
        return 70;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (argc < 2 || strcmp(argv[1], kinds[i].name) == 0)
            typical(data, &kinds[i]);
    int slow = argc < 2 ? slow_texts(data) : 0;
    free(data);
    return slow > 0;
}
