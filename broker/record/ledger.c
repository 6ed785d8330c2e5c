/* SPDX-License-Identifier: ISC
 * The ledger is small lines in one file; appending reads only its last line, so a long history costs nothing. */
#include "record/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/fd.h"
#include "base/jsonw.h"

enum { LINE_BYTES = 4096 };

/* The last line of the ledger with its LF; an empty ledger gives length 0. A tail without LF is a torn write: EILSEQ. */
static int last_line(int fd, char *line, size_t *len)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -1;
    uint64_t size = (uint64_t)st.st_size;
    size_t want = size < LINE_BYTES ? (size_t)size : LINE_BYTES;
    *len = 0;
    if (want == 0)
        return 0;
    if (fd_pread_full(fd, line, want, size - want) != 0)
        return -1;
    size_t start = want - 1;
    while (start > 0 && line[start - 1] != '\n')
        start--;
    if (line[want - 1] != '\n' || (start == 0 && size > want)) {
        errno = EILSEQ;
        return -1;
    }
    memmove(line, line + start, want - start);
    *len = want - start;
    return 0;
}

static int sequence_of(const char *line, size_t len, uint64_t *sequence)
{
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    json_t *number = object ? json_object_get(object, "sequence") : NULL;
    int rc = -1;
    errno = EILSEQ;
    if (json_is_integer(number) && json_integer_value(number) >= 1) {
        *sequence = (uint64_t)json_integer_value(number);
        rc = 0;
    }
    json_decref(object);
    return rc;
}

static void hex_member(struct jsonw *j, const char *key, const uint8_t *data)
{
    char hex[SHA256_HEX];
    hex_encode(data, SHA256_SIZE, hex);
    jsonw_put_text(j, key, hex);
}

static void line_write(struct buf *out, const struct ledger_line *line, uint64_t sequence, const uint8_t *previous)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    hex_member(&j, "content_sha256", line->content_sha256);
    jsonw_put_text(&j, "decision", line->decision);
    jsonw_put_text(&j, "id", line->id);
    jsonw_put_text(&j, "name", line->name);
    hex_member(&j, "previous", previous);
    jsonw_put_u64(&j, "sequence", sequence);
    hex_member(&j, "tagmanifest_sha256", line->tagmanifest_sha256);
    jsonw_put_i64(&j, "time", line->time);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
}

int ledger_append(int dest_fd, const struct ledger_line *line, uint64_t *sequence, char head[SHA256_HEX])
{
    char last[LINE_BYTES];
    size_t len;
    uint8_t digest[SHA256_SIZE] = {0};
    AUTO_FD fd = openat(dest_fd, "ledger.jsonl", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode)) {
        errno = EILSEQ;
        return -1;
    }
    if (last_line(fd, last, &len) != 0)
        return -1;
    *sequence = 0;
    if (len > 0) {
        if (sequence_of(last, len, sequence) != 0)
            return -1;
        sha256_bytes(last, len, digest);
    }
    (*sequence)++;

    struct buf out;
    buf_init(&out, LINE_BYTES);
    line_write(&out, line, *sequence, digest);
    int rc = out.failed ? -1 : fd_write_full(fd, out.data, out.len);
    if (rc == 0)
        rc = fsync(fd);
    if (rc == 0) {
        sha256_bytes(out.data, out.len, digest);
        hex_encode(digest, SHA256_SIZE, head);
    }
    buf_free(&out);
    return rc;
}
