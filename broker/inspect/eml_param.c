/* SPDX-License-Identifier: ISC
 * In a worker child: hostile parameters. A parameter that is there twice, a comment, a blank in a bare value or a gap in a
 * numbered one makes the field fail: readers choose differently. */
#include "inspect/eml_param.h"

#include <string.h>

#include "inspect/eml_decode.h"
#include "inspect/scan.h"

enum { PARAMS = 64 };

/* One parameter as it stands. */
struct param {
    char name[EML_WORD + 1];
    char value[EML_NAME];
    size_t len;
    bool extended; /* name* or name*N*: percent escapes */
    int section;   /* of name*N; -1: none */
};

/* A name that is put together from its sections. */
struct gather {
    bool seen[4]; /* boundary, charset, the plain and the extended name */
    struct eml_name whole;
    enum eml_charset charset;
    int next; /* section that must come; 0: none yet */
};

void eml_skip_space(struct eml_text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
        t->at++;
}

/* RFC 2045: printable ASCII without tspecials. */
static bool is_token(int c)
{
    return c > 0x20 && c < 0x7F && !strchr("()<>@,;:\\\"/[]?=", c);
}

void eml_token(struct eml_text *t, char *out, size_t size)
{
    size_t n = 0;
    while (t->at < t->end && is_token(*t->at) && n + 1 < size)
        out[n++] = (char)ascii_lower(*t->at++);
    out[n] = '\0';
    t->failed = t->failed || n == 0 || (t->at < t->end && is_token(*t->at));
}

static void put(struct param *p, struct eml_text *t, uint8_t c)
{
    if (p->len < sizeof(p->value) && c >= 0x20 && c != 0x7F)
        p->value[p->len++] = (char)c;
    else
        t->failed = true;
}

static void quoted(struct eml_text *t, struct param *p)
{
    for (t->at++; t->at < t->end && *t->at != '"'; t->at++) {
        if (*t->at == '\\' && ++t->at == t->end)
            break;
        put(p, t, *t->at == '\t' ? ' ' : *t->at);
    }
    t->failed = t->failed || t->at >= t->end;
    t->at += t->at < t->end;
}

/* "name", "name*", "name*N", "name*N*". */
static void split_name(struct eml_text *t, struct param *p)
{
    char *star = strchr(p->name, '*');
    p->section = -1;
    if (!star)
        return;
    *star++ = '\0';
    if (ascii_digit(*star)) {
        for (p->section = 0; ascii_digit(*star) && p->section < PARAMS; star++)
            p->section = p->section * 10 + (*star - '0');
        p->extended = *star == '*';
        star += p->extended;
    } else
        p->extended = true;
    t->failed = t->failed || *star;
}

static void read_param(struct eml_text *t, struct param *p)
{
    *p = (struct param){.len = 0};
    eml_token(t, p->name, sizeof(p->name));
    split_name(t, p);
    eml_skip_space(t);
    t->failed = t->failed || t->at == t->end || *t->at != '=';
    t->at += t->at < t->end;
    eml_skip_space(t);
    if (t->failed || t->at == t->end) {
        t->failed = true;
        return;
    }
    if (*t->at == '"')
        quoted(t, p);
    else
        /* '/', '?' and '=' stand in bare values that programs write, and no reader ends at them */
        while (t->at < t->end && (is_token(*t->at) || (*t->at && strchr("/?=", *t->at))))
            put(p, t, *t->at++);
}

/* charset'language' in front of an extended value. */
static const char *behind_charset(struct gather *g, const struct param *p, bool *fine)
{
    const char *one = memchr(p->value, '\'', p->len), *end = p->value + p->len;
    const char *two = one ? memchr(one + 1, '\'', (size_t)(end - one) - 1) : NULL;
    *fine = two != NULL;
    if (two)
        g->charset = eml_charset_of(p->value, (size_t)(one - p->value));
    return two ? two + 1 : end;
}

static void add_byte(struct gather *g, struct eml_text *t, int c)
{
    char utf8[4];
    size_t n = c < 0 ? 0 : eml_charset_put(g->charset, (uint8_t)c, utf8);
    if (n == 0 || g->whole.len + n > sizeof(g->whole.text)) {
        t->failed = true;
        return;
    }
    memcpy(g->whole.text + g->whole.len, utf8, n);
    g->whole.len += n;
}

static void add_section(struct gather *g, struct eml_text *t, const struct param *p)
{
    const char *at = p->value, *end = p->value + p->len;
    bool fine = true;
    if (p->extended && p->section <= 0)
        at = behind_charset(g, p, &fine);
    t->failed = t->failed || !fine || (p->section >= 0 && p->section != g->next);
    g->next = p->section + 1;
    while (at < end && !t->failed) {
        int c = (uint8_t)*at++;
        if (p->extended && c == '%') {
            int high = end - at >= 2 ? hex_value(at[0]) : -1, low = high >= 0 ? hex_value(at[1]) : -1;
            c = low >= 0 ? high * 16 + low : -1;
            at += 2;
        }
        add_byte(g, t, c);
    }
}

static void add_name(struct eml_head *head, struct eml_text *t, const char *text, size_t len)
{
    struct eml_name *name = &head->names[head->names_n];
    struct buf words;
    if (head->names_n == EML_NAMES || len == 0) {
        t->failed = t->failed || len > 0;
        return;
    }
    /* programs put encoded words into quotes, where they have no business, and readers decode them */
    buf_init(&words, EML_NAME);
    if (!eml_words(&words, (const uint8_t *)text, len) || words.failed)
        t->failed = true;
    else if (words.len > 0)
        memcpy(name->text, words.data, name->len = words.len);
    buf_free(&words);
    head->names_n++;
}

static void once(struct gather *g, struct eml_text *t, size_t which)
{
    t->failed = t->failed || g->seen[which];
    g->seen[which] = true;
}

static void take(struct eml_head *head, struct gather *g, struct eml_text *t, const struct param *p)
{
    bool name = strcmp(p->name, "name") == 0 || strcmp(p->name, "filename") == 0;
    bool plain = !p->extended && p->section < 0;
    if (strcmp(p->name, "boundary") == 0) {
        once(g, t, 0);
        t->failed = t->failed || !plain || p->len == 0 || p->len > EML_BOUNDARY;
        if (!t->failed)
            memcpy(head->boundary, p->value, head->boundary_len = p->len);
    } else if (strcmp(p->name, "charset") == 0) {
        once(g, t, 1);
        t->failed = t->failed || !plain;
        head->charset = eml_charset_of(p->value, p->len);
    } else if (name && plain) {
        once(g, t, 2);
        add_name(head, t, p->value, p->len);
    } else if (name) {
        if (p->section <= 0)
            once(g, t, 3);
        add_section(g, t, p);
    }
}

void eml_params(struct eml_head *head, struct eml_text *t)
{
    struct gather g = {.charset = EML_UTF8};
    struct param p;
    for (size_t n = 0; !t->failed; n++) {
        eml_skip_space(t);
        if (t->at == t->end)
            break;
        t->failed = *t->at++ != ';' || n == PARAMS;
        eml_skip_space(t);
        if (t->failed || t->at == t->end)
            break;
        read_param(t, &p);
        if (!t->failed)
            take(head, &g, t, &p);
    }
    if (!t->failed && g.whole.len > 0)
        add_name(head, t, g.whole.text, g.whole.len);
}
