/* SPDX-License-Identifier: ISC
 * The parts of the Parquet walker: the footer says where the columns lie, each column is a run of pages, each page is
 * unpacked and its values are shown one by one. Source: apache/parquet-format, parquet.thrift, Encodings.md. */
#ifndef SALLYPORT_PARQUET_H
#define SALLYPORT_PARQUET_H

#include "inspect/archive.h"
#include "inspect/shown.h"
#include "inspect/span_list.h"
#include "inspect/thrift.h"

enum { PARQUET_MAGIC = 4 };
enum parquet_type { PARQUET_BOOLEAN = 0, PARQUET_INT32, PARQUET_INT64, PARQUET_INT96, PARQUET_FLOAT, PARQUET_DOUBLE,
                    PARQUET_BYTES, PARQUET_FIXED, PARQUET_TYPES };
enum parquet_encoding {
    ENCODING_PLAIN = 0,
    ENCODING_PLAIN_DICTIONARY = 2,
    ENCODING_RLE,
    ENCODING_BIT_PACKED,
    ENCODING_DELTA_NUMBERS,
    ENCODING_DELTA_LENGTHS,
    ENCODING_DELTA_STRINGS,
    ENCODING_DICTIONARY,
    ENCODING_STREAMS,
    PARQUET_ENCODINGS
};

/* A column of the schema. */
struct parquet_leaf {
    int32_t type;   /* enum parquet_type */
    uint32_t width; /* of PARQUET_FIXED, in bytes */
    uint16_t defined, repeated; /* greatest levels */
};

/* One column of one row group, as the footer tells it. Offsets that are 0 or less are not there. */
struct parquet_chunk {
    int64_t type, codec, values, packed;
    int64_t pages_at, index_at, dictionary_at;
    int64_t offsets_at, offsets_len, stats_at, stats_len, bloom_at, bloom_len;
    bool elsewhere, encrypted, told; /* told: the column's own structure was there */
};

/* Memory that is used again from page to page. */
struct parquet_room {
    uint8_t *data; /* owned */
    size_t cap;
};

struct parquet {
    struct inspection *in;
    struct bytes bytes;   /* of the file, with a window of their own */
    uint64_t end;         /* where the footer begins */
    struct shown shown;
    struct archive_meter meter;
    struct span_list spans; /* of what belongs to something */
    struct parquet_leaf *leaves;
    size_t leaves_n, leaves_cap;
    uint32_t group, column, page; /* under way */
    struct parquet_room packed, plain, value;
    bool stop;            /* a finding was said that ends the walk */
};

/* Says a finding and stops; false, for `return`. */
bool parquet_fail(struct parquet *p, enum finding_code code, uint64_t at, const char *why);
/* At least so many bytes, what was there is gone; NULL: stopped. */
uint8_t *parquet_room(struct parquet *p, struct parquet_room *room, uint64_t size);

/* All of the footer, and every column that it names (parquet_footer.c). */
bool parquet_footer(struct parquet *p, const uint8_t *data, size_t len);
/* Shows the texts of one structure in [at, at + max); *len what it takes. False: it is none (nothing was said). */
bool parquet_texts(struct parquet *p, uint64_t at, uint64_t max, uint64_t *len);
/* One column: pages, dictionary, indexes (parquet_chunk.c). */
bool parquet_chunk(struct parquet *p, const struct parquet_chunk *chunk, const struct parquet_leaf *leaf);

/* Unpacks one page by its codec to exactly out_len bytes (parquet_codec.c). */
bool parquet_unpack(struct parquet *p, int64_t codec, const uint8_t *data, size_t len, uint8_t *out, size_t out_len);

/* The values of one page (parquet_values.c). */
struct parquet_page {
    const uint8_t *data;
    size_t len;
    int64_t encoding;
    uint64_t values; /* so many, absent ones too */
    bool plain;      /* lies in the file as it is, where it is looked through anyway */
    uint64_t at;     /* for findings */
};
bool parquet_values(struct parquet *p, const struct parquet_leaf *leaf, const struct parquet_page *page);
/* The same for texts that are written as differences (parquet_delta.c). */
bool parquet_delta_lengths(struct parquet *p, const struct parquet_page *page);
bool parquet_delta_strings(struct parquet *p, const struct parquet_page *page);

#endif
