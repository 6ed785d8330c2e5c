/* SPDX-License-Identifier: ISC
 * Every rule's sample in every encoding, encodings in encodings, and across the boundary of reads. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "inspect/secret_class.h"
#include "secret_samples.h"

enum { ROOM = 1024 * 1024 };

typedef size_t encode_fn(const uint8_t *in, size_t n, uint8_t *out);

static size_t encode_base64(const uint8_t *in, size_t n, uint8_t *out)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)in[i] << 16 | (i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0) | (i + 2 < n ? in[i + 2] : 0);
        out[at++] = (uint8_t)alphabet[v >> 18];
        out[at++] = (uint8_t)alphabet[v >> 12 & 63];
        out[at++] = i + 1 < n ? (uint8_t)alphabet[v >> 6 & 63] : '=';
        out[at++] = i + 2 < n ? (uint8_t)alphabet[v & 63] : '=';
    }
    return at;
}

static size_t padded_base64(const uint8_t *in, size_t n, const char *front, uint8_t *out)
{
    uint8_t *text = malloc(n + 256);
    size_t at = strlen(front);
    memcpy(text, front, at);
    memcpy(text + at, in, n);
    memcpy(text + at + n, "\nend", 4);
    at = encode_base64(text, at + n + 4, out);
    free(text);
    return at;
}

static size_t phase0(const uint8_t *in, size_t n, uint8_t *out)
{
    return padded_base64(in, n, "", out);
}
static size_t phase1(const uint8_t *in, size_t n, uint8_t *out)
{
    return padded_base64(in, n, "\n", out);
}
static size_t phase2(const uint8_t *in, size_t n, uint8_t *out)
{
    return padded_base64(in, n, ";\n", out);
}

static size_t encode_url(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t len = phase1(in, n, out);
    for (size_t i = 0; i < len; i++)
        out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
    return len;
}

/* Lines of a length that is no multiple of four, with a short first one. */
static size_t encode_folded(const uint8_t *in, size_t n, uint8_t *out)
{
    uint8_t *line = malloc(ROOM);
    size_t len = padded_base64(in, n, "some words in front of it, long enough for two lines of text or so\n", line);
    size_t at = 0, column = 62;
    for (size_t i = 0; i < len; i++) {
        out[at++] = line[i];
        if (++column == 71) {
            memcpy(out + at, "\r\n  ", 4);
            at += 4;
            column = 0;
        }
    }
    free(line);
    return at;
}

static size_t twice(const uint8_t *in, size_t n, uint8_t *out)
{
    uint8_t *once = malloc(ROOM);
    size_t len = encode_base64(once, phase1(in, n, once), out);
    free(once);
    return len;
}

#define ENCODE_EACH(name, format)                                  \
    static size_t name(const uint8_t *in, size_t n, uint8_t *out)  \
    {                                                              \
        size_t at = 0;                                             \
        for (size_t i = 0; i < n; i++)                             \
            at += (size_t)sprintf((char *)out + at, format, in[i]); \
        return at;                                                 \
    }
ENCODE_EACH(encode_hex, "%02x")
ENCODE_EACH(encode_percent, "%%%02X")
ENCODE_EACH(percent_twice, "%%25%02x")
ENCODE_EACH(encode_quoted, "=%02X")
ENCODE_EACH(encode_unicode, "\\u%04x")
ENCODE_EACH(unicode_braces, "\\u{%x}")
ENCODE_EACH(unicode_wide, "\\U%08x")
ENCODE_EACH(encode_colours, "\x1b[38;5;9m\x1b[K%c")
ENCODE_EACH(encode_x, "\\x%02x")
ENCODE_EACH(encode_octal, "\\%03o")
ENCODE_EACH(encode_reference, "&#%u;")
ENCODE_EACH(reference_hex, "&#x%04x;")
ENCODE_EACH(encode_pairs, "%02x:")
ENCODE_EACH(encode_blanks, "%02X ")

/* as openssl prints keys */
static size_t encode_lines(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)sprintf((char *)out + at, i % 15 == 14 ? "%02x:\n    " : "%02x:", in[i]);
    return at;
}

static size_t pack(const uint8_t *in, size_t n, uint8_t *out, int window)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)n, .next_out = out, .avail_out = ROOM};
    cr_assert(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    return ROOM - z.avail_out;
}

static size_t packed_base64(const uint8_t *in, size_t n, uint8_t *out, int window)
{
    uint8_t *packed = malloc(ROOM);
    size_t len = encode_base64(packed, pack(in, n, packed, window), out);
    free(packed);
    return len;
}

static size_t gzip_base64(const uint8_t *in, size_t n, uint8_t *out)
{
    return packed_base64(in, n, out, 15 + 16);
}
static size_t zlib_base64(const uint8_t *in, size_t n, uint8_t *out)
{
    return packed_base64(in, n, out, 15);
}

static size_t soft_breaks(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        at += in[i] == '=' ? (size_t)sprintf((char *)out + at, "=%02X", in[i]) : (size_t)sprintf((char *)out + at, "%c", in[i]);
        if (i % 20 == 13)
            at += (size_t)sprintf((char *)out + at, "=\r\n");
    }
    return at;
}

static size_t encode_json(const uint8_t *in, size_t n, uint8_t *out)
{
    size_t at = (size_t)sprintf((char *)out, "{\"log\": \"first\\nsecond\\n");
    for (size_t i = 0; i < n; i++) {
        if (in[i] == '\n' || in[i] == '"' || in[i] == '\\')
            out[at++] = '\\';
        out[at++] = in[i] == '\n' ? 'n' : in[i];
    }
    return at + (size_t)sprintf((char *)out + at, "\\nlast\\n\"}");
}

static size_t utf16(const uint8_t *in, size_t n, uint8_t *out, bool big, size_t front)
{
    size_t at = front;
    memset(out, 'x', front);
    for (size_t i = 0; i < n; i++) {
        out[at++] = big ? 0 : in[i];
        out[at++] = big ? in[i] : 0;
    }
    return at;
}

static size_t utf16le(const uint8_t *in, size_t n, uint8_t *out)
{
    return utf16(in, n, out, false, 0);
}
static size_t utf16be(const uint8_t *in, size_t n, uint8_t *out)
{
    return utf16(in, n, out, true, 0);
}
static size_t utf16_odd(const uint8_t *in, size_t n, uint8_t *out)
{
    return utf16(in, n, out, false, 1);
}
static size_t utf16_base64(const uint8_t *in, size_t n, uint8_t *out)
{
    uint8_t *units = malloc(ROOM);
    size_t len = encode_base64(units, utf16le(in, n, units), out);
    free(units);
    return len;
}

static const struct view {
    const char *name;
    encode_fn *encode;
} views[] = {
    {"base64 phase 0", phase0},     {"base64 phase 1", phase1},   {"base64 phase 2", phase2},
    {"base64url", encode_url},      {"folded base64", encode_folded}, {"base64 twice", twice},
    {"hex", encode_hex},            {"percent", encode_percent},  {"percent twice", percent_twice},
    {"quoted-printable", encode_quoted}, {"soft breaks", soft_breaks}, {"\\u", encode_unicode},
    {"\\u{}", unicode_braces},     {"\\U", unicode_wide},          {"colours", encode_colours},
    {"\\x", encode_x},              {"octal", encode_octal},      {"json", encode_json},
    {"utf-16le", utf16le},          {"utf-16be", utf16be},        {"utf-16 at an odd byte", utf16_odd},
    {"base64 of utf-16", utf16_base64},
    {"references", encode_reference}, {"references in hex", reference_hex}, {"pairs", encode_pairs},
    {"pairs with blanks", encode_blanks}, {"lines of pairs", encode_lines}, {"base64 of gzip", gzip_base64},
    {"base64 of zlib", zlib_base64},
};

Test(secret_views, every_rule_in_every_view)
{
    struct samples samples;
    struct rule_table table;
    struct sink_list list;
    uint8_t *text = malloc(ROOM);
    samples_load(&samples, &table);
    for (size_t i = 0; i < samples.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(views); k++) {
            const struct sample *s = &samples.v[i];
            sample_scan(&list, text, views[k].encode(s->text, s->len, text));
            cr_expect(sample_found(&list, s->rule), "%s in %s", s->rule, views[k].name);
            cr_expect(!sample_leaks(&list, s), "%s in %s", s->rule, views[k].name);
            sink_list_free(&list);
        }
    free(text);
    samples_free(&samples);
    rule_table_free(&table);
}

Test(secret_views, across_the_boundary)
{
    static const char *const some[] = {"github-token", "private-key", "url-password"};
    struct samples samples;
    struct rule_table table;
    struct sink_list list;
    uint8_t *text = malloc(ROOM), *encoded = malloc(ROOM);
    samples_load(&samples, &table);
    for (size_t i = 0; i < samples.n * ARRAY_LEN(some); i++) {
        const struct sample *s = &samples.v[i / ARRAY_LEN(some)];
        if (strcmp(s->rule, some[i % ARRAY_LEN(some)]) != 0)
            continue;
        for (size_t k = 0; k < ARRAY_LEN(views); k++) {
            size_t n = views[k].encode(s->text, s->len, encoded);
            for (size_t before = 3; before < n; before += n / 9 + 1) {
                memset(text, '\n', BYTES_WINDOW - before);
                memcpy(text + BYTES_WINDOW - before, encoded, n);
                sample_scan_file(&list, text, BYTES_WINDOW - before + n);
                cr_expect(sample_found(&list, s->rule), "%s in %s, %zu in front", s->rule, views[k].name, before);
                sink_list_free(&list);
            }
        }
    }
    free(text);
    free(encoded);
    samples_free(&samples);
    rule_table_free(&table);
}

Test(secret_views, long_base64)
{
    /* a credential in the middle of a megabyte of base64 on one line, and of one that is folded */
    struct sink_list list;
    char *plain = malloc(ROOM);
    uint8_t *text = malloc(2 * ROOM);
    size_t at = 0;
    while (at < 700000)
        at += (size_t)sprintf(plain + at, at == 391000 ? "x\n" : "a line of plain text\n");
    memcpy(plain + 391007, "\nkey gh", 7);
    memcpy(plain + 391014, "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17\n", 39);
    size_t n = encode_base64((uint8_t *)plain, at, text);
    sample_scan_file(&list, text, n);
    cr_assert(sample_found(&list, "github-token"));
    sink_list_free(&list);
    free(plain);
    free(text);
}

/* A short credential between bytes that are no text, in lines of every width, at every place of them, among code: what
 * lies across a line break is little on either side. */
Test(secret_views, folded_among_words)
{
    static const char *const breaks[] = {"\n", "\r\n", "\n    ", " \n\t"};
    char text[4096];
    uint8_t plain[160], encoded[256];
    uint32_t state = 7;
    for (size_t width = SECRET_RUN_LEAST; width < 80; width++)
        for (size_t front = 40; front < 40 + width; front += 1 + width / 17) {
            struct sink_list list;
            for (size_t i = 0; i < sizeof(plain); i++)
                plain[i] = (uint8_t)(sample_random(&state) | 0x80);
            memcpy(plain + front, "AKI", 3);
            memcpy(plain + front + 3, "AQ7XWLB2MT5RZ9KDF", 17);
            size_t n = encode_base64(plain, sizeof(plain) - 1, encoded);
            int at = snprintf(text, sizeof(text), "#ifndef A_LONG_NAME_OF_SOME_LIBRARY_H\nstatic const char an_even_longer_name[] =\n");
            for (size_t i = 0; i < n; i += width)
                at += snprintf(text + at, sizeof(text) - (size_t)at, "%.*s%s", (int)(n - i < width ? n - i : width), encoded + i,
                               breaks[(width + front) % ARRAY_LEN(breaks)]);
            at += snprintf(text + at, sizeof(text) - (size_t)at, "#endif\n");
            sample_scan(&list, text, (size_t)at);
            cr_expect(sample_found(&list, "aws-access-key-id"), "width %zu, %zu in front", width, front);
            sink_list_free(&list);
        }
}

/* A packed stream in a run that is no longer than a word may be, at every place of a block. */
Test(secret_views, packed_in_a_short_run)
{
    uint8_t packed[256], encoded[256];
    char text[400];
    size_t len = pack((const uint8_t *)"AKI" "AQ7XWLB2MT5RZ9KDF", 20, packed, 15), n = encode_base64(packed, len, encoded);
    for (int before = 0; before < 130; before++) {
        struct sink_list list;
        int at = snprintf(text, sizeof(text), "%*s %.*s;", before, "a", (int)n, encoded);
        sample_scan(&list, text, (size_t)at);
        cr_expect(sample_found(&list, "aws-access-key-id"), "%d", before);
        sink_list_free(&list);
    }
}

Test(secret_views, chain_is_named)
{
    struct sink_list list;
    uint8_t text[512];
    char token[64];
    int n = snprintf(token, sizeof(token), "key gh%s", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17");
    sample_scan(&list, text, twice((uint8_t *)token, (size_t)n, text));
    cr_assert(list.findings.n == 1);
    cr_assert_str_eq(list.findings.v[0].message, "a credential (base64>base64, check holds)");
    cr_assert(list.findings.v[0].offset == 0);
    sink_list_free(&list);
}

/* gzip in the middle of a binary that nothing claims; the head of one that is none; text is not looked through. */
Test(secret_views, packed_in_a_binary)
{
    struct sink_list list;
    uint8_t *binary = calloc(1, ROOM), *packed = calloc(1, ROOM);
    char plain[64];
    int n = snprintf(plain, sizeof(plain), "key gh%s", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17");
    size_t len = pack((uint8_t *)plain, (size_t)n, packed, 15 + 16);
    for (size_t at = BYTES_WINDOW - len - 5; at < BYTES_WINDOW + 5; at++) {
        memset(binary, 7, BYTES_WINDOW + 200);
        memcpy(binary + 900, "\x1f\x8b\x08\x00 and no more", 16);
        memcpy(binary + at, packed, len);
        sample_scan_binary(&list, binary, BYTES_WINDOW + 200);
        cr_assert(sample_found(&list, "github-token"), "%zu", at);
        cr_assert(strstr(list.findings.v[0].message, "gzip"));
        sink_list_free(&list);
    }
    sample_scan_file(&list, binary, BYTES_WINDOW + 200);
    cr_assert(list.findings.n == 0);
    sink_list_free(&list);
    free(binary);
    free(packed);
}

/* What unpacks to more than the budget is refused, not looked at in part. */
Test(secret_views, packed_without_end)
{
    struct sink_list list;
    size_t size = 64 * 1024 * 1024;
    uint8_t *zeros = calloc(1, size), *packed = malloc(ROOM), *text = malloc(ROOM);
    sample_scan(&list, text, encode_base64(packed, pack(zeros, size, packed, 15), text));
    cr_assert(list.findings.n == 1 && list.findings.v[0].code == FINDING_INSPECT_LIMIT);
    sink_list_free(&list);
    free(zeros);
    free(packed);
    free(text);
}

/* Mail that encodes blanks and little else, and a line that is joined at a blank. */
Test(secret_views, quoted_blanks)
{
    struct sink_list list;
    char text[200];
    for (size_t i = 0; i < 2; i++) {
        int n = i == 0 ? snprintf(text, sizeof(text), "machine=20ex.example.org=20login=20ci=20pass%s", "word=20Xk29dLq8vPz1")
                       : snprintf(text, sizeof(text), "it says machine ex.example.org login =\nci pass%s", "word Xk29dLq8vPz1");
        sample_scan(&list, text, (size_t)n);
        cr_assert(sample_found(&list, "netrc"), "%zu", i);
        sink_list_free(&list);
    }
}
