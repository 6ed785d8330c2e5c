/* SPDX-License-Identifier: ISC */
#include "report/report.h"

#include <string.h>

#include "report/report_formats.h"

static const struct {
    const char *name;
    int (*write)(const struct report *report, struct buf *out);
} formats[REPORT_FORMAT_COUNT] = {
    [REPORT_HUMAN] = {"human", report_human},   [REPORT_JSON] = {"json", report_json},
    [REPORT_JSONL] = {"jsonl", report_jsonl},   [REPORT_SARIF] = {"sarif", report_sarif},
    [REPORT_JUNIT] = {"junit", report_junit},   [REPORT_GITHUB] = {"github", report_github},
    [REPORT_GITLAB] = {"gitlab", report_gitlab}, [REPORT_HTML] = {"html", report_html},
    [REPORT_ENV] = {"env", report_env},
};

enum report_format report_format_from_name(const char *name)
{
    for (unsigned i = 0; i < REPORT_FORMAT_COUNT; i++)
        if (formats[i].name && strcmp(formats[i].name, name) == 0)
            return (enum report_format)i;
    return REPORT_FORMAT_COUNT;
}

int report_write(const struct report *report, enum report_format format, struct buf *out)
{
    if ((unsigned)format >= REPORT_FORMAT_COUNT || !formats[format].write || formats[format].write(report, out) != 0)
        return -1;
    return out->failed ? -1 : 0;
}

/* The record is the document. */
int report_json(const struct report *report, struct buf *out)
{
    buf_bytes(out, report->record_json, report->record_len);
    return 0;
}

/* Lines a POSIX shell, a GitHub GITHUB_ENV file and a dotenv reader take alike: no quoting, so values are plain. */
int report_env(const struct report *report, struct buf *out)
{
    buf_printf(out, "BAG=%s\nDECISION=%s\nDIGEST=%s\n", report->bag ? report->bag : "",
               report->failed ? "failed" : report->decision,
               report->digest ? report->digest : "");
    return 0;
}
