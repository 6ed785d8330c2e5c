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
#include "base/limits.h"

enum { LINE_BYTES = LEDGER_LINE_BYTES };

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

/* previous NULL: without its place in the chain, as it is signed. */
static void event_write(struct buf *out, const struct ledger_line *line, uint64_t sequence, const uint8_t *previous)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "event", line->event);
    jsonw_put_text(&j, "id", line->id);
    jsonw_put_text(&j, "keyid", line->keyid);
    jsonw_put_text(&j, "name", line->name);
    if (previous) {
        hex_member(&j, "previous", previous);
        jsonw_put_u64(&j, "sequence", sequence);
        jsonw_put_text(&j, "signature", line->signature);
    }
    hex_member(&j, "tagmanifest_sha256", line->tagmanifest_sha256);
    jsonw_put_text(&j, "text", line->text);
    jsonw_put_i64(&j, "time", line->time);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
}

void ledger_event_bytes(struct buf *out, const struct ledger_line *line)
{
    event_write(out, line, 0, NULL);
}

static int open_ledger(int dest_fd)
{
    struct stat st;
    int fd = openat(dest_fd, LEDGER_NAME, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    if (S_ISREG(st.st_mode)) {
        if (st.st_size == 0)
            (void)fchmod(fd, 0644); /* readable as the bags are, whatever the umask */
        return fd;
    }
    fd_close(&fd);
    errno = EILSEQ;
    return -1;
}

/* A disk that is full must not leave half a line. */
static int write_whole(int fd, const struct buf *line)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -1;
    if (fd_write_full(fd, line->data, line->len) == 0)
        return fsync(fd);
    int error = errno;
    if (ftruncate(fd, st.st_size) == 0)
        (void)fsync(fd);
    errno = error;
    return -1;
}

int ledger_append(int dest_fd, const struct ledger_line *line, uint64_t *sequence, char head[SHA256_HEX])
{
    char last[LINE_BYTES];
    size_t len;
    uint8_t digest[SHA256_SIZE] = {0};
    AUTO_FD fd = open_ledger(dest_fd);
    if (fd < 0 || last_line(fd, last, &len) != 0)
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
    if (line->event)
        event_write(&out, line, *sequence, digest);
    else
        line_write(&out, line, *sequence, digest);
    int rc = out.failed ? -1 : write_whole(fd, &out);
    if (rc == 0) {
        sha256_bytes(out.data, out.len, digest);
        hex_encode(digest, SHA256_SIZE, head);
    }
    buf_free(&out);
    return rc;
}

void ledger_pending_set(int dest_fd, const char *bag)
{
    ledger_pending_clear(dest_fd);
    if (symlinkat(bag, dest_fd, LEDGER_PENDING) != 0)
        errno = 0; /* no links here: no repair either */
}

void ledger_pending_clear(int dest_fd)
{
    int error = errno;
    (void)unlinkat(dest_fd, LEDGER_PENDING, 0);
    errno = error;
}

bool ledger_pending(int dest_fd, char *bag, size_t size)
{
    ssize_t n = readlinkat(dest_fd, LEDGER_PENDING, bag, size);
    if (n <= 0 || (size_t)n >= size)
        return false;
    bag[n] = '\0';
    return !strchr(bag, '/') && bag[0] != '.';
}
