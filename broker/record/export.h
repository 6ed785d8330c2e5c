/* SPDX-License-Identifier: ISC
 * A verified bag in another form: a directory, one tar or zip that can be verified as it is, or an OCI image layout; or its
 * signatures as sigstore bundles. The same bag gives the same bytes. Every byte is digested again on its way and compared with what was verified. */
#ifndef SALLYPORT_EXPORT_H
#define SALLYPORT_EXPORT_H

#include "base/compiler.h"
#include "record/verify.h"

enum export_form { EXPORT_DIR = 0, EXPORT_TAR, EXPORT_ZIP, EXPORT_OCI, EXPORT_SIGSTORE };
enum { EXPORT_WHY = 256 };

/* `to` must not exist; it appears complete or not at all. 0, or -1 with errno (EILSEQ: not what was verified; ENODATA: bundles of
 * a bag that nobody signed) and a sentence. */
int export_bag(const char *bag, const struct verify_result *verified, enum export_form form, const char *to,
               char why[EXPORT_WHY]) MUST_CHECK;

#endif
