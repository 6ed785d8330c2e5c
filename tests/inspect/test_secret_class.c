/* SPDX-License-Identifier: ISC
 * The masks against the definition of each alphabet, byte by byte, at every place of a block. */
#include <criterion/criterion.h>

#include <ctype.h>
#include <string.h>

#include "inspect/secret_class.h"
#include "secret_samples.h"

static bool in_base64(uint8_t c)
{
    return c < 128 && (isalnum(c) || c == '+' || c == '/' || c == '-' || c == '_');
}

static bool is_escape(const uint8_t *p, size_t i)
{
    bool pair = isxdigit(p[i + 1]) && isxdigit(p[i + 2]);
    bool blank = p[i + 1] == '2' && p[i + 2] == '0', sign = (p[i + 1] == '2' || p[i + 1] == '3') && p[i + 2] == 'D';
    bool quoted = p[i + 1] == '\n' || p[i + 1] == '\r' || (pair && (blank || sign || p[i + 3] == '='));
    return p[i] == '\\' || p[i] == 0x1b || (p[i] == '%' && pair) || (p[i] == '=' && quoted) || (p[i] == '&' && p[i + 1] == '#');
}

Test(secret_class, text)
{
    uint8_t p[80];
    uint32_t state = 3;
    for (int round = 0; round < 4000; round++) {
        struct class_masks m;
        for (size_t i = 0; i < sizeof(p); i++)
            p[i] = round < 256 ? (uint8_t)round
                   : round % 2 ? (uint8_t)sample_random(&state)
                               : (uint8_t)"%=\\4aF\n\r\0/z20D3=&#\x1b"[sample_random(&state) % 20];
        secret_class_text(p, &m);
        for (size_t i = 0; i < 64; i++) {
            cr_assert((m.base64 >> i & 1) == in_base64(p[i]), "byte %02x", p[i]);
            cr_assert((m.nul >> i & 1) == (p[i] == 0));
            if (i < 61)
                cr_assert((m.escape >> i & 1) == is_escape(p, i), "%02x %02x %02x", p[i], p[i + 1], p[i + 2]);
            else
                cr_assert(!is_escape(p, i) || (m.escape >> i & 1));
        }
    }
}

Test(secret_class, runs)
{
    uint8_t p[64];
    uint32_t state = 5;
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
    for (int round = 0; round < 4000; round++) {
        struct class_run m;
        for (size_t i = 0; i < 64; i++)
            p[i] = (uint8_t)alphabet[sample_random(&state) % 66];
        secret_class_runs(p, &m);
        for (size_t i = 0; i < 62; i++) {
            bool ascii = secret_class_base64(p[i]) < 32 && !(secret_class_base64(p[i + 1]) & 8) &&
                         !(secret_class_base64(p[i + 2]) & 2);
            cr_assert((m.ascii >> i & 1) == ascii);
            cr_assert((m.hex >> i & 1) == (isxdigit(p[i]) != 0));
            cr_assert((m.low >> i & 1) == (p[i] >= '0' && p[i] <= '7'));
        }
    }
}

/* Skipping block by block finds the same first run as looking at each byte. */
Test(secret_class, skip)
{
    uint8_t p[640];
    uint32_t state = 9;
    for (int round = 0; round < 2000; round++) {
        uint64_t run = 0;
        size_t first = sizeof(p), length = 0;
        for (size_t i = 0; i < sizeof(p); i++)
            p[i] = sample_random(&state) % 9 ? 'A' : ' ';
        for (size_t i = 0; i < sizeof(p) && first == sizeof(p); i++) {
            length = p[i] == 'A' ? length + 1 : 0;
            if (length == SECRET_RUN_LEAST)
                first = i;
        }
        struct class_masks masks;
        size_t n = secret_class_skip(p, sizeof(p), false, &run, &masks);
        cr_assert(n == first / 64 * 64 || (n < first && secret_class_pairs(masks.base64)), "%zu %zu", n, first);
    }
}

/* Last byte of the first sixteen in a run of at least SECRET_RUN_LEAST that may be base64 of text, or hex of it. */
static size_t first_stretch(const uint8_t *p, size_t n)
{
    for (size_t e = 15; e < n; e++) {
        size_t s = e - 15, from = s, to = e + 1;
        bool ascii = true, low[2] = {true, true}, run = true;
        for (size_t i = s; i <= e; i++) {
            static const uint8_t bits[] = {32, 8, 2, 0}; /* of a character, which are the upper ones of a byte */
            run = run && secret_class_base64(p[i]) != 255;
            ascii = ascii && !(secret_class_base64(p[i]) & bits[(i - s) % 4]);
            low[i & 1] = low[i & 1] && p[i] >= '0' && p[i] <= '7';
        }
        while (run && from > 0 && secret_class_base64(p[from - 1]) != 255)
            from--;
        while (run && to < n && secret_class_base64(p[to]) != 255)
            to++;
        if (run && to - from >= SECRET_RUN_LEAST && (ascii || low[s & 1]))
            return e;
    }
    return n;
}

/* Words are passed by, and never what may be more: a stretch is not stepped over, wherever it lies in its block. */
Test(secret_class, words_hide_nothing)
{
    static const char alphabet[] = "kmprstuvwxyz/_-98kmprstuvwxyzACDf017 ;";
    enum { FRONT = 64, BYTES = 640 };
    uint8_t text[FRONT + BYTES] = {0}, *p = text + FRONT;
    uint32_t state = 11;
    size_t passed = 0, stretches = 0;
    for (int round = 0; round < 4000; round++) {
        struct class_masks masks;
        uint64_t run = 0;
        size_t letters = round % 3 == 0 ? 15 : sizeof(alphabet) - 1;
        for (size_t i = 0; i < BYTES; i++)
            p[i] = sample_random(&state) % 30 ? (uint8_t)alphabet[sample_random(&state) % letters] : ' ';
        for (size_t i = 0, at = sample_random(&state) % (BYTES - 24); round % 2 && i < 24; i++)
            p[at + i] = i % 4 ? 'k' : 'Q';
        size_t n = secret_class_skip(p, BYTES, false, &run, &masks), first = first_stretch(p, BYTES);
        cr_assert(n <= first / 64 * 64 + (first == BYTES ? 0 : 64) && n <= BYTES, "%zu behind %zu", n, first);
        passed += n == BYTES;
        stretches += first < BYTES;
    }
    cr_assert(stretches > 1000 && (passed > 30 || !__builtin_cpu_supports("avx2")), "%zu %zu", stretches, passed);
}
