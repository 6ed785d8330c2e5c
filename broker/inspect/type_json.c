/* SPDX-License-Identifier: ISC
 * Is this well-formed JSON (RFC 8259)? A state that survives the borders of windows, stretches of one kind (strings,
 * digits, what stands between tokens) taken at once, an explicit stack of one bit a level. Runs in the confined child on
 * hostile bytes that are known to be UTF-8 without NUL.
 * Invariant: nothing but a complete value, or a sequence of complete lines, is valid. */
#include <string.h>

#include "base/limits.h"
#include "inspect/octet_run.h"
#include "inspect/type_text.h"

enum state {
    STATE_VALUE,       /* a value must come */
    STATE_FIRST_VALUE, /* a value or ']' */
    STATE_FIRST_KEY,   /* a key or '}' */
    STATE_KEY,         /* a key must come */
    STATE_COLON,
    STATE_AFTER,       /* ',' or the end of what encloses it */
    STATE_STRING,
    STATE_ESCAPE,
    STATE_UNICODE,     /* four hex digits */
    STATE_WORD,        /* true, false, null */
    STATE_MINUS, STATE_ZERO, STATE_INTEGER, STATE_POINT, STATE_FRACTION, STATE_E, STATE_E_SIGN, STATE_EXPONENT,
    STATE_FAULT
};

enum { KEY_MAX = 12 };

struct json {
    enum state state;
    unsigned depth;
    uint8_t object[JSON_NESTING_MAX / 8 + 1]; /* one bit a level: an object */
    bool is_key, lines, seen, deep;
    unsigned hex;
    const char *word;
    char key[KEY_MAX];
    size_t key_len;
    unsigned keys;
};

static bool in_object(const struct json *j)
{
    return j->depth > 0 && (j->object[j->depth / 8] >> (j->depth % 8) & 1);
}

static void push(struct json *j, bool object)
{
    if (j->depth == JSON_NESTING_MAX) {
        j->deep = true;
        j->state = STATE_FAULT;
        return;
    }
    j->depth++;
    uint8_t bit = (uint8_t)(1u << (j->depth % 8));
    j->object[j->depth / 8] = (uint8_t)(object ? j->object[j->depth / 8] | bit : j->object[j->depth / 8] & ~bit);
    j->state = object ? STATE_FIRST_KEY : STATE_FIRST_VALUE;
}

static void pop(struct json *j, bool object)
{
    if (j->depth == 0 || in_object(j) != object) {
        j->state = STATE_FAULT;
        return;
    }
    j->depth--;
    j->state = STATE_AFTER;
}

#define KEY(text, bit) {text, sizeof(text) - 1, bit}

static void note_key(struct json *j)
{
    static const struct {
        const char *name;
        size_t len;
        enum json_key bit;
    } known[] = {KEY("nbformat", JSON_KEY_NBFORMAT), KEY("cells", JSON_KEY_CELLS), KEY("snapshot", JSON_KEY_SNAPSHOT),
                 KEY("nodes", JSON_KEY_NODES),       KEY("edges", JSON_KEY_EDGES), KEY("strings", JSON_KEY_STRINGS),
                 KEY("worksheets", JSON_KEY_WORKSHEETS)};
    if (j->depth != 1)
        return;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (j->key_len == known[i].len && memcmp(j->key, known[i].name, known[i].len) == 0)
            j->keys |= known[i].bit;
}

static void start_string(struct json *j, bool key)
{
    j->is_key = key;
    j->key_len = 0;
    j->state = STATE_STRING;
}

static void start_value(struct json *j, uint8_t c)
{
    j->seen = true;
    if (c == '"')
        start_string(j, false);
    else if (c == '{' || c == '[')
        push(j, c == '{');
    else if (c == '-')
        j->state = STATE_MINUS;
    else if (c == '0')
        j->state = STATE_ZERO;
    else if (c >= '1' && c <= '9')
        j->state = STATE_INTEGER;
    else if (c == 't' || c == 'f' || c == 'n') {
        j->word = c == 't' ? "rue" : c == 'f' ? "alse" : "ull";
        j->state = STATE_WORD;
    } else
        j->state = STATE_FAULT;
}

static void after_value(struct json *j, uint8_t c)
{
    if (j->depth == 0)
        j->state = STATE_FAULT;
    else if (c == ',')
        j->state = in_object(j) ? STATE_KEY : STATE_VALUE;
    else if (c == '}' || c == ']')
        pop(j, c == '}');
    else
        j->state = STATE_FAULT;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* A number ends at the first byte that does not belong to it, which is looked at again. */
static bool in_number(struct json *j, uint8_t c)
{
    static const struct {
        enum state in, digit, point, e, sign;
        bool may_end;
    } rows[] = { /* in the order of the states */
        {STATE_MINUS, STATE_INTEGER, STATE_FAULT, STATE_FAULT, STATE_FAULT, false},
        {STATE_ZERO, STATE_FAULT, STATE_POINT, STATE_E, STATE_FAULT, true},
        {STATE_INTEGER, STATE_INTEGER, STATE_POINT, STATE_E, STATE_FAULT, true},
        {STATE_POINT, STATE_FRACTION, STATE_FAULT, STATE_FAULT, STATE_FAULT, false},
        {STATE_FRACTION, STATE_FRACTION, STATE_FAULT, STATE_E, STATE_FAULT, true},
        {STATE_E, STATE_EXPONENT, STATE_FAULT, STATE_FAULT, STATE_E_SIGN, false},
        {STATE_E_SIGN, STATE_EXPONENT, STATE_FAULT, STATE_FAULT, STATE_FAULT, false},
        {STATE_EXPONENT, STATE_EXPONENT, STATE_FAULT, STATE_FAULT, STATE_FAULT, true},
    };
    size_t i = j->state - STATE_MINUS;
    if (is_digit(c))
        j->state = j->state == STATE_MINUS && c == '0' ? STATE_ZERO : rows[i].digit;
    else if (c == '.')
        j->state = rows[i].point;
    else if (c == 'e' || c == 'E')
        j->state = rows[i].e;
    else if (c == '+' || c == '-')
        j->state = rows[i].sign;
    else {
        j->state = rows[i].may_end ? STATE_AFTER : STATE_FAULT;
        return false;
    }
    return true;
}

/* What of a key could be one of the known names. */
static void keep_key(struct json *j, const uint8_t *p, size_t len)
{
    size_t room = j->key_len < KEY_MAX ? KEY_MAX - j->key_len : 0;
    if (j->depth != 1 || len == 0) /* behind a key that was given up is no place to point to */
        return;
    if (len > room) {
        j->key_len = KEY_MAX + 1;
        return;
    }
    memcpy(j->key + j->key_len, p, len);
    j->key_len += len;
}

/* Characters that stand for themselves, and the one that ends them. */
static size_t in_string(struct json *j, const uint8_t *p, size_t len)
{
    size_t n = octet_run_string(p, len);
    if (j->is_key)
        keep_key(j, p, n);
    if (n == len)
        return n;
    if (p[n] == '"') {
        if (j->is_key)
            note_key(j);
        j->state = j->is_key ? STATE_COLON : STATE_AFTER;
    } else {
        j->state = p[n] == '\\' ? STATE_ESCAPE : STATE_FAULT;
    }
    return n + 1;
}

static void in_escape(struct json *j, uint8_t c)
{
    if (j->state == STATE_UNICODE) {
        bool digit = is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
        j->state = !digit ? STATE_FAULT : --j->hex == 0 ? STATE_STRING : STATE_UNICODE;
        j->key_len = KEY_MAX + 1; /* an escaped key is compared by nobody here; the scanner decodes */
        return;
    }
    j->hex = 4;
    j->state = c == 'u' ? STATE_UNICODE : c && strchr("\"\\/bfnrt", c) ? STATE_STRING : STATE_FAULT;
}

static void end_line(struct json *j)
{
    bool whole = j->depth == 0 && (j->state == STATE_AFTER || !j->seen);
    j->state = whole ? STATE_VALUE : STATE_FAULT;
    j->seen = false;
}

static void start_key(struct json *j, uint8_t c)
{
    if (c == '"')
        start_string(j, true);
    else if (c == '}' && j->state == STATE_FIRST_KEY)
        pop(j, true);
    else
        j->state = STATE_FAULT;
}

/* A string, and the digits of a whole number, that lie in hand with what ends them: most do. Returns how many bytes it
 * took; where it takes none, the state goes on by itself. */
static size_t whole_string(struct json *j, const uint8_t *p, size_t len)
{
    size_t n = octet_run_string(p, len);
    if (n == len || p[n] != '"')
        return 0;
    if (j->is_key) {
        keep_key(j, p, n);
        note_key(j);
    }
    j->state = j->is_key ? STATE_COLON : STATE_AFTER;
    return n + 1;
}

static size_t whole_number(struct json *j, const uint8_t *p, size_t len)
{
    size_t n = 0;
    while (n < len && is_digit(p[n]))
        n++;
    if (n == len || p[n] == '.' || (p[n] | 0x20) == 'e' || p[n] == '+' || p[n] == '-')
        return 0;
    j->state = STATE_AFTER;
    return n;
}

static void between(struct json *j, uint8_t c)
{
    if (c == '\n' && j->lines)
        end_line(j);
    else if (j->state == STATE_AFTER)
        after_value(j, c);
    else if (j->state == STATE_COLON)
        j->state = c == ':' ? STATE_VALUE : STATE_FAULT;
    else if (j->state == STATE_FIRST_KEY || j->state == STATE_KEY)
        start_key(j, c);
    else if (c == ']' && j->state == STATE_FIRST_VALUE)
        pop(j, false);
    else
        start_value(j, c);
}

/* Between tokens, over those that lie in hand. */
static size_t in_structure(struct json *j, const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (i < len && j->state < STATE_STRING) {
        uint8_t c = p[i++];
        if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && !j->lines))
            continue;
        between(j, c);
        if (j->state == STATE_STRING)
            i += whole_string(j, p + i, len - i);
        else if (j->state == STATE_INTEGER)
            i += whole_number(j, p + i, len - i);
    }
    return i;
}

/* The byte behind a number is left for in_structure(). */
static size_t in_digits(struct json *j, const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (i < len && j->state >= STATE_MINUS && j->state < STATE_FAULT && in_number(j, p[i])) {
        i++;
        while (i < len && is_digit(p[i]) &&
               (j->state == STATE_INTEGER || j->state == STATE_FRACTION || j->state == STATE_EXPONENT))
            i++;
    }
    return i;
}

static size_t in_word(struct json *j, uint8_t c)
{
    j->state = *j->word != (char)c ? STATE_FAULT : j->word[1] ? STATE_WORD : STATE_AFTER;
    j->word++;
    return 1;
}

/* Takes at least one byte, or changes the state. len is not 0. */
static size_t advance(struct json *j, const uint8_t *p, size_t len)
{
    if (j->state < STATE_STRING)
        return in_structure(j, p, len);
    if (j->state == STATE_STRING)
        return in_string(j, p, len);
    if (j->state >= STATE_MINUS)
        return in_digits(j, p, len);
    if (j->state == STATE_WORD)
        return in_word(j, *p);
    in_escape(j, *p);
    return 1;
}

static bool ended(struct json *j)
{
    if (j->state >= STATE_MINUS && j->state < STATE_FAULT)
        (void)in_number(j, ' ');
    return j->depth == 0 && (j->state == STATE_AFTER || (j->lines && j->state == STATE_VALUE && !j->seen));
}

struct json_shape type_json_shape(struct bytes *b, bool lines)
{
    struct json j = {.state = STATE_VALUE, .lines = lines};
    struct json_shape shape = {.line = 1};
    uint64_t at = 0;
    size_t len = 0, i = 0;
    for (; at < b->size && j.state != STATE_FAULT; at += i) {
        const uint8_t *p = bytes_chunk(b, at, &len);
        i = at == 0 && len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        while (i < len && j.state != STATE_FAULT)
            i += advance(&j, p + i, len - i);
    }
    shape.valid = ended(&j);
    shape.keys = j.keys;
    shape.deep = j.deep;
    if (!shape.valid)
        shape.line = bytes_line(b, at > 0 ? at - 1 : 0);
    return shape;
}
