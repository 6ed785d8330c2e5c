/* SPDX-License-Identifier: ISC
 * Is this well-formed JSON (RFC 8259)? A byte at a time, an explicit stack of one bit a level. Runs in the confined
 * child on hostile bytes that are known to be UTF-8 without NUL.
 * Invariant: nothing but a complete value, or a sequence of complete lines, is valid. */
#include <string.h>

#include "base/limits.h"
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
    char key[KEY_MAX + 1];
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

static void note_key(struct json *j)
{
    static const struct {
        const char *name;
        enum json_key bit;
    } known[] = {{"nbformat", JSON_KEY_NBFORMAT}, {"cells", JSON_KEY_CELLS}, {"snapshot", JSON_KEY_SNAPSHOT},
                 {"nodes", JSON_KEY_NODES},       {"edges", JSON_KEY_EDGES}, {"strings", JSON_KEY_STRINGS},
                 {"worksheets", JSON_KEY_WORKSHEETS}};
    if (j->depth != 1 || j->key_len > KEY_MAX)
        return;
    j->key[j->key_len] = 0;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(j->key, known[i].name) == 0)
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
    } rows[] = {
        {STATE_MINUS, STATE_INTEGER, STATE_FAULT, STATE_FAULT, STATE_FAULT, false},
        {STATE_ZERO, STATE_FAULT, STATE_POINT, STATE_E, STATE_FAULT, true},
        {STATE_INTEGER, STATE_INTEGER, STATE_POINT, STATE_E, STATE_FAULT, true},
        {STATE_POINT, STATE_FRACTION, STATE_FAULT, STATE_FAULT, STATE_FAULT, false},
        {STATE_FRACTION, STATE_FRACTION, STATE_FAULT, STATE_E, STATE_FAULT, true},
        {STATE_E, STATE_EXPONENT, STATE_FAULT, STATE_FAULT, STATE_E_SIGN, false},
        {STATE_E_SIGN, STATE_EXPONENT, STATE_FAULT, STATE_FAULT, STATE_FAULT, false},
        {STATE_EXPONENT, STATE_EXPONENT, STATE_FAULT, STATE_FAULT, STATE_FAULT, true},
    };
    size_t i = 0;
    while (rows[i].in != j->state)
        i++;
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

static void in_string(struct json *j, uint8_t c)
{
    if (c == '"') {
        if (j->is_key)
            note_key(j);
        j->state = j->is_key ? STATE_COLON : STATE_AFTER;
    } else if (c == '\\') {
        j->state = STATE_ESCAPE;
    } else if (c < 0x20) {
        j->state = STATE_FAULT;
    } else if (j->is_key && j->key_len <= KEY_MAX) {
        j->key[j->key_len] = (char)c;
        j->key_len++;
    }
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

/* Between tokens. */
static void in_structure(struct json *j, uint8_t c)
{
    bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (c == '\n' && j->lines) {
        bool whole = j->depth == 0 && (j->state == STATE_AFTER || !j->seen);
        j->state = whole ? STATE_VALUE : STATE_FAULT;
        j->seen = false;
    } else if (blank) {
        return;
    } else if (j->state == STATE_AFTER) {
        after_value(j, c);
    } else if (j->state == STATE_COLON) {
        j->state = c == ':' ? STATE_VALUE : STATE_FAULT;
    } else if (j->state == STATE_FIRST_KEY || j->state == STATE_KEY) {
        if (c == '"')
            start_string(j, true);
        else if (c == '}' && j->state == STATE_FIRST_KEY)
            pop(j, true);
        else
            j->state = STATE_FAULT;
    } else if (c == ']' && j->state == STATE_FIRST_VALUE) {
        pop(j, false);
    } else {
        start_value(j, c);
    }
}

static void step(struct json *j, uint8_t c)
{
    if (j->state == STATE_STRING) {
        in_string(j, c);
    } else if (j->state == STATE_ESCAPE || j->state == STATE_UNICODE) {
        in_escape(j, c);
    } else if (j->state == STATE_WORD) {
        j->state = *j->word != (char)c ? STATE_FAULT : j->word[1] ? STATE_WORD : STATE_AFTER;
        j->word++;
    } else if (j->state < STATE_MINUS || !in_number(j, c)) {
        if (j->state != STATE_FAULT)
            in_structure(j, c);
    }
}

/* Strings are most of a document: plain characters of a value are skipped without a step each. */
static size_t skip_string(const struct json *j, const uint8_t *p, size_t len)
{
    size_t i = 0;
    if (j->state == STATE_STRING && !j->is_key)
        while (i < len && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20)
            i++;
    return i;
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
    size_t len = 0;
    for (uint64_t at = 0; at < b->size && j.state != STATE_FAULT; at += len) {
        const uint8_t *p = bytes_chunk(b, at, &len);
        size_t i = at == 0 && len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        for (i += skip_string(&j, p + i, len - i); i < len && j.state != STATE_FAULT;) {
            shape.line += p[i] == '\n';
            step(&j, p[i++]);
            i += skip_string(&j, p + i, len - i);
        }
    }
    shape.valid = ended(&j);
    shape.keys = j.keys;
    shape.deep = j.deep;
    return shape;
}
