/* SPDX-License-Identifier: ISC
 * In a worker child: is an object hidden where syntax has none? Readers go by offsets, and rebuild broken files by
 * looking for "N G obj": what such a reader could find in a string, comment or stream refuses the file. */
#include <string.h>

#include "inspect/pdf_token.h"

/* Goes back over white space and comment lines; returns the new end. A comment is a line with a '%'. */
static size_t back_over_gap(const uint8_t *p, size_t end)
{
    for (;;) {
        bool line = false;
        while (end > 0 && pdf_is_space(p[end - 1])) {
            line = line || p[end - 1] == '\n' || p[end - 1] == '\r';
            end--;
        }
        size_t from = end;
        while (from > 0 && p[from - 1] != '\n' && p[from - 1] != '\r')
            from--;
        const uint8_t *percent = line && from < end ? memchr(p + from, '%', end - from) : NULL;
        if (!percent)
            return end;
        end = (size_t)(percent - p);
    }
}

/* Does "N G" stand right before end? */
static bool numbers_before(const uint8_t *p, size_t end)
{
    size_t at = back_over_gap(p, end), digits = at;
    while (at > 0 && ascii_digit(p[at - 1]))
        at--;
    if (at == digits)
        return false;
    size_t gap = back_over_gap(p, at);
    return gap < at && gap > 0 && ascii_digit(p[gap - 1]);
}

/* p[0..end) ends with "obj": is it the start or the end of an object? */
static bool is_object(const uint8_t *p, size_t end)
{
    size_t before = end - 3;
    return (before >= 3 && memcmp(p + before - 3, "end", 3) == 0) || numbers_before(p, before);
}

void pdf_watch_byte(struct pdf_watch *w, int c)
{
    uint8_t line[PDF_HISTORY];
    w->last[w->at++] = (uint8_t)c;
    if (c != 'j' || w->last[(uint8_t)(w->at - 2)] != 'b' || w->last[(uint8_t)(w->at - 3)] != 'o')
        return;
    for (size_t i = 0; i < PDF_HISTORY; i++)
        line[i] = w->last[(uint8_t)(w->at + i)];
    w->hides = w->hides || is_object(line, PDF_HISTORY);
}

void pdf_watch_bytes(struct pdf_watch *w, const uint8_t *p, size_t len)
{
    size_t seam = len < 4 ? len : 4;
    for (size_t i = 0; i < seam; i++)
        pdf_watch_byte(w, p[i]); /* an "obj" that the border of two stretches cuts */
    for (size_t at = 0; at + 3 <= len && !w->hides;) {
        const uint8_t *hit = memmem(p + at, len - at, "obj", 3);
        if (!hit)
            break;
        size_t end = (size_t)(hit - p) + 3, from = end > PDF_HISTORY ? end - PDF_HISTORY : 0;
        if (from == 0 && end > seam) {
            /* What precedes lies in the stretch before: through the history. */
            struct pdf_watch joined = *w;
            for (size_t i = seam; i < end; i++)
                pdf_watch_byte(&joined, p[i]);
            w->hides = joined.hides;
        } else if (from > 0) {
            w->hides = is_object(p + from, end - from);
        }
        at = end;
    }
    for (size_t i = len > PDF_HISTORY + seam ? len - PDF_HISTORY : seam; i < len; i++)
        w->last[w->at++] = p[i];
}
