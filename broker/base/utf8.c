/* SPDX-License-Identifier: ISC */
#include "base/utf8.h"

#include <string.h>

#include "base/compiler.h"

/* True for eight bytes of 0x20 to 0x7E. A borrow or carry can only come from a byte that fails itself. */
static bool plain_word(uint64_t w)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    return ((w | (w - ones * 0x20) | (w + ones)) & tops) == 0;
}

size_t utf8_plain(const uint8_t *p, size_t len)
{
    size_t i = 0;
    uint64_t w;
    for (; len - i >= sizeof(w); i += sizeof(w)) {
        memcpy(&w, p + i, sizeof(w));
        if (!plain_word(w))
            break;
    }
    while (i < len && p[i] >= 0x20 && p[i] < 0x7F)
        i++;
    return i;
}

size_t utf8_decode(const uint8_t *p, size_t left, uint32_t *code)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || n > left)
        return 0;
    uint32_t c = p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    if (c < smallest[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 0;
    *code = c;
    return n;
}

bool utf8_valid(const uint8_t *p, size_t len)
{
    uint32_t code;
    for (size_t i = utf8_plain(p, len); i < len; i += utf8_plain(p + i, len - i)) {
        size_t n = utf8_decode(p + i, len - i, &code);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

bool utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

bool utf8_is_format(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},   {0x6DD, 0x6DD},
                  {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160}, {0x17B4, 0x17B5},
                  {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x206F}, {0x3164, 0x3164},
                  {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB}, {0x110BD, 0x110BD},
                  {0x110CD, 0x110CD}, {0x13430, 0x1345F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
                  {0xE0000, 0xE0FFF}};
    if (code < ranges[0].first)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}
