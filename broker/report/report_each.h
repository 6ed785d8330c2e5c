/* SPDX-License-Identifier: ISC
 * Every finding of a report in one fixed order: those of each item, then those of no item. All machine formats walk the
 * set through this, so that they cannot differ in what they show. Pure. */
#ifndef SALLYPORT_REPORT_EACH_H
#define SALLYPORT_REPORT_EACH_H

#include "report/report.h"

struct report_line {
    const struct item *item;       /* NULL: of no item */
    const struct finding *finding;
    char code[128];
    const char *message;           /* never NULL; our own sentence */
    size_t index;
};

/* Calls each() until it returns false. accepted: also findings that were accepted. */
void report_each(const struct report *report, bool accepted, bool (*each)(void *ctx, const struct report_line *line),
                 void *ctx);
/* The path as a relative URI reference (RFC 3986): everything but unreserved characters and '/' percent-encoded. */
void report_uri(struct buf *out, const char *path);
/* The text for element content or a quoted attribute of HTML and XML: say_escape() first, then references. */
void report_markup(struct buf *out, const char *text);
/* A fingerprint over code, path, member and place: stable from run to run, unique in a report. 65 bytes. */
void report_fingerprint(const struct report_line *line, char out[SHA256_HEX]);

#endif
