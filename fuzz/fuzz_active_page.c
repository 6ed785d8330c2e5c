/* SPDX-License-Identifier: ISC
 * Harness for inspect/markup.c, page_tags.c, css.c, xml.c and the scanners on them. Blank space in front of a page never
 * changes what is said of it. */
#include "active_harness.h"

static const struct harness_choice choices[] = {
    {'h', active_html_scan, TYPE_HTML_STATIC, TYPE_HTML_STATIC, true},
    {'l', active_html_scan, TYPE_HTML_STATIC, TYPE_HTML_LOCAL, true},
    {'a', active_html_scan, TYPE_HTML_STATIC, TYPE_HTML_ANY, true},
    {'s', active_html_scan, TYPE_SVG, TYPE_SVG, true},
    {'x', active_xml_scan, TYPE_XML, TYPE_XML, false},
    {'c', active_css_scan, TYPE_CSS, TYPE_CSS, false},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    harness_run(choices, ARRAY_LEN(choices), data, size);
    return 0;
}
