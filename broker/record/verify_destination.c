/* SPDX-License-Identifier: ISC
 * A whole destination, both ways: every line of the ledger has its bag, every bag has its line. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/limits.h"
#include "record/allowed_signers.h"
#include "record/ledger.h"
#include "record/sign.h"
#include "record/sshsig.h"
#include "record/verify_parts.h"

struct place {
    const char *path;
    struct verify *v;       /* collects the differences of the whole */
    struct ledger ledger;
    bool *present;          /* for each line: its bag was seen */
    char pending[256];
    size_t bags;
    int fd;
};

/* Moves what one bag's verification found, each path below the bag's name. */
static void take_differences(struct place *p, const char *name, struct verify_result *one)
{
    char path[PATH_BYTES + NAME_MAX + 2];
    for (size_t i = 0; i < one->n; i++) {
        snprintf(path, sizeof(path), "%s%s%s", name, one->v[i].path ? "/" : "", one->v[i].path ? one->v[i].path : "");
        verify_differs(p->v, one->v[i].code, one->v[i].note, path, one->v[i].message);
    }
    p->v->out->files += one->files;
    p->v->out->bytes += one->bytes;
    p->v->out->signatures += one->signatures;
    p->v->out->signature_bad |= one->signature_bad;
    p->v->out->signer_bad |= one->signer_bad;
}

static void match_line(struct place *p, const char *name, const struct verify_result *one)
{
    uint8_t tagmanifest[SHA256_SIZE];
    const struct ledger_entry *entry = NULL;
    if (hex_decode(one->tagmanifest_sha256, tagmanifest, SHA256_SIZE))
        entry = ledger_of_bag(&p->ledger, tagmanifest);
    if (entry)
        p->present[entry - p->ledger.v] = true;
    else if (strcmp(name, p->pending) == 0)
        verify_differs(p->v, "ledger", true, name, "its run died before the ledger line; the next promotion adds it");
    else
        verify_differs(p->v, "ledger", false, name, "the ledger does not know this bag");
}

static int one_bag(struct place *p, const char *name)
{
    struct verify_options options = *p->v->options;
    struct verify_result one = {0};
    char path[PATH_BYTES + NAME_MAX + 2];
    options.at_least = 0;
    options.head = NULL;
    snprintf(path, sizeof(path), "%s/%s", p->path, name);
    int rc = verify_bag(path, &options, &one);
    if (rc >= 0) {
        p->bags++;
        take_differences(p, name, &one);
        match_line(p, name, &one);
    }
    verify_result_free(&one);
    return rc < 0 ? -1 : 0;
}

static bool is_bag(int dest, const char *name)
{
    char path[NAME_MAX + 16];
    struct stat st;
    if (name[0] == '.' || strlen(name) > NAME_MAX)
        return false;
    snprintf(path, sizeof(path), "%s/bagit.txt", name);
    return fstatat(dest, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
           fstatat(dest, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int all_bags(struct place *p)
{
    int fd = openat(p->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir)
        return -1;
    int rc = 0;
    struct dirent *entry;
    for (errno = 0; rc == 0 && (entry = readdir(dir)) != NULL; errno = 0)
        if (is_bag(p->fd, entry->d_name))
            rc = one_bag(p, entry->d_name);
    if (rc == 0 && errno != 0)
        rc = -1;
    int error = errno;
    closedir(dir);
    errno = error;
    return rc;
}

/* A bag may leave, but not without a word: an event says that it was released or retired. */
static bool may_be_gone(const struct ledger *ledger, size_t of)
{
    for (size_t i = of + 1; i < ledger->n; i++)
        if (ledger->v[i].event && sha256_equal(ledger->v[i].tagmanifest_sha256, ledger->v[of].tagmanifest_sha256) &&
            (strcmp(ledger->v[i].event, "released") == 0 || strcmp(ledger->v[i].event, "retired") == 0))
            return true;
    return false;
}

static void all_lines(struct place *p)
{
    char name[512];
    for (size_t i = 0; i < p->ledger.n; i++) {
        const struct ledger_entry *entry = &p->ledger.v[i];
        if (entry->event || p->present[i] || strcmp(entry->decision, "refuse") == 0)
            continue;
        snprintf(name, sizeof(name), "%s-%s", entry->name, entry->id);
        verify_differs(p->v, "missing", may_be_gone(&p->ledger, i), name, "the bag of a ledger line is not there");
    }
}

/* The signature over one custody event, by a key that is trusted where trust was asked for. */
static void check_custody(struct place *p, const struct ledger_entry *e)
{
    struct sshsig sig;
    uint8_t sha512[SHA512_SIZE];
    char keyid[KEYID_BYTES], where[64];
    struct buf line, bytes;
    const char *principals;
    const struct ledger_line said = {.id = e->id, .name = e->name, .time = e->time, .event = e->event, .text = e->text,
                                     .keyid = e->keyid};
    struct ledger_line own = said;
    memcpy(own.tagmanifest_sha256, e->tagmanifest_sha256, SHA256_SIZE);
    snprintf(where, sizeof(where), LEDGER_NAME ":%llu", (unsigned long long)e->sequence);
    buf_init(&line, LEDGER_LINE_BYTES);
    buf_init(&bytes, LEDGER_LINE_BYTES);
    ledger_event_bytes(&line, &own);
    sign_key_sha512(line.data ? line.data : (const uint8_t *)"", line.len, sha512);
    sshsig_signed_bytes(&bytes, sha512);
    bool good = !line.failed && !bytes.failed && sshsig_read(e->signature, strlen(e->signature), &sig) == SSHSIG_OK;
    if (good)
        sign_keyid(sig.public_key, keyid);
    if (!good || strcmp(keyid, e->keyid) != 0 || !sign_key_verify(sig.public_key, bytes.data, bytes.len, sig.signature))
        verify_differs(p->v, "signature", false, where, "the custody event is not signed by the key it names");
    else if (p->v->options->allowed_signers &&
             allowed_signers_match(p->v->options->allowed_signers, sig.public_key, p->v->options->identity, e->time,
                                   &principals) < SIGNER_OTHER)
        verify_differs(p->v, "signer", false, where, "the allowed signers do not name the key of this custody event");
    buf_free(&line);
    buf_free(&bytes);
}

static void check_event(struct place *p, const struct ledger_entry *e)
{
    char where[64];
    snprintf(where, sizeof(where), LEDGER_NAME ":%llu", (unsigned long long)e->sequence);
    if (strcmp(e->event, LEDGER_MENDED) == 0)
        verify_differs(p->v, "mended", true, where, "a run died while it wrote a line here; the torn line was set aside");
    else
        check_custody(p, e);
}

static void check_anchor(struct place *p)
{
    const struct verify_options *options = p->v->options;
    uint8_t want[SHA256_SIZE];
    bool found = !options->head;
    if (options->head && strlen(options->head) == SHA256_HEX - 1 && hex_decode(options->head, want, SHA256_SIZE))
        for (size_t i = 0; !found && i < p->ledger.n; i++)
            found = sha256_equal(p->ledger.v[i].digest, want);
    if (!found)
        verify_differs(p->v, "rollback", false, LEDGER_NAME, "the head asked for is not in the ledger: its end was cut off or rewritten");
    if (p->ledger.n < options->at_least)
        verify_differs(p->v, "rollback", false, LEDGER_NAME, "the ledger has fewer lines than it had: its end was cut off");
}

static int check_place(struct place *p)
{
    int rc = ledger_load(p->fd, &p->ledger);
    if (rc < 0)
        return -1;
    if (rc == 1)
        verify_differs(p->v, "ledger", false, LEDGER_NAME, p->ledger.fault);
    p->present = calloc(p->ledger.n + 1, sizeof(*p->present));
    if (!p->present)
        return -1;
    check_anchor(p);
    (void)ledger_pending(p->fd, p->pending, sizeof(p->pending));
    if (all_bags(p) != 0)
        return -1;
    all_lines(p);
    for (size_t i = 0; i < p->ledger.n; i++)
        if (p->ledger.v[i].event)
            check_event(p, &p->ledger.v[i]);
    if (p->ledger.n > 0)
        p->v->out->sequence = p->ledger.v[p->ledger.n - 1].sequence;
    return 0;
}

int verify_destination(const char *path, const struct verify_options *options, struct verify_result *out, size_t *bags)
{
    struct verify v = {.root.fd = -1, .options = options, .out = out};
    struct place place = {.path = path, .v = &v};
    *out = (struct verify_result){0};
    AUTO_FD fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    place.fd = fd;
    int rc = fd < 0 ? -1 : check_place(&place);
    int error = errno;
    *bags = place.bags;
    free(place.present);
    ledger_free(&place.ledger);
    errno = error;
    return rc < 0 ? -1 : v.failed;
}
