/* SPDX-License-Identifier: ISC
 * How pages of Parquet are packed: Snappy, gzip, zstd, and LZ4 with and without Hadoop's framing. Runs in the confined
 * child on hostile bytes. Brotli and LZO are not undone here, and say so. */
#include <lz4.h>

#include "base/limits.h"
#include "inspect/archive_peel.h"
#include "inspect/octets.h"
#include "inspect/parquet.h"
#include "inspect/snappy.h"

enum codec { CODEC_NONE = 0, CODEC_SNAPPY, CODEC_GZIP, CODEC_LZO, CODEC_BROTLI, CODEC_LZ4, CODEC_ZSTD, CODEC_LZ4_RAW };

static bool lz4_raw(const uint8_t *data, size_t len, uint8_t *out, size_t out_len)
{
    if (len > INT32_MAX || out_len > INT32_MAX)
        return false;
    return LZ4_decompress_safe((const char *)data, (char *)out, (int)len, (int)out_len) == (int)out_len;
}

/* Blocks, each behind its size unpacked and packed, in network order. */
static bool lz4_hadoop(const uint8_t *data, size_t len, uint8_t *out, size_t out_len)
{
    while (len >= 8) {
        size_t plain = get_be32(data), packed = get_be32(data + 4);
        if (packed > len - 8 || plain > out_len || !lz4_raw(data + 8, packed, out, plain))
            return false;
        data += 8 + packed;
        len -= 8 + packed;
        out += plain;
        out_len -= plain;
    }
    return len == 0 && out_len == 0;
}

/* Readers try the one and then the other, since writers did not agree. */
static bool lz4_either(const uint8_t *data, size_t len, uint8_t *out, size_t out_len)
{
    return lz4_hadoop(data, len, out, out_len) || lz4_raw(data, len, out, out_len);
}

static bool peeled(struct parquet *p, enum peel_kind kind, const uint8_t *data, size_t len, uint8_t *out, size_t out_len)
{
    struct bytes bytes;
    struct peel peel;
    uint8_t more;
    bytes_init_memory(&bytes, data, len);
    bool open = peel_open(&peel, kind, p->in, &bytes, 0, len);
    size_t got = open ? peel_read(&peel, out, out_len) : 0;
    bool exact = open && got == out_len && peel_read(&peel, &more, 1) == 0 && peel.ended;
    bool fault = peel.fault != FINDING_NONE;
    if (fault) {
        peel_report(&peel, p->in);
        p->stop = true;
    }
    peel_close(&peel);
    bytes_free(&bytes);
    return exact && !fault;
}

bool parquet_unpack(struct parquet *p, int64_t codec, const uint8_t *data, size_t len, uint8_t *out, size_t out_len)
{
    bool good = false;
    if (codec == CODEC_SNAPPY)
        good = snappy_unpack(data, len, out, out_len);
    else if (codec == CODEC_GZIP || codec == CODEC_ZSTD)
        good = peeled(p, codec == CODEC_GZIP ? PEEL_GZIP : PEEL_ZSTD, data, len, out, out_len);
    else if (codec == CODEC_LZ4)
        good = lz4_either(data, len, out, out_len);
    else if (codec == CODEC_LZ4_RAW)
        good = lz4_raw(data, len, out, out_len);
    else
        return parquet_fail(p, FINDING_INSPECT_INCOMPLETE, p->end,
                            codec == CODEC_BROTLI ? "its columns are packed with Brotli, which is not undone here; use zstd"
                                                  : "its columns are packed in a way that is not known; use zstd");
    if (!good && !p->stop)
        return parquet_fail(p, FINDING_ARCHIVE_CORRUPT, p->end, "a page is damaged, or longer or shorter than its header says");
    return good;
}
