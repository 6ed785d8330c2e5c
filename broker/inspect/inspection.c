/* SPDX-License-Identifier: ISC
 * In a worker child: how inspectors speak and how containers enter their members. Bounds are held here, once, so that
 * no inspector can forget one; what is spent is shared by a file and everything below it. */
#include "inspect/inspector.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/limits.h"
#include "base/utf8.h"

enum { EXIT_MEMORY = 71 };

void inspection_init(struct inspection *in, struct bytes *bytes, const struct task *task, struct budget *budget,
                     struct sink *sink)
{
    *in = (struct inspection){.bytes = bytes,
                              .path = task->path,
                              .task = task,
                              .admitted = &task->admitted,
                              .inside = task->inside,
                              .budget = budget,
                              .sink = sink};
}

/* --- speaking ---------------------------------------------------------------------------------- */

void inspect_claim(struct inspection *in, enum type type, enum evidence evidence)
{
    claims_add(&in->claims, type, evidence);
    if (in->depth == 0)
        in->sink->claim(in->sink, type, evidence);
}

bool inspect_wants_more(const struct inspection *in)
{
    return in->budget->findings <= FINDINGS_MAX;
}

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text; /* the sink copies; struct finding owns elsewhere */
}

/* The last one that is sent says that there were more. */
static void send_finding(struct inspection *in, struct finding *finding, const char *message)
{
    if (in->budget->findings > FINDINGS_MAX)
        return;
    if (++in->budget->findings > FINDINGS_MAX) {
        *finding = (struct finding){.code = FINDING_INSPECT_LIMIT, .level = LEVEL_REFUSE};
        message = "more findings on one file than are kept";
    }
    finding->member = borrowed(in->member);
    finding->message = borrowed(message);
    in->sink->finding(in->sink, finding);
}

void inspect_find(struct inspection *in, enum finding_code code, const char *message)
{
    struct finding f = {.code = code, .level = finding_default_level(code)};
    send_finding(in, &f, message);
}

void inspect_find_at(struct inspection *in, enum finding_code code, enum finding_level level, uint64_t offset,
                     uint32_t line, const char *message)
{
    struct finding f = {.code = code, .level = level, .has_offset = true, .offset = offset, .has_line = line != 0,
                        .line = line};
    send_finding(in, &f, message);
}

void inspect_secret(struct inspection *in, const char *rule, enum finding_level level, uint64_t offset, uint32_t line,
                    uint64_t length, const char *chain)
{
    struct finding f = {.code = FINDING_SECRET, .level = level, .has_offset = true, .offset = offset,
                        .has_line = line != 0, .line = line, .length = length};
    char message[MESSAGE_BYTES];
    if (chain)
        snprintf(message, sizeof(message), "a credential (%.200s)", chain);
    snprintf(f.rule, sizeof(f.rule), "%s", rule);
    send_finding(in, &f, chain ? message : NULL);
}

/* Bytes that lie in memory are written down; the others stay where they are. */
static bool keep_nested(struct inspection *in, struct nested_listing *nested)
{
    struct spool *spool = in->budget->spool;
    if (!in->bytes->memory) {
        nested->spooled = spool && in->bytes->fd == spool->fd;
        nested->base = in->bytes->base;
    } else if (spool) {
        nested->spooled = true;
        nested->base = spool->used;
        if (!spool_write(spool, in->bytes->memory, (size_t)in->bytes->size))
            return false;
    } else
        return false;
    if (nested->spooled)
        spool_keep(spool, nested->base + nested->size);
    return true;
}

void inspect_listing(struct inspection *in, enum type container, const uint8_t sha256[32], uint64_t count)
{
    struct nested_listing nested = {.container = container, .size = in->bytes->size, .count = count, .member = in->member};
    if (in->depth == 0) {
        if (in->sink->listing)
            in->sink->listing(in->sink, sha256, count);
        return;
    }
    if (!in->sink->nested)
        return;
    memcpy(nested.sha256, sha256, sizeof(nested.sha256));
    if (in->budget->nested == NESTED_MAX)
        inspect_find(in, FINDING_INSPECT_LIMIT, "more archives lie inside than the second reader is asked about");
    else if (!keep_nested(in, &nested))
        inspect_find(in, FINDING_INSPECT_LIMIT, "no space to keep a nested archive for the second reader");
    else {
        in->budget->nested++;
        in->sink->nested(in->sink, &nested);
    }
}

void inspect_extent(struct inspection *in, const struct stream_member *member)
{
    if (in->sink->extent)
        in->sink->extent(in->sink, member);
}

/* --- bounds of containers ------------------------------------------------------------------------ */

uint64_t inspect_entries_left(const struct inspection *in)
{
    return in->budget->entries < in->inside.entries ? in->inside.entries - in->budget->entries : 0;
}

bool inspect_entries(struct inspection *in, uint64_t n)
{
    if (n > inspect_entries_left(in)) {
        inspect_find(in, FINDING_ARCHIVE_ENTRIES, NULL);
        return false;
    }
    in->budget->entries += n;
    return true;
}

bool inspect_unpack(struct inspection *in, struct unpack *unpack, uint64_t consumed, uint64_t produced)
{
    struct budget *budget = in->budget;
    unpack->in += consumed;
    unpack->out += produced;
    if (unpack->out > in->inside.member || budget->unpacked > in->inside.unpacked ||
        produced > in->inside.unpacked - budget->unpacked) {
        inspect_find(in, FINDING_ARCHIVE_UNPACKED, NULL);
        return false;
    }
    budget->unpacked += produced;
    if (unpack->out > RATIO_FLOOR && unpack->out / (in->inside.ratio ? in->inside.ratio : 1) > unpack->in) {
        inspect_find(in, FINDING_ARCHIVE_RATIO, NULL);
        return false;
    }
    return true;
}

static void hash_content(struct inspection *in)
{
    struct bytes copy; /* a window of its own: the container may still hold pointers into the other */
    struct digest digest;
    struct digest_state *state = digest_new();
    if (!state || !bytes_init_slice(&copy, in->bytes, 0, in->bytes->size))
        _exit(EXIT_MEMORY);
    size_t len = 0;
    for (uint64_t at = 0; at < copy.size; at += len) {
        const uint8_t *chunk = bytes_chunk(&copy, at, &len);
        if (!chunk)
            _exit(EXIT_MEMORY);
        digest_update(state, chunk, len);
    }
    digest_final(state, &digest);
    memcpy(in->sha256, digest.sha256, sizeof(in->sha256));
    in->hashed = true;
    digest_free(&state);
    bytes_free(&copy);
}

/* May this container be entered? Asked once for each, when its first member comes. A file is not hashed itself: one
 * that contains itself is met again one level below. */
static bool may_descend(struct inspection *in)
{
    uint64_t nesting = in->inside.nesting < NESTING_MAX ? in->inside.nesting : NESTING_MAX;
    if (in->depth >= nesting) {
        inspect_find(in, FINDING_ARCHIVE_NESTING, NULL);
        return false;
    }
    if (in->depth == 0 || in->hashed)
        return true;
    hash_content(in);
    for (const struct inspection *up = in->parent; up; up = up->parent)
        if (up->hashed && sha256_equal(up->sha256, in->sha256)) {
            inspect_find(in, FINDING_ARCHIVE_NESTING, "the archive contains itself");
            return false;
        }
    return true;
}

/* --- members ------------------------------------------------------------------------------------- */

/* "outer!name" into out of MEMBER_BYTES + 1 bytes; false: too long. */
static bool member_path(const char *outer, const char *name, size_t len, char *out)
{
    size_t used = outer ? strlen(outer) : 0;
    if (len > MEMBER_BYTES || used + (outer != NULL) > MEMBER_BYTES - len)
        return false;
    if (outer) {
        memcpy(out, outer, used);
        out[used++] = '!';
    }
    memcpy(out + used, name, len);
    out[used + len] = '\0';
    return true;
}

/* Each claim that is not admitted is a finding of its own: accepting one must not hide the next. */
static void judge(struct inspection *in)
{
    char message[MESSAGE_BYTES];
    struct type_set admitted = *in->admitted;
    for (int asked = 0; asked < TYPE_COUNT; asked++) {
        enum type culprit = TYPE_NONE;
        enum finding_code code = type_judge(&in->claims, &admitted, &culprit);
        if (code == FINDING_NONE)
            return;
        snprintf(message, sizeof(message), "the member's content or name says %s, which is not admitted inside",
                 type_name(culprit));
        inspect_find(in, code, code == FINDING_TYPE_NOT_LISTED ? message : NULL);
        if (code == FINDING_TYPE_CONFLICT || culprit == TYPE_NONE)
            return;
        type_set_add(&admitted, culprit);
    }
}

static bool enter(const struct inspection *parent, struct inspection *in)
{
    in->depth = parent->depth + 1;
    in->task = parent->task;
    in->inside = parent->inside;
    in->budget = parent->budget;
    in->sink = parent->sink;
    in->parent = parent;
    if (in->bytes->size > in->inside.member) {
        inspect_find(in, FINDING_ARCHIVE_UNPACKED, NULL);
        return false;
    }
    for (const struct inspector *i = inspectors; i->name; i++)
        i->run(in);
    judge(in);
    return inspect_wants_more(in);
}

static size_t text_len(struct inspection *parent, const char *name, size_t len)
{
    const char *nul = len > 0 ? memchr(name, 0, len) : NULL;
    if (!nul)
        return len;
    inspect_find(parent, FINDING_ARCHIVE_PATH, "a member's name holds a NUL byte");
    return (size_t)(nul - name);
}

bool inspect_member(struct inspection *parent, const char *name, size_t name_len, struct bytes *content,
                    const struct type_set *admitted, bool package_part)
{
    char path[MEMBER_BYTES + 1], own[MEMBER_BYTES + 1];
    size_t len = text_len(parent, name, name_len);
    if (!inspect_entries(parent, 1) || !may_descend(parent))
        return false;
    if (!member_path(parent->member, name, len, path)) {
        inspect_find(parent, FINDING_INSPECT_LIMIT, "a member's path is longer than 4096 bytes");
        return false;
    }
    memcpy(own, name, len);
    own[len] = '\0';
    struct type_set set = admitted ? *admitted : parent->inside.types;
    if (package_part) {
        type_group_add(&set, "passive", 7);
        type_set_add(&set, TYPE_ANY_BINARY);
    }
    struct inspection in = {.bytes = content, .path = own, .member = path, .admitted = &set,
                            .package_part = package_part};
    return enter(parent, &in);
}

bool inspect_layer(struct inspection *parent, const char *name, size_t name_len, struct bytes *content,
                   const struct type_set *admitted)
{
    char own[MEMBER_BYTES + 1];
    size_t len = text_len(parent, name, name_len);
    if (!may_descend(parent))
        return false;
    if (!member_path(NULL, name, len, own)) {
        inspect_find(parent, FINDING_INSPECT_LIMIT, "a member's path is longer than 4096 bytes");
        return false;
    }
    struct inspection in = {.bytes = content, .path = own, .member = parent->member,
                            .admitted = admitted ? admitted : &parent->inside.types,
                            .package_part = parent->package_part};
    return enter(parent, &in);
}

static enum type text_type(const uint8_t *data, size_t len)
{
    return len > 0 && !memchr(data, 0, len) && utf8_valid(data, len) ? TYPE_PLAIN : TYPE_NONE;
}

void inspect_loose(struct inspection *parent, const char *label, const void *data, size_t len)
{
    char path[MEMBER_BYTES + 1];
    struct bytes bytes;
    int n = snprintf(path, sizeof(path), "%s%s", parent->member ? parent->member : "", label);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        inspect_find(parent, FINDING_INSPECT_LIMIT, "a member's path is longer than 4096 bytes");
        return;
    }
    bytes_init_memory(&bytes, data, len);
    struct inspection in = *parent;
    in.bytes = &bytes;
    in.path = "";
    in.member = path;
    in.depth = parent->depth + 1;
    in.claims = (struct claims){0};
    in.text = text_type(data, len);
    in.parent = parent;
    in.hashed = false;
    for (const struct inspector *i = inspectors; i->name; i++)
        if (i->id == INSPECTOR_SECRET)
            i->run(&in);
    bytes_free(&bytes);
}
