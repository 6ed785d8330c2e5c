/* SPDX-License-Identifier: ISC
 * NumPy arrays (NEP 1, versions 1 to 3): the header is a Python literal; arrays of objects are a pickle behind it; any
 * other must be exactly as long as its shape says. Runs in the confined child on hostile bytes. */
#include <string.h>

#include "base/limits.h"
#include "inspect/active_binary.h"
#include "inspect/active_pickle.h"
#include "inspect/octets.h"

struct npy {
    struct inspection *in;
    const char *text; /* the header's literal, not terminated */
    size_t len;
};

static void incomplete(const struct npy *npy, const char *why)
{
    inspect_find(npy->in, FINDING_INSPECT_INCOMPLETE, why);
}

/* The value of a key of the literal: up to the next key that numpy writes. */
static bool value_of(const struct npy *npy, const char *key, const char **value, size_t *len)
{
    const char *at = memmem(npy->text, npy->len, key, strlen(key));
    if (!at)
        return false;
    at += strlen(key);
    const char *end = npy->text + npy->len;
    while (at < end && (*at == '\'' || *at == '"' || *at == ':' || *at == ' '))
        at++;
    /* step back onto the quote that opens a text */
    if (at > npy->text && (at[-1] == '\'' || at[-1] == '"'))
        at--;
    *value = at;
    *len = (size_t)(end - at);
    static const char *const keys[] = {"fortran_order", "shape", "descr"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *next = memmem(at, *len, keys[i], strlen(keys[i]));
        if (next)
            *len = (size_t)(next - at);
    }
    return true;
}

/* Is there an element of type object among the quoted texts? A field may be called anything, so a text counts that reads
 * as such a type: an order, a letter O, a size; also in a list with commas. */
static bool has_objects(const char *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (p[i] != 'O' || i == 0)
            continue;
        bool opens = strchr("'\",|<>=( )0123456789", p[i - 1]) != NULL;
        bool closes = i + 1 == len || strchr("'\",0123456789 )", p[i + 1]) != NULL;
        if (opens && closes)
            return true;
    }
    return false;
}

/* Bytes of one element of a simple type ("<f8", "|S10", "<U4"); 0: a structure or unknown. */
static uint64_t element_size(const char *p, size_t len)
{
    size_t i = 0;
    uint64_t n = 0;
    if (len < 3 || (p[0] != '\'' && p[0] != '"'))
        return 0;
    i = strchr("<>|=", p[1]) ? 2 : 1;
    char kind = p[i++];
    if (!strchr("biufcSUVmM?a", kind))
        return 0;
    for (; i < len && p[i] >= '0' && p[i] <= '9' && n < 1u << 30; i++)
        n = n * 10 + (uint64_t)(p[i] - '0');
    return kind == 'U' ? 4 * n : n;
}

/* The product of the shape; false where it is none or passes the bound. */
static bool count_elements(const char *p, size_t len, uint64_t bound, uint64_t *count)
{
    *count = 1;
    const char *open = memchr(p, '(', len), *close = open ? memchr(open, ')', len - (size_t)(open - p)) : NULL;
    if (!close)
        return false;
    while (++open < close) {
        uint64_t n = 0;
        if (*open < '0' || *open > '9')
            continue;
        for (; *open >= '0' && *open <= '9'; open++) {
            n = n * 10 + (uint64_t)(*open - '0');
            if (n > bound)
                return false;
        }
        if (n > 0 && *count > bound / n)
            return false;
        *count *= n;
    }
    return true;
}

static void check_length(const struct npy *npy, uint64_t start, const char *descr, size_t descr_len)
{
    const char *shape;
    size_t shape_len;
    uint64_t count, size = element_size(descr, descr_len), left = npy->in->bytes->size - start;
    if (!value_of(npy, "shape", &shape, &shape_len) || !count_elements(shape, shape_len, 1ull << 40, &count)) {
        incomplete(npy, "the array's shape could not be read");
        return;
    }
    if (size > 0 && (size > 1u << 20 || count * size != left))
        inspect_find_at(npy->in, FINDING_TYPE_CONFLICT, LEVEL_REFUSE, start, 0,
                        "the array's data is longer or shorter than its shape says");
}

bool active_npy_applies(const struct inspection *in)
{
    return claims_by_content(&in->claims, TYPE_NPY);
}

void active_npy_scan(struct inspection *in)
{
    struct npy npy = {.in = in};
    char text[NPY_HEADER];
    const uint8_t *p = bytes_at(in->bytes, 0, 12);
    if (!p || p[6] < 1 || p[6] > 3) {
        incomplete(&npy, "the array's header is cut off or of an unknown version");
        return;
    }
    uint64_t start = p[6] == 1 ? 10 : 12;
    uint32_t len = p[6] == 1 ? get_le16(p + 8) : get_le32(p + 8);
    const char *descr;
    size_t descr_len;
    if (len > sizeof(text) || !bytes_copy(in->bytes, start, text, len)) {
        incomplete(&npy, "the array's header is cut off or too long");
        return;
    }
    npy.text = text;
    npy.len = len;
    if (memchr(text, '\\', len) || !value_of(&npy, "descr", &descr, &descr_len)) {
        incomplete(&npy, "the array's type could not be read");
        return;
    }
    if (has_objects(descr, descr_len)) {
        inspect_find_at(in, FINDING_ACTIVE_SERIALIZED, LEVEL_REFUSE, start, 0,
                        "an array of objects, which are unpickled when it is loaded");
        active_pickle_at(in, start + len);
        return;
    }
    check_length(&npy, start + len, descr, descr_len);
}
