/* SPDX-License-Identifier: ISC
 * Scanners of clean text step over most of it. Here each is held against a simple reader that looks at every byte: JSON
 * and tables over random documents, texts over every character there is. */
#include <criterion/criterion.h>
#include <string.h>

#include "active_cases.h"
#include "base/limits.h"
#include "inspect/type_text.h"

enum { ROUNDS = 60000, SIZE = 160 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static size_t compose(uint64_t *state, uint8_t *out, const char *const *parts, size_t n)
{
    size_t len = 0, want = next_random(state) % (SIZE - 16);
    while (len < want) {
        const char *part = parts[next_random(state) % n];
        memcpy(out + len, part, strlen(part));
        len += strlen(part);
    }
    return len;
}

/* --- JSON ---------------------------------------------------------------------------------------- */

struct simple {
    const uint8_t *p, *end;
    bool lines;
};

static void blanks(struct simple *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || (*s->p == '\n' && !s->lines)))
        s->p++;
}

static bool take(struct simple *s, uint8_t c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static size_t digits(struct simple *s)
{
    const uint8_t *from = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return (size_t)(s->p - from);
}

static bool simple_number(struct simple *s)
{
    take(s, '-');
    if (!take(s, '0') && digits(s) == 0)
        return false;
    if (take(s, '.') && digits(s) == 0)
        return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        return digits(s) > 0;
    }
    return true;
}

static bool simple_string(struct simple *s)
{
    while (s->p < s->end && *s->p >= 0x20) {
        uint8_t c = *s->p++;
        if (c == '"')
            return true;
        if (c != '\\')
            continue;
        if (s->p == s->end || !*s->p || !strchr("\"\\/bfnrtu", *s->p))
            return false;
        if (*s->p++ == 'u')
            for (int i = 0; i < 4; i++, s->p++)
                if (s->p == s->end || !*s->p || !strchr("0123456789abcdefABCDEF", *s->p))
                    return false;
    }
    return false;
}

static bool simple_word(struct simple *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return false;
    s->p += n;
    return true;
}

static bool simple_value(struct simple *s);

static bool simple_members(struct simple *s, bool object)
{
    uint8_t close = object ? '}' : ']';
    blanks(s);
    if (take(s, close))
        return true;
    for (;;) {
        blanks(s);
        if (object && (!take(s, '"') || !simple_string(s)))
            return false;
        blanks(s);
        if (object && !take(s, ':'))
            return false;
        if (!simple_value(s))
            return false;
        blanks(s);
        if (take(s, close))
            return true;
        if (!take(s, ','))
            return false;
    }
}

static bool simple_value(struct simple *s)
{
    blanks(s);
    if (take(s, '"'))
        return simple_string(s);
    if (take(s, '{'))
        return simple_members(s, true);
    if (take(s, '['))
        return simple_members(s, false);
    return simple_word(s, "true") || simple_word(s, "false") || simple_word(s, "null") || simple_number(s);
}

static bool simple_json(const uint8_t *p, size_t len, bool lines)
{
    struct simple s = {p, p + len, lines};
    do {
        blanks(&s);
        if (lines && (s.p == s.end || *s.p == '\n'))
            continue;
        if (!simple_value(&s))
            return false;
        blanks(&s);
        if (s.p < s.end && !(lines && *s.p == '\n'))
            return false;
    } while (take(&s, '\n'));
    return s.p == s.end;
}

static const char *const json_parts[] = {
    "{",    "}",     "[",    "]",      ",",   ":",    "\"a\":",   "\"cells\"", "\"long enough for words\"", " ", "\n", "\t", "\r",
    "true", "false", "null", "nul",    "0",   "-0",   "1.5",      "2e+7",      "-12.25E-3", "01", "1.", "-", "\"\\u00e9\"",
    "\"\\n\"", "\"\\x\"", "{\"k\": 1}", "[1, 2]", "\"", "\\", "\1", "{\"k\":\"v\"},", "[]", "{}", "\"caf\xC3\xA9\""};

Test(text_fast, json_is_what_a_simple_reader_takes)
{
    uint64_t state = 11;
    unsigned valid = 0;
    uint8_t text[SIZE + 64];
    for (int round = 0; round < 10 * ROUNDS; round++) {
        bool lines = round % 2;
        size_t len = compose(&state, text, json_parts, ARRAY_LEN(json_parts)) % (round % 3 ? 24 : SIZE);
        struct bytes b;
        bytes_init_memory(&b, text, len);
        bool want = lines ? simple_json(text, len, true) : len > 0 && simple_json(text, len, false);
        struct json_shape shape = type_json_shape(&b, lines);
        cr_assert_eq(shape.valid, want, "%.*s", (int)len, (const char *)text);
        valid += want;
    }
    cr_assert_gt(valid, 1000u); /* or the comparison compares nothing */
}

/* Tokens that the border of two windows cuts. */
Test(text_fast, json_over_the_border_of_windows)
{
    static const char doc[] = "{\"cells\": [1.5e+7, true, \"a\\u00e9 b\", {\"k\": null}], \"nbformat\": -12}";
    size_t n = sizeof(doc) - 1, size = BYTES_WINDOW + 64;
    uint8_t *text = malloc(size + 64);
    for (size_t cut = 0; cut <= n; cut++)
        for (size_t spoil = 0; spoil <= n; spoil += 7) {
            struct bytes b;
            memset(text, ' ', size);
            memcpy(text + BYTES_WINDOW - cut, doc, n);
            bytes_init_memory(&b, text, BYTES_WINDOW - cut + n);
            struct json_shape shape = type_json_shape(&b, false);
            cr_assert(shape.valid && shape.keys == (JSON_KEY_CELLS | JSON_KEY_NBFORMAT));
            text[BYTES_WINDOW - cut + spoil % n] = '\n';
            bool want = simple_json(text, (size_t)b.size, false);
            cr_assert_eq(type_json_shape(&b, false).valid, want, "cut %zu, line end at %zu", cut, spoil);
        }
    free(text);
}

Test(text_fast, the_line_of_a_fault)
{
    struct bytes b;
    bytes_init_memory(&b, "[1,\n2,\n x]", 10);
    cr_assert_eq(type_json_shape(&b, false).line, 3u);
    bytes_init_memory(&b, "[1,\n2,\n ", 8);
    cr_assert_eq(type_json_shape(&b, false).line, 3u);
    bytes_init_memory(&b, "{}\n{}\nx", 7);
    cr_assert_eq(type_json_shape(&b, true).line, 3u);
}

/* --- XML ----------------------------------------------------------------------------------------- */

static const char *const xml_parts[] = {
    "<a>", "</a>", "<b c='d'>", "</b>", "<a/>", "<e f=\"g > h\" i='j'/>", "text ", "&amp;", "<!-- c -->", "<![CDATA[ ]] > ]]>",
    "<?p i?>", "<", ">", "/>", "='", "\"", " ", "\n", "<!DOCTYPE a [ <!ENTITY x 'y'> ]>", "--", "]]>", "?>", "<a.b-c:d>", "</a.b-c:d>",
    "<\xC3\xA9>", "</\xC3\xA9>", "a", "1"};

static bool xml_of(const uint8_t *p, size_t len, uint32_t *line)
{
    struct bytes b;
    bytes_init_memory(&b, p, len);
    struct xml_shape shape = type_xml_shape(&b);
    *line = shape.line;
    return shape.valid;
}

static void compose_xml(uint64_t *state, uint8_t *out, size_t *len)
{
    size_t n = 3;
    memcpy(out, "<r>", n);
    n += compose(state, out + n, xml_parts, next_random(state) % 2 ? 13 : ARRAY_LEN(xml_parts));
    memcpy(out + n, "</r>", 4);
    *len = n + 4;
}

/* Stretches end where windows do: a document is the same wherever the border cuts it. */
Test(text_fast, xml_over_the_border_of_windows)
{
    uint64_t state = 17;
    unsigned valid = 0;
    uint8_t doc[SIZE + 64], *text = malloc(BYTES_WINDOW + SIZE + 64);
    memset(text, ' ', BYTES_WINDOW);
    for (int round = 0; round < 1500; round++) {
        uint32_t line, there;
        size_t len;
        compose_xml(&state, doc, &len);
        bool want = xml_of(doc, len, &line);
        valid += want;
        size_t cut = next_random(&state) % (len + 1);
        memcpy(text + BYTES_WINDOW - cut, doc, len);
        cr_assert_eq(xml_of(text, BYTES_WINDOW - cut + len, &there), want, "cut %zu of %.*s", cut, (int)len, (const char *)doc);
        cr_assert_eq(there, line);
        memset(text + BYTES_WINDOW - cut, ' ', cut);
    }
    cr_assert_gt(valid, 20u);
    free(text);
}

Test(text_fast, xml_is_nested_and_closed)
{
    static const struct {
        const char *text;
        bool valid;
    } docs[] = {{"<a/>", true}, {"<a></a>", true}, {"<a b='1' c=\"2\"/>", true}, {"<a><b></a></b>", false}, {"<a b=1/>", false},
                {"<a b='1'c='2'/>", false}, {"<a b='<'/>", false}, {"<a>", false}, {"</a>", false}, {"<a/><b/>", false}, {"x<a/>", false},
                {"<a/>x", false}, {"<!-- - --><a>--></a>", true}, {"<a><![CDATA[</b>]]></a>", true}, {"<1a/>", false}, {"<ab></ac>", false},
                {"<?xml version='1.0'?>\n<!DOCTYPE a [<!ELEMENT a ANY><!-- ]> -->]>\n<a></a >", true}, {"<a / >", false}, {"", false}};
    for (size_t i = 0; i < ARRAY_LEN(docs); i++) {
        uint32_t line;
        cr_expect_eq(xml_of((const uint8_t *)docs[i].text, strlen(docs[i].text), &line), docs[i].valid, "%s", docs[i].text);
    }
}

/* --- tables -------------------------------------------------------------------------------------- */

struct formulas {
    size_t n, first;
};

static bool separates(uint8_t c)
{
    return c == ',' || c == ';' || c == '\t' || c == '|';
}

/* Of a text without letters but `a`: a number, or something that is none. */
static bool is_number(const uint8_t *p, size_t len)
{
    if (len == 0 || (*p != '-' && *p != '+'))
        return false;
    while (len > 0 && (*p == '+' || *p == '-' || *p == ' '))
        p++, len--;
    while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '"'))
        len--;
    for (size_t i = 0; i < len; i++)
        if (!strchr("0123456789.,:+-*/()%_' \"|", p[i]))
            return false;
    return true;
}

/* The rules of a cell, one byte after the other. */
static struct formulas simple_table(const uint8_t *p, size_t len)
{
    struct formulas found = {0, 0};
    for (size_t i = 0; i < len;) {
        size_t start = i, text;
        bool quoted = false;
        for (; i < len && (p[i] == ' ' || p[i] == '"' || (quoted && p[i] == '\n') ||
                           (len - i >= 3 && memcmp(p + i, "\xEF\xBB\xBF", 3) == 0)); i++) {
            quoted ^= p[i] == '"';
            i += p[i] == 0xEF ? 2 : 0;
        }
        bool formula = i < len && (strchr("=@+-", p[i]) || (quoted && (p[i] == '\t' || p[i] == '\r')) ||
                                   (len - i >= 3 && memcmp(p + i, "\xEF\xBC\x9D", 3) == 0));
        for (text = i; formula && i < len; i++) {
            if (quoted && p[i] == '"') {
                if (i + 1 < len && p[i + 1] == '"')
                    i++;
                else
                    quoted = false;
            } else if (!quoted && (p[i] == '\n' || p[i] == '\r' || (separates(p[i]) && p[i] != '|'))) {
                break;
            }
        }
        if (formula && !is_number(p + text, i - text)) {
            found.first = found.n++ == 0 ? start : found.first;
        }
        for (; i < len; i++) {
            if (quoted && p[i] == '"') {
                if (i + 1 < len && p[i + 1] == '"')
                    i++;
                else
                    quoted = false;
            } else if (!quoted && (p[i] == '\n' || p[i] == '\r' || separates(p[i]))) {
                break;
            }
        }
        i += i < len;
    }
    return found;
}

static struct formulas fast_table(const uint8_t *p, size_t len)
{
    struct formulas found = {0, 0};
    struct active_case c = {"table", active_csv_scan, "csv", "csv", "", ""};
    struct bytes b;
    struct sink_list list;
    sink_list_init(&list);
    bytes_init_memory(&b, p, len);
    active_run(&list, &c, &b, true);
    for (size_t i = 0; i < list.findings.n; i++) {
        const struct finding *f = &list.findings.v[i];
        const char *count = f->message ? strrchr(f->message, '(') : NULL;
        found.n += count ? strtoul(count + 1, NULL, 10) : 1;
        found.first = f->offset;
    }
    sink_list_free(&list);
    return found;
}

static const char *const table_parts[] = {"a",  "12",  "-3.5", "+7", "=a", "@a",     "-a",  ",", ",",   ";",          "\t", "\n",
                                          "\r\n", "\r", "|",   " ",  "\"", "\"a,a\"", "\"\"", "-", "aaaaaaaaaaaaaaaaaaaaaaaaa",
                                          "\xEF\xBC\x9D", "\xEF\xBB\xBF", "1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8", "\"=1\""};

Test(text_fast, tables_are_what_a_simple_reader_finds)
{
    uint64_t state = 13;
    size_t formulas = 0;
    uint8_t text[SIZE + 64];
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = compose(&state, text, table_parts, ARRAY_LEN(table_parts));
        struct formulas want = simple_table(text, len), got = fast_table(text, len);
        cr_assert(want.n == got.n && want.first == got.first, "%zu at %zu and not %zu at %zu: %.*s", got.n, got.first, want.n,
                  want.first, (int)len, (const char *)text);
        formulas += want.n;
    }
    cr_assert_gt(formulas, 1000u);
}

Test(text_fast, tables_over_the_border_of_windows)
{
    static const char row[] = "a,\"b\",=x,\"\"\"q\",-1, =y|z\r\n";
    size_t n = sizeof(row) - 1;
    uint8_t *text = malloc(BYTES_WINDOW + 64);
    for (size_t cut = 0; cut <= n; cut++) {
        memset(text, 'x', BYTES_WINDOW);
        text[BYTES_WINDOW - cut - 1] = '\n';
        memcpy(text + BYTES_WINDOW - cut, row, n);
        struct formulas want = simple_table(text, BYTES_WINDOW - cut + n), got = fast_table(text, BYTES_WINDOW - cut + n);
        cr_assert(want.n == 2 && got.n == want.n && got.first == want.first, "cut %zu", cut);
    }
    free(text);
}

/* --- characters ------------------------------------------------------------------------------------ */

static size_t put_utf8(uint8_t *out, uint32_t c)
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (n == 1) {
        out[0] = (uint8_t)c;
        return 1;
    }
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (uint8_t)(0x80 | (c & 0x3F));
    out[0] = (uint8_t)((0xF00u >> n) | c);
    return n;
}

static size_t findings_in(const uint8_t *p, size_t len, uint64_t clean, uint64_t *offset)
{
    struct task task;
    struct inspection in;
    struct bytes b;
    struct sink_list list;
    sink_task(&task, "case", NULL);
    sink_list_init(&list);
    bytes_init_memory(&b, p, len);
    inspection_init(&in, &b, &task, &list.budget, &list.sink);
    in.text = TYPE_PLAIN;
    in.clean = clean;
    active_text_scan(&in);
    size_t n = list.findings.n;
    *offset = n > 0 ? list.findings.v[0].offset : 0;
    sink_list_free(&list);
    return n;
}

static const struct {
    uint32_t first, last;
} hidden[] = {{0x7F, 0x9F},     {0xAD, 0xAD},     {0x034F, 0x034F}, {0x061C, 0x061C},   {0x115F, 0x1160},  {0x180B, 0x180F},
              {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0x2066, 0x206F},   {0x3164, 0x3164},  {0xFE00, 0xFE0F},
              {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xE0000, 0xE007F}, {0xE0100, 0xE01EF}};

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return true;
    return c < 0x20 && c != '\t' && c != '\n' && c != '\f';
}

/* Each twice between letters: one variation selector alone chooses a form. */
Test(text_fast, every_character_that_acts_or_hides_is_seen)
{
    for (uint32_t c = 1; c < 0x110000; c = c < 0x3400 || c >= 0xD7FF ? c + 1 : c + 97) {
        uint8_t text[16] = "ab";
        uint64_t at;
        if (c >= 0xD800 && c < 0xE000)
            continue;
        size_t len = 2 + put_utf8(text + 2, c);
        len += put_utf8(text + len, c);
        text[len++] = 'z';
        bool said = findings_in(text, len, 0, &at) > 0;
        cr_assert(said == is_hidden(c) || (c >= 0xFE00 && c <= 0xFE0F), "U+%04X", c);
        if (c >= 0x20000 && c < 0xDF000)
            c += 997;
    }
}

/* The same at every distance from the start, behind stretches that are stepped over, with and without what the type
 * inspector knows already. */
Test(text_fast, at_every_place)
{
    static const uint32_t odd[] = {0x1B, 0x7F, 0x9B, 0x202E, 0x200B, 0x3164, 0xFFA0, 0xE0041, '\r'};
    static const char *const calm[] = {"a", "caf\xC3\xA9 ", "\xE3\x81\x82\xE4\xB8\xAD", "x\r\n"};
    uint8_t text[512];
    for (size_t k = 0; k < ARRAY_LEN(calm); k++)
        for (size_t place = 0; place < 150; place++)
            for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
                size_t len = 0, n = strlen(calm[k]);
                uint64_t at;
                while (len < place)
                    memcpy(text + len, calm[k], n), len += n;
                size_t here = len;
                len += put_utf8(text + len, odd[i]);
                memset(text + len, 'a', 100);
                len += 100;
                for (uint64_t clean = 0; clean <= (k == 0 ? here : 0); clean += here / 3 + 1) {
                    cr_assert_geq(findings_in(text, len, clean, &at), 1u, "U+%04X at %zu", odd[i], here);
                    cr_assert_eq(at, here, "U+%04X at %zu, not %zu", odd[i], here, (size_t)at);
                }
            }
}
