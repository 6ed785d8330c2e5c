/* SPDX-License-Identifier: ISC
 * In a worker child: hostile parts. A part is what it is saved as and what it is shown as: where both differ, it is looked
 * at as each of them. */
#include "inspect/eml_part.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "inspect/archive_name.h"
#include "inspect/eml_decode.h"
#include "inspect/octets.h"
#include "inspect/scan.h"

enum { STEP = 8 * 1024 };

/* Media types that say what a reader does with a part, and the extension that claims the same. */
static const struct {
    const char *type, *subtype, *extension;
    bool shown; /* acts where it is shown, whatever its name is */
} media[] = {
    {"text", "plain", "txt", false},        {"text", "html", "html", true},       {"application", "xhtml+xml", "xhtml", true},
    {"image", "svg+xml", "svg", true},      {"text", "markdown", "md", false},    {"text", "csv", "csv", false},
    {"text", "css", "css", false},          {"text", "xml", "xml", false},        {"application", "xml", "xml", false},
    {"application", "json", "json", false}, {"text", "javascript", "js", false},  {"application", "javascript", "js", false},
    {"application", "pdf", "pdf", false},   {"application", "x-sh", "sh", false}, {"text", "x-shellscript", "sh", false},
};

struct look {
    const struct eml_part *part;
    struct inspection *in;
    struct archive_hold hold;
    struct archive_meter meter;
};

static void say(struct look *l, enum finding_code code, const char *why)
{
    inspect_find_at(l->in, code, finding_default_level(code), l->part->start, 0, why);
}

/* --- the body ------------------------------------------------------------------------------------ */

static bool is_text(const struct eml_head *head)
{
    return strcmp(head->type, "text") == 0 || eml_head_is(head, "application", "xhtml+xml");
}

/* Bytes of the part's character set as UTF-8; false: no room. */
static bool keep(struct look *l, const uint8_t *p, size_t n)
{
    const struct eml_head *head = &l->part->head;
    bool recode = is_text(head) && (head->charset == EML_LATIN1 || head->charset == EML_WINDOWS1252);
    if (n == 0)
        return true;
    if (!archive_hold_room(&l->hold, 3 * n)) {
        say(l, FINDING_INSPECT_LIMIT, "a part of the mail is longer than is kept in memory");
        return false;
    }
    size_t before = l->hold.len;
    for (size_t i = 0; recode && i < n; i++)
        l->hold.len += eml_charset_put(head->charset, p[i], (char *)l->hold.data + l->hold.len);
    if (!recode) {
        memcpy(l->hold.data + l->hold.len, p, n);
        l->hold.len += n;
    }
    return archive_spend(l->in, &l->meter, l->hold.len - before);
}

static bool decode(struct look *l, struct bytes *bytes, uint64_t end)
{
    struct eml_decoder d = {.encoding = l->part->head.encoding};
    uint8_t out[STEP + 8];
    size_t n, len = 0;
    for (uint64_t at = l->part->start; at < end; at += len) {
        const uint8_t *p = bytes_chunk(bytes, at, &len);
        if (!p || len == 0)
            return false;
        len = len < STEP ? len : STEP;
        len = len < end - at ? len : (size_t)(end - at);
        n = eml_decode(&d, p, len, out);
        if (!keep(l, out, n))
            return false;
    }
    if (eml_decode_end(&d, out, &n))
        return keep(l, out, n);
    say(l, FINDING_ARCHIVE_AMBIGUOUS, "a part of the mail is not encoded as it says, so readers decode it differently");
    return false;
}

/* Old readers make files of these blocks wherever they stand in a text. */
static bool holds_file(struct look *l)
{
    const uint8_t *p = l->hold.data, *end = p + l->hold.len;
    while (p && end - p > 12) {
        if (memcmp(p, "=ybegin ", 8) == 0 ||
            (memcmp(p, "begin ", 6) == 0 && p[6] >= '0' && p[6] <= '7' && p[7] >= '0' && p[7] <= '7' && p[8] >= '0' &&
             p[8] <= '7' && (p[9] == ' ' || p[10] == ' ')) ||
            (memcmp(p, "begin-base64", 12) == 0))
            return true;
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    return false;
}

/* --- names --------------------------------------------------------------------------------------- */

static const char *extension(const char *name, size_t len)
{
    const char *dot = len > 0 ? memrchr(name, '.', len) : NULL;
    return dot ? dot + 1 : name + len;
}

static bool same_extension(const struct eml_name *a, const struct eml_name *b)
{
    const char *x = extension(a->text, a->len), *y = extension(b->text, b->len);
    size_t n = (size_t)(a->text + a->len - x), m = (size_t)(b->text + b->len - y);
    return n == m && strncasecmp(x, y, n) == 0;
}

/* The media type's row; NULL: it says nothing that counts. */
static const char *shown_as(const struct eml_head *head, bool *acts)
{
    for (size_t i = 0; i < ARRAY_LEN(media); i++)
        if (eml_head_is(head, media[i].type, media[i].subtype)) {
            *acts = media[i].shown;
            return media[i].extension;
        }
    *acts = false;
    return NULL;
}

/* Readers choose among the names of a part: what they agree on is judged, and they must agree on the kind. */
static bool names_agree(struct look *l)
{
    const struct eml_head *head = &l->part->head;
    for (size_t i = 0; i < head->names_n; i++) {
        const struct eml_name *name = &head->names[i];
        if (i > 0 && !same_extension(name, &head->names[0])) {
            say(l, FINDING_ARCHIVE_AMBIGUOUS, "a part of the mail has names of different kinds");
            return false;
        }
        if (memchr(name->text, '/', name->len)) {
            say(l, FINDING_ARCHIVE_PATH, "the name of a part leads into a directory");
            return false;
        }
    }
    return true;
}

static bool member(struct look *l, const char *name, size_t len)
{
    struct bytes content;
    bytes_init_memory(&content, l->hold.data, l->hold.len);
    bool go_on = inspect_member(l->in, name, len, &content, NULL, false);
    bytes_free(&content);
    return go_on;
}

static bool deliver(struct look *l)
{
    const struct eml_head *head = &l->part->head;
    char name[EML_NAME + 64];
    bool acts;
    const char *kind = shown_as(head, &acts);
    int plain = snprintf(name, sizeof(name), "part-%u%s%s", l->part->number, kind ? "." : "", kind ? kind : "");
    if (head->names_n == 0)
        return member(l, name, (size_t)plain);
    const struct eml_name *own = &head->names[0];
    size_t end = (size_t)snprintf(name, sizeof(name), "part-%u/", l->part->number);
    memcpy(name + end, own->text, own->len);
    (void)name_check(l->in, name, end + own->len, NAMES_OF_CONTRACT);
    if (!member(l, name, end + own->len))
        return false;
    const char *ext = extension(own->text, own->len);
    size_t n = (size_t)(own->text + own->len - ext);
    if (!acts || (strlen(kind) == n && strncasecmp(ext, kind, n) == 0) || (n == 3 && strncasecmp(ext, "htm", 3) == 0))
        return true;
    plain = snprintf(name, sizeof(name), "part-%u.%s", l->part->number, kind);
    return member(l, name, (size_t)plain);
}

bool eml_part_look(const struct eml_part *part, struct inspection *in, struct bytes *bytes, uint64_t end)
{
    struct look l = {.part = part, .in = in, .hold = {.budget = in->budget}};
    bool text = is_text(&part->head);
    l.meter = (struct archive_meter){.packed = end - part->start, .member = true};
    if (text && part->head.charset == EML_CHARSET_OTHER)
        say(&l, FINDING_TYPE_CONFLICT, "a part of the mail declares another encoding than UTF-8, ASCII or Latin-1");
    bool go_on = decode(&l, bytes, end) && names_agree(&l);
    if (go_on && text && holds_file(&l))
        say(&l, FINDING_ARCHIVE_AMBIGUOUS, "a text of the mail holds an encoded file, which only some readers take for one");
    if (go_on && l.hold.len == 0)
        go_on = inspect_entries(in, 1);
    else if (go_on)
        go_on = deliver(&l);
    archive_hold_free(&l.hold);
    return go_on && inspect_wants_more(in);
}
