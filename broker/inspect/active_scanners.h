/* SPDX-License-Identifier: ISC
 * The scanners of active content, one per file, and what each is for. `applies` is a question about claims and admitted
 * types, answered before any byte is read. The order is that of the table in active.c. */
#ifndef SALLYPORT_ACTIVE_SCANNERS_H
#define SALLYPORT_ACTIVE_SCANNERS_H

#include "inspect/inspector.h"

bool active_html_applies(const struct inspection *in);
void active_html_scan(struct inspection *in);
bool active_xml_applies(const struct inspection *in);
void active_xml_scan(struct inspection *in);
bool active_css_applies(const struct inspection *in);
void active_css_scan(struct inspection *in);
bool active_markdown_applies(const struct inspection *in);
void active_markdown_scan(struct inspection *in);
bool active_notebook_applies(const struct inspection *in);
void active_notebook_scan(struct inspection *in);
bool active_eml_applies(const struct inspection *in);
void active_eml_scan(struct inspection *in);
bool active_csv_applies(const struct inspection *in);
void active_csv_scan(struct inspection *in);
bool active_text_applies(const struct inspection *in);
void active_text_scan(struct inspection *in);
bool active_pdf_applies(const struct inspection *in);
void active_pdf_scan(struct inspection *in);

#endif
