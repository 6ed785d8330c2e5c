/* SPDX-License-Identifier: ISC
 * The 7z walker (7zFormat.txt of the LZMA SDK): a start header, packed streams that tile the space behind it, and one end
 * header at the exact end, itself packed or not. Parsed strictly and bounded before anything is unpacked; folders of one
 * chain of known coders alone. */
#ifndef SALLYPORT_ARCHIVE_SEVENZIP_H
#define SALLYPORT_ARCHIVE_SEVENZIP_H

#include "base/buf.h"
#include "inspect/archive_name.h"
#include "inspect/archive_peel.h"

enum { SEVENZIP_START = 32, SEVENZIP_CODERS = 4, SEVENZIP_PROPERTIES = 16 };

struct sevenzip_coder {
    uint64_t id;
    uint8_t properties[SEVENZIP_PROPERTIES];
    uint8_t properties_len;
    uint64_t size; /* what it delivers */
};

/* One packed stream and the chain that unpacks it, the coder that delivers first. */
struct sevenzip_folder {
    struct sevenzip_coder coder[SEVENZIP_CODERS];
    unsigned coders;
    uint64_t packed;       /* size of its packed stream */
    uint64_t size;         /* what the first coder delivers */
    uint64_t streams;      /* members in it */
    bool has_crc;
    uint32_t crc;
};

struct sevenzip_stream {
    uint64_t size;
    bool has_crc;
    uint32_t crc;
};

struct sevenzip_file {
    uint32_t attributes;
    bool has_stream, empty_file;
};

/* A header, parsed. Everything is owned. */
struct sevenzip {
    struct inspection *in;
    const char *bad;          /* what is wrong, when parsing fails */
    enum finding_code code;
    uint64_t pack_at;         /* of the first packed stream, behind the start header */
    struct sevenzip_folder *folders;
    size_t folders_n;
    struct sevenzip_stream *streams;
    size_t streams_n;
    struct sevenzip_file *files;
    size_t files_n;
    struct names names;       /* trimmed, one for each file */
};

void archive_sevenzip(struct inspection *in);

/* --- sevenzip_chain.c: PEEL_CHAIN, a chain of coders through liblzma's raw decoder, or a plain copy ------- */
/* After peel_open(), before the first read. False: p->fault says why. */
bool sevenzip_chain(struct peel *p, const struct sevenzip_folder *folder);
/* Which decoder is the folder's? */
enum peel_kind sevenzip_peel(const struct sevenzip_folder *folder);

/* --- sevenzip_head.c -------------------------------------------------------- */
/* A header that is not packed: streams, files, names. False after a finding. */
bool sevenzip_header(struct sevenzip *z, const uint8_t *data, size_t len);
/* The streams of a packed header. */
bool sevenzip_encoded(struct sevenzip *z, const uint8_t *data, size_t len);
bool sevenzip_fault(struct sevenzip *z, enum finding_code code, const char *text);
void sevenzip_free(struct sevenzip *z);

/* --- for sevenzip_head.c and sevenzip_files.c --------------------------------- */
/* 7z's number: the count of leading ones says how many bytes follow. */
uint64_t sevenzip_number(struct reader *r);
/* A count of things that take at least one bit each: never more than the reader has bits left. */
size_t sevenzip_count(struct reader *r);
/* n bits, most significant first, into one byte each; `optional`: a byte in front says that all are set. NULL: not there. */
uint8_t *sevenzip_bits(struct reader *r, size_t n, bool optional);
bool sevenzip_files(struct sevenzip *z, struct reader *r);

#endif
