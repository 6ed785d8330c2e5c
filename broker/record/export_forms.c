/* SPDX-License-Identifier: ISC
 * The writers: one tar, one zip, a directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/export_private.h"

static int put_buf(struct buf *buf, int (*put)(void *ctx, const void *data, size_t len), void *ctx)
{
    if (buf->failed) {
        errno = ENOMEM;
        return -1;
    }
    int rc = buf->len ? put(ctx, buf->data, buf->len) : 0;
    buf_reset(buf);
    return rc;
}

static int tar_member(struct export *e, const char *path, const struct export_member *member, struct buf *head,
                      int (*put)(void *ctx, const void *data, size_t len), void *ctx)
{
    static const uint8_t zeros[PACKED_BLOCK] = {0};
    char name[PACKED_NAME];
    struct packed_head packed;
    export_head(e, path, member, name, &packed);
    packed_tar_head(head, &packed);
    if (put_buf(head, put, ctx) != 0)
        return -1;
    if (!member)
        return 0;
    if (export_read(e, member, put, ctx) != 0)
        return -1;
    return put(ctx, zeros, packed_tar_padding(member->size));
}

int export_tar(struct export *e, int (*put)(void *ctx, const void *data, size_t len), void *ctx)
{
    struct buf head;
    buf_init(&head, 64 * 1024);
    int rc = tar_member(e, "", NULL, &head, put, ctx);
    if (rc == 0)
        rc = tar_member(e, "data", NULL, &head, put, ctx);
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        rc = tar_member(e, e->v[i].path, &e->v[i], &head, put, ctx);
    packed_tar_end(&head);
    if (rc == 0)
        rc = put_buf(&head, put, ctx);
    buf_free(&head);
    return rc;
}

struct zip {
    struct export *e;
    int fd;
    uint32_t crc;
    uint64_t at, entries;
    struct buf head, central;
};

static int zip_put(void *ctx, const void *data, size_t len)
{
    struct zip *zip = ctx;
    zip->crc = packed_crc32(zip->crc, data, len);
    zip->at += len;
    return fd_write_full(zip->fd, data, len);
}

/* The header is written twice: its checksum is known only behind the bytes. */
static int zip_member(struct zip *zip, const char *path, const struct export_member *member)
{
    char name[PACKED_NAME];
    struct packed_head packed;
    export_head(zip->e, path, member, name, &packed);
    packed.offset = zip->at;
    packed_zip_head(&zip->head, &packed);
    zip->at += zip->head.len;
    size_t head_len = zip->head.len;
    if (zip->head.failed || fd_write_full(zip->fd, zip->head.data, head_len) != 0)
        return -1;
    buf_reset(&zip->head);
    zip->crc = 0;
    if (member && export_read(zip->e, member, zip_put, zip) != 0)
        return -1;
    packed.crc = zip->crc;
    packed_zip_head(&zip->head, &packed);
    packed_zip_central(&zip->central, &packed);
    zip->entries++;
    ssize_t n = member ? pwrite(zip->fd, zip->head.data, head_len, (off_t)packed.offset) : (ssize_t)head_len;
    buf_reset(&zip->head);
    if (n == (ssize_t)head_len)
        return 0;
    errno = n < 0 ? errno : EIO;
    return -1;
}

static int zip_all(struct zip *zip)
{
    int rc = zip_member(zip, "", NULL);
    if (rc == 0)
        rc = zip_member(zip, "data", NULL);
    for (size_t i = 0; rc == 0 && i < zip->e->n; i++)
        rc = zip_member(zip, zip->e->v[i].path, &zip->e->v[i]);
    size_t central_len = zip->central.len;
    packed_zip_end(&zip->central, zip->entries, central_len, zip->at);
    if (rc == 0 && zip->central.failed) {
        errno = ENOMEM;
        rc = -1;
    }
    return rc == 0 ? fd_write_full(zip->fd, zip->central.data, zip->central.len) : -1;
}

int export_zip(struct export *e, int fd)
{
    struct zip zip = {.e = e, .fd = fd};
    uint64_t bytes = 0;
    for (size_t i = 0; i < e->n; i++)
        bytes += e->v[i].size + 2 * PACKED_NAME;
    if (!packed_zip_fits(e->n + 2, bytes)) {
        errno = EFBIG;
        return -1;
    }
    buf_init(&zip.head, 2 * PACKED_NAME);
    buf_init(&zip.central, SIZE_MAX / 4);
    int rc = zip_all(&zip);
    buf_free(&zip.head);
    buf_free(&zip.central);
    return rc;
}

static int put_fd(void *ctx, const void *data, size_t len)
{
    return fd_write_full(*(const int *)ctx, data, len);
}

/* Makes what lies before the last component; the paths were checked when the bag was verified. */
static int make_parents(int dir, const char *path)
{
    char parent[PACKED_NAME];
    for (const char *at = path; (at = strchr(at, '/')) != NULL; at++) {
        memcpy(parent, path, (size_t)(at - path));
        parent[at - path] = '\0';
        if (mkdirat(dir, parent, 0755) != 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int dir_member(struct export *e, int dir, const struct export_member *member)
{
    const struct timespec times[2] = {{.tv_sec = (time_t)e->time}, {.tv_sec = (time_t)e->time}};
    if (make_parents(dir, member->path) != 0)
        return -1;
    int fd = openat(dir, member->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int rc = export_read(e, member, put_fd, &fd);
    if (rc == 0)
        rc = fchmod(fd, member->executable ? 0555 : 0444);
    if (rc == 0)
        rc = futimens(fd, times);
    if (rc == 0)
        rc = fsync(fd);
    int error = errno;
    fd_close(&fd);
    errno = error;
    return rc;
}

int export_dir(struct export *e, int dir)
{
    mode_t before = umask(022);
    int rc = mkdirat(dir, "data", 0755);
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        rc = dir_member(e, dir, &e->v[i]);
    umask(before);
    return rc;
}
