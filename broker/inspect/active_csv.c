/* SPDX-License-Identifier: ISC
 * In a worker child: cells that a spreadsheet takes for formulas. Numbers, dates and lone signs are exempt (a blanket
 * rule about '-' breaks every table of measurements). A formula that reaches out (DDE, HYPERLINK, WEBSERVICE, ...)
 * refuses, any other warns. Source: RFC 4180; what spreadsheets accept beyond it: other separators, leading blanks. */
#include "inspect/active_scanners.h"

#include <string.h>
#include <strings.h>

#include "inspect/lanes.h"
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
        if (!cell->quoted && (c == '\n' || c == '\r' || (is_separator(c) && c != '|')))
            break;
        scan_next(s);
        if (cell->quoted && c == '"') {
            cell->quoted = scan_peek(s) == '"';
            if (cell->quoted)
                scan_next(s);
        }
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
                                        "cmd|",      "powershell", "msexcel|",   "'file:", "'http",  "'ftp:",
                                        "'smb:",     "'//",        "\\\\"};
    enum { SHORTEST = 3 };
    const char *bar = strchr(cell->text, '|');
    if (cell->cut || (bar && strchr(bar, '!')))
        return true;
    if (cell->len <= SHORTEST)
        return false; /* a sign and no room for a word */
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
    while ((c = scan_peek(s)) == ' ' || c == '"' || (c == '\n' && cell->quoted) ||
           (c == 0xEF && scan_starts(s, "\xEF\xBB\xBF", false))) {
        if (c == '"')
            cell->quoted = !cell->quoted;
        scan_next(s);
        if (c == 0xEF)
            scan_skip(s, 2);
    }
    if (cell->quoted && (c == '\t' || c == '\r'))
        return true;
    for (size_t i = 0; c == 0xEF && i < ARRAY_LEN(wide); i++)
        if (scan_starts(s, wide[i], false))
            return true;
    return c == '=' || c == '@' || c == '+' || c == '-';
}

/* Is this a sign and digits up to the end of the cell? Most of what starts with a sign is. */
static bool plain_number(struct scan *s)
{
    size_t len, i = 1;
    const uint8_t *p = scan_view(s, 32, &len);
    if (len < 2 || (p[0] != '-' && p[0] != '+'))
        return false;
    while (i < len && (ascii_digit(p[i]) || p[i] == '.'))
        i++;
    return i < len && p[i] != '|' && (p[i] == '\n' || p[i] == '\r' || is_separator(p[i]));
}

static void look_at_cell(struct tally *tally, struct scan *s, struct cell *cell)
{
    cell->at = scan_offset(s);
    if (!leads_formula(s, cell) || (!cell->quoted && plain_number(s)))
        return;
    read_cell(s, cell);
    tally->in->budget->work += cell->len;
    bool sign = cell->text[0] == '+' || cell->text[0] == '-';
    if (!(sign && only_numbers(cell->text)))
        tally_add(tally, FINDING_ACTIVE_CSV_FORMULA, reaches_out(cell) ? LEVEL_REFUSE : LEVEL_WARN, cell->at, NULL);
}

/* To behind the quote that ends a quoted part. */
static void skip_quoted(struct scan *s)
{
    while (scan_peek(s) >= 0) {
        const uint8_t *hit = memchr(s->p, '"', (size_t)(s->end - s->p));
        s->p = hit ? hit + 1 : s->end;
        if (hit && scan_peek(s) != '"')
            return;
        s->p += hit != NULL && s->p < s->end;
    }
}

/* Does a cell end before the second byte, which starts one that has to be looked at? */
static bool pair(uint8_t end, uint8_t start)
{
    static const bool leads[256] = {[' '] = true, ['"'] = true, ['-'] = true, ['+'] = true,
                                    ['='] = true, ['@'] = true, [0xEF] = true};
    return leads[start] && (end == '\n' || end == '\r' || is_separator(end));
}

enum { BLOCK = 2 * LANES };

static bool block_has_pair(const uint8_t *p)
{
    LANES_OF(uint8_t) hit = {0};
    for (size_t i = 0; i < BLOCK; i += LANES) {
        LANES_OF(uint8_t) end = lanes_load(p + i), start = lanes_load(p + i + 1);
        LANES_OF(uint8_t) ends = lanes_equal(end, ',') | lanes_equal(end, ';') | lanes_equal(end, '|') |
                                 lanes_equal(end, '\t') | lanes_equal(end, '\n') | lanes_equal(end, '\r');
        LANES_OF(uint8_t) leads = lanes_equal(start, ' ') | lanes_equal(start, '"') | lanes_equal(start, '-') |
                                  lanes_equal(start, '+') | lanes_equal(start, '=') | lanes_equal(start, '@') |
                                  lanes_equal(start, 0xEF);
        hit |= ends & leads;
    }
    return lanes_any(hit);
}

/* Outside quotes: to the start of the next cell that has to be looked at. A quote inside a cell is a character. */
static void skip_plain(struct scan *s)
{
    while (scan_peek(s) >= 0) {
        const uint8_t *last = s->end - 1, *p = s->p;
        while (last - p > BLOCK && !block_has_pair(p))
            p += BLOCK;
        for (const uint8_t *stop = last - p > BLOCK ? p + BLOCK : last; p < stop; p++)
            if (pair(p[0], p[1])) {
                s->p = p + 1;
                return;
            }
        s->p = p;
        if (p < last)
            continue;
        s->p = s->end;
        if (*last == '\n' || *last == '\r' || is_separator(*last))
            return;
    }
}

/* "sep=^" as the first line names what separates cells for Excel: by another character than the usual ones every byte could
 * begin a formula. */
static bool odd_separator(struct scan *s)
{
    size_t len, at;
    const uint8_t *p = scan_view(s, 10, &len);
    at = len >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    at += at < len && p[at] == '"';
    if (len - at < 6 || strncasecmp((const char *)p + at, "sep=", 4) != 0)
        return false;
    uint8_t name = p[at + 4], after = p[at + 5];
    return name != '\r' && name != '\n' && !is_separator(name) && (after == '\r' || after == '\n' || after == '"');
}

void active_csv_scan(struct inspection *in)
{
    struct tally tally;
    struct cell cell;
    struct scan s;
    tally_init(&tally, in);
    scan_init(&s, in->bytes, 0);
    if (odd_separator(&s))
        tally_add(&tally, FINDING_ACTIVE_CSV_FORMULA, LEVEL_REFUSE, 0, "names a separator of cells that hides what begins them");
    while (scan_peek(&s) >= 0) {
        look_at_cell(&tally, &s, &cell);
        if (cell.quoted)
            skip_quoted(&s);
        skip_plain(&s);
    }
    tally_say(&tally);
}
