/* SPDX-License-Identifier: ISC
 * Texts made to be slow: the scanners count what they read again or in small steps, and that stays a small multiple of
 * the size, whatever the text. No clock: the count is the same on every machine. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/sink.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL},
                                       {"active", INSPECTOR_ACTIVE, active_inspect, NULL},
                                       {NULL, INSPECTOR_COUNT, NULL, NULL}};

/* A page may be looked through once as HTML and once as what else it claims, each with its bound; addresses of 64 bytes may stand 4 bytes apart. */
enum { WORK_PER_BYTE = 24 };

#define NOTEBOOK "{\"nbformat\":4,\"cells\":["
#define MAIL "From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n"

static const struct hostile {
    const char *path, *before, *unit, *after;
    bool limited; /* and it is said that not all was looked at */
} hostile[] = {
    {"a.html", "", "<div ", "", true},
    {"a.html", "", "<svg ", "", true},
    {"a.html", "", "<a/", "", true},
    {"a.html", "", "<a b=\"", "", true},
    {"a.html", "", "<a b='<a b=\"", "", true},
    {"a.html", "", "<meta charset=x ", "", true},
    {"a.html", "", "<!--", "", false},
    {"a.html", "", "<!", "", false},
    {"a.html", "", "<?", "", false},
    {"a.html", "", "]]>", "", false},
    {"a.html", "", "&#", "", false},
    {"a.html", "<a href=\"", "&#", "", false},
    {"a.html", "<a href=\"", "&a", "", false},
    {"a.html", "<a ", "\"\"\"", "", false},
    {"a.html", "<p", " a=b", "", false},
    {"a.html", "", "<style>", "", false},
    {"a.html", "", "<style>url(", "", false},
    {"a.html", "", "<!DOCTYPE ", "", false},
    {"a.html", "<img srcset=\"", "a,", "", true},
    {"a.svg", "<svg xmlns='http://www.w3.org/2000/svg'>", "<svg ", "", true},
    {"a.svg", "<!DOCTYPE svg [", "%", "", false},
    {"a.svg", "<!DOCTYPE svg [", "<!ENTITY a 'b'>", "", false},
    {"a.xml", "<r>", "<a xmlns:b='http://www.w3.org/1999/xhtml'/>", "</r>", false},
    {"a.xml", "<r>", "<!--", "", false},
    {"a.xml", "<r>", "<a ", "", true},
    {"a.xml", "<r><![CDATA[", "]]", "]]></r>", false},
    {"a.css", "", "{", "", false},
    {"a.css", "", "url(", "", false},
    {"a.css", "url(", " ", "", false},
    {"a.css", "@import ", "\"", "", false},
    {"a.css", "", "image-set(\"", "", false},
    {"a.css", "", "u\\", "", false},
    {"a.csv", "", "\"", "", false},
    {"a.csv", "", "=|", "", false},
    {"a.csv", "", "=,", "", false},
    {"a.csv", "", "\"=\",", "", false},
    {"a.json", "", "[", "", true},
    {"a.json", "", "{\"a\":", "", true},
    {"a.json", "\"", "\\u0041", "\"", false},
    {"a.md", "", "[", "", false},
    {"a.md", "", "![", "", false},
    {"a.md", "", "]", "", false},
    {"a.md", "", "[]:", "", false},
    {"a.md", "", "`", "", false},
    {"a.md", "", "` `` ``` ```` ````` `````` ", "", false},
    {"a.md", "", "<div ", "", true},
    {"a.md", "", "<!--", "", false},
    {"a.md", "", "![](", "", false},
    {"a.md", "", "[a]: b\n", "", false},
    {"a.md", "", "[][", "", false},
    {"a.md", "", "a\n\n    b\n\n", "", false},
    {"a.md", "", "~~~\n", "", false},
    {"a.md", "", "<pre>\n\n    ", "", false},
    {"n.ipynb", NOTEBOOK "{\"cell_type\":\"markdown\",\"source\":[\"", "<div ", "\"]}]}", true},
    {"n.ipynb", NOTEBOOK "{\"cell_type\":\"markdown\",\"source\":\"", "[", "\"}]}", false},
    {"n.ipynb", NOTEBOOK "{\"cell_type\":\"raw\",\"source\":[\"<\"", ",\"<div \"", "]}]}", true},
    {"n.ipynb", NOTEBOOK "{}", ",{\"source\":\"<a\",\"source\":\"<b\"}", "]}", false},
    {"n.ipynb", NOTEBOOK "{\"source\":\"\"", ",\"source\":\"\"", "}]}", false},
    {"n.ipynb", NOTEBOOK "{\"source\":[\"\"", ",\"-----BEGIN\"", "]}]}", false},
    {"n.ipynb", NOTEBOOK "{\"outputs\":[{}", ",{\"data\":{\"text/html\":[\"<p\"]}}", "]}]}", false},
    {"n.ipynb", NOTEBOOK "{\"outputs\":[{\"data\":{\"image/svg+xml\":\"", "\\u003ca ", "\"}}]}]}", true},
    {"n.ipynb", NOTEBOOK "{\"attachments\":{\"a\":{\"x\":1", ",\"image/png\":\"AAAA\"", "}}}]}", false},
    {"m.eml", MAIL "\r\n", "--b\r\n\r\nx\r\n", "", false},
    {"m.eml", MAIL "\r\n", "--b\r\n", "", false},
    {"m.eml", MAIL "\r\n", "--b", "", false},
    {"m.eml", MAIL "\r\n", "--b\r\nContent-Type: text/html\r\n\r\n<a ", "", false},
    {"m.eml", MAIL "\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", "<div=20", "\r\n--b--\r\n", true},
    {"m.eml", MAIL "\r\n--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n", "=\r\n", "", false},
    {"m.eml", MAIL "\r\n--b\r\nContent-Transfer-Encoding: base64\r\n\r\n", "=", "", false},
    {"m.eml", MAIL, "a: b\r\n", "\r\n", true}, /* heads are bounded */
    {"m.eml", MAIL "X: ", "=?utf-8?q?a?= ", "\r\n\r\n", true},
    {"m.eml", MAIL "X: a", "\r\n ", "\r\n\r\n", true},
    {"a.yaml", "", "!", "", false},
    {"a.yaml", "", " !", "", true},
    {"a.yaml", "", "(!", "", true},
    {"a.txt", "", "\x1B[", "", false},
    {"a.txt", "", "\xE2\x80\xAE", "", false},
    {"a.txt", "", "\xEF\xB8\x80", "", false},
};

static uint64_t work_of(const char *path, const uint8_t *data, size_t len, bool *limited)
{
    static const char *const types[] = {"passive", "web", "source", "eml", NULL};
    struct task task;
    struct sink_list list;
    sink_task(&task, path, types);
    sink_list_init(&list);
    sink_run(&list, inspectors, &task, data, len);
    uint64_t work = list.budget.work;
    *limited = sink_list_count(&list, FINDING_INSPECT_LIMIT) > 0;
    sink_list_free(&list);
    return work;
}

static size_t repeat(uint8_t *out, size_t size, const struct hostile *h)
{
    size_t before = strlen(h->before), unit = strlen(h->unit), after = strlen(h->after), n = before;
    memcpy(out, h->before, before);
    for (; n + unit + after <= size; n += unit)
        memcpy(out + n, h->unit, unit);
    memcpy(out + n, h->after, after);
    return n + after;
}

Test(scan_work, is_in_proportion_to_the_size)
{
    static const size_t sizes[] = {64 * 1024, 1024 * 1024};
    uint8_t *data = malloc(sizes[ARRAY_LEN(sizes) - 1]);
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++)
        for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
            bool limited, large = k + 1 == ARRAY_LEN(sizes);
            size_t n = repeat(data, sizes[k], &hostile[i]);
            uint64_t work = work_of(hostile[i].path, data, n, &limited);
            cr_expect_leq(work, WORK_PER_BYTE * (uint64_t)n + 4 * MIB, "%s of \"%s\": %llu for %zu bytes", hostile[i].path,
                          hostile[i].unit, (unsigned long long)work, n);
            cr_expect(!large || limited == hostile[i].limited, "%s of \"%s\": limit %d", hostile[i].path, hostile[i].unit,
                      limited);
        }
    free(data);
}

/* Fences that get shorter never close each other; runs of backticks of many lengths find no second one nearby. */
Test(scan_work, code_that_does_not_end)
{
    enum { SIZE = 2 * 1024 * 1024 };
    uint8_t *data = malloc(SIZE);
    size_t n = 0;
    bool limited;
    for (size_t k = 2000; k > 3 && n + k + 1 < SIZE; k--, n++) {
        memset(data + n, '~', k);
        n += k;
        data[n] = '\n';
    }
    cr_expect_leq(work_of("a.md", data, n, &limited), WORK_PER_BYTE * (uint64_t)n + 4 * MIB);
    cr_expect_geq(work_of("a.md", data, n, &limited), (uint64_t)n); /* or nothing is counted */
    for (n = 0; n + 20000 < SIZE;)
        for (size_t k = 1; k < 200; k++) {
            memset(data + n, '`', k);
            n += k;
            data[n++] = 'x';
        }
    cr_expect_leq(work_of("a.md", data, n, &limited), WORK_PER_BYTE * (uint64_t)n + 4 * MIB);
    free(data);
}

/* What is not attacked costs no more than its size: the bound does not stand in the way of real pages. */
Test(scan_work, of_an_ordinary_page)
{
    enum { SIZE = 1024 * 1024 };
    static const struct hostile page = {"a.html", "<!DOCTYPE html><html><body>",
                                        "<p class=\"a\"><a href=\"b.html\">text</a> &amp; <b>more</b></p>\n", "</body></html>", false};
    uint8_t *data = malloc(SIZE);
    bool limited;
    size_t n = repeat(data, SIZE, &page);
    uint64_t work = work_of(page.path, data, n, &limited);
    cr_assert(work > 0 && work <= n && !limited, "%llu", (unsigned long long)work);
    free(data);
}
