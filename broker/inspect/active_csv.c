/* SPDX-License-Identifier: ISC
 * In a worker child: cells that a spreadsheet takes for formulas. Numbers, dates and lone signs are exempt (a blanket
 * rule about '-' breaks every table of measurements). A formula that reaches out (DDE, HYPERLINK, WEBSERVICE, ...)
 * refuses, any other warns. Source: RFC 4180; what spreadsheets accept beyond it: other separators, leading blanks. */
#include "inspect/active_scanners.h"

#include <string.h>

#include "inspect/scan.h"
#include "inspect/tally.h"

enum { CELL_BYTES = 8192 };

struct cell {
    uint64_t at;
    bool quoted;
    bool cut;
    size_t len;
    char text[CELL_BYTES + 1]; /* lower case */
};

/* A name that says what else the text is (.py, .xml): no spreadsheet opens it. */
static bool named_otherwise(const struct inspection *in)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (t != TYPE_TEXT && t != TYPE_CSV && t != TYPE_TSV && in->claims.of[t] & (1u << EVIDENCE_EXTENSION))
            return true;
    return false;
}

/* Can text be here only as a table? Groups and the defaults for members admit tables next to all other text, which says
 * nothing about any one file. */
static bool only_tables(const struct type_set *admitted)
{
    static const enum type others[] = {TYPE_TEXT,        TYPE_LOG,        TYPE_SOURCE,   TYPE_SCRIPT, TYPE_MARKDOWN,
                                       TYPE_JSON,        TYPE_JSONL,      TYPE_YAML,     TYPE_TOML,   TYPE_XML,
                                       TYPE_HTML_STATIC, TYPE_HTML_LOCAL, TYPE_HTML_ANY, TYPE_SVG,    TYPE_CSS,
                                       TYPE_JS,          TYPE_NOTEBOOK,   TYPE_EML};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (type_set_has(admitted, others[i]))
            return false;
    return type_set_has(admitted, TYPE_CSV) || type_set_has(admitted, TYPE_TSV);
}

bool active_csv_applies(const struct inspection *in)
{
    bool claimed = claims_has(&in->claims, TYPE_CSV) || claims_has(&in->claims, TYPE_TSV);
    bool listed = in->depth == 0 && !named_otherwise(in) && only_tables(in->admitted);
    bool table_less = claims_has(&in->claims, TYPE_TEXT) || claims_has(&in->claims, TYPE_PLAIN);
    return claimed || (listed && table_less);
}

static bool is_separator(int c)
{
    return c == ',' || c == ';' || c == '\t' || c == '|';
}

/* Reads from the start of a cell to its end, which is left unread. A bar ends a cell for some readers and is part of a
 * DDE formula for others: the text goes on behind it. */
static void read_cell(struct scan *s, struct cell *cell)
{
    int c;
    cell->len = 0;
    cell->cut = false;
    while (!cell->cut && (c = scan_peek(s)) >= 0) {
        if (cell->quoted && c == '"') {
            scan_next(s);
            if (scan_peek(s) != '"')
                cell->quoted = false;
        } else if (!cell->quoted && (c == '\n' || c == '\r' || (is_separator(c) && c != '|'))) {
            break;
        }
        scan_next(s);
        if (cell->len < CELL_BYTES)
            cell->text[cell->len++] = (char)ascii_lower(c ? c : ' ');
        else
            cell->cut = true;
    }
    cell->text[cell->len] = '\0';
}

/* May this character stand where it does in a number, date, range or sum? Letters only in exponents and imaginary parts:
 * what calls something needs a name. */
static bool numeric_char(const char *text, size_t i)
{
    char c = text[i], before = i > 0 ? text[i - 1] : ' ', after = text[i + 1];
    if (c == 'e')
        return (ascii_digit(before) || before == '.') && (ascii_digit(after) || after == '-' || after == '+');
    if (c == 'j')
        return ascii_digit(before) || before == '.';
    return ascii_digit(c) || strchr(".,:+-*/()%_' \"|", c);
}

static bool only_numbers(const char *text)
{
    static const char *const words[] = {"inf", "infinity", "nan", "na", "n/a", "null", "none"};
    const char *rest = text + strspn(text, "+- ");
    size_t n = strlen(rest);
    while (n > 0 && (rest[n - 1] == ' ' || rest[n - 1] == '"'))
        n--;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (n == strlen(words[i]) && memcmp(rest, words[i], n) == 0)
            return true;
    for (size_t i = 0; i < n; i++)
        if (!numeric_char(rest, i))
            return false;
    return true;
}

static bool reaches_out(const struct cell *cell)
{
    static const char *const words[] = {"hyperlink", "import",   "webservice", "dde",    "rtd(",  "call(",
                                        "exec(",     "register", "filterxml",  "image(", "query(", "shell",
                                        "cmd|",      "powershell", "msexcel|"};
    const char *bar = strchr(cell->text, '|');
    if (cell->cut || (bar && strchr(bar, '!')))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strstr(cell->text, words[i]))
            return true;
    return false;
}

/* Skips what readers drop in front of a cell; true where a formula's first character follows. */
static bool leads_formula(struct scan *s, struct cell *cell)
{
    static const char *const wide[] = {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    int c;
    cell->quoted = false;
    while ((c = scan_peek(s)) == ' ' || c == '"' || scan_starts(s, "\xEF\xBB\xBF", false)) {
        if (c == '"')
            cell->quoted = !cell->quoted;
        scan_skip(s, c == 0xEF ? 3 : 1);
    }
    if (cell->quoted && (c == '\t' || c == '\r'))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(wide); i++)
        if (scan_starts(s, wide[i], false))
            return true;
    return c == '=' || c == '@' || c == '+' || c == '-';
}

static void look_at_cell(struct tally *tally, struct scan *s, struct cell *cell)
{
    cell->at = scan_offset(s);
    if (!leads_formula(s, cell))
        return;
    read_cell(s, cell);
    bool sign = cell->text[0] == '+' || cell->text[0] == '-';
    if (!(sign && only_numbers(cell->text)))
        tally_add(tally, FINDING_ACTIVE_CSV_FORMULA, reaches_out(cell) ? LEVEL_REFUSE : LEVEL_WARN, cell->at, NULL);
}

/* To behind the next separator or line end outside quotes; a quote that does not open the cell is a character. */
static void skip_cell(struct scan *s, bool quoted)
{
    int c;
    while ((c = scan_next(s)) >= 0) {
        if (quoted && c == '"') {
            quoted = scan_peek(s) == '"';
            if (quoted)
                scan_next(s);
        } else if (!quoted && (c == '\n' || c == '\r' || is_separator(c))) {
            return;
        }
    }
}

void active_csv_scan(struct inspection *in)
{
    struct tally tally;
    struct cell cell;
    struct scan s;
    tally_init(&tally, in);
    scan_init(&s, in->bytes, 0);
    while (scan_peek(&s) >= 0) {
        look_at_cell(&tally, &s, &cell);
        skip_cell(&s, cell.quoted);
    }
    tally_say(&tally);
}
