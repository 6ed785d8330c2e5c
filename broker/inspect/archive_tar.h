/* SPDX-License-Identifier: ISC
 * The tar walker: header after header, every byte accounted for. It reads from random-access bytes (members
 * are views of them) or from a decoder as it unpacks (one member in memory at a time), and visits members in
 * order. */
#ifndef SALLYPORT_ARCHIVE_TAR_H
#define SALLYPORT_ARCHIVE_TAR_H

#include "base/item.h"
#include "inspect/archive_name.h"
#include "inspect/archive_peel.h"
#include "inspect/tar_head.h"

struct tar_source {
    struct inspection *in;
    struct bytes *bytes;         /* random access, or NULL */
    uint64_t at;                 /* offset in the tar */
    struct peel *peel;           /* or a decoder ... */
    struct archive_meter *meter; /* ... with what it delivered */
    const uint8_t *ahead;        /* its first bytes, read before the source was made */
    size_t ahead_len;
    struct archive_hold hold; /* the member under way */
    bool stopped;             /* a bound was passed and said */
    bool survey;              /* nothing is delivered, so nothing is spent */
};

struct tar_member {
    const char *name, *link; /* trimmed; not terminated */
    size_t name_len, link_len;
    enum object_kind kind; /* OBJECT_OTHER: a hard link */
    uint64_t size, offset; /* offset of the content in the tar */
    uint32_t mode, uid, gid;
    int64_t mtime_ns;
};

struct tar_walk {
    struct inspection *in;
    struct tar_source *source;
    /* Once per member, with its content where it is a file (NULL otherwise). False: stop, something was said.
     */
    bool (*visit)(struct tar_walk *walk, const struct tar_member *member, struct bytes *content);
    void *visitor;
    struct names names;
    /* what extension headers announced for the next member */
    struct tar_pax pax;
    uint8_t *pax_data;
    struct tar_text long_name, long_link;
    uint8_t *long_name_data, *long_link_data;
    uint64_t header_at;
};

/* Walks to the end. True when the structure held to the last byte; otherwise a finding was said. */
bool tar_walk_run(struct tar_walk *walk);
void tar_walk_free(struct tar_walk *walk);

/* The inspector of tar: members of plain tar bytes, or of the decoder whose first bytes are `ahead`. */
void archive_tar(struct inspection *in);
void archive_tar_peeled(struct inspection *in, struct peel *peel, struct archive_meter *meter,
                        const uint8_t *ahead, size_t ahead_len, enum type container);

/* --- tar_source.c ---------------------------------------------------------- */
/* Up to len bytes; fewer at the end of the input, after a decoder's fault or where a bound stopped. */
size_t tar_source_read(struct tar_source *source, uint8_t *out, size_t len);
/* The next len bytes as a member's content. False after a finding. */
bool tar_source_content(struct tar_source *source, uint64_t len, struct bytes *content);
/* Reads to the end; *zeros: nothing but NUL. */
void tar_source_drain(struct tar_source *source, bool *zeros);
void tar_source_free(struct tar_source *source);

#endif
