/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "record/base64.h"
#include "record/sshsig.h"

static const struct sshsig example = {.public_key = {1, 2, 3}, .signature = {9, 8, 7}};

static char *armored(size_t *len)
{
    struct buf out;
    buf_init(&out, 4096);
    sshsig_armor(&out, &example);
    *len = out.len;
    return buf_take_text(&out);
}

Test(sshsig, what_was_written_is_read)
{
    struct sshsig back;
    size_t len;
    char *text = armored(&len);
    cr_assert_not_null(text);
    cr_assert_eq(sshsig_read(text, len, &back), SSHSIG_OK);
    cr_assert_eq(memcmp(&back, &example, sizeof(back)), 0);
    free(text);
}

/* Magic, then four strings: namespace, nothing, digest, 64 bytes. */
Test(sshsig, what_is_signed)
{
    static const char want[] = "SSHSIG\0\0\0\tsallyport\0\0\0\0\0\0\0\6sha512\0\0\0\x40";
    uint8_t sha512[SHA512_SIZE];
    struct buf out;
    memset(sha512, 0xAB, sizeof(sha512));
    buf_init(&out, 256);
    sshsig_signed_bytes(&out, sha512);
    cr_assert_eq(out.len, sizeof(want) - 1 + SHA512_SIZE);
    cr_assert_eq(memcmp(out.data, want, sizeof(want) - 1), 0);
    cr_assert_eq(memcmp(out.data + sizeof(want) - 1, sha512, SHA512_SIZE), 0);
    buf_free(&out);
}

Test(sshsig, every_cut_is_refused)
{
    struct sshsig back;
    size_t len;
    char *text = armored(&len);
    for (size_t n = 0; n < len; n++)
        cr_assert_eq(sshsig_read(text, n, &back), SSHSIG_MALFORMED, "cut at %zu", n);
    free(text);
}

static enum sshsig_fault read_with(const char *key_type, const char *namespace, const char *digest, const char *sig_type)
{
    struct buf blob, inner, text;
    struct sshsig back;
    uint8_t bytes[64] = {0};
    buf_init(&blob, 4096);
    buf_init(&inner, 4096);
    buf_init(&text, 4096);
    buf_bytes(&blob, "SSHSIG\0\0\0\1", 10);
    ssh_put_text(&inner, key_type);
    ssh_put_string(&inner, bytes, 32);
    ssh_put_string(&blob, inner.data, inner.len);
    ssh_put_text(&blob, namespace);
    ssh_put_text(&blob, "");
    ssh_put_text(&blob, digest);
    buf_reset(&inner);
    ssh_put_text(&inner, sig_type);
    ssh_put_string(&inner, bytes, 64);
    ssh_put_string(&blob, inner.data, inner.len);
    buf_text(&text, "-----BEGIN SSH SIGNATURE-----\n");
    base64_encode(&text, blob.data, blob.len, 70);
    buf_text(&text, "-----END SSH SIGNATURE-----\n");
    enum sshsig_fault fault = sshsig_read((const char *)text.data, text.len, &back);
    buf_free(&blob);
    buf_free(&inner);
    buf_free(&text);
    return fault;
}

Test(sshsig, other_algorithms_and_purposes)
{
    cr_assert_eq(read_with("ssh-ed25519", "sallyport", "sha512", "ssh-ed25519"), SSHSIG_OK);
    cr_assert_eq(read_with("ssh-ed25519", "sallyport", "sha256", "ssh-ed25519"), SSHSIG_WEAK);
    cr_assert_eq(read_with("ssh-rsa", "sallyport", "sha512", "rsa-sha2-512"), SSHSIG_WEAK);
    cr_assert_eq(read_with("ssh-ed25519", "sallyport", "sha512", "ssh-rsa"), SSHSIG_WEAK);
    cr_assert_eq(read_with("ssh-ed25519", "git", "sha512", "ssh-ed25519"), SSHSIG_NAMESPACE_FOREIGN);
    cr_assert_eq(read_with("ssh-ed25519", "sallyport2", "sha512", "ssh-ed25519"), SSHSIG_NAMESPACE_FOREIGN);
}
