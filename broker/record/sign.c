/* SPDX-License-Identifier: ISC */
#include "record/sign.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "record/dsse.h"
#include "record/sshsig.h"

enum { SMALL_BYTES = 4096 };

void sign_keyid(const uint8_t public_key[ED25519_PUBLIC], char keyid[KEYID_BYTES])
{
    struct buf blob;
    uint8_t sha256[SHA256_SIZE];
    buf_init(&blob, SMALL_BYTES);
    ssh_put_public(&blob, public_key);
    sha256_bytes(blob.data ? blob.data : (const uint8_t *)"", blob.len, sha256);
    hex_encode(sha256, SHA256_SIZE, keyid);
    buf_free(&blob);
}

static int no_memory(char why[SIGN_WHY])
{
    snprintf(why, SIGN_WHY, "%s", strerror(ENOMEM));
    errno = ENOMEM;
    return -1;
}

static int make_sshsig(const struct sign_key *key, const struct sign_input *input, struct buf *out, char why[SIGN_WHY])
{
    struct sshsig sig;
    struct buf bytes;
    uint8_t sha512[SHA512_SIZE];
    sign_key_sha512(input->tagmanifest, input->tagmanifest_len, sha512);
    buf_init(&bytes, SMALL_BYTES);
    sshsig_signed_bytes(&bytes, sha512);
    int rc = bytes.failed ? no_memory(why) : sign_key_sign(key, bytes.data, bytes.len, sig.signature, why);
    buf_free(&bytes);
    if (rc != 0)
        return -1;
    memcpy(sig.public_key, sign_key_public(key), ED25519_PUBLIC);
    sshsig_armor(out, &sig);
    return out->failed ? no_memory(why) : 0;
}

static int add_subjects(struct bag_list *subjects, const struct bag_list *from, bool tags)
{
    for (size_t i = 0; i < from->n; i++) {
        struct digest digest = {0};
        memcpy(digest.sha256, from->v[i].sha256, SHA256_SIZE);
        if ((!tags || statement_subject_tag(from->v[i].path)) && bag_list_add(subjects, from->v[i].path, &digest) != 0)
            return -1;
    }
    return 0;
}

static int gather_subjects(struct bag_list *subjects, const struct sign_input *input)
{
    struct digest digest = {0};
    sha256_bytes(input->tagmanifest, input->tagmanifest_len, digest.sha256);
    if (add_subjects(subjects, input->payload, false) != 0 || add_subjects(subjects, input->tags, true) != 0 ||
        bag_list_add(subjects, "tagmanifest-sha256.txt", &digest) != 0)
        return -1;
    bag_list_sort(subjects);
    return 0;
}

static int make_dsse(const struct sign_key *key, const struct sign_input *input, struct sign_output *out,
                     char why[SIGN_WHY])
{
    struct bag_list subjects = {0};
    struct buf payload, pae;
    uint8_t signature[ED25519_SIGNATURE];
    const struct statement statement = {.subjects = &subjects, .record = input->record, .record_len = input->record_len,
                                        .time = input->time};
    buf_init(&payload, (size_t)GIB);
    buf_init(&pae, (size_t)GIB + SMALL_BYTES);
    int rc = gather_subjects(&subjects, input);
    if (rc == 0) {
        statement_write(&payload, &statement);
        dsse_pae(&pae, DSSE_INTOTO, payload.data, payload.len);
    }
    if (rc != 0 || payload.failed || pae.failed)
        rc = no_memory(why);
    else
        rc = sign_key_sign(key, pae.data, pae.len, signature, why);
    if (rc == 0)
        dsse_write(&out->dsse, payload.data, payload.len, out->keyid, signature);
    if (rc == 0 && out->dsse.failed)
        rc = no_memory(why);
    buf_free(&payload);
    buf_free(&pae);
    bag_list_free(&subjects);
    return rc;
}

int sign_make(const struct sign_key *key, const struct sign_input *input, struct sign_output *out, char why[SIGN_WHY])
{
    sign_keyid(sign_key_public(key), out->keyid);
    buf_init(&out->sshsig, SMALL_BYTES);
    buf_init(&out->dsse, (size_t)GIB * 2);
    if (make_sshsig(key, input, &out->sshsig, why) != 0)
        return -1;
    return make_dsse(key, input, out, why);
}

void sign_output_free(struct sign_output *out)
{
    buf_free(&out->sshsig);
    buf_free(&out->dsse);
}
