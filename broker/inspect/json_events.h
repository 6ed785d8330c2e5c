/* SPDX-License-Identifier: ISC
 * A strict reader of JSON as a run of events, strings decoded into one bounded buffer. Keeps no tree: a scanner sees
 * keys and strings as they come, duplicates too. Source: RFC 8259. */
#ifndef SALLYPORT_JSON_EVENTS_H
#define SALLYPORT_JSON_EVENTS_H

#include "base/buf.h"
#include "inspect/scan.h"

enum { JSON_EVENT_DEPTH = 64 };

enum json_event { JSON_END = 0, JSON_BAD, JSON_OPEN, JSON_CLOSE, JSON_OPEN_LIST, JSON_CLOSE_LIST, JSON_NAME, JSON_TEXT,
                  JSON_OTHER };

struct json_events {
    struct scan scan;
    unsigned depth;
    bool list[JSON_EVENT_DEPTH + 1];
    bool begun[JSON_EVENT_DEPTH + 1]; /* the level has an element */
    bool named;                       /* a name was read, its value comes */
    uint64_t at;                      /* where the event starts */
    struct buf text;                  /* of JSON_NAME and JSON_TEXT; failed: longer than its max */
};

void json_events_init(struct json_events *j, struct bytes *bytes, uint64_t text_max);
void json_events_free(struct json_events *j);
/* The next event; JSON_END behind a whole document, JSON_BAD where it is not one (also nested too deep). */
enum json_event json_events_next(struct json_events *j);

#endif
