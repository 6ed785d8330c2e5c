/* SPDX-License-Identifier: ISC
 * The lists are held to the exact form that bag.c writes: another form of the same content is an edit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "record/sign_key.h"
#include "record/verify_parts.h"

struct list_kind {
    const char *file;
    bool payload;
};

static int add(struct verify *v, char *take_path, const uint8_t sha256[SHA256_SIZE], bool payload)
{
    if (v->n == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 64;
        struct listed *grown = realloc(v->v, cap * sizeof(*grown));
        if (!grown) {
            free(take_path);
            return -1;
        }
        v->v = grown;
        v->cap = cap;
    }
    v->v[v->n] = (struct listed){.path = take_path, .payload = payload};
    memcpy(v->v[v->n].sha256, sha256, SHA256_SIZE);
    v->n++;
    return 0;
}

/* Undoes the one escape that can occur, a doubled backslash. NULL with ENOMEM, or EINVAL where it is none. */
static char *unescape(const char *text, size_t len, bool escaped)
{
    char *out = malloc(len + 1);
    size_t n = 0;
    errno = out ? EINVAL : ENOMEM;
    for (size_t i = 0; out && i < len; i++) {
        bool backslash = text[i] == '\\';
        if (backslash && (!escaped || i + 1 == len || text[++i] != '\\')) {
            free(out);
            return NULL;
        }
        out[n++] = text[i];
    }
    if (out)
        out[n] = '\0';
    return out;
}

static bool path_belongs(const char *path, bool payload)
{
    if (path_grammar(path, strlen(path)) != PATH_OK)
        return false;
    return (strncmp(path, "data/", 5) == 0) == payload && strcmp(path, "tagmanifest-sha256.txt") != 0;
}

/* "HEX  PATH"; a leading backslash says that PATH is escaped. 0 good, 1 malformed, -1 errno. */
static int parse_line(struct verify *v, const struct list_kind *kind, const char *line, size_t len)
{
    uint8_t sha256[SHA256_SIZE];
    char hex[SHA256_HEX];
    bool escaped = len > 0 && line[0] == '\\';
    line += escaped;
    len -= escaped;
    if (len < SHA256_HEX + 2 || memcmp(line + 64, "  ", 2) != 0)
        return 1;
    memcpy(hex, line, 64);
    hex[64] = '\0';
    if (!hex_decode(hex, sha256, SHA256_SIZE) || strspn(hex, "0123456789abcdef") != 64)
        return 1;
    char *path = unescape(line + 66, len - 66, escaped);
    if (!path)
        return errno == ENOMEM ? -1 : 1;
    if (!path_belongs(path, kind->payload) || strlen(path) == 0 ||
        (v->n > 0 && v->v[v->n - 1].payload == kind->payload && strcmp(v->v[v->n - 1].path, path) >= 0)) {
        free(path);
        return 1;
    }
    return add(v, path, sha256, kind->payload);
}

static int parse_list(struct verify *v, const struct list_kind *kind, const char *text, size_t len)
{
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        if (!end || memchr(text, '\0', (size_t)(end - text)))
            return 1;
        int rc = parse_line(v, kind, text, (size_t)(end - text));
        if (rc != 0)
            return rc;
        len -= (size_t)(end - text) + 1;
        text = end + 1;
    }
    return 0;
}

static int read_list(struct verify *v, const struct list_kind *kind)
{
    uint8_t *data = NULL;
    size_t len = 0;
    int rc = verify_read(v, kind->file, &data, &len);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    if (!kind->payload) {
        uint8_t sha256[SHA256_SIZE];
        sha256_bytes(data, len, sha256);
        hex_encode(sha256, SHA256_SIZE, v->out->tagmanifest_sha256);
        sign_key_sha512(data, len, v->tagmanifest_sha512);
        v->has_tagmanifest = true;
    }
    rc = parse_list(v, kind, (const char *)data, len);
    free(data);
    if (rc == 1)
        verify_differs(v, "list", false, kind->file,
                       "a line is malformed, out of order, twice, or names a path that cannot be in it");
    return rc < 0 ? -1 : 0;
}

static int by_path(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* "XXH128 (PATH) = HEX" */
static bool parse_xxh128(struct verify *v, char *line)
{
    char *end = strrchr(line, ')');
    struct listed *listed;
    if (strncmp(line, "XXH128 (", 8) != 0 || !end || strncmp(end, ") = ", 4) != 0)
        return false;
    *end = '\0';
    listed = verify_find(v, line + 8);
    if (!listed || !listed->payload || listed->has_xxh128 || !hex_decode(end + 4, listed->xxh128, XXH128_SIZE))
        return false;
    listed->has_xxh128 = true;
    return true;
}

static int read_xxh128(struct verify *v)
{
    static const char file[] = "sallyport/manifest-xxh128.txt";
    uint8_t *data = NULL;
    size_t len = 0;
    bool good = true;
    int rc = verify_read(v, file, &data, &len);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    char *save = NULL;
    if (len > 0 && (data[len - 1] != '\n' || memchr(data, 0, len)))
        good = false;
    for (char *line = strtok_r((char *)data, "\n", &save); good && line; line = strtok_r(NULL, "\n", &save))
        good = parse_xxh128(v, line);
    free(data);
    for (size_t i = 0; good && i < v->n; i++)
        good = !v->v[i].payload || v->v[i].has_xxh128;
    if (!good)
        verify_differs(v, "list", false, file, "the list does not name exactly the files of the manifest");
    return 0;
}

static void require_tags(struct verify *v)
{
    static const char *const required[] = {"bag-info.txt", "bagit.txt", "manifest-sha256.txt", "sallyport/contract.yaml",
                                           "sallyport/manifest-xxh128.txt", "sallyport/record.json"};
    for (size_t i = 0; i < ARRAY_LEN(required); i++)
        if (!verify_find(v, required[i]))
            verify_differs(v, "list", false, required[i], "the tag manifest does not list this file");
}

int verify_lists(struct verify *v)
{
    static const struct list_kind payload = {"manifest-sha256.txt", true}, tags = {"tagmanifest-sha256.txt", false};
    if (read_list(v, &payload) != 0 || read_list(v, &tags) != 0)
        return -1;
    if (v->n > 1)
        qsort(v->v, v->n, sizeof(*v->v), by_path);
    require_tags(v);
    return read_xxh128(v);
}
