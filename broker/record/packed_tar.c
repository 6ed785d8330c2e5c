/* SPDX-License-Identifier: ISC
 * POSIX.1-1988 ustar, with a pax header (POSIX.1-2001) where a name or a size does not fit. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "record/packed.h"

enum {
    NAME_FIELD = 100, PREFIX_FIELD = 155, PREFIX_AT = 345,
    SIZE_MAX_OCTAL = 11,
    PAX_BYTES = PACKED_NAME + 64
};

static void octal(uint8_t *field, size_t digits, uint64_t v)
{
    for (size_t i = digits; i-- > 0; v >>= 3)
        field[i] = (uint8_t)('0' + (v & 7));
}

/* Splits a name over prefix and name at a slash; false: it does not fit. */
static bool put_name(uint8_t block[PACKED_BLOCK], const char *name)
{
    size_t len = strlen(name);
    if (len <= NAME_FIELD) {
        memcpy(block, name, len);
        return true;
    }
    for (size_t cut = len - 1; cut > 0; cut--)
        if (name[cut] == '/' && cut <= PREFIX_FIELD && len - cut - 1 <= NAME_FIELD && len - cut - 1 > 0) {
            memcpy(block + PREFIX_AT, name, cut);
            memcpy(block, name + cut + 1, len - cut - 1);
            return true;
        }
    return false;
}

static void put_block(struct buf *out, const char *name, uint64_t size, unsigned mode, int64_t time, char kind)
{
    uint8_t block[PACKED_BLOCK] = {0};
    unsigned sum = 0;
    (void)put_name(block, name);
    octal(block + 100, 7, mode);
    octal(block + 108, 7, 0);
    octal(block + 116, 7, 0);
    octal(block + 124, SIZE_MAX_OCTAL, size);
    octal(block + 136, SIZE_MAX_OCTAL, (uint64_t)time);
    memset(block + 148, ' ', 8);
    block[156] = (uint8_t)kind;
    memcpy(block + 257, "ustar\0" "00", 8);
    for (size_t i = 0; i < sizeof(block); i++)
        sum += block[i];
    octal(block + 148, 6, sum);
    block[154] = 0;
    buf_bytes(out, block, sizeof(block));
}

/* "LEN key=value\n", LEN counting itself. */
static void put_record(struct buf *out, const char *key, const char *value)
{
    size_t rest = strlen(key) + strlen(value) + 3, len = rest + 1;
    char digits[24];
    for (size_t before = 0; before != len;) {
        before = len;
        len = rest + (size_t)snprintf(digits, sizeof(digits), "%zu", len);
    }
    buf_printf(out, "%zu %s=%s\n", len, key, value);
}

static void put_pax(struct buf *out, const struct packed_head *head, bool long_name, bool large)
{
    static const uint8_t zeros[PACKED_BLOCK] = {0};
    char digits[24];
    struct buf records;
    buf_init(&records, PAX_BYTES);
    if (long_name)
        put_record(&records, "path", head->name);
    if (large) {
        snprintf(digits, sizeof(digits), "%" PRIu64, head->size);
        put_record(&records, "size", digits);
    }
    put_block(out, "pax", records.len, 0444, head->time, 'x');
    buf_bytes(out, records.data, records.len);
    buf_bytes(out, zeros, packed_tar_padding(records.len));
    if (records.failed)
        out->failed = true;
    buf_free(&records);
}

void packed_tar_head(struct buf *out, const struct packed_head *head)
{
    uint8_t block[PACKED_BLOCK] = {0};
    bool long_name = !put_name(block, head->name), large = head->size >> (3 * SIZE_MAX_OCTAL) != 0;
    bool directory = head->name[strlen(head->name) - 1] == '/';
    if (long_name || large)
        put_pax(out, head, long_name, large);
    put_block(out, long_name ? "long" : head->name, large ? 0 : head->size,
              directory ? 0755 : head->executable ? 0555 : 0444, head->time, directory ? '5' : '0');
}

size_t packed_tar_padding(uint64_t size)
{
    return (size_t)(-size & (PACKED_BLOCK - 1));
}

void packed_tar_end(struct buf *out)
{
    static const uint8_t zeros[2 * PACKED_BLOCK] = {0};
    buf_bytes(out, zeros, sizeof(zeros));
}

/* --- reading ---------------------------------------------------------------------------- */

static bool read_octal(const uint8_t *field, size_t digits, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        if (field[i] < '0' || field[i] > '7')
            return false;
        *out = *out << 3 | (uint64_t)(field[i] - '0');
    }
    return true;
}

static bool block_name(const uint8_t *block, char name[PACKED_NAME])
{
    size_t prefix = strnlen((const char *)block + PREFIX_AT, PREFIX_FIELD);
    size_t len = strnlen((const char *)block, NAME_FIELD);
    memcpy(name, block + PREFIX_AT, prefix);
    if (prefix > 0)
        name[prefix++] = '/';
    memcpy(name + prefix, block, len);
    name[prefix + len] = '\0';
    return len > 0;
}

/* The two records that are ever written. */
static bool read_records(char *text, size_t len, char name[PACKED_NAME], uint64_t *size)
{
    text[len] = '\0';
    for (char *at = text; at < text + len;) {
        char *end, *line_end = strchr(at, '\n'), *value;
        if (!line_end || !(value = strchr(at, ' ')) || value > line_end)
            return false;
        *line_end = '\0';
        value++;
        if (strncmp(value, "path=", 5) == 0 && strlen(value + 5) < PACKED_NAME)
            memcpy(name, value + 5, strlen(value + 5) + 1);
        else if (strncmp(value, "size=", 5) == 0)
            *size = strtoull(value + 5, &end, 10);
        else
            return false;
        at = line_end + 1;
    }
    return true;
}

struct tar_reader {
    struct packed *packed;
    uint64_t at, size;
};

static int read_block(struct tar_reader *r, uint8_t *block, size_t len)
{
    if (r->size - r->at < len)
        return 1;
    if (fd_pread_full(r->packed->fd, block, len, r->at) != 0)
        return -1;
    r->at += len;
    return 0;
}

/* The pax header in front of a member. */
static int read_pax(struct tar_reader *r, const uint8_t *block, char name[PACKED_NAME], uint64_t *size)
{
    uint8_t text[PAX_BYTES + PACKED_BLOCK];
    uint64_t len;
    if (!read_octal(block + 124, SIZE_MAX_OCTAL, &len) || len == 0 || len >= PAX_BYTES)
        return 1;
    int rc = read_block(r, text, (size_t)len + packed_tar_padding(len));
    if (rc != 0)
        return rc;
    return read_records((char *)text, (size_t)len, name, size) ? 0 : 1;
}

/* What was read must be what would be written. */
static int same_again(struct tar_reader *r, uint64_t start, const struct packed_head *head)
{
    struct buf out;
    uint8_t have[PAX_BYTES + 3 * PACKED_BLOCK];
    buf_init(&out, sizeof(have));
    packed_tar_head(&out, head);
    int rc = out.failed || out.len != r->at - start ? 1 : fd_pread_full(r->packed->fd, have, out.len, start);
    if (rc == 0)
        rc = memcmp(have, out.data, out.len) != 0;
    buf_free(&out);
    return rc;
}

static int read_padding(struct tar_reader *r, uint64_t size)
{
    static const uint8_t zeros[PACKED_BLOCK] = {0};
    uint8_t padding[PACKED_BLOCK];
    size_t n = packed_tar_padding(size);
    if (r->size - r->at < size)
        return 1;
    r->at += size;
    int rc = read_block(r, padding, n);
    return rc != 0 ? rc : memcmp(padding, zeros, n) != 0;
}

static int read_member(struct tar_reader *r, uint8_t *block)
{
    char name[PACKED_NAME] = "";
    uint64_t start = r->at - PACKED_BLOCK, size = UINT64_MAX, plain, mode, time;
    int rc = 0;
    if (block[156] == 'x' && (rc = read_pax(r, block, name, &size)) == 0)
        rc = read_block(r, block, PACKED_BLOCK);
    if (rc != 0)
        return rc;
    if (!read_octal(block + 124, SIZE_MAX_OCTAL, &plain) || !read_octal(block + 136, SIZE_MAX_OCTAL, &time) ||
        !read_octal(block + 100, 7, &mode) || (!*name && !block_name(block, name)))
        return 1;
    const struct packed_head head = {.name = name, .size = size == UINT64_MAX ? plain : size, .time = (int64_t)time,
                                     .executable = mode == 0555};
    rc = same_again(r, start, &head);
    if (rc == 0)
        rc = packed_add(r->packed, &head, r->at);
    return rc == 0 ? read_padding(r, head.size) : rc;
}

int packed_read_tar(struct packed *packed, uint64_t size)
{
    static const uint8_t zeros[PACKED_BLOCK] = {0};
    uint8_t block[PACKED_BLOCK];
    struct tar_reader r = {.packed = packed, .size = size};
    for (;;) {
        int rc = read_block(&r, block, sizeof(block));
        if (rc != 0)
            return rc;
        if (memcmp(block, zeros, sizeof(block)) == 0)
            break;
        if ((rc = read_member(&r, block)) != 0)
            return rc;
    }
    int rc = read_block(&r, block, sizeof(block));
    return rc != 0 ? rc : memcmp(block, zeros, sizeof(block)) != 0 || r.at != size;
}
