/* SPDX-License-Identifier: ISC
 * The data of one PDF stream: where it ends, what it hides, and what comes out of Flate. Source: ISO 32000-2, 7.3.8, 7.4.4,
 * 7.5.7; RFC 1950. */
#ifndef SALLYPORT_PDF_STREAM_H
#define SALLYPORT_PDF_STREAM_H

#include "inspect/pdf_object.h"

/* t stands behind the word "stream"; on success behind "endstream". False: said as malformed or over a bound. */
bool pdf_stream_read(struct pdf_file *file, struct pdf_tokens *t, const struct pdf_facts *facts);

#endif
