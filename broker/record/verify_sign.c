/* SPDX-License-Identifier: ISC
 * Signatures of a bag. A key inside the bag is never trusted: it only says whether the signature is one at all. Trust
 * comes from the operator's list, at the time that the record gives. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "record/allowed_signers.h"
#include "record/dsse.h"
#include "record/sign.h"
#include "record/sshsig.h"
#include "record/verify_parts.h"

enum { SIGNERS_MAX = 256, SIGNATURE_NAME = KEYID_BYTES + 32 };

/* The key ids that files of signatures/ are named for. */
struct signer_name {
    char keyid[KEYID_BYTES];
    bool sig, dsse;
};

struct signer_names {
    struct signer_name v[SIGNERS_MAX];
    size_t n;
};

static void bad(struct verify *v, const char *code, const char *path, const char *sentence)
{
    if (strcmp(code, "signer") == 0 || strcmp(code, "unsigned") == 0)
        v->out->signer_bad = true;
    else
        v->out->signature_bad = true;
    verify_differs(v, code, false, path, sentence);
}

/* False: more names than can be looked at. */
static bool note_name(struct signer_names *names, const char *file)
{
    size_t n = strcspn(file, ".");
    bool sig = strcmp(file + n, ".sig") == 0, dsse = strcmp(file + n, ".dsse.json") == 0;
    if (n != KEYID_BYTES - 1 || strspn(file, "0123456789abcdef") != n || (!sig && !dsse))
        return true; /* the walk of the tree complains about everything else */
    size_t i = 0;
    while (i < names->n && strncmp(names->v[i].keyid, file, n) != 0)
        i++;
    if (i == SIGNERS_MAX)
        return false;
    if (i == names->n) {
        memcpy(names->v[i].keyid, file, n);
        names->n++;
    }
    names->v[i].sig |= sig;
    names->v[i].dsse |= dsse;
    return true;
}

struct naming {
    struct verify *v;
    struct signer_names *names;
};

static int one_name(void *ctx, const char *name)
{
    struct naming *naming = ctx;
    if (note_name(naming->names, name))
        return 0;
    bad(naming->v, "signature", "signatures", "there are more signatures than can be looked at");
    return 1;
}

static int list_names(struct verify *v, struct signer_names *names)
{
    struct naming naming = {v, names};
    if (v->packed) {
        (void)verify_packed_names(v, one_name, &naming);
        return 0;
    }
    int fd = root_openat(&v->root, "signatures", O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return 0; /* not there, or no directory: then the walk of the tree has said so */
    DIR *dir = fdopendir(fd);
    if (!dir) {
        fd_close(&fd);
        return -1;
    }
    struct dirent *entry;
    for (errno = 0; (entry = readdir(dir)) != NULL; errno = 0)
        if (one_name(&naming, entry->d_name) != 0)
            break;
    int error = entry ? 0 : errno;
    closedir(dir);
    errno = error;
    return error ? -1 : 0;
}

static bool subject_holds(struct verify *v, const struct bag_file *subject)
{
    uint8_t tagmanifest[SHA256_SIZE];
    if (strcmp(subject->path, "tagmanifest-sha256.txt") == 0)
        return hex_decode(v->out->tagmanifest_sha256, tagmanifest, SHA256_SIZE) &&
               sha256_equal(tagmanifest, subject->sha256);
    struct listed *listed = verify_find(v, subject->path);
    if (!listed || listed->attested || !sha256_equal(listed->sha256, subject->sha256))
        return false;
    listed->attested = true;
    return true;
}

/* Both ways: every subject is in the bag, every promoted file and every list that binds one is a subject. */
static bool subjects_hold(struct verify *v, const struct bag_list *subjects)
{
    bool good = true, tagmanifest = false;
    for (size_t i = 0; i < v->n; i++)
        v->v[i].attested = false;
    for (size_t i = 0; good && i < subjects->n; i++) {
        bool own = strcmp(subjects->v[i].path, "tagmanifest-sha256.txt") == 0;
        good = subject_holds(v, &subjects->v[i]) && !(own && tagmanifest);
        tagmanifest |= own;
    }
    for (size_t i = 0; good && i < v->n; i++)
        good = v->v[i].attested || !(v->v[i].payload || statement_subject_tag(v->v[i].path));
    return good && tagmanifest;
}

static void check_statement(struct verify *v, const char *path, const struct dsse *dsse)
{
    struct statement_read read;
    if (!statement_parse((const char *)dsse->payload, dsse->payload_len, &read)) {
        bad(v, "signature", path, "what was signed is no in-toto statement");
        return;
    }
    if (strcmp(read.predicate, STATEMENT_PREDICATE) != 0)
        bad(v, "signature", path, "the statement's predicate is not one this version knows");
    else if (!subjects_hold(v, &read.subjects))
        bad(v, "signature", path, "the statement's subjects are not exactly the files of the bag");
    statement_read_free(&read);
}

static int check_dsse(struct verify *v, const char *keyid, const uint8_t key[ED25519_PUBLIC])
{
    char path[SIGNATURE_NAME];
    uint8_t *text = NULL;
    size_t len = 0;
    struct dsse dsse;
    struct buf pae;
    snprintf(path, sizeof(path), "signatures/%s.dsse.json", keyid);
    int rc = verify_read(v, path, &text, &len);
    if (rc != 0) {
        v->out->signature_bad = true;
        return rc < 0 ? -1 : 0;
    }
    bool good = dsse_read((const char *)text, len, &dsse);
    free(text);
    if (!good || strcmp(dsse.keyid, keyid) != 0) {
        bad(v, "signature", path, "the envelope is no DSSE envelope of this signer");
        if (good)
            dsse_free(&dsse);
        return 0;
    }
    buf_init(&pae, dsse.payload_len + 256);
    dsse_pae(&pae, DSSE_INTOTO, dsse.payload, dsse.payload_len);
    if (pae.failed || !sign_key_verify(key, pae.data, pae.len, dsse.signature))
        bad(v, "signature", path, "the signature does not belong to this statement");
    else
        check_statement(v, path, &dsse);
    buf_free(&pae);
    dsse_free(&dsse);
    return 0;
}

static bool check_sshsig(struct verify *v, const char *path, const char *keyid, struct sshsig *sig)
{
    char own[KEYID_BYTES];
    struct buf bytes;
    sign_keyid(sig->public_key, own);
    if (strcmp(own, keyid) != 0) {
        bad(v, "signature", path, "the file is named for another key");
        return false;
    }
    buf_init(&bytes, 1024);
    sshsig_signed_bytes(&bytes, v->tagmanifest_sha512);
    bool good = v->has_tagmanifest && !bytes.failed && sign_key_verify(sig->public_key, bytes.data, bytes.len, sig->signature);
    buf_free(&bytes);
    if (!good)
        bad(v, "signature", path, "the signature does not belong to this tag manifest");
    return good;
}

static void add_signer(struct verify *v, const char *name)
{
    char *signers = v->out->signers;
    size_t n = strlen(signers);
    snprintf(signers + n, sizeof(v->out->signers) - n, "%s%s", n ? ", " : "", name);
}

/* True: this is the signature that was asked for. */
static bool check_trust(struct verify *v, const char *path, const uint8_t key[ED25519_PUBLIC])
{
    static const char *const sentences[] = {
        [SIGNER_UNKNOWN] = "the allowed signers do not name the key of this signature",
        [SIGNER_NAMESPACE] = "the allowed signers do not trust this key for the namespace 'sallyport'",
        [SIGNER_NOT_YET] = "the key was not valid yet when the run ended",
        [SIGNER_EXPIRED] = "the key was no longer valid when the run ended"};
    const char *principals;
    enum signer_match match =
        allowed_signers_match(v->options->allowed_signers, key, v->options->identity, v->finished, &principals);
    if (match == SIGNER_OTHER || match == SIGNER_MATCHES) {
        add_signer(v, match == SIGNER_MATCHES ? v->options->identity : principals);
        return match == SIGNER_MATCHES;
    }
    bad(v, "signer", path, sentences[match]);
    return false;
}

/* *wanted: the signature that was asked for is among them. */
static int check_signer(struct verify *v, const char *keyid, bool dsse, bool *wanted)
{
    char path[SIGNATURE_NAME];
    uint8_t *text = NULL;
    size_t len = 0;
    struct sshsig sig;
    snprintf(path, sizeof(path), "signatures/%s.sig", keyid);
    int rc = verify_read(v, path, &text, &len);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    v->out->signatures++;
    enum sshsig_fault fault = sshsig_read((const char *)text, len, &sig);
    free(text);
    if (fault != SSHSIG_OK) {
        bad(v, fault == SSHSIG_WEAK ? "algorithm" : "signature", path, sshsig_fault_text(fault));
        return 0;
    }
    if (!check_sshsig(v, path, keyid, &sig))
        return 0;
    if (!dsse)
        bad(v, "signature", path, "the same signer's statement was taken away");
    else if (check_dsse(v, keyid, sig.public_key) != 0)
        return -1;
    if (v->options->allowed_signers && check_trust(v, path, sig.public_key))
        *wanted = true;
    return 0;
}

static int by_keyid(const void *a, const void *b)
{
    const struct signer_name *x = a, *y = b;
    return strcmp(x->keyid, y->keyid);
}

static int check_all(struct verify *v, struct signer_names *names)
{
    bool wanted = false;
    qsort(names->v, names->n, sizeof(names->v[0]), by_keyid);
    for (size_t i = 0; i < names->n; i++) {
        const struct signer_name *name = &names->v[i];
        if (!name->sig)
            bad(v, "signature", name->keyid,
                "a statement without its signature: it was stripped, or signing was interrupted (sign again)");
        else if (check_signer(v, name->keyid, name->dsse, &wanted) != 0)
            return -1;
    }
    if (!v->options->allowed_signers || wanted)
        return 0;
    if (v->out->signatures == 0)
        bad(v, "unsigned", NULL, "the bag carries no signature");
    else
        bad(v, "signer", NULL, "no signature in the bag is a good one of the name that was asked for");
    return 0;
}

int verify_signatures(struct verify *v)
{
    struct signer_names *names = calloc(1, sizeof(*names));
    int rc = names ? list_names(v, names) : -1;
    if (rc == 0)
        rc = check_all(v, names);
    free(names);
    return rc;
}
