/* SPDX-License-Identifier: ISC
 * Sigstore bundles (protobuf-specs, bundle v0.3, JSON form): one file for each signer, since a bundle holds exactly one
 * signature. The key is only hinted at: there is no certificate and no transparency log entry, so whoever verifies brings
 * the public key. Each envelope is checked once more before it is wrapped. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "base/limits.h"
#include "record/dsse.h"
#include "record/export_private.h"
#include "record/sign.h"
#include "record/sshsig.h"

#define BUNDLE "application/vnd.dev.sigstore.bundle.v0.3+json"
static const char signatures_dir[] = "signatures/", envelope_end[] = ".dsse.json";

static int collect(void *ctx, const void *data, size_t len)
{
    struct buf *out = ctx;
    buf_bytes(out, data, len);
    return out->failed ? -1 : 0;
}

static int read_member(struct export *e, const char *path, struct buf *out)
{
    buf_init(out, (size_t)GIB);
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->v[i].path, path) == 0)
            return export_read(e, &e->v[i], collect, out);
    errno = EILSEQ;
    return -1;
}

/* The key that the signer's other file carries, which verify held against the tag manifest. */
static int public_key(struct export *e, const char *keyid, uint8_t key[ED25519_PUBLIC])
{
    char path[KEYID_BYTES + 32], own[KEYID_BYTES];
    struct sshsig sig;
    struct buf text;
    snprintf(path, sizeof(path), "signatures/%s.sig", keyid);
    int rc = read_member(e, path, &text);
    bool good = rc == 0 && sshsig_read((const char *)text.data, text.len, &sig) == SSHSIG_OK;
    buf_free(&text);
    if (rc != 0)
        return -1;
    errno = EILSEQ;
    if (!good)
        return -1;
    sign_keyid(sig.public_key, own);
    memcpy(key, sig.public_key, ED25519_PUBLIC);
    return strcmp(own, keyid) == 0 ? 0 : -1;
}

static bool is_of_bag(const struct export *e, const struct dsse *dsse)
{
    struct statement_read read;
    bool found = false;
    if (!statement_parse((const char *)dsse->payload, dsse->payload_len, &read))
        return false;
    for (size_t i = 0; i < read.subjects.n; i++)
        found |= strcmp(read.subjects.v[i].path, "tagmanifest-sha256.txt") == 0 &&
                 sha256_equal(read.subjects.v[i].sha256, e->tagmanifest);
    statement_read_free(&read);
    return found;
}

/* Is this the envelope that verify saw: this key's signature over a statement about this bag? */
static bool holds(const struct export *e, const struct dsse *dsse, const char *keyid, const uint8_t key[ED25519_PUBLIC])
{
    struct buf pae;
    buf_init(&pae, dsse->payload_len + 256);
    dsse_pae(&pae, DSSE_INTOTO, dsse->payload, dsse->payload_len);
    bool good = !pae.failed && strcmp(dsse->keyid, keyid) == 0 && sign_key_verify(key, pae.data, pae.len, dsse->signature);
    buf_free(&pae);
    return good && is_of_bag(e, dsse);
}

static void write_bundle(struct buf *out, const char *envelope, size_t len, const char *keyid)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_key(&j, "dsseEnvelope");
    jsonw_raw(&j, envelope, len);
    jsonw_put_text(&j, "mediaType", BUNDLE);
    jsonw_key(&j, "verificationMaterial");
    jsonw_object(&j);
    jsonw_key(&j, "publicKey");
    jsonw_object(&j);
    jsonw_put_text(&j, "hint", keyid);
    jsonw_object_end(&j);
    jsonw_key(&j, "tlogEntries");
    jsonw_array(&j);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
}

static int put_file(int dir, const char *keyid, const struct buf *text)
{
    char name[KEYID_BYTES + 32];
    snprintf(name, sizeof(name), "%s.sigstore.json", keyid);
    AUTO_FD fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    errno = fd < 0 ? errno : EFBIG;
    return fd < 0 || text->failed || fd_write_full(fd, text->data, text->len) != 0 ? -1 : fsync(fd);
}

static int put_bundle(struct export *e, int dir, const char *path, const char *keyid)
{
    uint8_t key[ED25519_PUBLIC];
    struct dsse dsse;
    struct buf text, envelope, bundle;
    int rc = read_member(e, path, &text);
    bool read = rc == 0 && dsse_read((const char *)text.data, text.len, &dsse);
    buf_free(&text);
    errno = rc == 0 && !read ? EILSEQ : errno;
    if (!read)
        return -1;
    buf_init(&envelope, (size_t)GIB);
    buf_init(&bundle, (size_t)GIB);
    rc = public_key(e, keyid, key);
    if (rc == 0 && !holds(e, &dsse, keyid, key)) {
        errno = EILSEQ;
        rc = -1;
    }
    dsse_write(&envelope, dsse.payload, dsse.payload_len, keyid, dsse.signature);
    if (rc == 0 && !envelope.failed) {
        write_bundle(&bundle, (const char *)envelope.data, envelope.len - 1, keyid);
        rc = put_file(dir, keyid, &bundle);
    }
    int error = errno;
    buf_free(&envelope);
    buf_free(&bundle);
    dsse_free(&dsse);
    errno = error;
    return rc;
}

int export_sigstore(struct export *e, int dir)
{
    const size_t before = strlen(signatures_dir), after = strlen(envelope_end);
    char keyid[KEYID_BYTES];
    size_t found = 0;
    for (size_t i = 0; i < e->n; i++) {
        const char *path = e->v[i].path;
        size_t n = strlen(path);
        if (n != before + KEYID_BYTES - 1 + after || strncmp(path, signatures_dir, before) != 0 ||
            strcmp(path + n - after, envelope_end) != 0)
            continue;
        memcpy(keyid, path + before, KEYID_BYTES - 1);
        keyid[KEYID_BYTES - 1] = '\0';
        if (put_bundle(e, dir, path, keyid) != 0)
            return -1;
        found++;
    }
    errno = ENODATA;
    return found > 0 ? 0 : -1;
}
