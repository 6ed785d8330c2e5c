/* SPDX-License-Identifier: ISC
 * A last line without its end is what a run leaves that died while it wrote it. Such a line was never acknowledged to
 * anybody, so it is set aside, and a line in its place says so. Anything else that does not fit is damage: never touched. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/say.h"
#include "record/ledger.h"

enum piece_kind { PIECE_TEXT, PIECE_HEX, PIECE_NUMBER, PIECE_PREVIOUS, PIECE_SEQUENCE, PIECE_TEXT_OR_NULL };

/* What stands before a value, and what the value is. */
struct piece {
    const char *before;
    enum piece_kind kind;
};

static const struct piece decision_pieces[] = {
    {"{\"content_sha256\":\"", PIECE_HEX}, {"\",\"decision\":\"", PIECE_TEXT}, {"\",\"id\":\"", PIECE_TEXT},
    {"\",\"name\":\"", PIECE_TEXT}, {"\",\"previous\":\"", PIECE_PREVIOUS}, {"\",\"sequence\":", PIECE_SEQUENCE},
    {",\"tagmanifest_sha256\":\"", PIECE_HEX}, {"\",\"time\":", PIECE_NUMBER}, {"}", PIECE_TEXT}};
static const struct piece event_pieces[] = {
    {"{\"event\":\"", PIECE_TEXT}, {"\",\"id\":\"", PIECE_TEXT}, {"\",\"keyid\":\"", PIECE_HEX}, {"\",\"name\":\"", PIECE_TEXT},
    {"\",\"previous\":\"", PIECE_PREVIOUS}, {"\",\"sequence\":", PIECE_SEQUENCE}, {",\"signature\":\"", PIECE_TEXT},
    {"\",\"tagmanifest_sha256\":\"", PIECE_HEX}, {"\",\"text\":", PIECE_TEXT_OR_NULL}, {",\"time\":", PIECE_NUMBER}, {"}", PIECE_TEXT}};

/* The end of a good ledger: what the torn line had to carry. */
struct chain_end {
    char previous[SHA256_HEX], sequence[24];
};

/* How far the text goes on as `want`; the whole of either is a match. */
static bool goes_on(const char **at, size_t *left, const char *want)
{
    size_t n = strlen(want) < *left ? strlen(want) : *left;
    if (memcmp(*at, want, n) != 0)
        return false;
    *at += n;
    *left -= n;
    return true;
}

static size_t value_length(const char *at, size_t left, enum piece_kind kind)
{
    size_t n = 0;
    if (kind == PIECE_TEXT) {
        while (n < left && at[n] != '"')
            n += at[n] == '\\' && n + 1 < left ? 2 : 1;
        return n;
    }
    while (n < left && strchr(kind == PIECE_HEX ? "0123456789abcdef" : "-0123456789", at[n]) && at[n])
        n++;
    return n;
}

static bool value_goes_on(const char **at, size_t *left, enum piece_kind kind, const struct chain_end *end)
{
    if (kind == PIECE_PREVIOUS || kind == PIECE_SEQUENCE)
        return goes_on(at, left, kind == PIECE_PREVIOUS ? end->previous : end->sequence);
    if (kind == PIECE_TEXT_OR_NULL && **at == 'n')
        return goes_on(at, left, "null");
    if (kind == PIECE_TEXT_OR_NULL) {
        if (!goes_on(at, left, "\""))
            return false;
        size_t text = value_length(*at, *left, PIECE_TEXT);
        *at += text;
        *left -= text;
        return *left == 0 || goes_on(at, left, "\"");
    }
    size_t n = value_length(*at, *left, kind);
    *at += n;
    *left -= n;
    return true;
}

static bool begins_line(const char *text, size_t len, const struct piece *pieces, size_t n, const struct chain_end *end)
{
    for (size_t i = 0; i < n && len > 0; i++)
        if (!goes_on(&text, &len, pieces[i].before) || (len > 0 && !value_goes_on(&text, &len, pieces[i].kind, end)))
            return false;
    return len == 0;
}

static bool is_torn(const char *text, size_t len, const struct chain_end *end)
{
    return len < LEDGER_LINE_BYTES && (begins_line(text, len, decision_pieces, ARRAY_LEN(decision_pieces), end) ||
                                       begins_line(text, len, event_pieces, ARRAY_LEN(event_pieces), end));
}

/* The value behind a key of a decision's line, where it is there whole. */
static bool whole_value(const char *text, size_t len, const char *before, char *out, size_t size)
{
    const char *at = memmem(text, len, before, strlen(before));
    const char *end = at ? memchr(at + strlen(before), '"', len - (size_t)(at - text) - strlen(before)) : NULL;
    if (!end || (size_t)(end - at) - strlen(before) >= size)
        return false;
    snprintf(out, size, "%.*s", (int)(end - at - (ptrdiff_t)strlen(before)), at + strlen(before));
    return true;
}

static void bag_of(const char *text, size_t len, struct ledger_torn *torn)
{
    char id[128], name[128];
    if (whole_value(text, len, "\",\"id\":\"", id, sizeof(id)) && whole_value(text, len, "\",\"name\":\"", name, sizeof(name)) &&
        len > 2 && text[2] == 'c' && !strpbrk(id, "/\\") && !strpbrk(name, "/\\") && name[0] != '.')
        snprintf(torn->bag, sizeof(torn->bag), "%s-%s", name, id);
}

static void write_mended(struct buf *out, const struct chain_end *end, const char *text, size_t len, int64_t time)
{
    struct jsonw j;
    struct buf shown;
    uint8_t sha256[SHA256_SIZE];
    char hex[SHA256_HEX];
    size_t kept = len < LEDGER_TEXT_BYTES ? len : LEDGER_TEXT_BYTES;
    buf_init(&shown, 4 * LEDGER_TEXT_BYTES + 1);
    say_escape(&shown, text, kept);
    sha256_bytes(text, len, sha256);
    hex_encode(sha256, SHA256_SIZE, hex);
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_put_text(&j, "event", LEDGER_MENDED);
    jsonw_put_text(&j, "previous", end->previous);
    jsonw_key(&j, "sequence");
    jsonw_raw(&j, end->sequence, strlen(end->sequence));
    jsonw_key(&j, "text");
    jsonw_text_n(&j, shown.data ? (const char *)shown.data : "", shown.len);
    jsonw_put_i64(&j, "time", time);
    jsonw_put_u64(&j, "torn_bytes", len);
    jsonw_put_text(&j, "torn_sha256", hex);
    jsonw_object_end(&j);
    buf_u8(out, '\n');
    if (shown.failed)
        out->failed = true;
    buf_free(&shown);
}

/* The good lines and the new one in a file of their own, which then takes the ledger's name: killed at any point the
 * ledger is the old one or the new one. */
static int replace(int dest_fd, const char *good, size_t len, const struct buf *line, mode_t mode)
{
    if (unlinkat(dest_fd, LEDGER_NEW, 0) != 0 && errno != ENOENT)
        return -1;
    AUTO_FD fd = openat(dest_fd, LEDGER_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (fd_write_full(fd, good, len) == 0 && fd_write_full(fd, line->data, line->len) == 0 && fchmod(fd, mode & 0777) == 0 &&
        fsync(fd) == 0 && renameat(dest_fd, LEDGER_NEW, dest_fd, LEDGER_NAME) == 0)
        return fsync(dest_fd) == 0 || errno == EINVAL ? 0 : -1;
    int error = errno;
    (void)unlinkat(dest_fd, LEDGER_NEW, 0);
    errno = error;
    return -1;
}

static int mend_text(int dest_fd, const char *text, size_t len, mode_t mode, int64_t time, struct ledger_torn *torn)
{
    struct ledger ledger = {0};
    struct chain_end end;
    struct buf line;
    size_t good = len;
    while (good > 0 && text[good - 1] != '\n')
        good--;
    size_t tail = len - good;
    while (tail > 0 && text[good + tail - 1] == '\0') /* blocks that were given to the file and never written */
        tail--;
    int rc = ledger_parse(&ledger, text, good);
    if (rc == 0) {
        static const uint8_t none[SHA256_SIZE] = {0};
        const struct ledger_entry *last = ledger.n ? &ledger.v[ledger.n - 1] : NULL;
        hex_encode(last ? last->digest : none, SHA256_SIZE, end.previous);
        torn->sequence = ledger.n + 1;
        snprintf(end.sequence, sizeof(end.sequence), "%llu", (unsigned long long)torn->sequence);
    }
    ledger_free(&ledger);
    errno = rc < 0 ? ENOMEM : EILSEQ;
    if (rc != 0 || !is_torn(text + good, tail, &end))
        return -1;
    buf_init(&line, LEDGER_LINE_BYTES);
    write_mended(&line, &end, text + good, tail, time);
    bag_of(text + good, tail, torn);
    errno = EILSEQ;
    rc = line.failed ? -1 : replace(dest_fd, text, good, &line, mode);
    buf_free(&line);
    return rc == 0 ? 1 : -1;
}

int ledger_mend(int dest_fd, int64_t time, struct ledger_torn *torn)
{
    struct stat st;
    uint8_t *text = NULL, last;
    size_t len = 0;
    *torn = (struct ledger_torn){0};
    AUTO_FD fd = openat(dest_fd, LEDGER_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    if (fstat(fd, &st) != 0)
        return -1;
    errno = EILSEQ;
    if (!S_ISREG(st.st_mode))
        return -1;
    if (st.st_size == 0)
        return 0;
    if (fd_pread_full(fd, &last, 1, (uint64_t)st.st_size - 1) != 0)
        return -1;
    if (last == '\n')
        return 0;
    if (fd_read_all(fd, LEDGER_BYTES, &text, &len) != 0)
        return -1;
    int rc = mend_text(dest_fd, (const char *)text, len, st.st_mode, time, torn);
    int error = errno;
    free(text);
    errno = error;
    return rc;
}
