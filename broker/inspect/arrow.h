/* SPDX-License-Identifier: ISC
 * The parts of the Arrow walker: messages one after another, the schema among them says which buffers a batch has, and
 * texts are shown one by one. Source: Apache Arrow, Columnar.rst; Message.fbs, Schema.fbs, File.fbs. */
#ifndef SALLYPORT_ARROW_H
#define SALLYPORT_ARROW_H

#include "inspect/archive.h"
#include "inspect/flat.h"
#include "inspect/shown.h"
#include "inspect/span_list.h"

enum arrow_kind { ARROW_PLAIN = 0, ARROW_WIDE, ARROW_TEXT, ARROW_LONG_TEXT, ARROW_VIEW };

/* A field in the order in which batches write them: parents before children. */
struct arrow_field {
    uint8_t kind;    /* enum arrow_kind */
    uint8_t buffers; /* a view has more, which each batch counts */
    uint32_t width;  /* of ARROW_WIDE: bytes of each value */
};

/* The fields of the rows, then those of each dictionary. */
struct arrow_schema {
    struct arrow_field *v; /* owned */
    size_t n, cap, rows;   /* rows: so many belong to the rows */
    struct arrow_dictionary {
        uint64_t id;
        size_t from, to;
    } *dictionaries; /* owned */
    size_t dictionaries_n, dictionaries_cap;
};

struct arrow {
    struct inspection *in;
    struct bytes bytes; /* of the file, with a window of their own */
    struct shown shown;
    struct archive_meter meter;
    struct arrow_schema schema;
    struct span_list batches, dictionary_batches; /* as they were met */
    uint8_t *metadata; /* of the message under way; owned */
    size_t metadata_cap;
    uint32_t message, column; /* under way */
    bool known; /* the schema was read */
    bool stop;
};

/* Says a finding and stops; false, for `return`. */
bool arrow_fail(struct arrow *a, enum finding_code code, uint64_t at, const char *why);

/* Reads a schema; false: said. version: of the message that holds it (arrow_schema.c). */
bool arrow_schema_read(struct arrow *a, struct flat *f, const struct flat_table *table, uint64_t version,
                       struct arrow_schema *schema, uint64_t at);
bool arrow_schema_equal(const struct arrow_schema *a, const struct arrow_schema *b);
void arrow_schema_free(struct arrow_schema *schema);

/* The buffers of one batch, whose body is [at, at + len) (arrow_batch.c). */
bool arrow_batch(struct arrow *a, struct flat *f, const struct flat_table *table, const struct arrow_field *fields, size_t n,
                 uint64_t at, uint64_t len);

/* One buffer of a batch, read from its start (arrow_buffer.c). */
enum arrow_codec { ARROW_STORED = 0, ARROW_LZ4, ARROW_ZSTD };
struct arrow_buffer;
/* [at, at + len) of the file. NULL: said. *size: its bytes unpacked. */
struct arrow_buffer *arrow_buffer_open(struct arrow *a, uint64_t at, uint64_t len, enum arrow_codec codec);
bool arrow_buffer_packed(const struct arrow_buffer *b);
uint64_t arrow_buffer_left(const struct arrow_buffer *b);
/* Exactly n bytes; false: said. */
bool arrow_buffer_read(struct arrow_buffer *b, void *out, size_t n) MUST_CHECK;
/* The next n bytes to a->shown. */
bool arrow_buffer_show(struct arrow_buffer *b, uint64_t n) MUST_CHECK;
void arrow_buffer_close(struct arrow_buffer **b);

#endif
