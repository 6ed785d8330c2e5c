/* SPDX-License-Identifier: ISC
 * base64 (RFC 4648, both alphabets, every phase, folded or not) and hex inside runs of their characters. Runs in a
 * worker child over hostile bytes. Only stretches that decode to ASCII are decoded: a credential is ASCII, and a
 * picture is not. A neighbour that is not ASCII ends a stretch and never hides one. */
#include <string.h>

#include "inspect/secret.h"
#include "inspect/secret_class.h"
#include "inspect/secret_escape.h"
#include "inspect/secret_inflate.h"

enum {
    QUANTA = 4,      /* base64: so many groups in a row must be ASCII: 12 bytes, the shortest credential with its sign */
    HEX_BYTES = 14,
    STEP64 = 48,     /* the last start of QUANTA groups that one mask shows is 49 */
    STEP_HEX = 36,
    FOLD_LINE = 16,  /* shorter lines than this are words, not wrapped base64 */
    FOLD_BLANKS = 64,
    PAIRS_ASCII = 12, /* so many characters in a row are text */
    BACK = 160       /* how far in front of a run its first, short line may begin */
};

/* --- stretches of a contiguous run ----------------------------------------------------------------- */

struct stretch {
    struct scan *scan;
    struct text *text;
    const uint8_t *c; /* n characters, 64 readable bytes behind them */
    size_t n;
    uint64_t from, to; /* the encoded bytes in the text */
    bool pairs;        /* there is enough hex in it to look */
};

/* [s, e) in whole groups from s, and what is left of a group at the end of the run. */
static size_t decode_groups(const uint8_t *c, size_t s, size_t e, uint8_t *out)
{
    size_t n = 0;
    uint32_t v = 0;
    unsigned have = 0;
    for (size_t i = s; i < e; i++) {
        v = v << 6 | (secret_class_base64(c[i]) & 63u);
        if (++have < 4)
            continue;
        out[n++] = (uint8_t)(v >> 16);
        out[n++] = (uint8_t)(v >> 8);
        out[n++] = (uint8_t)v;
        have = 0;
    }
    if (have >= 2)
        out[n++] = (uint8_t)(v >> (have == 2 ? 4 : 10));
    if (have == 3)
        out[n++] = (uint8_t)(v >> 2);
    return n;
}

static size_t stretch64(const struct stretch *run, size_t i, size_t floor)
{
    size_t s = i, e = i + 4 * QUANTA;
    while (s >= floor + 4 && secret_class_ascii(run->c + s - 4))
        s -= 4;
    if (s >= floor + 4)
        s -= 4;
    while (e + 4 <= run->n && secret_class_ascii(run->c + e))
        e += 4;
    e = e + 4 <= run->n ? e + 4 : run->n;
    uint8_t *out = run->scan->engine->decoded[run->text->depth + 1];
    size_t len = decode_groups(run->c, s, e, out);
    return secret_scan_view(run->scan, run->text, "base64", out, len, run->from, run->to) ? e : SIZE_MAX;
}

static void find64(struct stretch *run)
{
    size_t done[4] = {0};
    for (size_t at = 0; at + 4 * QUANTA <= run->n; at += STEP64) {
        struct class_run m;
        secret_class_runs(run->c + at, &m);
        run->pairs = run->pairs || (m.hex & m.hex >> 1 & m.hex >> 2 & m.hex >> 3) != 0;
        uint64_t k = m.ascii & m.ascii >> 4;
        k &= k >> 8;
        k &= ((uint64_t)1 << STEP64) - 1;
        for (; k; k &= k - 1) {
            size_t i = at + (size_t)__builtin_ctzll(k);
            if (i + 4 * QUANTA > run->n || i < done[i & 3])
                continue;
            done[i & 3] = stretch64(run, i, done[i & 3]);
            if (run->scan->exhausted)
                return;
        }
    }
}

static size_t stretch_hex(const struct stretch *run, size_t i, size_t floor)
{
    const uint8_t *c = run->c;
    size_t s = i, e = i, len = 0;
    uint8_t *out = run->scan->engine->decoded[run->text->depth + 1];
    while (s >= floor + 2 && secret_class_hex(c[s - 2]) < 8 && secret_class_hex(c[s - 1]) < 16)
        s -= 2;
    for (e = s; e + 2 <= run->n && secret_class_hex(c[e]) < 8 && secret_class_hex(c[e + 1]) < 16; e += 2)
        out[len++] = (uint8_t)(secret_class_hex(c[e]) << 4 | secret_class_hex(c[e + 1]));
    return secret_scan_view(run->scan, run->text, "hex", out, len, run->from, run->to) ? e : SIZE_MAX;
}

static void find_hex(struct stretch *run)
{
    size_t done[2] = {0};
    for (size_t at = 0; at + 2 * HEX_BYTES <= run->n; at += STEP_HEX) {
        struct class_run m;
        secret_class_runs(run->c + at, &m);
        uint64_t k = m.low & m.hex >> 1;
        k &= k >> 2;
        k &= k >> 4;
        k &= k >> 8;
        k &= k >> 12;
        k &= ((uint64_t)1 << STEP_HEX) - 1;
        for (; k; k &= k - 1) {
            size_t i = at + (size_t)__builtin_ctzll(k);
            if (i + 2 * HEX_BYTES > run->n || i < done[i & 1])
                continue;
            done[i & 1] = stretch_hex(run, i, done[i & 1]);
            if (run->scan->exhausted)
                return;
        }
    }
}

static void decode_run(struct scan *scan, struct text *text, const uint8_t *c, size_t n, uint64_t from, uint64_t to)
{
    struct stretch run = {.scan = scan, .text = text, .c = c, .n = n, .from = from, .to = to};
    if (n < 4 * QUANTA || scan->exhausted)
        return;
    find64(&run);
    if (run.pairs && !scan->exhausted)
        find_hex(&run);
}

/* --- folds ----------------------------------------------------------------------------------------- */

static bool is_escaped_break(struct text *text, uint64_t off)
{
    int c = secret_text_byte(text, off) == '\\' ? secret_text_byte(text, off + 1) : -1;
    return c == 'n' || c == 'r';
}

/* Where the text goes on behind a line break at off (also one written as \n), or off itself where there is none. */
static uint64_t behind_fold(struct text *text, uint64_t off)
{
    uint64_t at = off;
    bool line = false;
    while (at - off < FOLD_BLANKS) {
        int c = secret_text_byte(text, at);
        bool escaped = c == '\\' && is_escaped_break(text, at);
        if (c != '\n' && c != '\r' && c != ' ' && c != '\t' && !escaped)
            break;
        line = line || c == '\n' || escaped;
        at += escaped ? 2 : 1;
    }
    return line ? at : off;
}

/* The beginning of the run, when the line before it ends in its first characters. */
static uint64_t first_line(struct text *text, uint64_t start, uint64_t floor)
{
    uint64_t low = start > BACK ? start - BACK : 0, at = start;
    bool line = false;
    low = low > floor ? low : floor;
    for (; at > low; at--) {
        int c = secret_text_byte(text, at - 1);
        if (c != '\n' && c != '\r' && c != ' ' && c != '\t')
            break;
        line = line || c == '\n';
    }
    if (!line)
        return start;
    uint64_t end = at;
    while (at > low) {
        int c = secret_text_byte(text, at - 1);
        if (c < 0 || secret_class_base64((uint8_t)c) == 255)
            break;
        at--;
    }
    return at < end ? at : start;
}

/* Is the whole run in sight, and followed by no fold? Then it needs no copy. */
static bool plain_run(struct text *text, uint64_t start, size_t *n)
{
    size_t len;
    const uint8_t *p = secret_text_at(text, start, &len);
    *n = secret_class_length(p, len);
    if (*n + 64 > len + text->slack || *n > SECRET_BLOCK)
        return false;
    if (*n >= len)
        return text->slack > 0;
    uint8_t c = p[*n] == ' ' && *n + 1 < len ? p[*n + 1] : p[*n];
    return c != '\n' && c != '\r' && c != '\\' && c != ' ' && c != '\t';
}

static const char PACKED[] = "base64>deflate";

struct gather {
    uint8_t *c;
    size_t n;
    size_t fed;    /* of them went to the inflater */
    bool begun;
    struct secret_inflate *inflate; /* of a run that is a packed stream */
    uint64_t from; /* where the first character of c lies */
};

/* What came since the last time. */
static void feed(struct scan *scan, struct text *text, struct gather *g, uint64_t to, bool last)
{
    if (!g->begun && secret_inflate_sign64(g->c, g->n))
        g->inflate = secret_inflate_new(scan, text, PACKED, g->from);
    g->begun = true;
    if (g->inflate)
        secret_inflate_base64(g->inflate, g->c + g->fed, g->n - g->fed);
    if (last)
        secret_inflate_end(&g->inflate, to);
}

static void flush(struct scan *scan, struct text *text, struct gather *g, uint64_t to, bool last)
{
    feed(scan, text, g, to, last);
    memset(g->c + g->n, 0, 64);
    decode_run(scan, text, g->c, g->n, g->from, to);
    if (last)
        return;
    memmove(g->c, g->c + g->n - SECRET_TAIL, SECRET_TAIL);
    g->n = g->fed = SECRET_TAIL;
    g->from = to > SECRET_TAIL ? to - SECRET_TAIL : 0;
}

/* One line of the run into g; returns its end. */
static uint64_t gather_line(struct scan *scan, struct text *text, struct gather *g, uint64_t at)
{
    for (;;) {
        size_t len, room = SECRET_BLOCK - g->n;
        const uint8_t *p = secret_text_at(text, at, &len);
        size_t n = secret_class_length(p, len < room ? len : room);
        memcpy(g->c + g->n, p, n);
        g->n += n;
        at += n;
        if (g->n == SECRET_BLOCK)
            flush(scan, text, g, at, false);
        else if (n < len || len == 0)
            return at;
        if (scan->exhausted)
            return at;
    }
}

static void unpack_run(struct scan *scan, struct text *text, const uint8_t *c, size_t n, uint64_t start)
{
    struct secret_inflate *inflate = scan->exhausted ? NULL : secret_inflate_new(scan, text, PACKED, start);
    if (inflate)
        secret_inflate_base64(inflate, c, n);
    secret_inflate_end(&inflate, start + n);
}

uint64_t secret_runs_decode(struct scan *scan, struct text *text, uint64_t start, uint64_t floor)
{
    size_t n;
    uint64_t first = first_line(text, start, floor);
    if (first == start && plain_run(text, start, &n)) {
        size_t len;
        const uint8_t *p = secret_text_at(text, start, &len);
        decode_run(scan, text, p, n, start, start + n);
        if (secret_inflate_sign64(p, n))
            unpack_run(scan, text, p, n, start);
        return start + n;
    }
    struct gather g = {.c = scan->engine->compact[text->depth], .from = first};
    uint64_t at = first, line;
    for (;;) {
        line = at;
        at = gather_line(scan, text, &g, at);
        uint64_t next = behind_fold(text, at);
        if (next == at || scan->exhausted || (at - line < FOLD_LINE && line != first))
            break;
        int c = secret_text_byte(text, next);
        if (c < 0 || secret_class_base64((uint8_t)c) == 255)
            break;
        at = next;
    }
    flush(scan, text, &g, at, true);
    return at;
}

/* --- pairs ------------------------------------------------------------------------------------------- */

/* Behind a colon, a blank, a line break with blanks, or a colon in front of one; off where there is none. */
static uint64_t behind_separator(struct text *text, uint64_t off)
{
    uint64_t at = off + (secret_text_byte(text, off) == ':');
    uint64_t fold = behind_fold(text, at);
    if (fold > at)
        return fold;
    return at == off && secret_text_byte(text, off) == ' ' ? off + 1 : at;
}

static uint64_t first_pair(struct text *text, uint64_t off, uint64_t floor)
{
    while (off >= floor + 3 && secret_hex_pair(text, off - 3) >= 0 && behind_separator(text, off - 1) == off)
        off -= 3;
    return off;
}

uint64_t secret_runs_pairs(struct scan *scan, struct text *text, uint64_t off, uint64_t floor)
{
    uint8_t *out = scan->engine->decoded[text->depth + 1];
    uint64_t start = first_pair(text, off, floor), at = start, end = start;
    size_t n = 0, ascii = 0, most = 0;
    for (int c; (c = secret_hex_pair(text, at)) >= 0 && !scan->exhausted;) {
        out[n++] = (uint8_t)c;
        ascii = c < 0x80 ? ascii + 1 : 0;
        most = ascii > most ? ascii : most;
        end = at + 2;
        at = behind_separator(text, end);
        bool full = n == SECRET_BLOCK;
        if (!full && at > end)
            continue;
        if (most >= PAIRS_ASCII)
            secret_scan_view(scan, text, "hex", out, n, start, end);
        if (!full || at == end)
            return end > off ? end : off + 1;
        memmove(out, out + n - SECRET_TAIL, SECRET_TAIL);
        n = SECRET_TAIL;
        start = end - SECRET_TAIL;
    }
    if (most >= PAIRS_ASCII && n > 0 && !scan->exhausted)
        secret_scan_view(scan, text, "hex", out, n, start, end);
    return end > off ? end : off + 1;
}
