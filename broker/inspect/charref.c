/* SPDX-License-Identifier: ISC
 * In a worker child: character references, as every reader of markup resolves them before it looks at a value. Names
 * that do not stand for ASCII cannot hide a scheme or a keyword and are left as they are. */
#include <string.h>

#include "inspect/markup.h"

static const struct {
    const char *name; /* with its ';' where HTML demands it */
    uint8_t code;
} names[] = {
    {"colon;", ':'},  {"Tab;", '\t'},   {"NewLine;", '\n'}, {"lpar;", '('},   {"rpar;", ')'},   {"sol;", '/'},
    {"bsol;", '\\'},  {"period;", '.'}, {"semi;", ';'},     {"comma;", ','},  {"num;", '#'},    {"excl;", '!'},
    {"quest;", '?'},  {"equals;", '='}, {"commat;", '@'},   {"percnt;", '%'}, {"plus;", '+'},   {"ast;", '*'},
    {"midast;", '*'}, {"dollar;", '$'}, {"lowbar;", '_'},   {"grave;", '`'},  {"lsqb;", '['},   {"lbrack;", '['},
    {"rsqb;", ']'},   {"rbrack;", ']'}, {"lcub;", '{'},     {"lbrace;", '{'}, {"rcub;", '}'},   {"rbrace;", '}'},
    {"vert;", '|'},   {"verbar;", '|'}, {"apos;", '\''},    {"Hat;", '^'},    {"amp", '&'},     {"AMP", '&'},
    {"lt", '<'},      {"LT", '<'},      {"gt", '>'},        {"GT", '>'},      {"quot", '"'},    {"QUOT", '"'},
    {"nbsp", ' '},
};

static size_t numeric(const uint8_t *p, size_t left, uint32_t *code)
{
    bool hex = left > 2 && ascii_lower(p[2]) == 'x';
    size_t i = hex ? 3 : 2, first = i;
    uint32_t v = 0;
    for (; i < left; i++) {
        int d = hex_value(p[i]);
        if (d < 0 || (!hex && d > 9))
            break;
        if (v < 0x110000)
            v = v * (hex ? 16u : 10u) + (uint32_t)d;
    }
    if (i == first)
        return 0;
    *code = v < 0x110000 && v != 0 ? v : 0xFFFD;
    return i < left && p[i] == ';' ? i + 1 : i;
}

size_t charref_read(const uint8_t *p, size_t left, uint32_t *code)
{
    if (left < 3 || p[0] != '&')
        return 0;
    if (p[1] == '#')
        return numeric(p, left, code);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t n = strlen(names[i].name);
        if (names[i].name[0] != p[1] || n >= left || memcmp(p + 1, names[i].name, n) != 0)
            continue;
        *code = names[i].code;
        return n + 1 + (n + 1 < left && names[i].name[n - 1] != ';' && p[n + 1] == ';');
    }
    return 0;
}

static size_t utf8_encode(uint32_t c, uint8_t *out)
{
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (uint8_t)(0x80u | (c & 0x3Fu));
    out[0] = (uint8_t)((0xF00u >> n) | c);
    return n;
}

size_t charref_decode(uint8_t *text, size_t len)
{
    const uint8_t *first = len > 0 ? memchr(text, '&', len) : NULL;
    if (!first)
        return len;
    size_t to = (size_t)(first - text);
    for (size_t at = to; at < len;) {
        uint32_t code;
        size_t n = text[at] == '&' ? charref_read(text + at, len - at, &code) : 0;
        if (n == 0) {
            text[to++] = text[at++];
            continue;
        }
        uint8_t utf8[4];
        size_t w = utf8_encode(code, utf8);
        /* "&#0" is three bytes and becomes U+FFFD, three bytes: never longer than what it replaces. */
        memcpy(text + to, utf8, w);
        to += w;
        at += n;
    }
    return to;
}
