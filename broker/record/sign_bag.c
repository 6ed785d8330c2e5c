/* SPDX-License-Identifier: ISC
 * Adding a signature to a bag that is already published: two new files in signatures/, nothing else is touched. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "record/sign.h"

enum { NAME_BYTES = KEYID_BYTES + 32 };

/* The files of one bag that go into a signature. */
struct loaded {
    struct root root;
    uint8_t *tagmanifest, *manifest, *record;
    size_t tagmanifest_len, manifest_len, record_len;
    struct bag_list payload, tags;
};

static void loaded_free(struct loaded *bag)
{
    free(bag->tagmanifest);
    free(bag->manifest);
    free(bag->record);
    bag_list_free(&bag->payload);
    bag_list_free(&bag->tags);
    root_close(&bag->root);
}

static int read_file(const struct loaded *bag, const char *path, uint8_t **data, size_t *len)
{
    struct stat st;
    AUTO_FD fd = root_openat(&bag->root, path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    errno = EINVAL;
    return S_ISREG(st.st_mode) ? fd_read_all(fd, (size_t)GIB, data, len) : -1;
}

/* The tag manifest is bound by what was verified, the other two by the tag manifest. */
static bool listed_with(const struct bag_list *tags, const char *path, const uint8_t *data, size_t len)
{
    uint8_t sha256[SHA256_SIZE];
    sha256_bytes(data, len, sha256);
    for (size_t i = 0; i < tags->n; i++)
        if (strcmp(tags->v[i].path, path) == 0)
            return sha256_equal(tags->v[i].sha256, sha256);
    return false;
}

static int load(struct loaded *bag, const char *path, const char *tagmanifest_sha256)
{
    uint8_t want[SHA256_SIZE], have[SHA256_SIZE];
    if (root_open(&bag->root, path, RESOLVE_UNPROBED) != 0 ||
        read_file(bag, "tagmanifest-sha256.txt", &bag->tagmanifest, &bag->tagmanifest_len) != 0 ||
        read_file(bag, "manifest-sha256.txt", &bag->manifest, &bag->manifest_len) != 0 ||
        read_file(bag, "sallyport/record.json", &bag->record, &bag->record_len) != 0)
        return -1;
    sha256_bytes(bag->tagmanifest, bag->tagmanifest_len, have);
    errno = EINVAL;
    if (!hex_decode(tagmanifest_sha256, want, SHA256_SIZE) || !sha256_equal(want, have) ||
        bag_list_parse(&bag->tags, (const char *)bag->tagmanifest, bag->tagmanifest_len) != 0 ||
        bag_list_parse(&bag->payload, (const char *)bag->manifest, bag->manifest_len) != 0 ||
        !listed_with(&bag->tags, "manifest-sha256.txt", bag->manifest, bag->manifest_len) ||
        !listed_with(&bag->tags, "sallyport/record.json", bag->record, bag->record_len))
        return -1;
    return 0;
}

static int fill(int fd, const struct buf *text)
{
    if (fd_write_full(fd, text->data, text->len) != 0 || fchmod(fd, 0444) != 0)
        return -1;
    return fsync(fd);
}

/* An unnamed file leaves nothing behind where this run dies. */
static int put_unnamed(int dir, const char *name, const struct buf *text)
{
#ifdef O_TMPFILE
    char self[48];
    AUTO_FD fd = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd < 0 || fill(fd, text) != 0)
        return -1;
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW);
#else
    (void)dir;
    (void)name;
    (void)text;
    errno = ENOTSUP;
    return -1;
#endif
}

static int put_named(int dir, const char *name, const struct buf *text)
{
    char temporary[NAME_BYTES + 8];
    snprintf(temporary, sizeof(temporary), ".%s.new", name);
    if (unlinkat(dir, temporary, 0) != 0 && errno != ENOENT)
        return -1;
    AUTO_FD fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int rc = fill(fd, text);
    if (rc == 0)
        rc = linkat(dir, temporary, dir, name, 0);
    int error = errno;
    (void)unlinkat(dir, temporary, 0);
    errno = error;
    return rc;
}

/* Complete under its name or not there. What stands there of a run that died before its last file is replaced. */
static int put(int dir, const char *name, const struct buf *text)
{
    if (unlinkat(dir, name, 0) != 0 && errno != ENOENT)
        return -1;
    if (put_unnamed(dir, name, text) == 0)
        return 0;
    return errno == EEXIST ? -1 : put_named(dir, name, text);
}

/* The signature comes last: a statement without one is a run that died, a signature without one was tampered with. */
static int put_both(const struct loaded *bag, const struct sign_output *out)
{
    char name[NAME_BYTES];
    if (mkdirat(bag->root.fd, "signatures", 0755) != 0 && errno != EEXIST)
        return -1;
    AUTO_FD dir = openat(bag->root.fd, "signatures", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -1;
    snprintf(name, sizeof(name), "%s.dsse.json", out->keyid);
    if (put(dir, name, &out->dsse) != 0)
        return -1;
    snprintf(name, sizeof(name), "%s.sig", out->keyid);
    return put(dir, name, &out->sshsig) == 0 && fsync(dir) == 0 && fsync(bag->root.fd) == 0 ? 0 : -1;
}

static bool signed_before(const struct loaded *bag, const struct sign_key *key, char keyid[KEYID_BYTES])
{
    char name[NAME_BYTES + 16];
    struct stat st;
    sign_keyid(sign_key_public(key), keyid);
    snprintf(name, sizeof(name), "signatures/%s.sig", keyid);
    return fstatat(bag->root.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int add(const struct loaded *bag, const struct sign_key *key, int64_t time, char why[SIGN_WHY])
{
    struct sign_output out = {0};
    const struct sign_input input = {.tagmanifest = (const char *)bag->tagmanifest, .tagmanifest_len = bag->tagmanifest_len,
                                     .payload = &bag->payload, .tags = &bag->tags, .record = (const char *)bag->record,
                                     .record_len = bag->record_len, .time = time};
    int rc = sign_make(key, &input, &out, why);
    if (rc == 0 && put_both(bag, &out) != 0) {
        snprintf(why, SIGN_WHY, "the signature could not be written: %s", strerror(errno));
        rc = -1;
    }
    int error = errno;
    sign_output_free(&out);
    errno = error;
    return rc;
}

int sign_bag(const char *path, const struct sign_key *key, const char *tagmanifest_sha256, int64_t time,
             char keyid[KEYID_BYTES], char why[SIGN_WHY])
{
    struct loaded bag = {.root.fd = -1};
    int rc = load(&bag, path, tagmanifest_sha256);
    if (rc != 0)
        snprintf(why, SIGN_WHY, "the bag changed while it was looked at, or cannot be read");
    else if (signed_before(&bag, key, keyid))
        rc = 1;
    else
        rc = add(&bag, key, time, why);
    int error = errno;
    loaded_free(&bag);
    errno = error;
    return rc;
}
