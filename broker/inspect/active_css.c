/* SPDX-License-Identifier: ISC
 * In a worker child: style sheets. All that a style can do is load; from its own place it may, from another host not.
 * Listed JavaScript (js) has no scanner of this kind: what a program will load cannot be told from its text, so the
 * promise of html-local rests on the pages and styles that call it. */
#include "inspect/active_scanners.h"

#include <string.h>

#include "inspect/page.h"

bool active_css_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_CSS);
}

void active_css_scan(struct inspection *in)
{
    static const char charset[] = "@charset \"";
    struct tally tally;
    struct page page = {.context = page_context_of(in), .tally = &tally};
    struct scan s;
    size_t len, n = sizeof(charset) - 1;
    tally_init(&tally, in);
    scan_init(&s, in->bytes, 0);
    const uint8_t *p = scan_view(&s, 64, &len);
    if (len > n && memcmp(p, charset, n) == 0) {
        const uint8_t *end = memchr(p + n, '"', (len < 64 ? len : 64) - n);
        page_encoding(&page, p + n, end ? (size_t)(end - p) - n : 0, n);
    }
    page_style(&page, in->bytes, 0, in->bytes->size, false);
    tally_say(&tally);
}
