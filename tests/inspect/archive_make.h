/* SPDX-License-Identifier: ISC
 * Archives written byte by byte for tests, so that every field can lie. */
#ifndef SALLYPORT_ARCHIVE_MAKE_H
#define SALLYPORT_ARCHIVE_MAKE_H

#include "base/buf.h"
#include "inspect/sink.h"

struct make_zip_part {
    const char *name, *data;
    const char *local_name; /* NULL: the same */
    uint32_t mode;          /* Unix mode; 0: a plain file */
    uint16_t flags, method; /* method 8: data is deflated here */
    uint32_t crc_flip;      /* xor'ed into both CRCs */
    bool descriptor;        /* sizes behind the data */
};

/* A whole zip. comment may be NULL. */
void make_zip(struct buf *out, const struct make_zip_part *parts, size_t n, const char *comment);
/* One tar header and its content, padded. magic: "ustar\00000" or NULL for that, or GNU's or v7's eight
 * bytes. */
void make_tar(struct buf *out, const char *name, char type, const void *data, size_t len, const char *link);
void make_tar_end(struct buf *out);
void make_gzip(struct buf *out, const void *data, size_t len);
void make_bzip2(struct buf *out, const void *data, size_t len);
void make_xz(struct buf *out, const void *data, size_t len);
void make_lzma(struct buf *out, const void *data, size_t len); /* its size is unknown, it ends in a marker */
void make_zstd(struct buf *out, const void *data, size_t len);
void make_lz4(struct buf *out, const void *data, size_t len);

/* The archive inspector over these bytes; text is admitted for every member. Free with sink_list_free. */
void archive_look(struct sink_list *list, const char *path, const struct buf *bytes);
void archive_look_task(struct sink_list *list, const struct task *task, const struct buf *bytes);
/* Was anything of level refuse said? */
bool archive_refused(const struct sink_list *list);
/* How often the stand-in for the other inspectors was run: once per member; and on which member last. */
unsigned archive_visits(void);
const char *archive_last(void);

#endif
