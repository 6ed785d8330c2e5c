/* SPDX-License-Identifier: ISC
 * What stands before the root element of an XML document, read strictly: declaration, instructions, DOCTYPE with its
 * internal subset. Nothing after the root can declare an entity. Source: XML 1.0 (fifth edition), section 2.8. */
#ifndef SALLYPORT_XML_H
#define SALLYPORT_XML_H

#include "inspect/page.h"

/* Says entities, stylesheets and a declared encoding on the page; returns where the root element starts. */
uint64_t xml_prolog(const struct page *page, struct bytes *bytes);

#endif
