/* SPDX-License-Identifier: ISC
 * In a worker child: hostile JSON, without recursion and without memory in proportion to its depth. */
#include "inspect/json_events.h"

#include <string.h>

#include "inspect/octet_run.h"

void json_events_init(struct json_events *j, struct bytes *bytes, uint64_t text_max)
{
    *j = (struct json_events){.depth = 0};
    scan_init(&j->scan, bytes, 0);
    buf_init(&j->text, (size_t)text_max);
}

void json_events_free(struct json_events *j)
{
    buf_free(&j->text);
}

static void put_code(struct buf *b, uint32_t c)
{
    if (c < 0x80) {
        buf_u8(b, (uint8_t)c);
    } else if (c < 0x800) {
        buf_u8(b, (uint8_t)(0xC0 | c >> 6));
        buf_u8(b, (uint8_t)(0x80 | (c & 0x3F)));
    } else {
        /* Halves of pairs are written one by one: no markup lies beyond them. */
        buf_u8(b, (uint8_t)(0xE0 | c >> 12));
        buf_u8(b, (uint8_t)(0x80 | (c >> 6 & 0x3F)));
        buf_u8(b, (uint8_t)(0x80 | (c & 0x3F)));
    }
}

static bool read_escape(struct json_events *j)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = scan_next(&j->scan);
    const char *hit = c > 0 ? strchr(from, c) : NULL;
    if (hit) {
        buf_u8(&j->text, (uint8_t)to[hit - from]);
        return true;
    }
    if (c != 'u')
        return false;
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        int d = hex_value(scan_next(&j->scan));
        if (d < 0)
            return false;
        code = code * 16 + (uint32_t)d;
    }
    put_code(&j->text, code);
    return true;
}

/* Behind the opening quote. */
static bool read_string(struct json_events *j)
{
    struct scan *s = &j->scan;
    buf_reset(&j->text);
    while (scan_peek(s) >= 0) {
        const uint8_t *p = s->p + octet_run_string(s->p, (size_t)(s->end - s->p));
        buf_bytes(&j->text, s->p, (size_t)(p - s->p));
        s->p = p;
        if (p == s->end)
            continue;
        scan_next(s);
        if (*p == '"')
            return true;
        if (*p != '\\' || !read_escape(j))
            return false;
    }
    return false;
}

static int skip_space(struct json_events *j)
{
    struct scan *s = &j->scan;
    do {
        while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
            s->p++;
    } while (s->p == s->end && scan_fill(s));
    return s->p < s->end ? *s->p : -1;
}

static enum json_event open_level(struct json_events *j, bool list)
{
    scan_next(&j->scan);
    if (j->depth == JSON_EVENT_DEPTH)
        return JSON_BAD;
    j->begun[j->depth] = true;
    j->depth++;
    j->list[j->depth] = list;
    j->begun[j->depth] = false;
    j->named = false;
    return list ? JSON_OPEN_LIST : JSON_OPEN;
}

static enum json_event close_level(struct json_events *j, bool list)
{
    scan_next(&j->scan);
    if (j->depth == 0 || j->list[j->depth] != list || j->named)
        return JSON_BAD;
    j->depth--;
    return list ? JSON_CLOSE_LIST : JSON_CLOSE;
}

/* Numbers and words: their characters only; the type inspector has judged the grammar. */
static enum json_event other(struct json_events *j, int c)
{
    if (!ascii_letter(c) && !ascii_digit(c) && c != '-')
        return JSON_BAD;
    while ((c = scan_peek(&j->scan)) >= 0 && (ascii_letter(c) || ascii_digit(c) || strchr("+-.", c)))
        scan_next(&j->scan);
    return JSON_OTHER;
}

static enum json_event value(struct json_events *j, int c)
{
    if (c == '{' || c == '[')
        return open_level(j, c == '[');
    j->begun[j->depth] = true;
    j->named = false;
    if (c != '"')
        return other(j, c);
    scan_next(&j->scan);
    return read_string(j) ? JSON_TEXT : JSON_BAD;
}

static enum json_event name(struct json_events *j)
{
    if (scan_next(&j->scan) != '"' || !read_string(j) || skip_space(j) != ':')
        return JSON_BAD;
    scan_next(&j->scan);
    j->named = true;
    return JSON_NAME;
}

enum json_event json_events_next(struct json_events *j)
{
    int c = skip_space(j);
    if (j->depth == 0 && j->begun[0])
        return c < 0 ? JSON_END : JSON_BAD;
    if (c == '}' || c == ']') {
        j->at = scan_offset(&j->scan);
        return close_level(j, c == ']');
    }
    if (j->begun[j->depth] && !j->named) {
        if (c != ',')
            return JSON_BAD;
        scan_next(&j->scan);
        c = skip_space(j);
    }
    j->at = scan_offset(&j->scan);
    if (c < 0)
        return JSON_BAD;
    return j->depth > 0 && !j->list[j->depth] && !j->named ? name(j) : value(j, c);
}
