/* SPDX-License-Identifier: ISC
 * The fast stretches against the loops that they stand for, a byte at a time: over random bytes of small alphabets, at
 * every alignment and length. */
#include "inspect/octet_run.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"

enum { ROUNDS = 40000, SIZE = 300 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Mostly `calm`, so that runs are long, with bytes of `odd` here and there. */
static size_t fill(uint64_t *state, uint8_t *out, const char *calm, const char *odd, size_t odd_n)
{
    size_t n = next_random(state) % SIZE;
    uint32_t rare = 2 + next_random(state) % 150;
    for (size_t i = 0; i < n; i++)
        out[i] = next_random(state) % rare == 0 ? (uint8_t)odd[next_random(state) % odd_n]
                                                : (uint8_t)calm[next_random(state) % strlen(calm)];
    return n;
}

static size_t slow_clean(const uint8_t *p, size_t len)
{
    size_t i = 0;
    for (; i < len; i++) {
        bool clean = (p[i] >= 0x20 && p[i] <= 0x7E) || p[i] == '\t' || p[i] == '\n' || p[i] == '\f';
        if (!clean && !(p[i] == '\r' && i + 1 < len && p[i + 1] == '\n'))
            break;
    }
    return i;
}

static size_t slow_ascii(const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (i < len && p[i] > 0 && p[i] < 0x80)
        i++;
    return i;
}

static size_t slow_utf8(const uint8_t *p, size_t len)
{
    uint32_t code;
    size_t i = 0, n;
    while (i < len && p[i] >= 0x80 && (n = utf8_decode(p + i, len - i, &code)) > 0)
        i += n;
    return i;
}

static size_t slow_string(const uint8_t *p, size_t len)
{
    size_t i = 0;
    while (i < len && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20)
        i++;
    return i;
}

#define ODD "\0\1\x08\x0B\r\n\x1B\x1F\x7F\x80\xA0\xC2\xE2\xFF\"\\!~ "

static const struct {
    const char *name, *calm;
    size_t (*fast)(const uint8_t *p, size_t len);
    size_t (*slow)(const uint8_t *p, size_t len);
} runs[] = {
    {"clean", "ab~ \t\n\f!", octet_run_clean, slow_clean},
    {"clean, lines of DOS", "ab\r\n\n", octet_run_clean, slow_clean},
    {"ascii", "a\1\x7F ", octet_run_ascii, slow_ascii},
    {"string", "az !\x7F\x80\xFF#[]", octet_run_string, slow_string},
    {"utf8", "\x80\xBF\xC3\xE2\xF0\x9F\xED\xA0", octet_run_utf8, slow_utf8},
    {"utf8 of two", "\xC3\xA9", octet_run_utf8, slow_utf8},
};

Test(octet_run, same_as_byte_by_byte)
{
    uint64_t state = 3;
    uint8_t text[SIZE + 16];
    for (size_t r = 0; r < ARRAY_LEN(runs); r++)
        for (int round = 0; round < ROUNDS; round++) {
            size_t skew = (size_t)round % 16, n = fill(&state, text + skew, runs[r].calm, ODD, sizeof(ODD) - 1);
            size_t fast = runs[r].fast(text + skew, n), slow = runs[r].slow(text + skew, n);
            cr_assert_eq(fast, slow, "%s: %zu and not %zu of %zu", runs[r].name, fast, slow, n);
        }
}

/* Every byte value at every place of a calm stretch. */
Test(octet_run, each_byte_everywhere)
{
    uint8_t text[144];
    for (size_t r = 0; r < 4; r++)
        for (unsigned c = 0; c < 256; c++)
            for (size_t at = 0; at < sizeof(text); at++) {
                memset(text, 'a', sizeof(text));
                text[at] = (uint8_t)c;
                cr_assert_eq(runs[r].fast(text, sizeof(text)), runs[r].slow(text, sizeof(text)), "%s: %02x at %zu",
                             runs[r].name, c, at);
            }
}

/* Every character, and every pair of first bytes: what is strict UTF-8 and what is not. */
Test(octet_run, utf8_is_strict)
{
    for (uint32_t start = 0x8000; start <= 0xFFFF; start++)
        for (unsigned rest = 0; rest < 4; rest++) {
            static const uint8_t follow[] = {0x80, 0xBF, 0xC0, 0x41};
            uint8_t text[4] = {(uint8_t)(start >> 8), (uint8_t)start, follow[rest], follow[3 - rest]};
            for (size_t n = 1; n <= 4; n++)
                cr_assert_eq(octet_run_utf8(text, n), slow_utf8(text, n), "%04x", start);
        }
}

Test(octet_run, blocks_are_clean_and_whole)
{
    uint64_t state = 5;
    uint8_t text[SIZE + 16];
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = fill(&state, text, "ab \n", ODD, sizeof(ODD) - 1), fast = octet_run_blocks(text, n);
        cr_assert(fast % 64 == 0 && fast <= slow_clean(text, n));
        cr_assert(n - fast < 64 || slow_clean(text + fast, n - fast) < 64 || memchr(text + fast, '\r', 64));
    }
}

Test(octet_run, finds_the_first)
{
    static const char *const needles[] = {"a", "ab", "aab", "\"py/", "abababab", "__HALT_COMPILER();"};
    uint64_t state = 7;
    uint8_t text[SIZE + 16];
    for (size_t k = 0; k < ARRAY_LEN(needles); k++)
        for (int round = 0; round < ROUNDS; round++) {
            size_t len = strlen(needles[k]), n = fill(&state, text, "ab\"", "py/_;c", 6);
            if (n > len && round % 2)
                memcpy(text + next_random(&state) % (n - len), needles[k], len);
            cr_assert_eq(octet_find(text, n, (const uint8_t *)needles[k], len), memmem(text, n, needles[k], len), "%s",
                         needles[k]);
        }
}
