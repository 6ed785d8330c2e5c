/* SPDX-License-Identifier: ISC
 * One result set in, one document out. Accepts were applied once, by decide; every format shows the same. Pure. */
#ifndef SALLYPORT_REPORT_H
#define SALLYPORT_REPORT_H

#include "base/buf.h"
#include "base/item.h"

enum report_format { REPORT_HUMAN = 0, REPORT_JSON, REPORT_JSONL, REPORT_SARIF, REPORT_JUNIT, REPORT_GITHUB, REPORT_GITLAB,
                     REPORT_HTML, REPORT_ENV, REPORT_FORMAT_COUNT };

/* One line of a table for people: borrowed texts of our own. */
struct report_row {
    const char *name, *state, *detail;
};

struct report {
    const struct contract *contract;
    const struct item_list *items;
    const struct finding_list *whole;
    const char *decision;       /* promote | refuse | partial */
    const char *source;         /* where the bytes came from, escaped; NULL: not known */
    int64_t started;            /* Unix seconds; 0: not said */
    const char *id, *bag;       /* bag: path where it was published, NULL otherwise */
    const char *tree;           /* --tree that was written, NULL otherwise */
    const char *record_json;    /* the record, canonical */
    size_t record_len;
    const char *tool_version;
    const char *head;           /* ledger head, NULL */
    const char *digest;         /* "sha256:..." of the tag manifest, NULL where nothing was published */
    const char *content_sha256; /* hex, NULL */
    const struct report_row *scores, *controls;
    size_t scores_n, controls_n;
    bool already;               /* the same promotion had been published before */
    bool check;                 /* nothing was to be published */
    bool failed;                /* the decision could not be carried out: nothing appeared */
    bool color, quiet, verbose;
};

/* REPORT_FORMAT_COUNT: no such format. */
enum report_format report_format_from_name(const char *name);
/* 0, or -1: the buffer failed. */
int report_write(const struct report *report, enum report_format format, struct buf *out) MUST_CHECK;

#endif
