/* SPDX-License-Identifier: ISC
 * Rows of the tables that rules/types is compiled into (rules/types_table.c), and the checks that it names. */
#ifndef SALLYPORT_TYPE_TABLE_H
#define SALLYPORT_TYPE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/type.h"
#include "inspect/bytes.h"

enum { TYPE_PATTERN_MAX = 24 };

struct type_signature {
    enum type type;
    enum evidence evidence; /* EVIDENCE_TAIL: offset counts back from the end */
    uint32_t offset;
    uint8_t len;
    uint8_t bytes[TYPE_PATTERN_MAX], mask[TYPE_PATTERN_MAX];
    bool (*check)(struct bytes *b); /* NULL: the bytes suffice */
    const char *what; /* an archive that cannot be looked into: its name; else NULL */
};

struct type_mark {
    enum type type;
    bool line; /* at the first line that is no comment; else at the first byte that is not blank */
    uint8_t len;
    char text[TYPE_PATTERN_MAX + 8]; /* lower case */
};

struct type_extension {
    const char *name;
    enum type type;
};

extern const struct type_signature type_signatures[];
extern const size_t type_signatures_n;
extern const struct type_mark type_marks[];
extern const size_t type_marks_n;
extern const struct type_extension type_extensions[]; /* by name */
extern const size_t type_extensions_n;

/* Could a file of this first byte match? Asked before more of it is looked at. */
static inline bool type_signature_begins(const struct type_signature *s, uint8_t first)
{
    return s->evidence == EVIDENCE_TAIL || s->offset > 0 || (first & s->mask[0]) == s->bytes[0];
}
/* Are the signature's bytes where it says, and does its check agree? */
bool type_signature_matches(const struct type_signature *s, struct bytes *b);

/* Length in bytes of the MPEG audio frame whose header of four bytes is p; 0: it is none. */
uint32_t type_mpeg_frame(const uint8_t *p);

bool type_check_tar(struct bytes *b);
bool type_check_gzip_other(struct bytes *b);
bool type_check_arj(struct bytes *b);
bool type_check_skippable_zstd(struct bytes *b);
bool type_check_skippable_lz4(struct bytes *b);
bool type_check_lzma(struct bytes *b);
bool type_check_cpio_ascii(struct bytes *b);
bool type_check_cpio_binary(struct bytes *b);
bool type_check_ext_filesystem(struct bytes *b);
bool type_check_boot_record(struct bytes *b);
bool type_check_elf_program(struct bytes *b);
bool type_check_elf_core(struct bytes *b);
bool type_check_dos(struct bytes *b);
bool type_check_macho_program(struct bytes *b);
bool type_check_macho_fat(struct bytes *b);
bool type_check_macho_core(struct bytes *b);
bool type_check_java_class(struct bytes *b);
bool type_check_pyc(struct bytes *b);
bool type_check_marshal_code(struct bytes *b);
bool type_check_coff(struct bytes *b);
bool type_check_coff_big(struct bytes *b);
bool type_check_swf(struct bytes *b);
bool type_check_pdf_late(struct bytes *b);
bool type_check_dwg(struct bytes *b);
bool type_check_bmp(struct bytes *b);
bool type_check_ico(struct bytes *b);
bool type_check_avif(struct bytes *b);
bool type_check_heif(struct bytes *b);
bool type_check_jxl(struct bytes *b);
bool type_check_pcx(struct bytes *b);
bool type_check_icns(struct bytes *b);
bool type_check_netpbm(struct bytes *b);
bool type_check_flif(struct bytes *b);
bool type_check_sfnt(struct bytes *b);
bool type_check_id3(struct bytes *b);
bool type_check_mpeg_audio(struct bytes *b);
bool type_check_riff_other(struct bytes *b);
bool type_check_mp4(struct bytes *b);
bool type_check_bmff_old(struct bytes *b);
bool type_check_webm(struct bytes *b);
bool type_check_matroska(struct bytes *b);
bool type_check_adts(struct bytes *b);
bool type_check_mpeg_ts(struct bytes *b);
bool type_check_gguf(struct bytes *b);
bool type_check_parquet_tail(struct bytes *b);
bool type_check_parquet_locked(struct bytes *b);
bool type_check_arrow_stream(struct bytes *b);
bool type_check_orc(struct bytes *b);
bool type_check_regf(struct bytes *b);
bool type_check_matlab(struct bytes *b);
bool type_check_netcdf(struct bytes *b);
bool type_check_ruby_marshal(struct bytes *b);
bool type_check_go_heap(struct bytes *b);

#endif
