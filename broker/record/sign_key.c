/* SPDX-License-Identifier: ISC
 * Broker; the only file that handles private key bytes. Trusts the operator's path once. What the file holds is read
 * into one buffer that is wiped on every way out. */
#include "record/sign_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPENSSL_SUPPRESS_DEPRECATED 1 /* SHA512_*: as in base/digest.c */
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/fd.h"
#include "record/base64.h"
#include "record/sign_agent.h"
#include "record/sign_crypto.h"

struct sign_key {
    uint8_t public_key[ED25519_PUBLIC];
    EVP_PKEY *private_key; /* NULL: the agent signs */
};

static const char openssh_magic[] = "openssh-key-v1";
static const char openssh_begin[] = "-----BEGIN OPENSSH PRIVATE KEY-----", openssh_end[] = "-----END OPENSSH PRIVATE KEY-----";

static int refuse(char why[SIGN_WHY], const char *sentence)
{
    snprintf(why, SIGN_WHY, "%s", sentence);
    errno = EINVAL;
    return -1;
}

/* A key that others can read or change is no secret; ssh refuses those too. */
static int check_file(const struct stat *st, bool private, char why[SIGN_WHY])
{
    if (!S_ISREG(st->st_mode))
        return refuse(why, "the key is no plain file");
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return refuse(why, "the key file belongs to somebody else");
    if (private && (st->st_mode & 0037)) /* a group that may read is how secrets are mounted into containers */
        return refuse(why, "the key file can be read or changed by others: chmod 600 it");
    return 0;
}

/* The private section of an OpenSSH key (PROTOCOL.key): two equal check words, the key, a comment, padding 1 2 3 ... */
static int read_private_section(struct sign_key *key, const uint8_t *section, size_t section_len)
{
    struct reader r;
    size_t len, comment;
    reader_init(&r, section, section_len);
    bool equal = ssh_u32(&r) == ssh_u32(&r);
    bool kind = ssh_string_is(&r, "ssh-ed25519");
    const uint8_t *public_key = ssh_string(&r, &len);
    if (!equal || !kind || !public_key || len != ED25519_PUBLIC || memcmp(public_key, key->public_key, len) != 0)
        return -1;
    const uint8_t *pair = ssh_string(&r, &len);
    (void)ssh_string(&r, &comment);
    if (!pair || len != 2 * ED25519_PUBLIC || r.failed || memcmp(pair + ED25519_PUBLIC, public_key, ED25519_PUBLIC) != 0)
        return -1;
    for (uint8_t i = 1; r.left > 0; i++)
        if (reader_u8(&r) != i)
            return -1;
    key->private_key = sign_crypto()->EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, pair, ED25519_PUBLIC);
    return key->private_key ? 0 : -1;
}

/* 0; 1: encrypted, the public half is known; -1 malformed. */
static int read_openssh_blob(struct sign_key *key, const uint8_t *blob, size_t blob_len)
{
    struct reader r;
    size_t len, options;
    reader_init(&r, blob, blob_len);
    const uint8_t *p = reader_take(&r, sizeof(openssh_magic));
    if (!p || memcmp(p, openssh_magic, sizeof(openssh_magic)) != 0)
        return -1;
    bool plain = ssh_string_is(&r, "none");
    plain = ssh_string_is(&r, "none") && plain;
    (void)ssh_string(&r, &options);
    uint32_t keys = ssh_u32(&r);
    p = ssh_string(&r, &len);
    if (keys != 1 || !p || !ssh_public_decode(p, len, key->public_key))
        return -1;
    if (!plain)
        return 1;
    p = ssh_string(&r, &len);
    return p && reader_done(&r) ? read_private_section(key, p, len) : -1;
}

static int read_openssh(struct sign_key *key, const char *text, char why[SIGN_WHY])
{
    const char *from = text + strlen(openssh_begin), *end = strstr(from, openssh_end);
    size_t n = 0, blob_len = 0;
    char *packed = end ? malloc((size_t)(end - from) + 1) : NULL;
    for (; packed && from < end; from++)
        if (*from != '\n' && *from != '\r')
            packed[n++] = *from;
    uint8_t *blob = packed ? base64_decode(packed, n, &blob_len) : NULL;
    int rc = blob ? read_openssh_blob(key, blob, blob_len) : -1;
    if (blob)
        OPENSSL_cleanse(blob, blob_len);
    if (packed)
        OPENSSL_cleanse(packed, n);
    free(blob);
    free(packed);
    const char *agent = getenv("SSH_AUTH_SOCK");
    if (rc == 1 && agent && *agent)
        return 0; /* the agent may hold it */
    if (rc == 1)
        return refuse(why, "the key file is encrypted: load it with ssh-add and give the same file again");
    return rc == 0 ? 0 : refuse(why, "the file is no Ed25519 private key of OpenSSH: make one with ssh-keygen -t ed25519");
}

/* No passphrase is ever asked for: nobody may be there to answer. */
static int no_passphrase(char *buf, int size, int writing, void *arg)
{
    (void)buf;
    (void)size;
    (void)writing;
    (void)arg;
    return -1;
}

static int read_pem(struct sign_key *key, const char *text, size_t len, char why[SIGN_WHY])
{
    size_t n = ED25519_PUBLIC;
    if (strstr(text, "ENCRYPTED"))
        return refuse(why, "the key file is encrypted: convert it to an OpenSSH key, load that with ssh-add, and give its public half");
    const struct sign_crypto *crypto = sign_crypto();
    BIO *bio = crypto->BIO_new_mem_buf(text, (int)len);
    key->private_key = bio ? crypto->PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
    crypto->BIO_free(bio);
    if (!key->private_key || crypto->EVP_PKEY_get_base_id(key->private_key) != EVP_PKEY_ED25519 ||
        crypto->EVP_PKEY_get_raw_public_key(key->private_key, key->public_key, &n) != 1 || n != ED25519_PUBLIC)
        return refuse(why, "the file is no Ed25519 private key: make one with ssh-keygen -t ed25519 or openssl genpkey -algorithm ed25519");
    return 0;
}

/* "ssh-ed25519 BASE64 comment": the agent holds the private half. */
static int read_public(struct sign_key *key, const char *text, char why[SIGN_WHY])
{
    const char *from = text + strlen("ssh-ed25519 ");
    size_t len = 0;
    uint8_t *blob = base64_decode(from, strcspn(from, " \t\r\n"), &len);
    bool good = blob && ssh_public_decode(blob, len, key->public_key);
    free(blob);
    return good ? 0 : refuse(why, "the file is no Ed25519 public key of OpenSSH: make a pair with ssh-keygen -t ed25519");
}

static int read_text(struct sign_key *key, const char *text, size_t len, char why[SIGN_WHY])
{
    if (strncmp(text, openssh_begin, strlen(openssh_begin)) == 0)
        return read_openssh(key, text, why);
    if (strncmp(text, "ssh-ed25519 ", strlen("ssh-ed25519 ")) == 0)
        return read_public(key, text, why);
    return read_pem(key, text, len, why);
}

static int load(struct sign_key *key, const char *path, char why[SIGN_WHY])
{
    struct stat st;
    uint8_t *text = NULL;
    size_t len = 0;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0) {
        snprintf(why, SIGN_WHY, "%s", strerror(errno));
        return -1;
    }
    if (!sign_crypto())
        return refuse(why, sign_crypto_missing);
    if (check_file(&st, false, why) != 0)
        return -1;
    if (fd_read_all(fd, KEY_FILE_BYTES, &text, &len) != 0)
        return refuse(why, "the key file cannot be read, or is larger than any key");
    int rc = read_text(key, (const char *)text, len, why);
    OPENSSL_cleanse(text, len);
    free(text);
    if (rc == 0 && key->private_key)
        rc = check_file(&st, true, why);
    return rc;
}

struct sign_key *sign_key_open(const char *path, char why[SIGN_WHY])
{
    struct sign_key *key = calloc(1, sizeof(*key));
    if (!key) {
        snprintf(why, SIGN_WHY, "%s", strerror(errno));
        return NULL;
    }
    if (load(key, path, why) != 0) {
        int error = errno;
        sign_key_close(&key);
        errno = error;
    }
    return key;
}

int sign_key_usable(const struct sign_key *key, char why[SIGN_WHY])
{
    const char *agent = getenv("SSH_AUTH_SOCK");
    if (key->private_key || (agent && *agent))
        return 0;
    return refuse(why, "the file holds a public key, and no ssh-agent answers at SSH_AUTH_SOCK: start one, ssh-add the private "
                       "half, or give the private key file");
}

const uint8_t *sign_key_public(const struct sign_key *key)
{
    return key->public_key;
}

static int ask_agent(const struct sign_key *key, const void *data, size_t len, uint8_t *signature, char why[SIGN_WHY])
{
    if (sign_agent(key->public_key, data, len, signature) == 0)
        return 0;
    int error = errno;
    snprintf(why, SIGN_WHY, "%s",
             error == ENXIO ? "no ssh-agent answers at SSH_AUTH_SOCK, and the file holds no private key that can be used"
             : error == EPERM ? "ssh-agent does not hold the private half of this key, or its owner said no: ssh-add it"
                              : "ssh-agent did not answer as it should");
    errno = error;
    return -1;
}

static bool make(EVP_PKEY *private_key, const void *data, size_t len, uint8_t *signature)
{
    size_t n = ED25519_SIGNATURE;
    const struct sign_crypto *crypto = sign_crypto();
    EVP_MD_CTX *ctx = crypto->EVP_MD_CTX_new();
    bool done = ctx && crypto->EVP_DigestSignInit(ctx, NULL, NULL, NULL, private_key) == 1 &&
                crypto->EVP_DigestSign(ctx, signature, &n, data, len) == 1 && n == ED25519_SIGNATURE;
    crypto->EVP_MD_CTX_free(ctx);
    return done;
}

int sign_key_sign(const struct sign_key *key, const void *data, size_t len, uint8_t signature[ED25519_SIGNATURE],
                  char why[SIGN_WHY])
{
    if (!key->private_key) {
        if (ask_agent(key, data, len, signature, why) != 0)
            return -1;
    } else if (!make(key->private_key, data, len, signature))
        return refuse(why, "the signature could not be made");
    if (!sign_key_verify(key->public_key, data, len, signature))
        return refuse(why, "the signature that was made does not verify: the key file's halves do not belong together");
    return 0;
}

void sign_key_close(struct sign_key **key)
{
    if (!*key)
        return;
    if ((*key)->private_key)
        sign_crypto()->EVP_PKEY_free((*key)->private_key); /* wipes what it holds */
    OPENSSL_cleanse(*key, sizeof(**key));
    free(*key);
    *key = NULL;
}

bool sign_key_verify(const uint8_t public_key[ED25519_PUBLIC], const void *data, size_t len,
                     const uint8_t signature[ED25519_SIGNATURE])
{
    const struct sign_crypto *crypto = sign_crypto();
    if (!crypto)
        return false;
    EVP_PKEY *key = crypto->EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key, ED25519_PUBLIC);
    EVP_MD_CTX *ctx = crypto->EVP_MD_CTX_new();
    bool good = key && ctx && crypto->EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key) == 1 &&
                crypto->EVP_DigestVerify(ctx, signature, ED25519_SIGNATURE, data, len) == 1;
    crypto->EVP_MD_CTX_free(ctx);
    crypto->EVP_PKEY_free(key);
    return good;
}

void sign_key_sha512(const void *data, size_t len, uint8_t out[SHA512_SIZE])
{
    SHA512_CTX sha;
    SHA512_Init(&sha);
    SHA512_Update(&sha, data, len);
    SHA512_Final(out, &sha);
}
