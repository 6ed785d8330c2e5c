/* SPDX-License-Identifier: ISC
 * In a worker child: pages, which are HTML and SVG. Scripts, handlers, addresses that act, embedded documents, redirects,
 * and loads from other hosts, by the profile that the contract grants; what an XML prolog declares; and encodings in which
 * another reader would see another page. SVG is read like HTML (every '<' counts), since a page may show it. */
#include "inspect/active_scanners.h"

#include "inspect/page.h"
#include "inspect/xml.h"

bool active_html_applies(const struct inspection *in)
{
    return in->fragment || claims_has(&in->claims, TYPE_HTML_STATIC) || claims_has(&in->claims, TYPE_HTML_LOCAL) ||
           claims_has(&in->claims, TYPE_HTML_ANY) || claims_has(&in->claims, TYPE_SVG);
}

void active_html_scan(struct inspection *in)
{
    struct tally tally;
    bool latin = false;
    struct page page = {.context = page_context_of(in), .tally = &tally, .latin = &latin};
    tally_init(&tally, in);
    xml_prolog(&page, in->bytes, NULL);
    page_examine(&page, in->bytes);
    page_bytes(&page, in);
    tally_say(&tally);
}
