/* SPDX-License-Identifier: ISC */
#include "record/dsse.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/jsonw.h"
#include "record/base64.h"

void dsse_pae(struct buf *out, const char *type, const void *body, size_t len)
{
    buf_printf(out, "DSSEv1 %zu %s %zu ", strlen(type), type, len);
    buf_bytes(out, body, len);
}

static void put_base64(struct jsonw *j, const char *key, const void *data, size_t len)
{
    struct buf text;
    buf_init(&text, len / 3 * 4 + 8);
    base64_encode(&text, data, len, 0);
    jsonw_key(j, key);
    if (text.failed)
        j->out->failed = true;
    else
        jsonw_text_n(j, (const char *)text.data, text.len);
    buf_free(&text);
}

void dsse_write(struct buf *out, const void *payload, size_t len, const char *keyid,
                const uint8_t signature[ED25519_SIGNATURE])
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    put_base64(&j, "payload", payload, len);
    jsonw_put_text(&j, "payloadType", DSSE_INTOTO);
    jsonw_key(&j, "signatures");
    jsonw_array(&j);
    jsonw_object(&j);
    jsonw_put_text(&j, "keyid", keyid);
    put_base64(&j, "sig", signature, ED25519_SIGNATURE);
    jsonw_object_end(&j);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
}

static bool read_signature(json_t *root, struct dsse *out)
{
    json_t *list = json_object_get(root, "signatures"), *one = json_array_get(list, 0);
    const char *sig = json_string_value(json_object_get(one, "sig"));
    const char *keyid = json_string_value(json_object_get(one, "keyid"));
    size_t len = 0;
    if (json_array_size(list) != 1 || json_object_size(one) != 2 || !sig || !keyid || strlen(keyid) >= sizeof(out->keyid))
        return false;
    uint8_t *raw = base64_decode(sig, strlen(sig), &len);
    bool good = raw && len == ED25519_SIGNATURE;
    if (good)
        memcpy(out->signature, raw, len);
    free(raw);
    memcpy(out->keyid, keyid, strlen(keyid) + 1);
    return good;
}

static bool read_payload(json_t *root, struct dsse *out)
{
    json_t *payload = json_object_get(root, "payload");
    const char *type = json_string_value(json_object_get(root, "payloadType"));
    if (!json_is_string(payload) || !type || strcmp(type, DSSE_INTOTO) != 0)
        return false;
    out->payload = base64_decode(json_string_value(payload), json_string_length(payload), &out->payload_len);
    if (out->payload)
        out->payload[out->payload_len] = 0; /* base64_decode leaves room for it */
    return out->payload != NULL;
}

bool dsse_read(const char *text, size_t len, struct dsse *out)
{
    *out = (struct dsse){0};
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    bool good = json_is_object(root) && json_object_size(root) == 3 && read_signature(root, out) && read_payload(root, out);
    json_decref(root);
    if (!good)
        dsse_free(out);
    return good;
}

void dsse_free(struct dsse *dsse)
{
    free(dsse->payload);
    *dsse = (struct dsse){0};
}
