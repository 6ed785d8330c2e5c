/* SPDX-License-Identifier: ISC
 * One compression layer, peeled by its own library: every member and frame, checksums and sizes verified,
 * memory capped at DECODER_MEMORY before it is touched, bytes behind the last frame refused. Pull-style: the
 * caller counts what comes out against its bound, so a bomb costs no more than the bound. */
#ifndef SALLYPORT_ARCHIVE_PEEL_H
#define SALLYPORT_ARCHIVE_PEEL_H

#include "inspect/archive.h"

enum peel_kind { PEEL_DEFLATE = 0, PEEL_GZIP, PEEL_BZIP2, PEEL_XZ, PEEL_LZMA, PEEL_ZSTD, PEEL_LZ4, PEEL_CHAIN, PEEL_KINDS };

struct peel {
    const struct peel_codec *codec;
    void *state;           /* the codec's own; NULL before open */
    struct inspection *in; /* for texts in headers; not for findings */
    struct bytes src;      /* the packed bytes, with a window of their own */
    uint64_t at, size;     /* next packed byte, and how many there are */
    const uint8_t *next;   /* bytes of src at `at` that were already fetched */
    size_t avail;
    uint64_t out;      /* bytes delivered */
    uint64_t frames;   /* data frames begun */
    uint64_t frame_at; /* where the frame under way begins */
    bool in_frame, ended;
    bool padded;             /* ended in NUL bytes */
    enum finding_code fault; /* FINDING_NONE: none so far */
    uint64_t fault_at;
    char why[160];
};

/* Begins on len bytes of `from` at `at`; from is borrowed until peel_close(). False: no memory (p->fault is
 * set). */
bool peel_open(struct peel *p, enum peel_kind kind, struct inspection *in, const struct bytes *from,
               uint64_t at, uint64_t len);
/* The same decoder on another range of the same bytes. */
void peel_again(struct peel *p, uint64_t at, uint64_t len);
/* Up to cap bytes. Fewer than cap only at the end (p->ended, every check held) or after a fault (p->fault).
 */
size_t peel_read(struct peel *p, uint8_t *out, size_t cap);
/* Says the fault, if there is one, and a note on NUL padding. */
void peel_report(const struct peel *p, struct inspection *in);
void peel_close(struct peel *p);
/* Reads all of it into memory and spends it. False after a finding. */
bool peel_whole(struct peel *p, struct inspection *in, struct archive_hold *hold,
                struct archive_meter *meter);

/* The layer that these bytes begin, by signature; 0 (a deflate stream has none): they begin no layer. */
enum peel_kind archive_layer_of(struct bytes *bytes);

/* The inspector of one compression layer: a tar below it is walked as it comes out, anything else is one
 * member. */
void archive_layer(struct inspection *in, enum peel_kind kind);

/* --- for codecs ----------------------------------------------------------- */
enum peel_begin {
    BEGIN_FRAME,   /* a data frame begins; its header may have been consumed */
    BEGIN_SKIPPED, /* a frame without data was consumed */
    BEGIN_FOREIGN, /* these bytes begin no frame */
    BEGIN_FAULT
};

struct peel_codec {
    const char *name;
    bool single; /* exactly one frame, nothing may follow (a member of a zip) */
    bool (*open)(struct peel *p);
    enum peel_begin (*begin)(struct peel *p);
    /* Decodes some: returns how many bytes came out; clears in_frame at the frame's end; may fault. */
    size_t (*step)(struct peel *p, uint8_t *out, size_t cap);
    void (*close)(struct peel *p);
};
extern const struct peel_codec peel_codec_deflate, peel_codec_gzip, peel_codec_bzip2, peel_codec_xz,
    peel_codec_lzma, peel_codec_zstd, peel_codec_lz4, peel_codec_chain;

/* At least one packed byte in next/avail; false at the end of the packed bytes. */
bool peel_fetch(struct peel *p);
/* Exactly len contiguous packed bytes at `at`, not consumed; NULL when there are fewer. */
const uint8_t *peel_peek(struct peel *p, size_t len);
void peel_skip(struct peel *p, uint64_t len);
void peel_fault(struct peel *p, enum finding_code code, const char *fmt, ...) PRINTF(3, 4);
/* The packed bytes ended inside a frame. */
void peel_cut(struct peel *p);

#endif
