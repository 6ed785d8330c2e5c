/* SPDX-License-Identifier: ISC */
#include "active_cases.h"

#define LOG active_text_scan, "log", "log"
#define TEXT active_text_scan, "text", "text"
#define SOURCE active_text_scan, "source", "source text"
#define CONFIG active_text_scan, "yaml", "yaml"

static const struct active_case cases[] = {
    {"plain", TEXT, "na\xC3\xAFve \xE4\xB8\xAD\xE6\x96\x87\r\nb\tc\f\n", ""},
    {"colour in a log", LOG, "\x1B[32mPASS\x1B[0m \x1B[38;5;1mx\x1B[m\x1B(B\n", ""},
    {"grey, and no longer hidden", LOG, "\x1B[38;5;8mx\x1B[48;2;8;8;8mx\x1B[38:5:8mx\x1B[28mx\x1B[0m\n", ""},
    {"hidden", LOG, "\x1B[8mx\x1B[0m\n", "terminal-escape refuse"},
    {"hidden among colours", LOG, "\x1B[1;31;08mx\x1B[m\x1B[38;5;1;8mx\n", "terminal-escape refuse"},
    {"hidden in text", TEXT, "\x1B[8mx\n", "terminal-escape refuse"},
    {"colour in text", TEXT, "\x1B[32mPASS\x1B[0m\n", "terminal-escape warn"},
    {"progress in a log", LOG, "10%\r20%\r\n\x1B[2K\x1B[1G\x1B[?25l\x1B" "7\n", "terminal-escape note"},
    {"overwriting in text", TEXT, "good\rbad!\n", "terminal-escape warn"},
    {"backspace", TEXT, "N\bN\n", "terminal-escape warn"},
    {"line ends of logs", LOG, "a\r\r\nb\r\n\r", ""},
    {"title", LOG, "\x1B]0;x\x07\n", "terminal-escape refuse, terminal-escape note"},
    {"clipboard", LOG, "\x1B]52;c;eA==\x07\n", "terminal-escape refuse, terminal-escape note"},
    {"device control", LOG, "\x1BP$q\"p\x1B\\\n", "terminal-escape refuse"},
    {"privacy message", LOG, "\x1B^x\x1B\\\n", "terminal-escape refuse"},
    {"report", LOG, "\x1B[6n", "terminal-escape refuse"},
    {"attributes", LOG, "\x1B[>c", "terminal-escape refuse"},
    {"window", LOG, "\x1B[21t", "terminal-escape refuse"},
    {"keyboard mode", LOG, "\x1B[>4;2m", "terminal-escape refuse"},
    {"alternate screen", LOG, "\x1B[?1049h", "terminal-escape refuse"},
    {"reset", LOG, "\x1B" "c", "terminal-escape refuse"},
    {"c1", LOG, "a\xC2\x9D" "52;c;eA==\xC2\x9C", "terminal-escape refuse"},
    {"next line", LOG, "a\xC2\x85" "b", "terminal-escape note"},
    {"unfinished", LOG, "a\x1B[3", "terminal-escape refuse"},
    {"escape at the end", LOG, "a\x1B", "terminal-escape refuse"},
    {"sequence broken by a line", LOG, "\x1B[3\n4m", "terminal-escape refuse"},
    {"other controls", TEXT, "a\x01" "b\x7F", "terminal-escape warn"},

    {"hebrew", TEXT, "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D\n", ""},
    {"direction mark in prose", TEXT, "\xD7\xA9\xE2\x80\x8F!\n", "bidi note"},
    {"direction mark in source", SOURCE, "x = 1 \xE2\x80\x8F\n", "bidi warn"},
    {"closed isolate in prose", TEXT, "a \xE2\x81\xA6x\xE2\x81\xA9 b\n", "bidi warn"},
    {"open override in prose", TEXT, "a \xE2\x80\xAEx\nb", "bidi warn, bidi refuse"},
    {"open isolate at the end", TEXT, "a \xE2\x81\xA7x", "bidi warn, bidi refuse"},
    {"closed isolate in source", SOURCE, "/* \xE2\x81\xA6x\xE2\x81\xA9 */\n", "bidi refuse"},
    {"override in configuration", CONFIG, "a: \xE2\x80\xAEx\xE2\x80\xAC\n", "bidi refuse"},

    {"tags", TEXT, "hello \xF3\xA0\x81\xA9\xF3\xA0\x81\xA7\n", "invisible-text refuse"},
    {"flag of a region", TEXT, "\xF0\x9F\x8F\xB4\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xB3\xF3\xA0\x81\xA3\xF3\xA0\x81\xB4\xF3\xA0\x81\xBF ok\n", ""},
    {"flag without an end", TEXT, "\xF0\x9F\x8F\xB4\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\n", "invisible-text refuse"},
    {"emoji joined", TEXT, "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80 \xE2\x9D\xA4\xEF\xB8\x8F\n", ""},
    {"keycap", TEXT, "1\xEF\xB8\x8F\xE2\x83\xA3\n", ""},
    {"persian", TEXT, "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE\n", ""},
    {"joiner in latin", TEXT, "pass\xE2\x80\x8Dword\n", "invisible-text warn"},
    {"joiner in source", SOURCE, "pass\xE2\x80\x8Cword = 1\n", "invisible-text refuse"},
    {"the rest of a code page", TEXT, "\xC3\xA2\xC2\x80\xC2\x93\xC2\x82\n", "terminal-escape warn"},
    {"a string terminator", TEXT, "\xC3\xA2\xC2\x9C\n", "terminal-escape refuse"},
    {"zero width in prose", TEXT, "a\xE2\x80\x8B" "b\n", "invisible-text warn"},
    {"zero width in source", SOURCE, "a\xE2\x80\x8B" "b\n", "invisible-text refuse"},
    {"filler in source", SOURCE, "var \xE3\x85\xA4 = 1\n", "invisible-text refuse"},
    {"soft hyphen", TEXT, "a\xC2\xAD" "b\n", "invisible-text note"},
    {"byte order mark", TEXT, "\xEF\xBB\xBF" "a\n", ""},
    {"zero width between words of Khmer", SOURCE, "'\xE1\x9E\xBE\xE2\x80\x8B\xE1\x9E\x9A'\n", ""},
    {"zero width behind Thai", SOURCE, "\xE0\xB8\x81\xE2\x80\x8B" "b\n", "invisible-text refuse"},
    {"zero width before Thai", SOURCE, "b\xE2\x80\x8B\xE0\xB8\x81\n", "invisible-text refuse"},
    {"two of zero width in Thai", SOURCE, "\xE0\xB8\x81\xE2\x80\x8B\xE2\x80\x8B\xE0\xB8\x81\n", "invisible-text refuse"},
    {"byte order mark inside", TEXT, "a\xEF\xBB\xBF\n", "invisible-text warn"},
    {"han variant", TEXT, "\xE8\xBE\xBB\xF3\xA0\x84\x80\n", ""},
    {"bytes hidden in variants", TEXT, "\xF0\x9F\x98\x80\xF3\xA0\x84\x80\xF3\xA0\x84\x81\n", "invisible-text warn"},
    {"two variants", TEXT, "a\xEF\xB8\x80\xEF\xB8\x81\n", "invisible-text warn"},
};

Test(active_text, table)
{
    active_table(cases, sizeof(cases) / sizeof(cases[0]));
}

Test(active_text, window_borders)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, "byte order mark") != 0)
            active_borders(&cases[i], "", '.');
}

/* Offset and line are those of the first place. */
Test(active_text, places)
{
    struct bytes bytes;
    struct sink_list list;
    const struct active_case c = {"places", LOG, NULL, NULL};
    const char *text = "one\ntwo \x1B[6n\n\x1B[6n\n";
    sink_list_init(&list);
    bytes_init_memory(&bytes, text, strlen(text));
    active_run(&list, &c, &bytes, true);
    cr_assert_eq(list.findings.n, 1);
    cr_expect_eq(list.findings.v[0].offset, 8);
    cr_expect_eq(list.findings.v[0].line, 2);
    sink_list_free(&list);
}

/* XML in a package is what programs read: no terminal shows it. Readers of its text are still looked after. */
Test(active_text, well_formed_xml_in_a_package_is_no_terminal_text)
{
    static const struct {
        const char *claims;
        bool package;
        const char *text, *want;
    } parts[] = {{"xml", true, "<a>\xC3\x83\xC2\x98</a>", ""},
                 {"xml", true, "<a>\r\f</a>", ""},
                 {"xml", true, "<a>\033]52;c;YQ==\a</a>", "terminal-escape refuse"},
                 {"xml", true, "<a>\xF3\xA0\x81\xA9</a>", "invisible-text refuse"},
                 {"xml", false, "<a>\xC3\x83\xC2\x98</a>", "terminal-escape refuse"},
                 {"text", true, "<a>\xC3\x83\xC2\x98</a>", "terminal-escape refuse"}};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        char line[512];
        struct bytes bytes;
        struct task task;
        struct inspection in;
        struct sink_list list;
        sink_list_init(&list);
        sink_task(&task, "case", NULL);
        bytes_init_memory(&bytes, parts[i].text, strlen(parts[i].text));
        inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
        each_type(parts[i].claims, NULL, &in.claims);
        in.package_part = parts[i].package;
        active_text_scan(&in);
        active_line(&list, line, sizeof(line));
        cr_expect_str_eq(line, parts[i].want, "row %zu: said \"%s\"", i, line);
        sink_list_free(&list);
    }
}
