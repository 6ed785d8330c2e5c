/* SPDX-License-Identifier: ISC
 * In a worker child: hostile header blocks. */
#include "inspect/eml_head.h"

#include <string.h>

#include "base/limits.h"
#include "inspect/eml_decode.h"
#include "inspect/eml_param.h"
#include "inspect/scan.h"

enum { FIELD_NAME = 40 };

static const char differ[] = "a header field of the mail is one that readers take in different ways";

struct block {
    struct eml_head *head;
    bool seen[4]; /* type, encoding, disposition, version */
    struct buf field; /* the value under way, unfolded */
};

static void fault(struct eml_head *head, enum finding_code code, const char *why)
{
    if (head->fault == FINDING_NONE) {
        head->fault = code;
        head->why = why;
    }
}

enum eml_charset eml_charset_of(const char *label, size_t len)
{
    static const struct {
        const char *label;
        enum eml_charset charset;
    } labels[] = {{"us-ascii", EML_ASCII},      {"ascii", EML_ASCII},         {"ansi_x3.4-1968", EML_ASCII},
                  {"utf-8", EML_UTF8},          {"utf8", EML_UTF8},           {"iso-8859-1", EML_LATIN1},
                  {"iso8859-1", EML_LATIN1},    {"iso_8859-1", EML_LATIN1},   {"latin1", EML_LATIN1},
                  {"windows-1252", EML_WINDOWS1252}, {"cp1252", EML_WINDOWS1252}, {"", EML_ASCII}};
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        size_t k = 0;
        while (k < len && labels[i].label[k] == ascii_lower(label[k]))
            k++;
        if (k == len && labels[i].label[k] == '\0')
            return labels[i].charset;
    }
    return EML_CHARSET_OTHER;
}

bool eml_head_is(const struct eml_head *head, const char *type, const char *subtype)
{
    return strcmp(head->type, type) == 0 && strcmp(head->subtype, subtype) == 0;
}

/* --- fields -------------------------------------------------------------------------------------- */

static void field_type(struct eml_head *head, struct eml_text *t)
{
    head->typed = true;
    eml_token(t, head->type, sizeof(head->type));
    t->failed = t->failed || t->at == t->end || *t->at != '/';
    t->at += t->at < t->end;
    eml_token(t, head->subtype, sizeof(head->subtype));
    eml_params(head, t);
}

static void field_encoding(struct eml_head *head, struct eml_text *t)
{
    char word[EML_WORD + 1];
    eml_token(t, word, sizeof(word));
    eml_skip_space(t);
    t->failed = t->failed || t->at < t->end;
    bool plain = strcmp(word, "7bit") == 0 || strcmp(word, "8bit") == 0 || strcmp(word, "binary") == 0;
    head->encoding = plain                                  ? EML_IDENTITY
                     : strcmp(word, "base64") == 0           ? EML_BASE64
                     : strcmp(word, "quoted-printable") == 0 ? EML_QUOTED_PRINTABLE
                                                             : EML_ENCODING_OTHER;
}

static void field_disposition(struct eml_head *head, struct eml_text *t)
{
    char word[EML_WORD + 1];
    eml_token(t, word, sizeof(word));
    eml_params(head, t);
}

static void field_version(struct eml_head *head, struct eml_text *t)
{
    (void)head;
    t->failed = t->end - t->at < 3 || memcmp(t->at, "1.0", 3) != 0;
}

static void take_field(struct block *b, const char *name)
{
    static const struct {
        const char *name;
        void (*read)(struct eml_head *head, struct eml_text *t);
    } fields[] = {{"content-type", field_type},
                  {"content-transfer-encoding", field_encoding},
                  {"content-disposition", field_disposition},
                  {"mime-version", field_version}};
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        struct eml_text t = {.at = b->field.data, .end = b->field.data + b->field.len};
        if (strcmp(name, fields[i].name) != 0)
            continue;
        if (b->seen[i])
            fault(b->head, FINDING_ARCHIVE_AMBIGUOUS, "a header field that decides about the content is there twice");
        b->seen[i] = true;
        eml_skip_space(&t);
        fields[i].read(b->head, &t);
        if (t.failed)
            fault(b->head, FINDING_ARCHIVE_AMBIGUOUS, differ);
    }
}

/* --- lines --------------------------------------------------------------------------------------- */

/* The name in front of the colon, lower case; NULL where the line is no field. */
static const uint8_t *field_name(struct eml_head *head, const uint8_t *line, const uint8_t *end, char name[FIELD_NAME])
{
    size_t n = 0;
    const uint8_t *p = line;
    for (; p < end && *p > 0x20 && *p < 0x7F && *p != ':'; p++)
        if (n + 1 < FIELD_NAME)
            name[n++] = (char)ascii_lower(*p);
    name[n] = '\0';
    if (p > line && p < end && *p == ':')
        return p + 1;
    fault(head, FINDING_INSPECT_INCOMPLETE, "a line of the mail's header is no field");
    return NULL;
}

static const uint8_t *line_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *lf = memchr(p, '\n', (size_t)(end - p));
    return lf ? lf + 1 : end;
}

static void add_line(struct block *b, const uint8_t *p, const uint8_t *end)
{
    bool blank = true;
    while (end > p && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    for (const uint8_t *q = p; q < end; q++)
        blank = blank && (*q == ' ' || *q == '\t');
    if (blank && p < end && b->field.len > 0)
        fault(b->head, FINDING_ARCHIVE_AMBIGUOUS, "a blank line that is not empty stands in the mail's header");
    buf_bytes(&b->field, p, (size_t)(end - p));
}

void eml_head_read(struct eml_head *head, const uint8_t *text, size_t len, struct buf *words)
{
    struct block b = {.head = head};
    char name[FIELD_NAME];
    const uint8_t *end = text + len;
    *head = (struct eml_head){.type = "text", .subtype = "plain"};
    buf_init(&b.field, EML_HEADER);
    for (const uint8_t *p = text; p < end && head->fault == FINDING_NONE;) {
        const uint8_t *value = field_name(head, p, end, name);
        if (!value)
            break;
        buf_reset(&b.field);
        p = line_end(value, end);
        add_line(&b, value, p);
        while (p < end && (*p == ' ' || *p == '\t')) {
            const uint8_t *next = line_end(p, end);
            add_line(&b, p, next);
            p = next;
        }
        take_field(&b, name);
        if (memmem(b.field.data ? b.field.data : p, b.field.len, "=?", 2)) {
            (void)eml_words(words, b.field.data, b.field.len);
            buf_u8(words, '\n');
        }
    }
    buf_free(&b.field);
}
