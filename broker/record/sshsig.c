/* SPDX-License-Identifier: ISC */
#include "record/sshsig.h"

#include <stdlib.h>
#include <string.h>

#include "record/base64.h"

enum { ARMOR_WIDTH = 70, BLOB_MAX = 4096 };

static const char magic[] = "SSHSIG";
static const char armor_begin[] = "-----BEGIN SSH SIGNATURE-----\n", armor_end[] = "-----END SSH SIGNATURE-----\n";
static const char digest_name[] = "sha512", key_type[] = "ssh-ed25519";

void sshsig_signed_bytes(struct buf *out, const uint8_t sha512[SHA512_SIZE])
{
    buf_bytes(out, magic, strlen(magic));
    ssh_put_text(out, SSHSIG_NAMESPACE);
    ssh_put_text(out, "");
    ssh_put_text(out, digest_name);
    ssh_put_string(out, sha512, SHA512_SIZE);
}

static void put_nested(struct buf *out, struct buf *inner)
{
    if (inner->failed)
        out->failed = true;
    ssh_put_string(out, inner->data, inner->len);
    buf_reset(inner);
}

void sshsig_armor(struct buf *out, const struct sshsig *sig)
{
    struct buf blob, inner;
    buf_init(&blob, BLOB_MAX);
    buf_init(&inner, BLOB_MAX);
    buf_bytes(&blob, magic, strlen(magic));
    ssh_put_u32(&blob, 1);
    ssh_put_public(&inner, sig->public_key);
    put_nested(&blob, &inner);
    ssh_put_text(&blob, SSHSIG_NAMESPACE);
    ssh_put_text(&blob, "");
    ssh_put_text(&blob, digest_name);
    ssh_put_text(&inner, key_type);
    ssh_put_string(&inner, sig->signature, ED25519_SIGNATURE);
    put_nested(&blob, &inner);

    buf_text(out, armor_begin);
    base64_encode(out, blob.data, blob.len, ARMOR_WIDTH);
    buf_text(out, armor_end);
    if (blob.failed)
        out->failed = true;
    buf_free(&blob);
    buf_free(&inner);
}

/* The base64 between the two lines without its line ends; malloc'ed, NULL where the armor is none. */
static uint8_t *dearmor(const char *text, size_t len, size_t *out_len)
{
    const size_t begin = strlen(armor_begin), end = strlen(armor_end);
    if (len < begin + end || len > SSHSIG_TEXT_MAX || memcmp(text, armor_begin, begin) != 0 ||
        memcmp(text + len - end, armor_end, end) != 0)
        return NULL;
    char *packed = malloc(len);
    size_t n = 0;
    for (size_t i = begin; packed && i < len - end; i++)
        if (text[i] != '\n')
            packed[n++] = text[i];
    uint8_t *blob = packed ? base64_decode(packed, n, out_len) : NULL;
    free(packed);
    return blob;
}

static enum sshsig_fault read_signature(struct reader *r, struct sshsig *out)
{
    struct reader inner;
    size_t len;
    const uint8_t *p = ssh_string(r, &len);
    if (!p || !reader_done(r))
        return SSHSIG_MALFORMED;
    reader_init(&inner, p, len);
    if (!ssh_string_is(&inner, key_type))
        return SSHSIG_WEAK;
    p = ssh_string(&inner, &len);
    if (!p || len != ED25519_SIGNATURE || !reader_done(&inner))
        return SSHSIG_MALFORMED;
    memcpy(out->signature, p, len);
    return SSHSIG_OK;
}

static enum sshsig_fault read_blob(const uint8_t *blob, size_t blob_len, struct sshsig *out)
{
    struct reader r;
    size_t len, reserved;
    reader_init(&r, blob, blob_len);
    const uint8_t *p = reader_take(&r, strlen(magic));
    if (!p || memcmp(p, magic, strlen(magic)) != 0 || ssh_u32(&r) != 1)
        return SSHSIG_MALFORMED;
    p = ssh_string(&r, &len);
    bool strong = p && ssh_public_decode(p, len, out->public_key);
    bool ours = ssh_string_is(&r, SSHSIG_NAMESPACE);
    (void)ssh_string(&r, &reserved);
    bool digest = ssh_string_is(&r, digest_name);
    if (r.failed)
        return SSHSIG_MALFORMED;
    if (!strong || !digest)
        return SSHSIG_WEAK;
    if (!ours)
        return SSHSIG_NAMESPACE_FOREIGN;
    return read_signature(&r, out);
}

enum sshsig_fault sshsig_read(const char *text, size_t len, struct sshsig *out)
{
    size_t blob_len = 0;
    uint8_t *blob = dearmor(text, len, &blob_len);
    enum sshsig_fault fault = blob ? read_blob(blob, blob_len, out) : SSHSIG_MALFORMED;
    free(blob);
    return fault;
}

const char *sshsig_fault_text(enum sshsig_fault fault)
{
    static const char *const texts[] = {
        [SSHSIG_OK] = "good",
        [SSHSIG_MALFORMED] = "the signature is no SSH signature",
        [SSHSIG_WEAK] = "the signature is not Ed25519 over SHA-512; weaker or other algorithms are not accepted",
        [SSHSIG_NAMESPACE_FOREIGN] = "the signature was made for another purpose (namespace)"};
    return (unsigned)fault < ARRAY_LEN(texts) ? texts[fault] : texts[SSHSIG_MALFORMED];
}
