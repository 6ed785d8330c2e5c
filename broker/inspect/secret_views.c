/* SPDX-License-Identifier: ISC
 * Finds what is encoded in a text and decodes it: runs of base64 and hex, UTF-16, percent signs, backslashes,
 * quoted-printable. Runs in a worker child over hostile bytes; what is decoded is bounded by the scan's budget. */
#include <string.h>

#include "inspect/secret.h"
#include "inspect/secret_class.h"
#include "inspect/secret_escape.h"

enum {
    BACK = 256,     /* plain text that belongs in front of the first escape */
    GAP = 192,      /* so much text without an escape ends a region */
    NEAR = 96,      /* from one encoded blank to the next */
    UNITS = 12,     /* UTF-16: fewer ASCII characters in a row are no text */
    FOREIGN = 8     /* UTF-16: so many other units in a row end one */
};

_Static_assert(sizeof(((struct views *)NULL)->done) / sizeof(uint64_t) == ESCAPE_PAIRS + 1, "a place for each kind");

static const char *const escape_names[] = {"percent", "escapes", "quoted-printable", "references", "colours", "utf-16", "hex"};

/* --- one region ------------------------------------------------------------------------------------ */

static bool worth_quoted(struct text *text, uint64_t off);

struct region {
    struct scan *scan;
    struct text *text;
    enum escape kind;
    uint8_t *out;
    size_t n;
    uint64_t from; /* of what is in out */
    uint8_t sign;
};

static void region_show(struct region *r, uint64_t to)
{
    secret_scan_view(r->scan, r->text, escape_names[r->kind], r->out, r->n, r->from, to);
}

/* Shows what is full and keeps its end, which may be the beginning of something. */
static void region_flush(struct region *r, uint64_t to)
{
    region_show(r, to);
    memmove(r->out, r->out + r->n - SECRET_TAIL, SECRET_TAIL);
    r->n = SECRET_TAIL;
    r->from = to > SECRET_TAIL ? to - SECRET_TAIL : 0;
}

/* Plain bytes up to the next sign, at most max; returns how many. */
static size_t region_copy(struct region *r, uint64_t at, size_t max)
{
    size_t len;
    const uint8_t *p = secret_text_at(r->text, at, &len);
    len = len < max ? len : max;
    const uint8_t *sign = memchr(p, r->sign, len);
    size_t n = sign ? (size_t)(sign - p) : len;
    memcpy(r->out + r->n, p, n);
    r->n += n;
    return n;
}

static uint64_t region_decode(struct region *r, uint64_t at, uint64_t first)
{
    uint64_t last_escape = first;
    while (!r->scan->exhausted) {
        if (r->n + GAP + BACK >= SECRET_BLOCK)
            region_flush(r, at);
        if (secret_text_byte(r->text, at) == r->sign) {
            struct byte_step s = secret_escape(r->kind, r->text, at);
            if (s.used > 0) {
                /* "took=55us" on every line of a log is no reason to go on to its end */
                bool goes_on = r->kind != ESCAPE_QUOTED || worth_quoted(r->text, at);
                r->out[r->n] = s.byte;
                r->n += s.made;
                at += s.used;
                last_escape = goes_on ? at : last_escape;
                continue;
            }
            r->out[r->n++] = r->sign;
            at++;
        }
        if (at >= last_escape + GAP)
            break;
        size_t n = region_copy(r, at, (size_t)(last_escape + GAP - at));
        at += n;
        if (n == 0 && secret_text_byte(r->text, at) != r->sign)
            break;
    }
    return at;
}

/* A region of escapes around the one at off; returns its end. */
static uint64_t decode_escapes(struct scan *scan, struct text *text, enum escape kind, uint64_t off, uint64_t floor)
{
    static const uint8_t signs[] = {'%', '\\', '=', '&', '\x1b'};
    uint64_t start = off > BACK ? off - BACK : 0;
    start = start > floor ? start : floor;
    struct region r = {.scan = scan, .text = text, .kind = kind, .from = start, .sign = signs[kind]};
    r.out = scan->engine->decoded[text->depth + 1];
    uint64_t end = region_decode(&r, start, off);
    if (!scan->exhausted)
        region_show(&r, end);
    return end > off ? end : off + 1;
}

/* --- which escapes are worth a region --------------------------------------------------------------- */

static bool is_upper_hex(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* What an escape stands for can only be part of a credential where it is a character of a text. */
static bool is_text_step(struct byte_step s)
{
    return s.used > 0 && (s.made == 0 || s.byte == '\n' || (s.byte >= 0x20 && s.byte < 0x7f));
}

/* Two lines joined, as far as their ends tell: in code a line that ends so is followed by one that is indented. */
static bool joins_words(struct text *text, uint64_t off, unsigned used)
{
    int before = off > 0 ? secret_text_byte(text, off - 1) : -1, behind = secret_text_byte(text, off + used);
    return before != '=' && (before > ' ' || behind > ' ');
}

/* Another encoded blank soon: "machine=20name=20". */
static bool blanks_follow(struct text *text, uint64_t off)
{
    size_t len;
    const uint8_t *p = secret_text_at(text, off, &len);
    return len > 3 && memmem(p + 3, len - 3 < NEAR ? len - 3 : NEAR, "=20", 3);
}

/* "=10" is ordinary text; a joined line, an encoded = or -, or two in a row are not. */
static bool worth_quoted(struct text *text, uint64_t off)
{
    int a = secret_text_byte(text, off + 1), b = a < 0 ? -1 : secret_text_byte(text, off + 2);
    if (a == '\n' || (a == '\r' && b == '\n'))
        return joins_words(text, off, a == '\n' ? 2 : 3);
    if (!is_upper_hex(a) || !is_upper_hex(b))
        return false;
    if (a == '2' && b == '0')
        return blanks_follow(text, off);
    return (a == '3' && b == 'D') || (a == '2' && b == 'D') || secret_text_byte(text, off + 3) == '=';
}

/* Another backslash soon, on the same line: text in text has them, the one \n at the end of a string has not. */
static bool another_follows(struct text *text, uint64_t off)
{
    size_t len;
    const uint8_t *p = secret_text_at(text, off, &len);
    if (len <= 2)
        return false;
    len = len < GAP ? len - 2 : GAP - 2;
    const uint8_t *next = memchr(p + 2, '\\', len);
    return next && !memchr(p + 2, '\n', (size_t)(next - p) - 2);
}

static bool worth_backslash(struct text *text, uint64_t off)
{
    int a = secret_text_byte(text, off + 1);
    if (a == 'u' || a == 'U' || a == 'x' || a == '/' || (a >= '0' && a <= '7'))
        return is_text_step(secret_escape(ESCAPE_BACKSLASH, text, off));
    if (a == '\n')
        return joins_words(text, off, 2);
    if (a == 'n' || a == 'r' || a == 't' || a == '"' || a == '\'' || a == '\\')
        return another_follows(text, off);
    if (a < '!' || secret_class_base64((uint8_t)a) < 62)
        return false;
    /* a sign that is escaped in the middle of a word, as Markdown does it */
    int before = off > 0 ? secret_text_byte(text, off - 1) : -1, behind = secret_text_byte(text, off + 2);
    return before > ' ' && behind > ' ' && secret_class_base64((uint8_t)before) < 64 && secret_class_base64((uint8_t)behind) < 64;
}

/* A colour in the middle of a word. */
static bool worth_colour(struct text *text, uint64_t off)
{
    int before = off > 0 ? secret_text_byte(text, off - 1) : -1;
    if (before < 0 || secret_class_base64((uint8_t)before) == 255)
        return false;
    for (struct byte_step s; (s = secret_escape(ESCAPE_COLOUR, text, off)).used > 0;)
        off += s.used;
    int behind = secret_text_byte(text, off);
    return behind >= 0 && secret_class_base64((uint8_t)behind) < 64;
}

static bool worth(enum escape kind, struct text *text, uint64_t off)
{
    if (kind == ESCAPE_PERCENT || kind == ESCAPE_REFERENCE)
        return is_text_step(secret_escape(kind, text, off));
    if (kind == ESCAPE_COLOUR)
        return worth_colour(text, off);
    return kind == ESCAPE_QUOTED ? worth_quoted(text, off) : worth_backslash(text, off);
}

/* --- UTF-16 ------------------------------------------------------------------------------------------ */

static bool is_text(int c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

/* ASCII character of the unit at off, -1 for another unit, -2 at the end. big: high byte first. */
static int unit(struct text *text, uint64_t off, bool big)
{
    int a = secret_text_byte(text, off), b = a < 0 ? -1 : secret_text_byte(text, off + 1);
    if (b < 0)
        return -2;
    if ((big ? a : b) != 0)
        return -1;
    return is_text(big ? b : a) ? (big ? b : a) : -1;
}

/* High byte first at an odd place looks like low byte first, but for the last character, which is behind. Whether it
 * belongs to the text cannot be known, so it is shown both ways. */
static void show_units(struct region *r, size_t good_n, uint64_t good_end, uint64_t end, bool big)
{
    int behind = big ? -1 : secret_text_byte(r->text, good_end);
    region_show(r, end);
    if (!is_text(behind) || r->scan->exhausted)
        return;
    r->out[good_n] = (uint8_t)behind;
    r->n = good_n + 1;
    region_show(r, end);
}

/* Decodes from `start`; what is too short to be text is not shown. Returns the end. */
static uint64_t units_from(struct scan *scan, struct text *text, uint64_t start, bool big, int first)
{
    struct region r = {.scan = scan, .text = text, .kind = ESCAPE_UTF16, .from = start};
    uint64_t at, good_end = start;
    size_t good_n = 0;
    unsigned foreign = 0, good = 0;
    r.out = scan->engine->decoded[text->depth + 1];
    if (first >= 0)
        r.out[r.n++] = (uint8_t)first;
    for (at = start; foreign < FOREIGN && !scan->exhausted; at += 2) {
        int c = unit(text, at, big);
        if (c == -2)
            break;
        foreign = c < 0 ? foreign + 1 : 0;
        r.out[r.n++] = c < 0 ? 0xff : (uint8_t)c;
        if (r.n == SECRET_BLOCK)
            region_flush(&r, at + 2);
        if (c >= 0) {
            good++;
            good_n = r.n;
            good_end = at + 2;
        }
    }
    if (good >= UNITS && !scan->exhausted)
        show_units(&r, good_n, good_end, at, big);
    return at;
}

static uint64_t decode_utf16(struct scan *scan, struct text *text, uint64_t off, uint64_t floor, bool big)
{
    uint64_t start = off;
    while (start >= floor + 2 && off - start < BACK && unit(text, start - 2, big) >= 0)
        start -= 2;
    uint64_t end = units_from(scan, text, start, big, -1);
    /* Low byte first at an odd place looks like high byte first, but for the first character, which is in front. */
    int before = big && start > 0 ? secret_text_byte(text, start - 1) : -1;
    if (is_text(before) && !scan->exhausted)
        units_from(scan, text, start, big, before);
    return end > off ? end : off + 2;
}

/* Sixteen bytes where every second one is zero and none of the others. */
static void find_utf16(struct scan *scan, struct text *text, struct views *v, uint64_t at, uint64_t nul)
{
    for (unsigned i = 0; i < 64 && !scan->exhausted; i += 16) {
        unsigned lane = (unsigned)(nul >> i & 0xffff);
        if ((lane != 0xaaaa && lane != 0x5555) || at + i < v->done[ESCAPE_UTF16])
            continue;
        v->done[ESCAPE_UTF16] = decode_utf16(scan, text, at + i, v->done[ESCAPE_UTF16], lane == 0x5555);
    }
}

/* --- the text --------------------------------------------------------------------------------------- */

static enum escape kind_of(uint8_t sign)
{
    if (sign == '%')
        return ESCAPE_PERCENT;
    if (sign == 0x1b)
        return ESCAPE_COLOUR;
    return sign == '=' ? ESCAPE_QUOTED : sign == '&' ? ESCAPE_REFERENCE : ESCAPE_BACKSLASH;
}

static void find_escapes(struct scan *scan, struct text *text, struct views *v, uint64_t at, const uint8_t block[64],
                         uint64_t signs)
{
    for (; signs && !scan->exhausted; signs &= signs - 1) {
        unsigned i = (unsigned)__builtin_ctzll(signs);
        enum escape kind = kind_of(block[i]);
        if (at + i >= v->done[kind] && worth(kind, text, at + i))
            v->done[kind] = decode_escapes(scan, text, kind, at + i, v->done[kind]);
    }
}

static void find_pairs(struct scan *scan, struct text *text, struct views *v, uint64_t at, uint64_t pairs)
{
    for (; pairs && !scan->exhausted; pairs &= pairs - 1) {
        uint64_t off = at + (unsigned)__builtin_ctzll(pairs);
        if (off >= v->done[ESCAPE_PAIRS])
            v->done[ESCAPE_PAIRS] = secret_runs_pairs(scan, text, off, v->done[ESCAPE_PAIRS]);
    }
}

/* The block at v->at with its masks; returns how many of its bytes there are. What is of no interest in front of it is
 * skipped. A block is short only where the part to be looked at ends. */
static unsigned next_block(struct text *text, struct views *v, uint64_t to, uint8_t block[64], struct class_masks *m)
{
    for (;;) {
        size_t len;
        const uint8_t *p = secret_text_at(text, v->at, &len);
        len = to - v->at < len ? (size_t)(to - v->at) : len;
        size_t dull = secret_class_skip(p, len, v->at - text->at >= 32, &v->run, m);
        unsigned n = len - dull < 64 ? (unsigned)(len - dull) : 64;
        v->at += dull;
        if (n < 64 && v->at + n < to && len > 0) {
            text->len = 0; /* only what was in sight ended */
            continue;
        }
        memcpy(block, p + dull, n);
        memset(block + n, 1, 64 - n);
        if (n < 64)
            secret_class_text(block, m);
        return n;
    }
}

static bool only_words(struct text *text, struct views *v, const struct class_masks *m, uint64_t before)
{
    size_t len;
    const uint8_t *p = secret_text_at(text, v->at, &len);
    v->run = before;
    return len >= 64 && secret_class_words(p, len, v->at - text->at >= 32, m, &v->run);
}

void secret_views_find(struct scan *scan, struct text *text, struct views *v, uint64_t to, bool last)
{
    uint8_t block[64];
    struct class_masks m;
    while (v->at < to && !scan->exhausted) {
        unsigned n = next_block(text, v, to, block, &m);
        if (n == 0 || (n < 64 && !last))
            break;
        if (m.escape)
            find_escapes(scan, text, v, v->at, block, m.escape);
        if (m.nul)
            find_utf16(scan, text, v, v->at, m.nul);
        find_pairs(scan, text, v, v->at, secret_class_pairs(m.base64));
        uint64_t before = v->run, start = secret_class_run(v->at, m.base64, &v->run, n);
        if (start == UINT64_MAX || (n == 64 && only_words(text, v, &m, before))) {
            v->at += n;
            continue;
        }
        uint64_t end = scan->exhausted ? to : secret_runs_decode(scan, text, start, v->runs_done);
        v->runs_done = end;
        v->run = 0;
        v->at = end > v->at ? end : v->at + n;
    }
}
