/* SPDX-License-Identifier: ISC
 * tar headers, strictly: a number that two readers could take differently is a fault. Pure. */
#include "inspect/tar_head.h"

#include <string.h>

struct field {
    size_t at, len;
};
static const struct field f_name = {0, 100}, f_mode = {100, 8}, f_uid = {108, 8}, f_gid = {116, 8},
                          f_size = {124, 12}, f_mtime = {136, 12}, f_sum = {148, 8}, f_link = {157, 100},
                          f_major = {329, 8}, f_minor = {337, 8}, f_prefix = {345, 155}, f_uname = {265, 32}, f_gname = {297, 32};
enum { AT_TYPE = 156, AT_MAGIC = 257, MAGIC_LEN = 8 };

struct tar_text tar_owner(const uint8_t block[TAR_BLOCK], unsigned which)
{
    const char *at = (const char *)block + (which ? f_gname.at : f_uname.at);
    return (struct tar_text){at, strnlen(at, f_uname.len)};
}

bool tar_block_zero(const uint8_t block[TAR_BLOCK])
{
    return block[0] == 0 && memcmp(block, block + 1, TAR_BLOCK - 1) == 0;
}

/* Octal digits between spaces, ended by NUL, space or the field; false: anything else. An empty field is 0.
 */
static bool octal(const uint8_t *block, struct field f, uint64_t *out)
{
    const uint8_t *p = block + f.at, *end = p + f.len;
    *out = 0;
    while (p < end && *p == ' ')
        p++;
    for (; p < end && *p >= '0' && *p <= '7'; p++)
        *out = *out << 3 | (uint64_t)(*p - '0');
    for (; p < end && *p; p++)
        if (*p != ' ')
            return false;
    return true;
}

enum { BASE256 = 0x80, BASE256_NEGATIVE = 0xff };

/* Octal, or GNU's base-256 of a positive number below 2^63. */
static bool number(const uint8_t *block, struct field f, uint64_t *out)
{
    const uint8_t *p = block + f.at;
    if (!(p[0] & 0x80))
        return octal(block, f, out);
    if (p[0] != BASE256)
        return false;
    *out = 0;
    for (size_t i = 1; i < f.len; i++) {
        if (*out >> 55)
            return false;
        *out = *out << 8 | p[i];
    }
    return true;
}

static bool checksum_holds(const uint8_t block[TAR_BLOCK])
{
    uint64_t want, sum = 0;
    if (!octal(block, f_sum, &want) || block[f_sum.at] & 0x80)
        return false;
    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += i >= f_sum.at && i < f_sum.at + f_sum.len ? ' ' : block[i];
    return want == sum;
}

static bool magic_of(const uint8_t block[TAR_BLOCK], enum tar_format *format)
{
    const uint8_t *m = block + AT_MAGIC;
    static const uint8_t none[MAGIC_LEN];
    if (memcmp(m, "ustar\00000", MAGIC_LEN) == 0)
        *format = TAR_USTAR;
    else if (memcmp(m, "ustar  ", MAGIC_LEN) == 0)
        *format = TAR_GNU;
    else if (memcmp(m, none, MAGIC_LEN) == 0)
        *format = TAR_V7;
    else
        return false;
    return true;
}

bool tar_head_likely(const uint8_t block[TAR_BLOCK])
{
    return memcmp(block + AT_MAGIC, "ustar", 5) == 0 || (block[0] && checksum_holds(block));
}

static size_t text(const uint8_t *block, struct field f)
{
    return strnlen((const char *)block + f.at, f.len);
}

/* Bytes behind the NUL of a text field: some readers would show them. */
static bool slack(const uint8_t *block, struct field f)
{
    for (size_t i = text(block, f); i < f.len; i++)
        if (block[f.at + i])
            return true;
    return false;
}

static void names_of(const uint8_t *block, struct tar_head *head)
{
    size_t prefix = head->format == TAR_USTAR ? text(block, f_prefix) : 0, len = text(block, f_name);
    head->name_len = 0;
    if (prefix > 0) {
        memcpy(head->name, block + f_prefix.at, prefix);
        head->name[prefix] = '/';
        head->name_len = prefix + 1;
    }
    memcpy(head->name + head->name_len, block, len);
    head->name_len += len;
    head->name[head->name_len] = 0;
    head->link_len = text(block, f_link);
    memcpy(head->link, block + f_link.at, head->link_len);
    head->link[head->link_len] = 0;
}

/* Owners, times and devices are recorded, not obeyed, and may be negative (how Go and BSD say "none"); but some readers
 * end the archive at a header where one of them is no number at all. */
static bool recorded(const uint8_t *block, struct field f, uint64_t *out)
{
    *out = 0;
    return block[f.at] == BASE256_NEGATIVE || number(block, f, out);
}

const char *tar_head_parse(const uint8_t block[TAR_BLOCK], struct tar_head *head, bool *checksum)
{
    *checksum = checksum_holds(block);
    if (!*checksum)
        return "the checksum of a tar header does not hold";
    if (!magic_of(block, &head->format))
        return "a tar header has an unknown magic";
    head->type = (char)block[AT_TYPE];
    if (!number(block, f_size, &head->size) || head->size > (uint64_t)1 << 62)
        return "a tar header's size is no number, negative or too large";
    if (!number(block, f_mode, &head->mode))
        return "a tar header's mode is no number";
    uint64_t device;
    if (!recorded(block, f_uid, &head->uid) || !recorded(block, f_gid, &head->gid) ||
        !recorded(block, f_mtime, &head->mtime))
        return "a tar header's owner or time is no number";
    if (head->format != TAR_V7 && (!recorded(block, f_major, &device) || !recorded(block, f_minor, &device)))
        return "a tar header's device is no number";
    head->mtime_known = block[f_mtime.at] != BASE256_NEGATIVE;
    if (slack(block, f_name))
        return "bytes follow the end of a tar header's name";
    names_of(block, head);
    return NULL;
}
