/* SPDX-License-Identifier: ISC
 * What an address in a page, a style or a document does when a reader follows or loads it. Only the start of an address
 * says that. Source: WHATWG URL "basic URL parser" (leading controls and blanks, and tabs and newlines anywhere, do not
 * count). Pure. */
#ifndef SALLYPORT_WEBURL_H
#define SALLYPORT_WEBURL_H

#include <stddef.h>
#include <stdint.h>

enum weburl {
    WEBURL_LOCAL = 0, /* relative, a fragment, empty, cid:, about: */
    WEBURL_OUTSIDE,   /* another host: http, https, ftp, "//host", "\\host" */
    WEBURL_PLAIN,     /* a scheme that no page loads from: mailto, tel, urn, doi, ... */
    WEBURL_SCRIPT,    /* javascript and its kin */
    WEBURL_IMAGE,     /* data: a raster image, sound, film or font */
    WEBURL_SVG,       /* data: an SVG image */
    WEBURL_DOCUMENT,  /* data: anything else */
    WEBURL_FILE,      /* file: or a drive letter */
    WEBURL_HANDLER    /* starts programs or reads odd places: ms-*, jar, blob, filesystem, ... */
};

enum { WEBURL_START = 64 }; /* this many bytes behind leading blanks decide */

enum weburl weburl_classify(const uint8_t *text, size_t len);

#endif
