/* SPDX-License-Identifier: ISC
 * A bag inside one tar or zip of export, member by member where it lies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "record/verify_parts.h"

int verify_packed_read(struct verify *v, const char *path, uint8_t **data, size_t *len)
{
    const struct packed_member *member = packed_find(v->packed, path);
    if (!member || member->size > VERIFY_LIST_BYTES) {
        verify_differs(v, member ? "list" : "missing", false, path,
                       member ? "the file is larger than any list or record can be" : "the file is missing");
        return 1;
    }
    uint8_t *text = malloc((size_t)member->size + 1);
    if (!text || fd_pread_full(v->packed->fd, text, (size_t)member->size, member->at) != 0) {
        free(text);
        return -1;
    }
    text[member->size] = 0;
    *data = text;
    *len = (size_t)member->size;
    return 0;
}

static int digest_member(struct verify *v, const struct packed_member *member, struct digest *out, uint32_t *crc)
{
    *crc = 0;
    digest_reset(v->digest);
    for (uint64_t done = 0; done < member->size;) {
        size_t n = member->size - done < COPY_BLOCK ? (size_t)(member->size - done) : (size_t)COPY_BLOCK;
        if (fd_pread_full(v->packed->fd, v->block, n, member->at + done) != 0)
            return -1;
        digest_update(v->digest, v->block, n);
        if (v->packed->zip)
            *crc = packed_crc32(*crc, v->block, n);
        done += n;
    }
    digest_final(v->digest, out);
    return 0;
}

static int one_member(struct verify *v, const struct packed_member *member)
{
    struct digest digest;
    uint32_t crc;
    struct listed *listed = verify_find(v, member->path);
    if (!listed && strcmp(member->path, "tagmanifest-sha256.txt") != 0 && !verify_is_signature(member->path)) {
        verify_differs(v, "added", false, member->path, "nothing lists this file");
        return 0;
    }
    if (digest_member(v, member, &digest, &crc) != 0)
        return -1;
    if (v->packed->zip && crc != member->crc)
        verify_differs(v, "changed", false, member->path, "the checksum in the zip is not that of the bytes");
    verify_mode(v, member->path, member->executable ? 0555 : 0444, listed && listed->executable ? 0555 : 0444);
    if (listed) {
        listed->seen = true;
        verify_bytes(v, listed, &digest);
    }
    return 0;
}

int verify_packed_tree(struct verify *v)
{
    for (size_t i = 2; i < v->packed->n; i++)
        if (one_member(v, &v->packed->v[i]) != 0)
            return -1;
    return 0;
}

int verify_packed_names(struct verify *v, int (*each)(void *ctx, const char *name), void *ctx)
{
    static const char prefix[] = "signatures/";
    for (size_t i = 2; i < v->packed->n; i++)
        if (strncmp(v->packed->v[i].path, prefix, strlen(prefix)) == 0 &&
            each(ctx, v->packed->v[i].path + strlen(prefix)) != 0)
            return -1;
    return 0;
}
