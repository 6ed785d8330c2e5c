/* SPDX-License-Identifier: ISC
 * In a worker child: SVG is a page: the same tags, handlers and loads, and what its XML prolog declares. Read like HTML
 * (every '<' counts), since it may be shown inside a page as well as alone. */
#include "inspect/active_scanners.h"

#include "inspect/page.h"
#include "inspect/xml.h"

bool active_svg_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_SVG);
}

void active_svg_scan(struct inspection *in)
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
