/* SPDX-License-Identifier: ISC
 * GitLab Code Quality: an array of issues; a fingerprint must be unique or only the first is shown. */
#include <string.h>

#include "base/jsonw.h"
#include "base/say.h"
#include "report/report_each.h"
#include "report/report_formats.h"

static bool issue(void *ctx, const struct report_line *line)
{
    static const char *const severity[] = {[LEVEL_REFUSE] = "blocker", [LEVEL_WARN] = "minor", [LEVEL_NOTE] = "info"};
    struct jsonw *j = ctx;
    char fingerprint[SHA256_HEX];
    char *shown = say_name(line->item ? item_shown(line->item) : "contract");
    report_fingerprint(line, fingerprint);
    jsonw_object(j);
    jsonw_put_text(j, "check_name", line->code);
    jsonw_put_text(j, "description", line->message);
    jsonw_put_text(j, "fingerprint", fingerprint);
    jsonw_key(j, "location");
    jsonw_object(j);
    jsonw_key(j, "lines");
    jsonw_object(j);
    jsonw_put_u64(j, "begin", line->finding->has_line ? line->finding->line : 1);
    jsonw_object_end(j);
    jsonw_put_text(j, "path", shown);
    jsonw_object_end(j);
    jsonw_put_text(j, "severity", severity[line->finding->level]);
    jsonw_object_end(j);
    free_auto(&shown);
    return true;
}

int report_gitlab(const struct report *r, struct buf *out)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_array(&j);
    report_each(r, false, issue, &j);
    jsonw_array_end(&j);
    buf_u8(out, '\n');
    return 0;
}
