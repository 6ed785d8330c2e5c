/* SPDX-License-Identifier: ISC
 * One escape of each kind. Runs in a worker child over hostile bytes; looks at a bounded number of them. Changes nothing but
 * the part of the text that is in sight. */
#include "inspect/secret_escape.h"

#include <string.h>

#include "inspect/secret_class.h"

enum {
    REFERENCE_DIGITS = 7, /* leading zeros and all */
    COLOUR = 32           /* bytes of a sequence for a terminal */
};

int secret_hex_pair(struct text *text, uint64_t off)
{
    int a = secret_text_byte(text, off), b = a < 0 ? -1 : secret_text_byte(text, off + 1);
    uint8_t high = a < 0 ? 255 : secret_class_hex((uint8_t)a), low = b < 0 ? 255 : secret_class_hex((uint8_t)b);
    return high == 255 || low == 255 ? -1 : high << 4 | low;
}

static struct byte_step step_percent(struct text *text, uint64_t off)
{
    int v = secret_hex_pair(text, off + 1);
    return v < 0 ? (struct byte_step){0} : (struct byte_step){3, 1, (uint8_t)v};
}

/* RFC 2045: =HH, and = at the end of a line joins it with the next. */
static struct byte_step step_quoted(struct text *text, uint64_t off)
{
    int c = secret_text_byte(text, off + 1);
    if (c == '\n')
        return (struct byte_step){2, 0, 0};
    if (c == '\r' && secret_text_byte(text, off + 2) == '\n')
        return (struct byte_step){3, 0, 0};
    int v = secret_hex_pair(text, off + 1);
    return v < 0 ? (struct byte_step){0} : (struct byte_step){3, 1, (uint8_t)v};
}

/* Up to `most` digits of base 10 or 16 from off on, what is no ASCII as 0xff, which ends every token; *n: how many. */
static uint8_t number_at(struct text *text, uint64_t off, unsigned base, unsigned most, unsigned *n)
{
    uint32_t v = 0;
    for (*n = 0; *n < most; ++*n) {
        int c = secret_text_byte(text, off + *n);
        uint8_t digit = c < 0 ? 255 : secret_class_hex((uint8_t)c);
        if (digit >= base)
            break;
        v = v * base + digit;
    }
    return v < 0x80 ? (uint8_t)v : 0xff;
}

/* \uHHHH of RFC 8259, \u{H} of JavaScript and Rust, \UHHHHHHHH of C and Python; what is not one byte becomes 0xff. */
static struct byte_step step_unicode(struct text *text, uint64_t off)
{
    unsigned n, braces = secret_text_byte(text, off + 2) == '{', wide = secret_text_byte(text, off + 1) == 'U';
    if (braces || wide) {
        uint8_t byte = number_at(text, off + 2 + braces, 16, 8, &n);
        bool whole = braces ? n > 0 && secret_text_byte(text, off + 3 + n) == '}' : n == 8;
        return whole ? (struct byte_step){2 + n + 2 * braces, 1, byte} : (struct byte_step){0};
    }
    int high = secret_hex_pair(text, off + 2), low = secret_hex_pair(text, off + 4);
    if (high < 0 || low < 0)
        return (struct byte_step){0};
    return (struct byte_step){6, 1, high == 0 ? (uint8_t)low : 0xff};
}

static struct byte_step step_octal(struct text *text, uint64_t off)
{
    unsigned v = 0, n = 1;
    for (; n <= 3; n++) {
        int c = secret_text_byte(text, off + n);
        if (c < '0' || c > '7')
            break;
        v = v << 3 | (unsigned)(c - '0');
    }
    return (struct byte_step){n, 1, (uint8_t)v};
}

static struct byte_step step_backslash(struct text *text, uint64_t off)
{
    static const char from[] = "nrtbfav", to[] = "\n\r\t\b\f\a\v";
    int c = secret_text_byte(text, off + 1);
    if (c < 0)
        return (struct byte_step){0};
    if (c == 'u' || c == 'U')
        return step_unicode(text, off);
    if (c == 'x') {
        int v = secret_hex_pair(text, off + 2);
        return v < 0 ? (struct byte_step){0} : (struct byte_step){4, 1, (uint8_t)v};
    }
    if (c >= '0' && c <= '7')
        return step_octal(text, off);
    const char *known = c ? strchr(from, c) : NULL;
    if (known)
        return (struct byte_step){2, 1, (uint8_t)to[known - from]};
    if (c == '\n')
        return (struct byte_step){2, 0, 0}; /* a shell's or C's joined line */
    return (struct byte_step){2, 1, (uint8_t)c};
}

static bool text_is(struct text *text, uint64_t off, const char *what)
{
    for (; *what; what++, off++)
        if (secret_text_byte(text, off) != *what)
            return false;
    return true;
}

/* &#NN; or &#xHH; of HTML and XML, and what markup needs: &quot; &amp; &lt; &gt; */
static struct byte_step step_reference(struct text *text, uint64_t off)
{
    static const struct { const char *name; uint8_t byte; } named[] = {
        {"quot;", '"'}, {"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"apos;", '\''}};
    int c = secret_text_byte(text, off + 2);
    bool hex = c == 'x' || c == 'X';
    unsigned first = hex ? 3 : 2, n;
    if (secret_text_byte(text, off + 1) != '#') {
        for (size_t i = 0; i < ARRAY_LEN(named); i++)
            if (text_is(text, off + 1, named[i].name))
                return (struct byte_step){(unsigned)strlen(named[i].name) + 1, 1, named[i].byte};
        return (struct byte_step){0};
    }
    uint8_t byte = number_at(text, off + first, hex ? 16 : 10, REFERENCE_DIGITS, &n);
    if (n == 0)
        return (struct byte_step){0};
    return (struct byte_step){secret_text_byte(text, off + first + n) == ';' ? first + n + 1 : first + n, 1, byte};
}

/* ECMA-48: ESC [ parameters and a letter, with which a terminal is told of colours. They stand for nothing. */
static struct byte_step step_colour(struct text *text, uint64_t off)
{
    unsigned n = 2;
    int c = secret_text_byte(text, off + 1) == '[' ? secret_text_byte(text, off + n) : -1;
    while (c >= 0x20 && c < 0x40 && n < COLOUR)
        c = secret_text_byte(text, off + ++n);
    return c >= 0x40 && c < 0x7f ? (struct byte_step){n + 1, 0, 0} : (struct byte_step){0};
}

typedef struct byte_step step_fn(struct text *text, uint64_t off);

struct byte_step secret_escape(enum escape kind, struct text *text, uint64_t off)
{
    static step_fn *const steps[ESCAPE_SIGNS] = {step_percent, step_backslash, step_quoted, step_reference, step_colour};
    return kind < ESCAPE_SIGNS ? steps[kind](text, off) : (struct byte_step){0};
}
