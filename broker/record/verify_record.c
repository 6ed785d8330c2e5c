/* SPDX-License-Identifier: ISC
 * The record is parsed strictly, written again in canonical form and compared byte for byte: an edit of its form is an
 * edit. Then its own sums, its entries against the lists, its contract against the file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/jsonw.h"
#include "record/verify_parts.h"

static const char record_path[] = "sallyport/record.json";

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void canonical(struct jsonw *j, json_t *value, unsigned depth);

static void canonical_object(struct jsonw *j, json_t *object, unsigned depth)
{
    size_t n = 0, size = json_object_size(object);
    const char **keys = calloc(size + 1, sizeof(*keys));
    const char *key;
    json_t *value;
    if (!keys) {
        j->out->failed = true;
        return;
    }
    json_object_foreach(object, key, value) keys[n++] = key;
    qsort(keys, n, sizeof(*keys), by_key);
    jsonw_object(j);
    for (size_t i = 0; i < n; i++) {
        jsonw_key(j, keys[i]);
        canonical(j, json_object_get(object, keys[i]), depth + 1);
    }
    jsonw_object_end(j);
    free(keys);
}

static void canonical(struct jsonw *j, json_t *value, unsigned depth)
{
    size_t i;
    json_t *element;
    if (depth >= JSONW_DEPTH)
        j->out->failed = true;
    else if (json_is_object(value))
        canonical_object(j, value, depth);
    else if (json_is_array(value)) {
        jsonw_array(j);
        json_array_foreach(value, i, element) canonical(j, element, depth + 1);
        jsonw_array_end(j);
    } else if (json_is_string(value))
        jsonw_text_n(j, json_string_value(value), json_string_length(value));
    else if (json_is_integer(value))
        jsonw_i64(j, json_integer_value(value));
    else if (json_is_boolean(value))
        jsonw_bool(j, json_is_true(value));
    else if (json_is_null(value))
        jsonw_null(j);
    else
        j->out->failed = true; /* a floating-point number is not canonical */
}

static void fails(struct verify *v, const char *sentence)
{
    verify_differs(v, "record", false, record_path, sentence);
}

static void check_canonical(struct verify *v, json_t *root)
{
    struct buf out;
    struct jsonw j;
    buf_init(&out, VERIFY_LIST_BYTES);
    jsonw_init(&j, &out);
    canonical(&j, root, 0);
    buf_u8(&out, '\n');
    if (out.failed || out.len != v->record_len || memcmp(out.data, v->record, out.len) != 0)
        fails(v, "the record is not in canonical form");
    buf_free(&out);
}

static const char *text_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : "";
}

static json_int_t number_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void check_content_digest(struct verify *v, json_t *root, json_t *content)
{
    struct buf out;
    struct jsonw j;
    uint8_t sha256[SHA256_SIZE];
    char hex[SHA256_HEX];
    buf_init(&out, VERIFY_LIST_BYTES);
    jsonw_init(&j, &out);
    canonical(&j, content, 0);
    sha256_bytes(out.data, out.len, sha256);
    hex_encode(sha256, SHA256_SIZE, hex);
    if (out.failed || strcmp(hex, text_of(root, "content_sha256")) != 0)
        fails(v, "content_sha256 is not the digest of the content");
    buf_free(&out);
}

static void check_contract(struct verify *v, json_t *content)
{
    uint8_t *data = NULL;
    uint8_t sha256[SHA256_SIZE];
    char hex[SHA256_HEX];
    size_t len = 0;
    if (verify_read(v, "sallyport/contract.yaml", &data, &len) != 0)
        return;
    sha256_bytes(data, len, sha256);
    hex_encode(sha256, SHA256_SIZE, hex);
    free(data);
    if (strcmp(hex, text_of(json_object_get(content, "contract"), "sha256")) != 0)
        fails(v, "the contract in the bag is not the one of the record");
}

/* Undoes the record's form of names that are no UTF-8; in place. */
static bool raw_name(json_t *entry, char *name)
{
    char *to = name;
    uint8_t byte;
    if (!json_is_true(json_object_get(entry, "path_escaped")))
        return true;
    for (const char *from = name; *from; to++) {
        if (*from != '\\') {
            *to = *from++;
        } else if (from[1] == '\\') {
            *to = '\\';
            from += 2;
        } else {
            char hex[3] = {0};
            if (from[1] != 'x' || !from[2] || !from[3])
                return false;
            memcpy(hex, from + 2, 2);
            if (!hex_decode(hex, &byte, 1))
                return false;
            *to = (char)byte;
            from += 4;
        }
    }
    *to = '\0';
    return true;
}

/* An entry that was promoted must be in the manifest with the same digest. */
static void check_promoted(struct verify *v, json_t *entry)
{
    char path[8192], hex[SHA256_HEX];
    snprintf(path, sizeof(path), "data/%s", text_of(entry, "path"));
    struct listed *listed = raw_name(entry, path) ? verify_find(v, path) : NULL;
    if (!listed || !listed->payload || listed->in_record) {
        verify_differs(v, "record", false, path, "the record promotes a file that the manifest does not list");
        return;
    }
    listed->in_record = true;
    listed->executable = strcmp(text_of(entry, "mode"), "0555") == 0;
    hex_encode(listed->sha256, SHA256_SIZE, hex);
    if (strcmp(hex, text_of(entry, "sha256")) != 0)
        verify_differs(v, "record", false, path, "record and manifest give different digests for this file");
}

struct tally {
    json_int_t promoted, refused, missing, unlisted, bytes;
};

static void count_entry(struct tally *t, json_t *entry)
{
    const char *verdict = text_of(entry, "verdict");
    if (strcmp(verdict, "promote") == 0) {
        t->promoted++;
        t->bytes += number_of(entry, "size");
    } else if (strcmp(verdict, "missing") == 0) {
        t->missing++;
    } else if (strcmp(verdict, "unlisted") == 0) {
        t->unlisted++;
    } else {
        t->refused++;
    }
}

static void check_entries(struct verify *v, json_t *content, bool published)
{
    struct tally t = {0};
    size_t i;
    json_t *entry, *totals = json_object_get(content, "totals");
    json_array_foreach(json_object_get(content, "entries"), i, entry)
    {
        count_entry(&t, entry);
        if (published && strcmp(text_of(entry, "verdict"), "promote") == 0)
            check_promoted(v, entry);
    }
    for (size_t k = 0; k < v->n; k++)
        if (v->v[k].payload && !v->v[k].in_record)
            verify_differs(v, "record", false, v->v[k].path, "the record does not promote this file");
    bool counted = json_object_get(totals, "unlisted_sha256") != NULL;
    if (t.promoted != number_of(totals, "promoted") || t.refused != number_of(totals, "refused") ||
        t.missing != number_of(totals, "missing") || (!counted && t.unlisted != number_of(totals, "unlisted")) ||
        t.bytes != number_of(totals, "bytes_promoted"))
        fails(v, "the totals do not add up");
}

static int64_t read_time(const char *text)
{
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return end && !*end ? (int64_t)timegm(&tm) : 0;
}

static void check_parsed(struct verify *v, json_t *root)
{
    json_t *content = json_object_get(root, "content");
    const char *decision = text_of(content, "decision");
    if (strcmp(text_of(root, "schema"), "sallyport.record/1") != 0) {
        fails(v, "the record's schema is not one this version knows");
        return;
    }
    bool refused = strcmp(decision, "refuse") == 0;
    if (!refused && strcmp(decision, "promote") != 0 && strcmp(decision, "partial") != 0)
        fails(v, "the record's decision is none");
    snprintf(v->out->decision, sizeof(v->out->decision), "%s", decision);
    snprintf(v->out->id, sizeof(v->out->id), "%s", text_of(json_object_get(root, "run"), "id"));
    snprintf(v->out->content_sha256, sizeof(v->out->content_sha256), "%s", text_of(root, "content_sha256"));
    snprintf(v->out->name, sizeof(v->out->name), "%s", text_of(json_object_get(content, "contract"), "name"));
    v->out->started = read_time(text_of(json_object_get(root, "run"), "started"));
    v->finished = read_time(text_of(json_object_get(root, "run"), "finished"));
    check_canonical(v, root);
    check_content_digest(v, root, content);
    check_contract(v, content);
    check_entries(v, content, !refused);
}

void verify_record_text(struct verify *v)
{
    json_t *root = json_loadb((const char *)v->record, v->record_len, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(root) || !json_is_object(json_object_get(root, "content"))) {
        fails(v, "the record is no JSON object, or has a key twice");
    } else {
        check_parsed(v, root);
        verify_info(v, root);
    }
    json_decref(root);
}

int verify_record(struct verify *v)
{
    int rc = verify_read(v, record_path, &v->record, &v->record_len);
    if (rc == 0)
        verify_record_text(v);
    return rc < 0 ? -1 : 0;
}
