/* SPDX-License-Identifier: ISC
 * An OCI image layout (image-spec 1.1) of one artifact: the bag as one deterministic tar layer, an empty config, the
 * manifest, the index. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "record/export_private.h"

#define ARTIFACT "application/vnd.sallyport.bag.v1"
#define MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define EMPTY "application/vnd.oci.empty.v1+json"
#define LAYER "application/vnd.oci.image.layer.v1.tar"

enum { JSON_BYTES = 65536 };

struct blob {
    uint8_t sha256[SHA256_SIZE];
    uint64_t size;
};

struct layer {
    int fd;
    struct digest_state *digest;
};

static int layer_put(void *ctx, const void *data, size_t len)
{
    struct layer *layer = ctx;
    digest_update(layer->digest, data, len);
    return fd_write_full(layer->fd, data, len);
}

static int put_file(int dir, const char *path, const void *data, size_t len)
{
    AUTO_FD fd = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return fd >= 0 && fd_write_full(fd, data, len) == 0 && fsync(fd) == 0 ? 0 : -1;
}

static void blob_path(const struct blob *blob, char path[96])
{
    char hex[SHA256_HEX];
    hex_encode(blob->sha256, SHA256_SIZE, hex);
    snprintf(path, 96, "blobs/sha256/%s", hex);
}

static int put_blob(int dir, const void *data, size_t len, struct blob *blob)
{
    char path[96];
    sha256_bytes(data, len, blob->sha256);
    blob->size = len;
    blob_path(blob, path);
    return put_file(dir, path, data, len);
}

static int put_layer(struct export *e, int dir, struct blob *blob)
{
    static const char temporary[] = "blobs/sha256/layer";
    struct layer layer = {.digest = digest_new()};
    struct digest digest = {0};
    char path[96];
    layer.fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    int rc = layer.digest && layer.fd >= 0 ? export_tar(e, layer_put, &layer) : -1;
    if (rc == 0)
        rc = fsync(layer.fd);
    int error = errno;
    fd_close(&layer.fd);
    if (rc == 0)
        digest_final(layer.digest, &digest);
    digest_free(&layer.digest);
    errno = error;
    if (rc != 0)
        return -1;
    memcpy(blob->sha256, digest.sha256, SHA256_SIZE);
    blob->size = digest.bytes;
    blob_path(blob, path);
    return renameat(dir, temporary, dir, path);
}

/* title: NULL for none. */
static void put_descriptor(struct jsonw *j, const struct blob *blob, const char *type, const char *artifact, const char *title)
{
    char digest[SHA256_HEX + 8] = "sha256:";
    hex_encode(blob->sha256, SHA256_SIZE, digest + strlen(digest));
    jsonw_object(j);
    if (title) {
        jsonw_key(j, "annotations");
        jsonw_object(j);
        jsonw_put_text(j, "org.opencontainers.image.title", title);
        jsonw_object_end(j);
    }
    if (artifact)
        jsonw_put_text(j, "artifactType", artifact);
    jsonw_put_text(j, "digest", digest);
    jsonw_put_text(j, "mediaType", type);
    jsonw_put_u64(j, "size", blob->size);
    jsonw_object_end(j);
}

static void write_manifest(struct buf *out, const struct export *e, const struct blob *config, const struct blob *layer)
{
    struct jsonw j;
    char title[300];
    snprintf(title, sizeof(title), "%s.tar", e->top);
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "artifactType", ARTIFACT);
    jsonw_key(&j, "config");
    put_descriptor(&j, config, EMPTY, NULL, NULL);
    jsonw_key(&j, "layers");
    jsonw_array(&j);
    put_descriptor(&j, layer, LAYER, NULL, title);
    jsonw_array_end(&j);
    jsonw_put_text(&j, "mediaType", MANIFEST);
    jsonw_put_u64(&j, "schemaVersion", 2);
    jsonw_object_end(&j);
}

static void write_index(struct buf *out, const struct blob *manifest)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_key(&j, "manifests");
    jsonw_array(&j);
    put_descriptor(&j, manifest, MANIFEST, ARTIFACT, NULL);
    jsonw_array_end(&j);
    jsonw_put_text(&j, "mediaType", "application/vnd.oci.image.index.v1+json");
    jsonw_put_u64(&j, "schemaVersion", 2);
    jsonw_object_end(&j);
}

static int put_json(struct export *e, int dir, const struct blob *config, const struct blob *layer)
{
    struct buf out;
    struct blob manifest;
    buf_init(&out, JSON_BYTES);
    write_manifest(&out, e, config, layer);
    int rc = out.failed ? -1 : put_blob(dir, out.data, out.len, &manifest);
    buf_reset(&out);
    if (rc == 0) {
        write_index(&out, &manifest);
        rc = out.failed ? -1 : put_file(dir, "index.json", out.data, out.len);
    }
    buf_free(&out);
    return rc;
}

int export_oci(struct export *e, int dir)
{
    static const char version[] = "{\"imageLayoutVersion\":\"1.0.0\"}";
    struct blob config, layer;
    if (mkdirat(dir, "blobs", 0755) != 0 || mkdirat(dir, "blobs/sha256", 0755) != 0 ||
        put_file(dir, "oci-layout", version, strlen(version)) != 0 || put_blob(dir, "{}", 2, &config) != 0 ||
        put_layer(e, dir, &layer) != 0)
        return -1;
    return put_json(e, dir, &config, &layer);
}
