/* SPDX-License-Identifier: ISC
 * Questions about text: its encoding, and whether it is well-formed JSON or XML. Each reads the bytes once, from start
 * to end, in constant memory. */
#ifndef SALLYPORT_TYPE_TEXT_H
#define SALLYPORT_TYPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/bytes.h"

/* UTF-16 and UTF-32 by their byte order mark, or by NULs on one side of Latin letters. */
enum wide { WIDE_NONE = 0, WIDE_UTF16LE, WIDE_UTF16BE, WIDE_UTF32LE, WIDE_UTF32BE };

struct text_shape {
    bool plain; /* not empty, strict UTF-8, no NUL */
    bool bytes; /* not empty, no NUL: some 8-bit encoding */
    bool bom;   /* starts with the mark of UTF-8 */
    uint64_t clean; /* so many bytes from the start are printable ASCII, blanks and line ends */
    enum wide wide;
};
struct text_shape type_text_shape(struct bytes *b);
/* Text in some 8-bit encoding: no control but blanks and line ends, and of the upper half only bytes from `from` on (0xA0:
 * none that a terminal takes for a control, hence no UTF-8 that it does). */
bool type_text_eight_bit(struct bytes *b, uint8_t from);
/* The first `len` characters of UTF-16 or UTF-32 as ASCII, '?' for what is none; returns how many. */
size_t type_text_narrow(struct bytes *b, enum wide wide, uint8_t *out, size_t len);

/* An encoding that the text declares for itself, in the form of its kind. */
enum declared { DECLARED_NOTHING = 0, DECLARED_UTF8, DECLARED_LATIN1, DECLARED_OTHER };
enum declaration { DECLARATION_XML = 1u << 0, DECLARATION_HTML = 1u << 1, DECLARATION_CSS = 1u << 2, DECLARATION_SOURCE = 1u << 3 };
/* The worst of all that the first `len` bytes declare, in the forms asked for. Pure. */
enum declared type_text_declared(const uint8_t *p, size_t len, unsigned forms);

/* Keys of the outermost object that tell what a JSON document is. */
enum json_key {
    JSON_KEY_NBFORMAT = 1u << 0,
    JSON_KEY_CELLS = 1u << 1,
    JSON_KEY_SNAPSHOT = 1u << 2,
    JSON_KEY_NODES = 1u << 3,
    JSON_KEY_EDGES = 1u << 4,
    JSON_KEY_STRINGS = 1u << 5,
    JSON_KEY_WORKSHEETS = 1u << 6
};
struct json_shape {
    bool valid;
    uint32_t line; /* of the first fault */
    unsigned keys; /* bits of enum json_key */
    bool deep;     /* well-formed up to where it nests deeper than is followed */
};
/* RFC 8259, nesting up to 512, a byte order mark admitted; duplicate keys are left to their readers. lines: one value a
 * line, blank lines skipped. */
struct json_shape type_json_shape(struct bytes *b, bool lines);

struct xml_shape {
    bool valid;
    uint32_t line;
};
/* Tags nest and match (up to 1,024 deep), attributes are quoted, there is one root and nothing beside it. Names and
 * entities are not looked up. */
struct xml_shape type_xml_shape(struct bytes *b);

/* How markup starts: behind a mark, blanks, comments, processing instructions and a document type. Pure. */
struct markup_start {
    bool markup;       /* the first byte that is not blank is '<' */
    bool xml;          /* "<?xml" at the start */
    bool doctype_html;
    char root[40];     /* first tag's name without prefix, lower case; "" where none was found */
    char prefix[24];   /* its prefix, lower case */
};
struct markup_start type_markup_start(const uint8_t *p, size_t len);
/* Is this the name of an element with which an HTML page may start? Pure. */
bool type_markup_is_html(const char *root);

#endif
