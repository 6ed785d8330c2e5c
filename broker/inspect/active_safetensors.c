/* SPDX-License-Identifier: ISC
 * safetensors: a length, a header in JSON, and tensors that tile the rest without gap or overlap. Runs in the confined
 * child on hostile bytes. The header is kept in memory, bounded. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/octets.h"
#include "inspect/type_text.h"

struct span {
    uint64_t from, to;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static const char *take_number(const char *p, const char *end, uint64_t *value)
{
    while (p < end && (*p == ' ' || *p == '[' || *p == ':' || *p == ',' || *p == '\n'))
        p++;
    if (p == end || *p < '0' || *p > '9')
        return NULL;
    for (*value = 0; p < end && *p >= '0' && *p <= '9'; p++) {
        if (*value > UINT64_MAX / 16)
            return NULL;
        *value = *value * 10 + (uint64_t)(*p - '0');
    }
    return p;
}

/* Collects every pair of offsets of the header; -1: one could not be read. A name or text that contains the key only
 * adds a pair that does not tile. */
static long collect(const char *text, size_t len, struct span *spans, size_t max)
{
    static const char key[] = "\"data_offsets\"";
    const char *end = text + len, *at = text;
    size_t n = 0;
    while ((at = memmem(at, (size_t)(end - at), key, sizeof(key) - 1))) {
        if (n == max)
            return -1;
        at = take_number(at + sizeof(key) - 1, end, &spans[n].from);
        at = at ? take_number(at, end, &spans[n].to) : NULL;
        if (!at)
            return -1;
        n++;
    }
    return (long)n;
}

static bool tiles(struct span *spans, size_t n, uint64_t size)
{
    uint64_t at = 0;
    qsort(spans, n, sizeof(spans[0]), by_start);
    for (size_t i = 0; i < n; i++) {
        if (spans[i].from != at || spans[i].to < at)
            return false;
        at = spans[i].to;
    }
    return at == size;
}

static const char *judge(struct inspection *in, const char *text, size_t len)
{
    struct bytes header;
    size_t max = len / sizeof("\"data_offsets\":[0,0]") + 1;
    AUTO_FREE struct span *spans = calloc(max, sizeof(*spans));
    bytes_init_memory(&header, text, len);
    if (!type_json_shape(&header, false).valid)
        return "the header is not well-formed JSON";
    long n = spans ? collect(text, len, spans, max) : -1;
    if (n < 0)
        return "a tensor's place could not be read";
    return tiles(spans, (size_t)n, in->bytes->size - 8 - len) ? NULL : "the tensors do not tile the file";
}

bool active_safetensors_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_SAFETENSORS);
}

void active_safetensors_scan(struct inspection *in)
{
    const uint8_t *p = bytes_at(in->bytes, 0, 8);
    uint64_t len = p ? get_le64(p) : 0;
    if (len > SAFETENSORS_HELD || len > in->bytes->size - 8) {
        inspect_find(in, FINDING_INSPECT_LIMIT, "the header of the tensors is longer than is looked at");
        return;
    }
    AUTO_FREE char *text = malloc(len + 1);
    if (!text || !bytes_copy(in->bytes, 8, text, len)) {
        inspect_find(in, FINDING_INSPECT_INCOMPLETE, "the header of the tensors could not be read");
        return;
    }
    const char *why = judge(in, text, len);
    if (why)
        inspect_find_at(in, FINDING_TYPE_CONFLICT, LEVEL_REFUSE, 8, 0, why);
}
