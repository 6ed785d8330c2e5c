/* SPDX-License-Identifier: ISC
 * The header block of a message or of one of its parts. Strict: where mail readers are known to take a field in different
 * ways, the block has a fault and is not repaired. Sources: RFC 5322, 2045, 2046, 2047, 2183, 2231. Pure. */
#ifndef SALLYPORT_EML_HEAD_H
#define SALLYPORT_EML_HEAD_H

#include "base/buf.h"
#include "base/finding.h"

enum { EML_WORD = 63, EML_BOUNDARY = 70, EML_NAME = 1024, EML_NAMES = 4 };

enum eml_charset { EML_ASCII = 0, EML_UTF8, EML_LATIN1, EML_WINDOWS1252, EML_CHARSET_OTHER };
enum eml_encoding { EML_IDENTITY = 0, EML_BASE64, EML_QUOTED_PRINTABLE, EML_ENCODING_OTHER };

struct eml_name {
    char text[EML_NAME];
    size_t len;
};

struct eml_head {
    bool typed;                 /* there is a Content-Type */
    char type[EML_WORD + 1], subtype[EML_WORD + 1]; /* lower case; text/plain where nothing is said */
    char boundary[EML_BOUNDARY + 1];
    size_t boundary_len;        /* 0: none */
    enum eml_charset charset;
    enum eml_encoding encoding;
    struct eml_name names[EML_NAMES]; /* filename and name, in both of their forms */
    size_t names_n;
    enum finding_code fault;    /* FINDING_NONE: the block is as the standards have it */
    const char *why;
};

/* Reads a block of header lines, each with its end of line, without the blank line behind them. What encoded words in any
 * field stand for is added to `words`, for those who look for credentials. */
void eml_head_read(struct eml_head *head, const uint8_t *text, size_t len, struct buf *words);
/* Is this the media type? */
bool eml_head_is(const struct eml_head *head, const char *type, const char *subtype);
/* A character set by its label. */
enum eml_charset eml_charset_of(const char *label, size_t len);

#endif
