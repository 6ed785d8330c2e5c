/* SPDX-License-Identifier: ISC
 * Parameters of one header field ("; name=value"), in the plain and the extended form. Sources: RFC 2045 5.1, RFC 2231. Pure. */
#ifndef SALLYPORT_EML_PARAM_H
#define SALLYPORT_EML_PARAM_H

#include "inspect/eml_head.h"

/* Text under parse; failed: not what the standard allows, or what readers take differently. */
struct eml_text {
    const uint8_t *at, *end;
    bool failed;
};

void eml_skip_space(struct eml_text *t);
/* A token in lower case into out of size bytes; fails where there is none or it is too long. */
void eml_token(struct eml_text *t, char *out, size_t size);
/* All parameters from here to the end into head: boundary, charset and names. */
void eml_params(struct eml_head *head, struct eml_text *t);

#endif
