/* SPDX-License-Identifier: ISC
 * The parts of a Markdown text that a renderer would act on. Source: CommonMark 0.31. */
#ifndef SALLYPORT_MARKDOWN_H
#define SALLYPORT_MARKDOWN_H

#include "inspect/page.h"

/* The column for Markdown: its own where no acting HTML is admitted, else that of the HTML. */
enum page_context markdown_context(const struct inspection *in);
/* Blanks code (fences and spans) in text, which is the caller's copy, and examines the rest: raw HTML, images and links. */
void markdown_examine(const struct page *page, uint8_t *text, size_t len);

#endif
