/* SPDX-License-Identifier: ISC
 * In a worker child: the reader that all active-content scanners share. */
#include "inspect/scan.h"

#include <string.h>

#include "inspect/octet_run.h"

void scan_init(struct scan *s, struct bytes *bytes, uint64_t offset)
{
    *s = (struct scan){.bytes = bytes, .end_at = offset};
}

bool scan_fill(struct scan *s)
{
    size_t len = 0;
    uint64_t at = scan_offset(s);
    const uint8_t *chunk = bytes_chunk(s->bytes, at, &len);
    s->begin = s->p = chunk;
    s->end = chunk ? chunk + len : NULL;
    s->end_at = at + (chunk ? len : 0);
    return chunk && len > 0;
}

void scan_seek(struct scan *s, uint64_t offset)
{
    uint64_t first = s->end_at - (uint64_t)(s->end - s->begin);
    if (s->end && offset >= first && offset <= s->end_at) {
        s->p = s->end - (s->end_at - offset);
        return;
    }
    *s = (struct scan){.bytes = s->bytes, .end_at = offset};
}

void scan_forget(struct scan *s)
{
    *s = (struct scan){.bytes = s->bytes, .end_at = scan_offset(s)};
}

const uint8_t *scan_view(struct scan *s, size_t want, size_t *len)
{
    if ((size_t)(s->end - s->p) < want && s->end_at < s->bytes->size)
        scan_fill(s);
    *len = (size_t)(s->end - s->p);
    return *len > 0 ? s->p : (const uint8_t *)"";
}

void scan_skip(struct scan *s, uint64_t n)
{
    uint64_t here = scan_offset(s), size = s->bytes->size;
    scan_seek(s, n > size - here ? size : here + n);
}

bool scan_starts(struct scan *s, const char *text, bool fold)
{
    /* asked at every cell and line, and nearly always answered by the first byte */
    if (!fold && s->p < s->end && *s->p != (uint8_t)text[0])
        return false;
    size_t len, n = strlen(text);
    const uint8_t *p = scan_view(s, n, &len);
    if (len < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((fold ? ascii_lower(p[i]) : p[i]) != (uint8_t)text[i])
            return false;
    return true;
}

bool scan_past(struct scan *s, const char *text)
{
    size_t len, n = strlen(text);
    while (scan_peek(s) >= 0) {
        const uint8_t *p = scan_view(s, n, &len);
        const uint8_t *hit = len < n ? NULL : octet_find(p, len, (const uint8_t *)text, n);
        if (hit) {
            s->p = hit + n;
            return true;
        }
        if (len < n) {
            s->p = s->end;
            return false;
        }
        s->p = s->end - (n - 1);
        if (s->end_at >= s->bytes->size)
            s->p = s->end;
    }
    return false;
}
