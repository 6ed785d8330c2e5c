/* SPDX-License-Identifier: ISC
 * Second looks for signatures of rules/types that are too short to stand alone: archives, programs, data. Runs in the
 * confined child on hostile bytes; each reads a bounded number of them.
 * Invariant: a check narrows a signature; it never claims by itself. */
#include <string.h>

#include "inspect/octets.h"
#include "inspect/type_table.h"

static const uint8_t *head(struct bytes *b, size_t len)
{
    return bytes_at(b, 0, len);
}

/* --- archives ------------------------------------------------------------------------------------------------------ */

static bool octal_field(const uint8_t *p, size_t len, uint32_t *value)
{
    size_t i = 0;
    *value = 0;
    while (i < len && p[i] == ' ')
        i++;
    size_t digits = i;
    for (; i < len && p[i] >= '0' && p[i] <= '7'; i++)
        *value = *value << 3 | (uint32_t)(p[i] - '0');
    return i > digits && (i == len || p[i] == ' ' || p[i] == 0);
}

/* Every tar reader demands the header checksum, summed as unsigned or (old ones) signed bytes. */
bool type_check_tar(struct bytes *b)
{
    const uint8_t *p = head(b, 512);
    uint32_t stored, sum = 0;
    int32_t signed_sum = 0;
    if (!p || p[0] == 0 || !octal_field(p + 148, 8, &stored))
        return false;
    for (size_t i = 0; i < 512; i++) {
        uint8_t c = i >= 148 && i < 156 ? ' ' : p[i];
        sum += c;
        signed_sum += (int8_t)c;
    }
    return sum == stored || (signed_sum >= 0 && (uint32_t)signed_sum == stored);
}

bool type_check_gzip_other(struct bytes *b)
{
    const uint8_t *p = head(b, 3);
    return p && p[2] != 8;
}

/* The basic header's size, and of its first part; then the type of a main header. */
bool type_check_arj(struct bytes *b)
{
    const uint8_t *p = head(b, 4);
    return p && p[2] >= 0x1e && p[3] <= 0x0a;
}

/* A skippable frame belongs to whichever format follows; both readers take it, and without a successor it is zstd. */
static uint32_t after_skippable(struct bytes *b)
{
    uint64_t at = 0;
    for (int frames = 0; frames < 64; frames++) {
        const uint8_t *p = bytes_at(b, at, 8);
        if (!p)
            return 0;
        if ((get_le32(p) & 0xFFFFFFF0u) != 0x184D2A50u)
            return get_le32(p);
        at += 8 + (uint64_t)get_le32(p + 4);
    }
    return 0;
}

static bool skippable(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    return p && (p[0] & 0xF0) == 0x50 && get_le32(p + 4) <= b->size - 8;
}

bool type_check_skippable_zstd(struct bytes *b)
{
    return skippable(b) && after_skippable(b) != 0x184D2204u;
}

bool type_check_skippable_lz4(struct bytes *b)
{
    return skippable(b) && after_skippable(b) == 0x184D2204u;
}

/* .lzma has no magic: properties ((pb * 5 + lp) * 9 + lc, where lc + lp is at most 4), a dictionary of a size that encoders
 * write (2^n, 2^n + 2^(n-1), all ones), an unpacked size that is unknown or below 256 GiB, and the range coder's first
 * byte 0. */
bool type_check_lzma(struct bytes *b)
{
    const uint8_t *p = head(b, 14);
    if (!p || p[0] >= 225 || p[0] % 9 + p[0] / 9 % 5 > 4 || p[13] != 0)
        return false;
    uint32_t dictionary = get_le32(p + 1), rest = dictionary & (dictionary - 1);
    bool written = dictionary == UINT32_MAX || rest == 0 || rest == dictionary / 3 * 2;
    uint64_t size = get_le64(p + 5);
    return dictionary >= 4096 && written && (size == UINT64_MAX || size >> 38 == 0);
}

bool type_check_cpio_ascii(struct bytes *b)
{
    const uint8_t *p = head(b, 76);
    if (!p)
        return false;
    for (size_t i = 6; i < 76; i++)
        if (!memchr("0123456789abcdefABCDEF", p[i], 22))
            return false;
    return true;
}

bool type_check_cpio_binary(struct bytes *b)
{
    const uint8_t *p = head(b, 26);
    if (!p)
        return false;
    bool little = p[0] == 0xC7;
    uint32_t name = little ? get_le16(p + 20) : get_be16(p + 20);
    const uint8_t *end = name >= 2 && name <= 4096 ? bytes_at(b, 26 + (uint64_t)name - 1, 1) : NULL;
    return end && *end == 0;
}

bool type_check_ext_filesystem(struct bytes *b)
{
    const uint8_t *p = bytes_at(b, 1024, 264);
    /* log of the block size, revision, state */
    return p && get_le32(p + 24) <= 6 && get_le32(p + 76) <= 1 && get_le16(p + 58) <= 7 && get_le32(p + 4) != 0;
}

/* A boot sector of a FAT file system, or a table of partitions: each is active or not, and one at least has a place. */
bool type_check_boot_record(struct bytes *b)
{
    enum { TABLE = 446, ENTRY = 16 };
    const uint8_t *p = head(b, 512);
    unsigned used = 0;
    if (p && (memcmp(p + 54, "FAT1", 4) == 0 || memcmp(p + 82, "FAT32", 5) == 0))
        return true;
    for (size_t i = TABLE; p && i < TABLE + 4 * ENTRY; i += ENTRY) {
        if ((p[i] & 0x7F) != 0 || (p[i + 4] != 0 && (get_le32(p + i + 8) == 0 || get_le32(p + i + 12) == 0)))
            return false;
        used += p[i + 4] != 0;
    }
    return used > 0;
}

/* --- programs -------------------------------------------------------------------------------------------------------- */

static bool elf_is_core(struct bytes *b)
{
    const uint8_t *p = head(b, 18);
    return p && (p[5] == 2 ? get_be16(p + 16) : get_le16(p + 16)) == 4;
}

bool type_check_elf_core(struct bytes *b)
{
    return elf_is_core(b);
}

bool type_check_elf_program(struct bytes *b)
{
    return !elf_is_core(b);
}

/* Not only with a PE header behind it: bare DOS programs, NE and LE start so too. Text is left out by the caller. */
bool type_check_dos(struct bytes *b)
{
    return b->size >= 28;
}

static uint32_t macho_filetype(struct bytes *b)
{
    const uint8_t *p = head(b, 16);
    if (!p)
        return 0;
    return p[0] == 0xFE ? get_be32(p + 12) : get_le32(p + 12);
}

bool type_check_macho_core(struct bytes *b)
{
    return macho_filetype(b) == 4;
}

bool type_check_macho_program(struct bytes *b)
{
    return macho_filetype(b) != 4;
}

/* One magic, two formats: a fat header counts its architectures (few), a class file has its version there (45 on). */
bool type_check_macho_fat(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    return !p || get_be32(p + 4) < 45;
}

bool type_check_java_class(struct bytes *b)
{
    return !type_check_macho_fat(b);
}

bool type_check_pyc(struct bytes *b)
{
    const uint8_t *p = head(b, 16);
    /* A capture's first block (pcapng) starts with 0A 0D 0D 0A, which no release of Python has as its number. */
    if (!p || get_be32(p) == 0x0A0D0D0A)
        return false;
    uint32_t magic = get_le16(p);
    return (magic >= 3000 && magic < 4000) || (magic >= 50000 && magic < 63000);
}

/* The body of a .pyc: a code object. Small counts, then the byte code as a string that fits; how many counts there are
 * depends on the release (from 2.3 to the newest: four to six). */
bool type_check_marshal_code(struct bytes *b)
{
    enum { COUNTS = 4, MOST = 6, STRING = 's', REFERENCE = 0x80 };
    const uint8_t *p = head(b, 1 + 4 * MOST + 5);
    for (size_t i = 0; p && i < MOST; i++) {
        size_t at = 1 + 4 * (i + 1);
        bool string = i + 1 >= COUNTS && (p[at] & ~(unsigned)REFERENCE) == STRING;
        uint32_t len = get_le32(p + at + 1);
        if (string && len > 0 && len <= b->size - at - 5)
            return true;
        if (i < COUNTS - 1 && get_le32(p + 1 + 4 * i) > 0xffff)
            return false;
    }
    return false;
}

/* Object files: a machine that linkers know, few sections, no optional header, and the symbol table inside. */
bool type_check_coff(struct bytes *b)
{
    static const uint16_t machines[] = {0x14c, 0x8664, 0xaa64, 0x1c0, 0x1c4, 0x200};
    const uint8_t *p = head(b, 20);
    if (!p || get_le16(p + 2) == 0 || get_le16(p + 2) > 2048 || get_le16(p + 16) != 0)
        return false;
    uint64_t symbols = get_le32(p + 8);
    if (20 + (uint64_t)get_le16(p + 2) * 40 > b->size || symbols + (uint64_t)get_le32(p + 12) * 18 > b->size)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(machines); i++)
        if (get_le16(p) == machines[i])
            return symbols != 0;
    return false;
}

bool type_check_coff_big(struct bytes *b)
{
    static const uint8_t class_id[] = {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b};
    const uint8_t *p = head(b, 28);
    return p && memcmp(p + 12, class_id, sizeof(class_id)) == 0;
}

bool type_check_swf(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    return p && strchr("FCZ", p[0]) && p[0] && p[3] > 0 && p[3] < 64;
}

/* --- documents and data -------------------------------------------------------------------------------------------------- */

/* Readers look for the header in the first 1,024 bytes. In text it must stand alone on its line: prose about PDF is not
 * one. */
bool type_check_pdf_late(struct bytes *b)
{
    size_t len = b->size < 1024 + 9 ? (size_t)b->size : 1024 + 9;
    const uint8_t *p = head(b, len), *hit = p && len > 9 ? p + 1 : NULL;
    while (hit && (hit = memmem(hit, len - (size_t)(hit - p), "%PDF-", 5)) && len - (size_t)(hit - p) >= 9) {
        bool version = hit[5] >= '0' && hit[5] <= '9' && hit[6] == '.';
        bool line = (hit[-1] == '\n' || hit[-1] == '\r') && (hit[8] == '\n' || hit[8] == '\r');
        if (version && (line || memchr(p, 0, len)))
            return true;
        hit++;
    }
    return false;
}

bool type_check_dwg(struct bytes *b)
{
    const uint8_t *p = head(b, 16);
    return p && p[4] >= '0' && p[4] <= '9' && p[5] >= '0' && p[5] <= '9' && p[6] == 0;
}

bool type_check_gguf(struct bytes *b)
{
    const uint8_t *p = head(b, 8);
    return p && (get_le32(p + 4) <= 16 || get_be32(p + 4) <= 16);
}

bool type_check_parquet_tail(struct bytes *b)
{
    const uint8_t *p = head(b, 4);
    return p && memcmp(p, "PAR1", 4) == 0 && b->size >= 12;
}

/* Encrypted to the footer: the same mark at both ends. */
bool type_check_parquet_locked(struct bytes *b)
{
    const uint8_t *p = b->size >= 12 ? bytes_at(b, b->size - 4, 4) : NULL;
    return p && memcmp(p, "PARE", 4) == 0;
}

bool type_check_orc(struct bytes *b)
{
    const uint8_t *p = b->size > 16 ? bytes_at(b, b->size - 4, 3) : NULL;
    return p && memcmp(p, "ORC", 3) == 0;
}

bool type_check_regf(struct bytes *b)
{
    const uint8_t *p = head(b, 32);
    return p && get_le32(p + 20) == 1 && get_le32(p + 24) <= 6;
}

bool type_check_matlab(struct bytes *b)
{
    const uint8_t *p = head(b, 128);
    return p && (memcmp(p + 126, "IM", 2) == 0 || memcmp(p + 126, "MI", 2) == 0);
}

bool type_check_netcdf(struct bytes *b)
{
    const uint8_t *p = head(b, 4);
    return p && (p[3] == 1 || p[3] == 2 || p[3] == 5);
}

/* Version 4.8, then a type byte that the format has. */
bool type_check_ruby_marshal(struct bytes *b)
{
    const uint8_t *p = head(b, 4);
    return p && memchr("0TFifl\"/:;[{}IocmMSUuedC@", p[2], 25);
}

bool type_check_go_heap(struct bytes *b)
{
    const uint8_t *p = head(b, 32);
    for (size_t i = 5; p && i + 11 < 32; i++)
        if (memcmp(p + i, " heap dump\n", 11) == 0)
            return true;
    return false;
}
