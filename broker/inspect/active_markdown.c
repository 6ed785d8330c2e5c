/* SPDX-License-Identifier: ISC
 * In a worker child: Markdown. Raw HTML outside of code acts where a renderer lets it through, and remote images call
 * home: both refuse as in a page. Code is blanked in a copy of equal length, so that offsets stay true; a fence that is
 * not closed hides nothing. */
#include "inspect/active_scanners.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/markdown.h"
#include "inspect/page.h"

bool active_markdown_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_MARKDOWN);
}

void active_markdown_scan(struct inspection *in)
{
    struct tally tally;
    struct page page = {.context = markdown_context(in), .tally = &tally};
    uint8_t *copy = NULL;
    tally_init(&tally, in);
    if (in->bytes->size <= MARKDOWN_COPY)
        copy = malloc((size_t)in->bytes->size + 1);
    if (copy && bytes_copy(in->bytes, 0, copy, (size_t)in->bytes->size))
        markdown_examine(&page, copy, (size_t)in->bytes->size);
    else
        page_examine(&page, in->bytes); /* too large to copy: code is looked at too */
    free(copy);
    tally_say(&tally);
}
