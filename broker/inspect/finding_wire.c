/* SPDX-License-Identifier: ISC */
#include "inspect/finding_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "inspect/inspector.h"

enum flag { HAS_OFFSET = 1, HAS_LINE = 2, HAS_MEMBER = 4, HAS_MESSAGE = 8, FLAGS_ALL = 15 };
enum hello_flag { HELLO_SECCOMP = 1, HELLO_RLIMITS = 2, HELLO_ALL = 3 };

/* --- small ones -------------------------------------------------------------------------------- */

void wire_hello_encode(const struct wire_hello *hello, struct buf *out)
{
    buf_u32(out, (hello->seccomp ? HELLO_SECCOMP : 0u) | (hello->rlimits ? HELLO_RLIMITS : 0u));
    buf_u32(out, hello->landlock_abi);
}

bool wire_hello_decode(struct wire_hello *hello, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    uint32_t flags = reader_u32(&r);
    *hello = (struct wire_hello){.seccomp = flags & HELLO_SECCOMP, .rlimits = flags & HELLO_RLIMITS};
    hello->landlock_abi = reader_u32(&r);
    return reader_done(&r) && flags <= HELLO_ALL && hello->landlock_abi < 1000;
}

void wire_start_encode(uint64_t id, struct buf *out)
{
    buf_u64(out, id);
}

bool wire_start_decode(uint64_t *id, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    *id = reader_u64(&r);
    return reader_done(&r);
}

void wire_claim_encode(const struct wire_claim *claim, struct buf *out)
{
    buf_u64(out, claim->id);
    buf_u16(out, (uint16_t)claim->type);
    buf_u8(out, (uint8_t)claim->evidence);
}

bool wire_claim_decode(struct wire_claim *claim, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    claim->id = reader_u64(&r);
    unsigned type = reader_u16(&r), evidence = reader_u8(&r);
    if (!reader_done(&r) || type == TYPE_NONE || type >= TYPE_COUNT || evidence < EVIDENCE_EXTENSION ||
        evidence >= EVIDENCE_COUNT)
        return false;
    claim->type = (enum type)type;
    claim->evidence = (enum evidence)evidence;
    return true;
}

void wire_done_encode(const struct wire_done *done, struct buf *out)
{
    buf_u64(out, done->id);
    buf_u8(out, (uint8_t)done->inspector);
    buf_u32(out, done->findings);
}

bool wire_done_decode(struct wire_done *done, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    done->id = reader_u64(&r);
    unsigned inspector = reader_u8(&r);
    done->findings = reader_u32(&r);
    if (!reader_done(&r) || inspector >= INSPECTOR_COUNT)
        return false;
    done->inspector = (enum inspector_id)inspector;
    return true;
}

void wire_finish_encode(const struct wire_finish *finish, struct buf *out)
{
    buf_u64(out, finish->id);
    buf_u64(out, finish->entries);
    buf_u64(out, finish->unpacked);
    buf_u32(out, finish->findings);
}

bool wire_finish_decode(struct wire_finish *finish, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    finish->id = reader_u64(&r);
    finish->entries = reader_u64(&r);
    finish->unpacked = reader_u64(&r);
    finish->findings = reader_u32(&r);
    return reader_done(&r);
}

void wire_listing_encode(const struct wire_listing *listing, struct buf *out)
{
    buf_u64(out, listing->id);
    buf_bytes(out, listing->sha256, SHA256_SIZE);
    buf_u64(out, listing->count);
}

bool wire_listing_decode(struct wire_listing *listing, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    listing->id = reader_u64(&r);
    const uint8_t *sha256 = reader_take(&r, SHA256_SIZE);
    if (sha256)
        memcpy(listing->sha256, sha256, SHA256_SIZE);
    listing->count = reader_u64(&r);
    return reader_done(&r);
}

/* --- texts --------------------------------------------------------------------------------------- */

/* One line that acts on nobody's terminal. */
static bool line_text(const uint8_t *text, size_t len)
{
    uint32_t code = 0;
    for (size_t at = 0, step = 0; at < len; at += step) {
        step = utf8_decode(text + at, len - at, &code);
        if (step == 0 || utf8_is_control(code) || utf8_is_format(code))
            return false;
    }
    return true;
}

static bool rule_text(const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= '0' && text[i] <= '9') || text[i] == '-'))
            return false;
    return true;
}

static char *text_copy(const uint8_t *text, size_t len)
{
    char *copy = malloc(len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void wire_nested_encode(uint64_t id, const struct nested_listing *nested, struct buf *out)
{
    size_t len = nested->member ? strnlen(nested->member, MEMBER_BYTES) : 0;
    buf_u64(out, id);
    buf_u64(out, nested->base);
    buf_u64(out, nested->size);
    buf_u64(out, nested->count);
    buf_bytes(out, nested->sha256, SHA256_SIZE);
    buf_u8(out, (uint8_t)nested->container);
    buf_u8(out, nested->spooled);
    buf_u16(out, (uint16_t)len);
    buf_bytes(out, nested->member, len);
}

bool wire_nested_decode(struct wire_nested *nested, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    *nested = (struct wire_nested){.id = reader_u64(&r)};
    nested->base = reader_u64(&r);
    nested->size = reader_u64(&r);
    nested->count = reader_u64(&r);
    const uint8_t *sha256 = reader_take(&r, SHA256_SIZE);
    unsigned container = reader_u8(&r), spooled = reader_u8(&r);
    size_t member_len;
    const uint8_t *member = reader_text(&r, MEMBER_BYTES, &member_len);
    if (!reader_done(&r) || container == TYPE_NONE || container >= TYPE_COUNT || spooled > 1 ||
        nested->size > INT64_MAX || nested->base > INT64_MAX - nested->size)
        return false;
    nested->container = (enum type)container;
    nested->spooled = spooled;
    memcpy(nested->sha256, sha256, SHA256_SIZE);
    return member_len == 0 || (nested->member = text_copy(member, member_len)) != NULL;
}

void wire_extent_encode(uint64_t id, const struct stream_member *member, struct buf *out)
{
    size_t len = member->path_len <= PATH_BYTES ? member->path_len : PATH_BYTES;
    buf_u64(out, id);
    buf_u64(out, member->offset);
    buf_u64(out, member->length);
    buf_u32(out, member->mode);
    buf_u32(out, member->uid);
    buf_u32(out, member->gid);
    buf_u64(out, (uint64_t)member->mtime_ns);
    buf_u8(out, (uint8_t)member->kind);
    buf_u16(out, (uint16_t)len);
    buf_bytes(out, member->path, len);
}

bool wire_extent_decode(struct wire_extent *extent, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    *extent = (struct wire_extent){.id = reader_u64(&r)};
    extent->offset = reader_u64(&r);
    extent->length = reader_u64(&r);
    extent->mode = reader_u32(&r);
    extent->uid = reader_u32(&r);
    extent->gid = reader_u32(&r);
    extent->mtime_ns = (int64_t)reader_u64(&r);
    unsigned kind = reader_u8(&r);
    size_t path_len;
    const uint8_t *path = reader_text(&r, PATH_BYTES, &path_len);
    if (!reader_done(&r) || kind > OBJECT_OTHER || path_len == 0)
        return false;
    extent->kind = (enum object_kind)kind;
    extent->path = text_copy(path, path_len);
    return extent->path != NULL;
}

static void short_text_encode(const char *text, struct buf *out)
{
    buf_u16(out, (uint16_t)strlen(text));
    buf_text(out, text);
}

static bool short_text_decode(char *text, size_t size, struct reader *r)
{
    size_t len;
    const uint8_t *at = reader_text(r, size - 1, &len);
    if (!at || !line_text(at, len))
        return false;
    memcpy(text, at, len);
    text[len] = '\0';
    return true;
}

void wire_ready_encode(const struct wire_ready *ready, struct buf *out)
{
    short_text_encode(ready->version, out);
    short_text_encode(ready->libraries, out);
}

bool wire_ready_decode(struct wire_ready *ready, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    return short_text_decode(ready->version, sizeof(ready->version), &r) &&
           short_text_decode(ready->libraries, sizeof(ready->libraries), &r) && reader_done(&r);
}

/* --- findings -------------------------------------------------------------------------------------- */

void wire_finding_encode(uint64_t id, const struct finding *f, struct buf *out)
{
    size_t rule = strnlen(f->rule, RULE_ID_MAX);
    size_t member = f->member ? strnlen(f->member, MEMBER_BYTES) : 0;
    size_t message = f->message ? strnlen(f->message, MESSAGE_BYTES) : 0;
    if (!line_text((const uint8_t *)f->message, message))
        message = 0;
    unsigned flags = (f->has_offset ? HAS_OFFSET : 0u) | (f->has_line ? HAS_LINE : 0u) |
                     (member > 0 ? HAS_MEMBER : 0u) | (message > 0 ? HAS_MESSAGE : 0u);
    buf_u64(out, id);
    buf_u16(out, (uint16_t)f->code);
    buf_u8(out, (uint8_t)f->level);
    buf_u8(out, (uint8_t)flags);
    buf_u64(out, f->has_offset ? f->offset : 0);
    buf_u64(out, f->length);
    buf_u32(out, f->has_line ? f->line : 0);
    buf_u8(out, (uint8_t)rule);
    buf_u16(out, (uint16_t)member);
    buf_u16(out, (uint16_t)message);
    buf_bytes(out, f->rule, rule);
    buf_bytes(out, f->member, member);
    buf_bytes(out, f->message, message);
}

/* A worker speaks of content; what concerns the walk and the contract is the broker's own to say. */
static bool worker_may_say(unsigned code)
{
    if (code == FINDING_NONE || code >= FINDING_COUNT)
        return false;
    enum finding_group group = finding_group((enum finding_code)code);
    return group != GROUP_NONE && group != GROUP_file && group != GROUP_contract;
}

static bool finding_fixed(struct finding *f, unsigned flags, struct reader *r)
{
    f->offset = reader_u64(r);
    f->length = reader_u64(r);
    f->line = reader_u32(r);
    f->has_offset = flags & HAS_OFFSET;
    f->has_line = flags & HAS_LINE;
    return flags <= FLAGS_ALL && (f->has_offset || f->offset == 0) && f->has_line == (f->line != 0);
}

static bool finding_texts(struct finding *f, unsigned flags, struct reader *r)
{
    size_t rule_len = reader_u8(r), member_len = reader_u16(r), message_len = reader_u16(r);
    const uint8_t *rule = reader_take(r, rule_len), *member = reader_take(r, member_len);
    const uint8_t *message = reader_take(r, message_len);
    if (!reader_done(r) || rule_len > RULE_ID_MAX || member_len > MEMBER_BYTES || message_len > MESSAGE_BYTES)
        return false;
    if ((rule_len > 0) != (f->code == FINDING_SECRET) || (member_len > 0) != ((flags & HAS_MEMBER) != 0) ||
        (message_len > 0) != ((flags & HAS_MESSAGE) != 0))
        return false;
    if (!rule_text(rule, rule_len) || memchr(member, 0, member_len) || !line_text(message, message_len))
        return false;
    memcpy(f->rule, rule, rule_len);
    if (member_len > 0 && !(f->member = text_copy(member, member_len)))
        return false;
    return message_len == 0 || (f->message = text_copy(message, message_len)) != NULL;
}

bool wire_finding_decode(uint64_t *id, struct finding *f, const uint8_t *data, size_t len)
{
    struct reader r;
    reader_init(&r, data, len);
    *f = (struct finding){0};
    *id = reader_u64(&r);
    unsigned code = reader_u16(&r), level = reader_u8(&r), flags = reader_u8(&r);
    if (!worker_may_say(code) || level > LEVEL_NOTE)
        return false;
    f->code = (enum finding_code)code;
    f->level = (enum finding_level)level;
    if (finding_fixed(f, flags, &r) && finding_texts(f, flags, &r))
        return true;
    free(f->member);
    f->member = NULL;
    return false;
}
