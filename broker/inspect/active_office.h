/* SPDX-License-Identifier: ISC
 * Office packages (OOXML, ODF, EPUB) as the archive walker meets their members: what a part's name, content type or
 * relationship says about macros, objects and things loaded from outside. */
#ifndef SALLYPORT_ACTIVE_OFFICE_H
#define SALLYPORT_ACTIVE_OFFICE_H

#include "inspect/inspector.h"

/* Called once for each member of a docx, xlsx, pptx, odt, ods or epub, besides inspect_member(). package is the
 * inspection of the container: findings are said on it. name is raw and need not be terminated; content is borrowed. */
void active_office_member(struct inspection *package, const char *name, size_t len, struct bytes *content);

#endif
