/* SPDX-License-Identifier: ISC
 * Names and first bytes against the claims that they must give: "type:letters" as in test_type_judge.c. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/sink.h"

const struct inspector inspectors[] = {{"type", INSPECTOR_TYPE, type_inspect, NULL}, {NULL, INSPECTOR_COUNT, NULL, NULL}};

static const char *const passive[] = {"passive", "jsonl", NULL};

static void claims_text(const struct claims *claims, char *out, size_t size)
{
    static const char letters[] = "_ethwls2";
    size_t at = 0;
    out[0] = 0;
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
        if (!claims->of[t])
            continue;
        at += (size_t)snprintf(out + at, size - at, "%s%s:", at ? " " : "", type_name((enum type)t));
        for (unsigned e = 1; e < EVIDENCE_COUNT; e++)
            if (claims->of[t] & 1u << e)
                at += (size_t)snprintf(out + at, size - at, "%c", letters[e]);
    }
}

static void run(struct sink_list *list, const char *path, const void *data, size_t len)
{
    struct task task;
    sink_list_init(list);
    sink_task(&task, path, passive);
    sink_run(list, inspectors, &task, data, len);
}

static void expect(const char *path, const void *data, size_t len, const char *want)
{
    struct sink_list list;
    char got[512];
    run(&list, path, data, len);
    claims_text(&list.claims, got, sizeof(got));
    cr_expect_str_eq(got, want, "%s (%.24s): %s, want %s", path, (const char *)data, got, want);
    sink_list_free(&list);
}

#define TEXT(path, text, want) {path, text, sizeof(text) - 1, want}

static const struct {
    const char *path, *data;
    size_t len;
    const char *want;
} rows[] = {
    /* names */
    TEXT("a.txt", "hi\n", "text:e plain text:t"),
    TEXT("a.TXT", "hi\n", "text:e plain text:t"),
    TEXT("dir.png/a", "hi\n", "plain text:t"),
    TEXT("a.txt. .", "hi\n", "text:e plain text:t"),
    TEXT("a.unknown", "hi\n", "plain text:t"),
    TEXT(".bashrc", "hi\n", "plain text:t"),
    TEXT("build.log", "hi\n", "log:e plain text:t"),
    TEXT("a.tar.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3", "tar.gz:e gzip:h"),
    TEXT("a.tgz", "\x1f\x8b\x08\0\0\0\0\0\0\3", "tar.gz:e gzip:h"),
    TEXT("a.lzma", "\x5d\0\0\1\0\6\0\0\0\0\0\0\0\0\x34", "lzma:eh"),
    TEXT("a.tlz", "\x5d\0\0\1\0\xff\xff\xff\xff\xff\xff\xff\xff\0\x34", "lzma:h tar.lzma:e"),
    TEXT("a.bin", "\x5d\0\0\1\0\6\0\0\0\0\1\0\0\0\x34", "unknown binary:h"), /* a size of a TiB */
    TEXT("a.bin", "\x5d\0\0\5\0\6\0\0\0\0\0\0\0\0\x34", "unknown binary:h"), /* no dictionary's size */
    TEXT("a.bin", "\x5d\0\0\1\0\6\0\0\0\0\0\0\0\1\x34", "unknown binary:h"), /* no range coder */
    TEXT("a.lzma", "\x6e\0\x10\0\0\6\0\0\0\0\0\0\0\0\x34", "lzma:e unknown binary:h"),
    TEXT("x.jpg.php", "\xff\xd8\xff\xe0 x", "jpeg:h server page:e"),
    TEXT("x.php.jpg", "\xff\xd8\xff\xe0 x", "jpeg:eh server page:e"),
    TEXT("javax.servlet.jsp.api-2.jar", "PK\3\4", "zip:h jar:e plain text:t"),
    TEXT("x.jsp.txt", "hi", "text:e server page:e plain text:t"),
    TEXT("a.py", "# coding: latin-1\n\xe9", "source:et"),
    TEXT("a.py", "# coding: latin-1\n\xe9\x1b[2J", "source:e unknown binary:h"),
    TEXT("a.py", "\xe9", "source:e unknown binary:h"),
    TEXT("a.img.bin", "XFSB\0\0\x10", "other archive:h"),
    TEXT("x.php::$DATA", "hi", "server page:e plain text:t"),
    TEXT("a.", "hi", "plain text:t"),
    TEXT("", "hi", "plain text:t"),
    /* encodings */
    TEXT("a.txt", "na\xc3\xafve", "text:e plain text:t"),
    TEXT("a.txt", "na\xefve", "text:e unknown binary:h"),
    TEXT("a.txt", "\xef\xbb\xbfhi", "text:e plain text:t"),
    TEXT("a.txt", "a\0b", "text:e unknown binary:h"),
    TEXT("a.txt", "\xff\xfeh\0i\0", "text:e unknown binary:h"),
    TEXT("a.txt", "\xed\xa0\x80", "text:e unknown binary:h"),
    TEXT("a.txt", "\xc0\xaf", "text:e unknown binary:h"),
    TEXT("a", "\xff\xfe[\0I\0n\0t\0e\0r\0n\0e\0t\0S\0h\0o\0r\0t\0c\0u\0t\0]\0", "shortcut:h"),
    TEXT("a", "<\0h\0t\0m\0l\0>\0<\0s\0c\0r\0i\0p\0t\0>\0", "html-static:h"),
    /* json */
    TEXT("a.json", "{\"a\": [1, -2.5e+7, null, true, \"\\u00e9\\n\"]}\n", "json:et plain text:t"),
    TEXT("a.json", "{\"a\": \n", "json:e plain text:t"),
    TEXT("a.json", "[1,]", "json:e plain text:t"),
    TEXT("a.json", "[01]", "json:e plain text:t"),
    TEXT("a.json", "{\"a\":1}{}", "json:e plain text:t"),
    TEXT("a.json", "\"tab\there\"", "json:e plain text:t"),
    TEXT("a.json", "nul", "json:e plain text:t"),
    TEXT("a.json", " 12 ", "json:et plain text:t"),
    TEXT("a.json", "", "json:e empty:t"),
    TEXT("data", "[1]", "json:t plain text:t"),
    TEXT("a.log", "[INFO] x", "log:e plain text:t"),
    TEXT("a.jsonl", "{\"a\": 1}\n\n{\"a\": 2}\n", "jsonl:et plain text:t"),
    TEXT("a.jsonl", "{\"a\": 1}\n{\"a\":\n 2}\n", "jsonl:e plain text:t"),
    TEXT("n.ipynb", "{\"cells\": [], \"nbformat\": 4}", "json:t notebook:es plain text:t"),
    TEXT("n.ipynb", "{\"x\": {\"cells\": [], \"nbformat\": 4}}", "json:t notebook:e plain text:t"),
    TEXT("a.heapsnapshot", "{\"snapshot\":{},\"nodes\":[],\"edges\":[],\"strings\":[]}", "json:t memory dump:es plain text:t"),
    /* markup */
    TEXT("a.xml", "<?xml version=\"1.0\"?>\n<r a='1'><b/>x &amp; y<!-- > --><![CDATA[<]]></r>\n", "xml:eth plain text:t"),
    TEXT("a.xml", "<?xml version=\"1.0\"?><r><b></r></b>", "xml:eh plain text:t"),
    TEXT("a.xml", "<r></r><s/>", "xml:e plain text:t"),
    TEXT("a.xml", "<!DOCTYPE r [<!ENTITY a \">\"> <!-- ' --> ]><r>&a;</r>", "xml:et plain text:t"),
    TEXT("a.svg", "<!-- c --><s:svg xmlns:s='x'/>", "xml:t svg:eh plain text:t"),
    TEXT("a.txt", "<svg onload=x>", "text:e svg:h plain text:t"),
    TEXT("r.txt", "<!DOCTYPE html><p>", "text:e html-static:h plain text:t"),
    TEXT("r.txt", " \n\n <script/x>", "text:e html-static:h plain text:t"),
    TEXT("r.txt", "<img src=x>", "text:e plain text:t"),
    TEXT("r.txt", "<object data=x>", "text:e html-static:h plain text:t"),
    TEXT("r.txt", "see <script>", "text:e plain text:t"),
    TEXT("r.html", "hello", "html-static:e plain text:t"),
    TEXT("r.md", "<p align=center>hi</p>", "markdown:e plain text:t"),
    TEXT("x.html", "<?xml version='1.0'?><html/>", "xml:th html-static:eh plain text:t"),
    TEXT("l.html", "<html><meta charset=iso-8859-1>\xe9</html>", "html-static:eth"),
    /* scripts, launchers, documents by their start */
    TEXT("run", "#!/bin/sh\n", "script:h plain text:t"),
    TEXT("run", "#!/bin/sh\nexit\n\0PK", "script:h"),
    TEXT("a.bin", "\n<script>\0", "html-static:h"),
    TEXT("a.bin", "<?php\0", "server page:h"),
    TEXT("run.txt", "\xef\xbb\xbf#!/bin/sh\n", "text:e script:h plain text:t"),
    TEXT("a.desktop", "# c\n\n[Desktop Entry]\nExec=x\n", "shortcut:eh plain text:t"),
    TEXT("a", "{\\rt1 x}", "rtf document:h plain text:t"),
    TEXT("a.avi", "#EXTM3U\n", "other media:e playlist:h plain text:t"),
    TEXT("a.txt", "<?PHP echo 1;", "text:e server page:h plain text:t"),
    TEXT("a.txt", "Mz this and that", "text:e plain text:t"),
    TEXT("a.txt", "BM this and that", "text:e plain text:t"),
    TEXT("a.txt", "GIF89a/* x */", "text:e gif:h plain text:t"),
    TEXT("a.pdf", "%PDF-1.4\n", "pdf:eh plain text:t"),
    TEXT("a.pdf", "junk\n%PDF-1.4\n%x", "pdf:ew plain text:t"),
    TEXT("a.txt", "the header is \"%PDF-1.4\" in most files\n", "text:e plain text:t"),
    /* binaries */
    TEXT("x", "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\x3e\0", "elf:h"),
    TEXT("core", "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\x3e\0", "memory dump:h"),
    TEXT("x", "\xca\xfe\xba\xbe\0\0\0\x34", "class:h"),
    TEXT("x", "\xca\xfe\xba\xbe\0\0\0\x02", "macho:h"),
    TEXT("x.pyc", "\xa7\r\r\n\0\0\0\0\0\0\0\0\0\0\0\0\xe3", "other program:eh"),
    /* its body alone, of an old and a new release; and one whose byte code does not fit */
    TEXT("x", "c\0\0\0\0\0\0\0\0\1\0\0\0@\0\0\0s\4\0\0\0d\0\0S(\1\0\0\0N", "other program:h"),
    TEXT("x", "\xe3\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\xf3\4\0\0\0d\0\0S(\1\0\0\0N", "other program:h"),
    TEXT("x", "\xe3\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\xf3\x44\0\0\0d\0\0S(\1\0\0\0N", "unknown binary:h"),
    TEXT("x.bin", "\xac\xed\0\5sr", "serialized object:h"),
    TEXT("x.bin", "\0\1\2\3", "unknown binary:h"),
    TEXT("x.wasm", "\0asm\1\0\0\0", "wasm:eh"),
    TEXT("x.zip", "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "zip:ehl"),
    TEXT("x.docx", "PK\3\4\0\0", "docx:e zip:h"),
};

Test(type, every_row_gives_its_claims)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        expect(rows[i].path, rows[i].data, rows[i].len, rows[i].want);
}

Test(type, nesting_of_json_is_bounded)
{
    static char deep[4 * JSON_NESTING_MAX];
    for (size_t depth = JSON_NESTING_MAX - 1; depth <= JSON_NESTING_MAX + 1; depth++) {
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        struct sink_list list;
        expect("a.json", deep, 2 * depth, "json:et plain text:t");
        run(&list, "a.json", deep, 2 * depth);
        cr_expect_eq(sink_list_count(&list, FINDING_INSPECT_LIMIT), depth > JSON_NESTING_MAX ? 1u : 0u, "%zu", depth);
        cr_expect_eq(sink_list_count(&list, FINDING_TYPE_CONFLICT), 0u, "%zu", depth);
        sink_list_free(&list);
    }
}

Test(type, a_sequence_that_a_window_cuts_is_still_utf8)
{
    size_t len = BYTES_WINDOW + 10;
    char *text = malloc(len);
    cr_assert_not_null(text);
    for (size_t cut = 1; cut <= 3; cut++) {
        memset(text, 'a', len);
        memcpy(text + BYTES_WINDOW - cut, "\xf0\x9f\x91\xa9", 4);
        expect("a.txt", text, len, "text:e plain text:t");
        text[BYTES_WINDOW - cut + 3] = 'x';
        expect("a.txt", text, len, "text:e unknown binary:h");
    }
    memset(text, 'a', len);
    text[len - 1] = '\xf0'; /* cut by the end of the file */
    expect("a.txt", text, len, "text:e unknown binary:h");
    free(text);
}

Test(type, zip_behind_anything_claims)
{
    char data[200] = "\x89PNG\r\n\x1a\n";
    memcpy(data + 100, "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    expect("a.png", data, sizeof(data), "png:eh zip:l");
}

Test(type, declared_encodings_and_names_conflict)
{
    static const struct {
        const char *path, *text;
        size_t conflicts;
    } said[] = {{"a.css", "@charset \"utf-7\";", 1},
                {"a.py", "# -*- coding: utf-7 -*-\n", 1},
                {"a.py", "# -*- coding: utf-8-unix -*-\n", 0},
                {"a.rb", "# coding: binary\n", 0},
                {"a.py", "encoding = 'utf-7'\n", 0},
                {"a.txt", "charset=utf-7", 0},
                {"a.xml", "text, and no tag", 1},
                {"a.xml", "&r <b/></r>", 1},
                {"a.svg", "/<svg/>", 1},
                {"a.xml", "\xef\xbb\xbf\n<r/>", 0},
                {"a.txt", "text, and no tag", 0}};
    for (size_t i = 0; i < ARRAY_LEN(said); i++) {
        struct sink_list list;
        run(&list, said[i].path, said[i].text, strlen(said[i].text));
        cr_expect_eq(sink_list_count(&list, FINDING_TYPE_CONFLICT), said[i].conflicts, "%s", said[i].text);
        sink_list_free(&list);
    }
}

Test(type, faults_of_data_forms_name_their_line)
{
    struct sink_list list;
    run(&list, "a.json", "{\n\"a\": 1,\n}\n", 12);
    const struct finding *f = sink_list_find(&list, FINDING_TYPE_CONFLICT);
    cr_assert_not_null(f);
    cr_assert_eq(f->line, 3u);
    sink_list_free(&list);
}
