/* SPDX-License-Identifier: ISC
 * One writer for each format. 0, or -1; a failed buffer is noticed by report_write(). */
#ifndef SALLYPORT_REPORT_FORMATS_H
#define SALLYPORT_REPORT_FORMATS_H

#include "report/report.h"

int report_human(const struct report *report, struct buf *out);
int report_json(const struct report *report, struct buf *out);
int report_jsonl(const struct report *report, struct buf *out);
int report_sarif(const struct report *report, struct buf *out);
int report_junit(const struct report *report, struct buf *out);
int report_github(const struct report *report, struct buf *out);
int report_gitlab(const struct report *report, struct buf *out);
int report_html(const struct report *report, struct buf *out);
int report_env(const struct report *report, struct buf *out);

#endif
