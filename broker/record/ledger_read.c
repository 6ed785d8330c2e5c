/* SPDX-License-Identifier: ISC
 * Reading the whole chain: every line canonical, every sequence one higher, every previous digest recomputed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/fd.h"
#include "base/limits.h"
#include "record/ledger.h"

static char *text_member(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? strdup(text) : NULL;
}

static bool hex_of(json_t *object, const char *key, uint8_t out[SHA256_SIZE])
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && strlen(text) == SHA256_HEX - 1 && hex_decode(text, out, SHA256_SIZE);
}

static bool read_event(json_t *object, struct ledger_entry *entry)
{
    entry->event = text_member(object, "event");
    entry->text = text_member(object, "text");
    entry->keyid = text_member(object, "keyid");
    entry->signature = text_member(object, "signature");
    entry->decision = strdup("");
    return json_object_size(object) == 10 && entry->event && entry->keyid && entry->signature && entry->decision;
}

static bool read_decision(json_t *object, struct ledger_entry *entry)
{
    entry->decision = text_member(object, "decision");
    return json_object_size(object) == 8 && entry->decision && hex_of(object, "content_sha256", entry->content_sha256);
}

/* A line in the place of a torn one belongs to no bag. */
static bool read_mended(json_t *object, struct ledger_entry *entry)
{
    uint8_t torn[SHA256_SIZE];
    entry->id = strdup("");
    entry->name = strdup("");
    entry->decision = strdup("");
    entry->event = text_member(object, "event");
    entry->text = text_member(object, "text");
    return json_object_size(object) == 7 && entry->id && entry->name && entry->decision && entry->event && entry->text &&
           json_is_integer(json_object_get(object, "torn_bytes")) && hex_of(object, "torn_sha256", torn);
}

static bool is_mended(json_t *object)
{
    const char *event = json_string_value(json_object_get(object, "event"));
    return event && strcmp(event, LEDGER_MENDED) == 0;
}

static bool read_line(json_t *object, struct ledger_entry *entry, uint8_t previous[SHA256_SIZE])
{
    json_t *sequence = json_object_get(object, "sequence"), *time = json_object_get(object, "time");
    if (!json_is_integer(sequence) || json_integer_value(sequence) < 1 || !json_is_integer(time))
        return false;
    entry->sequence = (uint64_t)json_integer_value(sequence);
    entry->time = json_integer_value(time);
    if (is_mended(object))
        return hex_of(object, "previous", previous) && read_mended(object, entry);
    entry->id = text_member(object, "id");
    entry->name = text_member(object, "name");
    if (!entry->id || !entry->name || !hex_of(object, "previous", previous) ||
        !hex_of(object, "tagmanifest_sha256", entry->tagmanifest_sha256))
        return false;
    return json_object_get(object, "event") ? read_event(object, entry) : read_decision(object, entry);
}

static void entry_clear(struct ledger_entry *entry)
{
    char *texts[] = {entry->id, entry->name, entry->decision, entry->event, entry->text, entry->keyid, entry->signature};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    *entry = (struct ledger_entry){0};
}

static struct ledger_entry *add_entry(struct ledger *ledger)
{
    if (ledger->n == ledger->cap) {
        size_t cap = ledger->cap ? ledger->cap * 2 : 64;
        struct ledger_entry *grown = realloc(ledger->v, cap * sizeof(*grown));
        if (!grown)
            return NULL;
        ledger->v = grown;
        ledger->cap = cap;
    }
    struct ledger_entry *entry = &ledger->v[ledger->n];
    *entry = (struct ledger_entry){0};
    return entry;
}

static int broken(struct ledger *ledger, const char *what)
{
    snprintf(ledger->fault, sizeof(ledger->fault), "line %zu %s", ledger->n + 1, what);
    return 1;
}

/* 0 good, 1 broken, -1 ENOMEM. */
static int take_line(struct ledger *ledger, const char *line, size_t len)
{
    static const uint8_t zeros[SHA256_SIZE] = {0};
    uint8_t previous[SHA256_SIZE] = {0};
    struct ledger_entry *entry = add_entry(ledger);
    if (!entry)
        return -1;
    const struct ledger_entry *last = ledger->n ? entry - 1 : NULL;
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const char *fault = NULL;
    if (!json_is_object(object) || !read_line(object, entry, previous))
        fault = "is no line of a ledger";
    else if (entry->sequence != (last ? last->sequence : 0) + 1)
        fault = "does not count on from the line before: a line was removed, added or moved";
    else if (!sha256_equal(previous, last ? last->digest : zeros))
        fault = "does not carry the digest of the line before: that line was edited";
    json_decref(object);
    if (fault) {
        entry_clear(entry);
        return broken(ledger, fault);
    }
    sha256_bytes(line, len, entry->digest);
    ledger->n++;
    return 0;
}

int ledger_parse(struct ledger *ledger, const char *text, size_t len)
{
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        if (!end)
            return broken(ledger, "has no end: it was torn while it was written");
        size_t n = (size_t)(end - text) + 1;
        int rc = n > LEDGER_LINE_BYTES ? broken(ledger, "is longer than any line of a ledger") : take_line(ledger, text, n);
        if (rc != 0)
            return rc;
        text += n;
        len -= n;
    }
    return 0;
}

int ledger_load(int dest_fd, struct ledger *out)
{
    struct stat st;
    uint8_t *text = NULL;
    size_t len = 0;
    *out = (struct ledger){0};
    AUTO_FD fd = openat(dest_fd, LEDGER_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    if (!S_ISREG(st.st_mode))
        return broken(out, "cannot be read: the ledger is no plain file");
    if (fd_read_all(fd, LEDGER_BYTES, &text, &len) != 0)
        return -1;
    int rc = ledger_parse(out, (const char *)text, len);
    free(text);
    return rc;
}

void ledger_free(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n; i++)
        entry_clear(&ledger->v[i]);
    free(ledger->v);
    *ledger = (struct ledger){0};
}

const struct ledger_entry *ledger_of_bag(const struct ledger *ledger, const uint8_t tagmanifest_sha256[SHA256_SIZE])
{
    for (size_t i = 0; i < ledger->n; i++)
        if (!ledger->v[i].event && strcmp(ledger->v[i].decision, "refuse") != 0 &&
            sha256_equal(ledger->v[i].tagmanifest_sha256, tagmanifest_sha256))
            return &ledger->v[i];
    return NULL;
}

bool ledger_id_used(const struct ledger *ledger, const char *id)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (!ledger->v[i].event && strcmp(ledger->v[i].decision, "refuse") != 0 && strcmp(ledger->v[i].id, id) == 0)
            return true;
    return false;
}

bool ledger_mentions(int dest_fd, const char *id)
{
    char key[256];
    uint8_t *text = NULL;
    size_t len = 0;
    AUTO_FD fd = openat(dest_fd, LEDGER_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno != ENOENT;
    if (snprintf(key, sizeof(key), "\"id\":\"%s\"", id) >= (int)sizeof(key) ||
        fd_read_all(fd, LEDGER_BYTES, &text, &len) != 0)
        return true;
    bool found = memmem(text, len, key, strlen(key)) != NULL;
    free(text);
    return found;
}

/* Our own private names: the note of a pending bag, a ledger being mended, staging of a run under way. */
static bool is_private(const char *name)
{
    static const char staging[] = ".sallyport-";
    if (strcmp(name, LEDGER_PENDING) == 0 || strcmp(name, LEDGER_NEW) == 0)
        return true;
    return strncmp(name, staging, strlen(staging)) == 0 && strspn(name + strlen(staging), "0123456789abcdef") == 16 &&
           strlen(name) == strlen(staging) + 16;
}

static bool is_bag_of(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->n; i++) {
        const struct ledger_entry *e = &ledger->v[i];
        size_t n = strlen(e->name);
        if (!e->event && strncmp(name, e->name, n) == 0 && name[n] == '-' && strcmp(name + n + 1, e->id) == 0)
            return true;
    }
    return false;
}

static int first_stranger(DIR *dir, const struct ledger *ledger, char stranger[256])
{
    struct dirent *entry;
    struct stat st;
    for (errno = 0; (entry = readdir(dir)) != NULL; errno = 0) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, LEDGER_NAME) == 0 || is_private(name) ||
            (is_bag_of(ledger, name) && fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)))
            continue;
        snprintf(stranger, 256, "%s", name);
        return 1;
    }
    return errno ? -1 : 0;
}

int ledger_accounts(int dest_fd, char stranger[256])
{
    struct ledger ledger;
    int rc = ledger_load(dest_fd, &ledger);
    int fd = rc == 0 ? openat(dest_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (rc == 1)
        snprintf(stranger, 256, LEDGER_NAME);
    else
        rc = dir ? first_stranger(dir, &ledger, stranger) : -1;
    int error = errno;
    if (dir)
        closedir(dir);
    ledger_free(&ledger);
    errno = error;
    return rc;
}
