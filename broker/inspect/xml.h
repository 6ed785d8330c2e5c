/* SPDX-License-Identifier: ISC
 * What stands before the root element of an XML document, read strictly: declaration, instructions, DOCTYPE with its
 * internal subset. Nothing after the root can declare an entity. Source: XML 1.0 (fifth edition), section 2.8. */
#ifndef SALLYPORT_XML_H
#define SALLYPORT_XML_H

#include "inspect/page.h"

/* Entities that stand for a short text without markup and without another entity. In data these do no harm: what they
 * say is in the file. Where elements act, and in a namespace or an address, they can put one together unseen. */
struct xml_texts {
    bool declared;
    uint64_t at; /* the first */
};

/* Says entities, stylesheets and a declared encoding on the page; returns where the root element starts.
 * texts: notes such entities and leaves it to the caller to refuse them; NULL: they refuse as all others do. */
uint64_t xml_prolog(const struct page *page, struct bytes *bytes, struct xml_texts *texts);

#endif
