/* SPDX-License-Identifier: ISC
 * libmagic's claims on files that nothing else claims, in sallyport-second. */
#ifndef SALLYPORT_TYPE_SECOND_H
#define SALLYPORT_TYPE_SECOND_H

#include "inspect/inspector.h"

int type_second_setup(int rules_fd);
void type_second_inspect(struct inspection *in);
/* The type that a MIME name stands for; TYPE_NONE: none, or one that means nothing. Pure. */
enum type type_of_mime(const char *mime, size_t len);
/* "libmagic 5.44" */
void type_second_version(char *out, size_t size);

#endif
