/* SPDX-License-Identifier: ISC
 * The tar walk: extension headers in order, one mechanism at a time, then the member they speak of, to the
 * end blocks and the NULs behind them. Worker child. Whatever two readers could take differently ends the
 * walk. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/archive_tar.h"

/* Sizes from here on do not fit the eleven octal digits of a header, so only pax can say them. */
enum { OWNER_LEAST = 12 }; /* shorter names are no credential */
#define TAR_OCTAL_SIZE ((uint64_t)1 << 33)

static bool fault(struct tar_walk *walk, enum finding_code code, const char *text)
{
    archive_find(walk->in, code, walk->header_at, "%s", text);
    return false;
}

/* The input ended early: said here unless the decoder or a bound has spoken. */
static bool cut(struct tar_walk *walk, const char *text)
{
    struct tar_source *source = walk->source;
    if (source->stopped || (source->peel && source->peel->fault != FINDING_NONE))
        return false;
    return fault(walk, FINDING_ARCHIVE_CORRUPT, text);
}

static void forget(struct tar_walk *walk)
{
    free(walk->pax_data);
    free(walk->long_name_data);
    free(walk->long_link_data);
    walk->pax_data = walk->long_name_data = walk->long_link_data = NULL;
    walk->pax = (struct tar_pax){0};
    walk->long_name = walk->long_link = (struct tar_text){0};
}

void tar_walk_free(struct tar_walk *walk)
{
    forget(walk);
    names_free(&walk->names);
}

static bool padding(struct tar_walk *walk, uint64_t size)
{
    uint8_t pad[TAR_BLOCK];
    size_t n = (size_t)(-size & (TAR_BLOCK - 1));
    if (tar_source_read(walk->source, pad, n) < n)
        return cut(walk, "the tar ends inside a member's padding");
    for (size_t i = 0; i < n; i++)
        if (pad[i]) {
            inspect_loose(walk->in, "!padding", pad, n);
            return fault(walk, FINDING_ARCHIVE_AMBIGUOUS, "the padding behind a member is not NUL");
        }
    return true;
}

/* The body of an extension header, in memory of its own. NULL after a finding. */
static uint8_t *body(struct tar_walk *walk, uint64_t size)
{
    if (size > TAR_EXTENSION_BYTES) {
        archive_find(walk->in, FINDING_INSPECT_LIMIT, walk->header_at,
                     "an extension header is larger than %" PRIu64 " bytes", TAR_EXTENSION_BYTES);
        return NULL;
    }
    uint8_t *data = calloc(1, (size_t)size + 1);
    if (!data)
        return NULL;
    if (tar_source_read(walk->source, data, (size_t)size) < size)
        (void)cut(walk, "the tar ends inside an extension header");
    else if (padding(walk, size))
        return data;
    free(data);
    return NULL;
}

static bool extension_pax(struct tar_walk *walk, const struct tar_head *head, uint8_t *data)
{
    struct tar_pax pax;
    const char *bad = tar_pax_parse(data, (size_t)head->size, &pax);
    if (!walk->source->survey)
        inspect_loose(walk->in, "!pax", data, (size_t)head->size);
    bool global = head->type == 'g';
    if (!bad && !global && walk->pax.given)
        bad = "two pax headers for one member";
    if (!bad && (walk->long_name.at || walk->long_link.at || (global && walk->pax.given)))
        bad = "pax and other extension headers are mixed";
    if (!bad && global && pax.overrides_content)
        bad = "a global pax header changes names or sizes, which readers honour or ignore";
    if (bad || global) {
        free(data);
        return bad ? fault(walk, FINDING_ARCHIVE_AMBIGUOUS, bad) : true;
    }
    walk->pax = pax;
    walk->pax_data = data;
    return true;
}

static bool extension_gnu(struct tar_walk *walk, const struct tar_head *head, uint8_t *data)
{
    bool link = head->type == 'K';
    struct tar_text *text = link ? &walk->long_link : &walk->long_name;
    uint8_t **owner = link ? &walk->long_link_data : &walk->long_name_data;
    size_t len = strnlen((const char *)data, (size_t)head->size);
    const char *bad = NULL;
    if (walk->source->peel)
        inspect_loose(walk->in, "!name", data, (size_t)head->size);
    for (size_t i = len; i < head->size; i++)
        bad = data[i] ? "a long name holds a NUL byte" : bad;
    if (text->at)
        bad = "two long-name headers for one member";
    else if (walk->pax.path.at || walk->pax.linkpath.at || walk->pax.has_size)
        bad = "pax and GNU long-name headers are mixed";
    if (bad) {
        free(data);
        return fault(walk, FINDING_ARCHIVE_AMBIGUOUS, bad);
    }
    *text = (struct tar_text){(const char *)data, len};
    *owner = data;
    return true;
}

static bool extension(struct tar_walk *walk, const struct tar_head *head)
{
    uint8_t *data = body(walk, head->size);
    if (!data)
        return false;
    return head->type == 'x' || head->type == 'g' ? extension_pax(walk, head, data)
                                                  : extension_gnu(walk, head, data);
}

/* Size in force: the header's, or pax's where the header cannot hold it. False: the two contradict each
 * other. */
static bool size_of(struct tar_walk *walk, const struct tar_head *head, uint64_t *size)
{
    *size = head->size;
    if (!walk->pax.has_size || walk->pax.size == head->size)
        return true;
    if (walk->pax.size < TAR_OCTAL_SIZE || walk->pax.size > (uint64_t)1 << 62)
        return fault(walk, FINDING_ARCHIVE_AMBIGUOUS, "a pax size contradicts the header it stands before");
    *size = walk->pax.size;
    return true;
}

static struct tar_text chosen(struct tar_text pax, struct tar_text gnu, const char *own, size_t len)
{
    if (pax.at)
        return pax;
    return gnu.at ? gnu : (struct tar_text){own, len};
}

static bool kind_of(struct tar_walk *walk, const struct tar_head *head, bool slash, uint64_t size,
                    enum object_kind *kind)
{
    static const struct {
        char type;
        enum object_kind kind;
    } kinds[] = {{'0', OBJECT_FILE},    {0, OBJECT_FILE},     {'5', OBJECT_DIRECTORY}, {'1', OBJECT_OTHER},
                 {'2', OBJECT_SYMLINK}, {'3', OBJECT_DEVICE}, {'4', OBJECT_DEVICE},    {'6', OBJECT_FIFO}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (kinds[i].type != head->type)
            continue;
        *kind = kinds[i].kind;
        if (*kind == OBJECT_FILE && slash && size == 0 && head->format == TAR_V7)
            *kind = OBJECT_DIRECTORY; /* how v7 writes directories */
        if (*kind == OBJECT_FILE && slash)
            return fault(walk, FINDING_ARCHIVE_AMBIGUOUS, "a file's name ends in a slash");
        if (*kind != OBJECT_FILE && size != 0)
            return fault(walk, FINDING_ARCHIVE_AMBIGUOUS, "a member that is no file has content");
        return true;
    }
    return fault(walk, FINDING_ARCHIVE_UNSUPPORTED,
                 "a tar member of a type that is not supported (sparse, volume, dump)");
}

/* A name in the header that an override hides: readers without the override land there. */
static bool hidden_name_safe(struct tar_walk *walk, const struct tar_head *head)
{
    const char *n = head->name;
    bool unsafe = n[0] == '/' || strcmp(n, "..") == 0 || strncmp(n, "../", 3) == 0 || strstr(n, "/../") ||
                  (head->name_len >= 3 && strcmp(n + head->name_len - 3, "/..") == 0);
    if (unsafe)
        return fault(walk, FINDING_ARCHIVE_PATH, "the name below an extension header leads outside");
    return true;
}

static bool member_of(struct tar_walk *walk, const struct tar_head *head, struct tar_member *member)
{
    struct tar_text name = chosen(walk->pax.path, walk->long_name, head->name, head->name_len);
    struct tar_text link = chosen(walk->pax.linkpath, walk->long_link, head->link, head->link_len);
    uint64_t size;
    if (walk->pax.sparse)
        return fault(walk, FINDING_ARCHIVE_UNSUPPORTED, "a sparse member");
    if (walk->pax.charset)
        return fault(walk, FINDING_ARCHIVE_AMBIGUOUS, "a pax header changes the character set of names");
    if (!size_of(walk, head, &size))
        return false;
    if (name.at != head->name && !hidden_name_safe(walk, head))
        return false;
    bool slash = name.len > 0 && name.at[name.len - 1] == '/';
    if (!kind_of(walk, head, slash, size, &member->kind))
        return false;
    *member = (struct tar_member){
        .name = name.at,
        .name_len = name.len,
        .link = link.at,
        .link_len = link.len,
        .kind = member->kind,
        .size = size,
        .offset = walk->source->at,
        .mode = (uint32_t)(head->mode & 07777),
        .uid = (uint32_t)head->uid,
        .gid = (uint32_t)head->gid,
        .mtime_ns = head->mtime < INT64_MAX / 1000000000 ? (int64_t)head->mtime * 1000000000 : 0};
    name_trim(&member->name, &member->name_len);
    return true;
}

static bool one_member(struct tar_walk *walk, const struct tar_head *head)
{
    struct tar_member member;
    struct bytes content;
    uint64_t unspent = walk->source->survey ? walk->names.n : 0;
    if (!archive_count(walk->in, unspent + 1) || !member_of(walk, head, &member))
        return false;
    enum name_kind kind = member.kind == OBJECT_DIRECTORY ? NAME_DIRECTORY
                          : member.kind == OBJECT_FILE    ? NAME_FILE
                                                          : NAME_LINK;
    if (!names_add(&walk->names, walk->in, member.name, member.name_len, kind))
        return false;
    if (member.kind != OBJECT_FILE) {
        bool go_on =
            walk->source->survey || (inspect_entries(walk->in, 1) && walk->visit(walk, &member, NULL));
        forget(walk);
        return go_on;
    }
    if (!tar_source_content(walk->source, member.size, &content))
        return false;
    bool go_on = walk->source->survey || walk->visit(walk, &member, &content);
    bytes_free(&content);
    forget(walk);
    return go_on && padding(walk, member.size);
}

/* The first zero block was read: one more, then only NULs. */
static bool ending(struct tar_walk *walk)
{
    uint8_t block[TAR_BLOCK];
    bool zeros;
    if (walk->pax.given || walk->long_name.at || walk->long_link.at)
        return fault(walk, FINDING_ARCHIVE_AMBIGUOUS,
                     "an extension header stands before the end, without a member");
    size_t n = tar_source_read(walk->source, block, sizeof(block));
    if (n < sizeof(block))
        return cut(walk, "the tar ends after one end block of two, so it may be cut short");
    if (!tar_block_zero(block))
        return fault(walk, FINDING_ARCHIVE_TRAILING_DATA, "a tar header follows an end block");
    tar_source_drain(walk->source, &zeros);
    if (!zeros)
        return fault(walk, FINDING_ARCHIVE_TRAILING_DATA, "bytes follow the end of the tar");
    return !walk->source->stopped;
}

/* Owners' names stand between other fields without a gap, so a search over the raw header does not see where they start. */
static void show_owners(struct tar_walk *walk, const uint8_t block[TAR_BLOCK])
{
    for (unsigned which = 0; which < 2; which++) {
        struct tar_text owner = tar_owner(block, which);
        if (owner.len >= OWNER_LEAST)
            inspect_loose(walk->in, "!owner", owner.at, owner.len);
    }
}

bool tar_walk_run(struct tar_walk *walk)
{
    uint8_t block[TAR_BLOCK];
    for (;;) {
        struct tar_head head;
        bool checksum;
        walk->header_at = walk->source->at;
        size_t n = tar_source_read(walk->source, block, sizeof(block));
        if (n < sizeof(block))
            return cut(walk, n == 0 ? "the tar has no end blocks, so it may be cut short"
                                    : "the tar ends inside a header");
        if (tar_block_zero(block))
            return ending(walk);
        const char *bad = tar_head_parse(block, &head, &checksum);
        if (walk->source->peel) /* below a compression nothing else sees the raw bytes */
            inspect_loose(walk->in, "!header", block, TAR_BLOCK);
        if (!bad && head.format != TAR_V7 && !walk->source->survey)
            show_owners(walk, block);
        if (bad)
            return fault(walk, checksum ? FINDING_ARCHIVE_AMBIGUOUS : FINDING_ARCHIVE_CORRUPT, bad);
        bool special = head.type != 0 && strchr("xgLK", head.type);
        if (special ? !extension(walk, &head) : !one_member(walk, &head))
            return false;
    }
}
