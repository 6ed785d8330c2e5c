/* SPDX-License-Identifier: ISC
 * In a worker child: mail. The structure is walked strictly and every part, decoded, is a member that all inspectors see,
 * under the name it would be saved as and as the media type it would be shown as. Structure that readers take in
 * different ways is ambiguous. One pass over the lines; boundaries that are open are kept on a stack. Source: RFC 2046. */
#include "inspect/active_scanners.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/eml_part.h"
#include "inspect/scan.h"

enum { LINE_HEAD = EML_BOUNDARY + 8 };

enum place { IN_PREAMBLE, IN_HEAD, IN_BODY, IN_EPILOGUE };

struct level {
    char boundary[EML_BOUNDARY + 1];
    size_t len;
    bool digest; /* its parts are messages unless they say otherwise */
};

struct line {
    uint64_t at, end; /* with its end of line */
    uint8_t head[LINE_HEAD];
    size_t len;       /* of head */
    uint64_t text;    /* length without the end of line */
};

struct mail {
    struct eml_part part;  /* the leaf under way */
    struct inspection *in;
    struct bytes bytes;    /* a window of its own: scanners of parts move the other */
    struct scan scan;
    struct line line;
    uint64_t last_end;     /* end of the line before, without its end of line */
    struct buf head, words;
    struct level level[EML_DEPTH];
    size_t depth;
    unsigned chain;        /* messages within messages without a boundary between them */
    char closed[EML_BOUNDARY + 1];
    enum place place;
    bool stop;
};

bool active_eml_applies(const struct inspection *in)
{
    return claims_has(&in->claims, TYPE_EML);
}

static void refuse(struct mail *m, enum finding_code code, const char *why)
{
    inspect_find_at(m->in, code, LEVEL_REFUSE, m->line.at, 0, why);
    m->stop = true;
}

static void ambiguous(struct mail *m, const char *why)
{
    refuse(m, FINDING_ARCHIVE_AMBIGUOUS, why);
}

/* --- lines --------------------------------------------------------------------------------------- */

static void keep(struct line *l, const uint8_t *p, size_t n)
{
    size_t room = sizeof(l->head) - l->len;
    n = n < room ? n : room;
    memcpy(l->head + l->len, p, n);
    l->len += n;
}

/* A CR ends a line for some readers and not for others unless an LF follows. */
static bool bare_cr(const uint8_t *p, size_t n, bool *pending)
{
    bool bare = *pending && n > 0 && p[0] != '\n';
    const uint8_t *end = p + n;
    for (const uint8_t *q = p; !bare && (q = memchr(q, '\r', (size_t)(end - q))) != NULL && q + 1 < end; q++)
        bare = q[1] != '\n';
    *pending = n > 0 ? p[n - 1] == '\r' : *pending;
    return bare;
}

static bool next_line(struct mail *m)
{
    struct line *l = &m->line;
    const uint8_t *lf = NULL;
    bool pending = false;
    m->last_end = l->at + l->text;
    l->at = scan_offset(&m->scan);
    l->len = 0;
    while (!lf && scan_peek(&m->scan) >= 0) {
        size_t n = (size_t)(m->scan.end - m->scan.p);
        lf = memchr(m->scan.p, '\n', n);
        n = lf ? (size_t)(lf - m->scan.p) + 1 : n;
        if (bare_cr(m->scan.p, n, &pending))
            ambiguous(m, "a carriage return stands alone, which only some readers take for the end of a line");
        keep(l, m->scan.p, n);
        m->scan.p += n;
        if (m->place == IN_HEAD)
            buf_bytes(&m->head, lf ? lf + 1 - n : m->scan.p - n, n);
        l->text = scan_offset(&m->scan) - l->at - (lf != NULL) - (lf && n > 1 && lf[-1] == '\r');
    }
    l->end = scan_offset(&m->scan);
    l->len = l->len < l->text ? l->len : (size_t)l->text;
    return l->end > l->at && !m->stop;
}

/* --- boundaries ---------------------------------------------------------------------------------- */

enum match { MATCH_NONE = 0, MATCH_OPEN, MATCH_CLOSE, MATCH_ODD };

/* The whole line must be the delimiter and blanks; what only starts like one is read differently. */
static enum match match_line(const struct line *l, const char *boundary, size_t len)
{
    if (l->len < len + 2 || memcmp(l->head, "--", 2) != 0 || memcmp(l->head + 2, boundary, len) != 0)
        return MATCH_NONE;
    size_t at = len + 2;
    bool close = l->len >= at + 2 && l->head[at] == '-' && l->head[at + 1] == '-';
    at += close ? 2 : 0;
    for (; at < l->text; at++)
        if (at >= l->len || (l->head[at] != ' ' && l->head[at] != '\t'))
            return MATCH_ODD;
    return close ? MATCH_CLOSE : MATCH_OPEN;
}

static bool push(struct mail *m, const struct eml_head *head)
{
    struct level *l = &m->level[m->depth];
    if (m->depth == EML_DEPTH) {
        refuse(m, FINDING_ARCHIVE_NESTING, "parts of the mail lie deeper in each other than is looked at (16)");
        return false;
    }
    for (size_t i = 0; i < m->depth; i++)
        if (strcmp(m->level[i].boundary, head->boundary) == 0)
            ambiguous(m, "a boundary is used on two levels");
    *l = (struct level){.len = head->boundary_len, .digest = strcmp(head->subtype, "digest") == 0};
    memcpy(l->boundary, head->boundary, head->boundary_len);
    m->depth++;
    m->place = IN_PREAMBLE;
    return true;
}

/* --- headers ------------------------------------------------------------------------------------- */

static bool boundary_fine(const struct eml_head *head)
{
    static const char others[] = "'()+_,-./:=? ";
    for (size_t i = 0; i < head->boundary_len; i++) {
        int c = (uint8_t)head->boundary[i];
        if (!ascii_letter(c) && !ascii_digit(c) && (c == 0 || !strchr(others, c)))
            return false;
    }
    return head->boundary_len > 0 && head->boundary[head->boundary_len - 1] != ' ';
}

static void begin_head(struct mail *m)
{
    buf_reset(&m->head);
    m->place = IN_HEAD;
}

static void begin_message(struct mail *m)
{
    if (++m->chain > EML_DEPTH)
        refuse(m, FINDING_ARCHIVE_NESTING, "messages lie deeper in each other than is looked at (16)");
    begin_head(m);
}

/* What is no leaf, or cannot be looked into. */
static void judge_type(struct mail *m, const struct eml_head *head)
{
    bool multipart = strcmp(head->type, "multipart") == 0, message = strcmp(head->type, "message") == 0;
    bool whole = eml_head_is(head, "message", "rfc822") || eml_head_is(head, "message", "global");
    m->place = IN_BODY;
    if (head->encoding == EML_ENCODING_OTHER)
        refuse(m, FINDING_INSPECT_INCOMPLETE, "a part of the mail is encoded in a way that is not known");
    else if ((multipart || whole) && head->encoding != EML_IDENTITY)
        ambiguous(m, "a part that holds parts is encoded as a whole, which only some readers undo");
    else if (multipart && !boundary_fine(head))
        ambiguous(m, "the boundary of a part is missing or not one that all readers take");
    else if (eml_head_is(head, "multipart", "encrypted"))
        refuse(m, FINDING_ARCHIVE_ENCRYPTED, "a part of the mail is encrypted");
    else if (eml_head_is(head, "message", "external-body"))
        refuse(m, FINDING_ACTIVE_EXTERNAL_LOAD, "a part of the mail is fetched from elsewhere");
    else if (message && strcmp(head->subtype, "partial") == 0)
        refuse(m, FINDING_INSPECT_INCOMPLETE, "the mail is a piece of a message");
    else if (multipart)
        (void)push(m, head);
    else if (whole)
        begin_message(m);
}

static void end_head(struct mail *m)
{
    struct eml_head *head = &m->part.head;
    if (m->head.failed) {
        refuse(m, FINDING_INSPECT_LIMIT, "a header of the mail is longer than is looked at");
        return;
    }
    eml_head_read(head, m->head.data, m->head.len, &m->words);
    if (head->fault != FINDING_NONE) {
        refuse(m, head->fault, head->why);
        return;
    }
    if (!head->typed && m->depth > 0 && m->level[m->depth - 1].digest && m->chain == 0) {
        snprintf(head->type, sizeof(head->type), "message");
        snprintf(head->subtype, sizeof(head->subtype), "rfc822");
    }
    m->part.start = m->line.end;
    judge_type(m, head);
}

/* --- the walk ------------------------------------------------------------------------------------ */

static void end_part(struct mail *m, uint64_t end)
{
    if (m->place == IN_HEAD)
        ambiguous(m, "a part of the mail has no empty line behind its header");
    if (m->place != IN_BODY)
        return;
    end = end < m->part.start ? m->part.start : end;
    m->part.number++;
    if (!eml_part_look(&m->part, m->in, &m->bytes, end))
        m->stop = true;
    scan_forget(&m->scan);
}

static void delimiter(struct mail *m, enum match match)
{
    struct level *l = &m->level[m->depth - 1];
    if (m->place == IN_PREAMBLE && match == MATCH_CLOSE)
        ambiguous(m, "a part that should hold parts holds none");
    end_part(m, m->last_end);
    m->chain = 0;
    if (match == MATCH_OPEN) {
        begin_head(m);
        return;
    }
    memcpy(m->closed, l->boundary, sizeof(m->closed));
    m->depth--;
    m->place = IN_EPILOGUE;
}

static bool is_delimiter(struct mail *m)
{
    size_t closed = strlen(m->closed);
    if (m->line.len < 2 || memcmp(m->line.head, "--", 2) != 0)
        return false;
    for (size_t i = m->depth; i-- > 0;) {
        enum match match = match_line(&m->line, m->level[i].boundary, m->level[i].len);
        if (match == MATCH_NONE)
            continue;
        if (match == MATCH_ODD)
            ambiguous(m, "a line begins like a boundary and is none");
        else if (i + 1 < m->depth)
            ambiguous(m, "a part ends before the parts in it");
        else
            delimiter(m, match);
        return true;
    }
    if (closed > 0 && match_line(&m->line, m->closed, closed) != MATCH_NONE)
        ambiguous(m, "a boundary comes again behind its end");
    return false;
}

static void take_line(struct mail *m)
{
    struct line *l = &m->line;
    if (is_delimiter(m) || m->stop)
        return;
    if (m->place == IN_HEAD && l->text == 0) {
        m->head.len -= m->head.len < l->end - l->at ? m->head.len : (size_t)(l->end - l->at);
        end_head(m);
    } else if (m->place == IN_EPILOGUE) {
        for (size_t i = 0; i < l->text && !m->stop; i++)
            if (i >= l->len || !ascii_space(l->head[i]))
                refuse(m, FINDING_ARCHIVE_TRAILING_DATA, "text follows the last part of the mail");
    }
}

static void walk(struct mail *m)
{
    begin_head(m);
    while (next_line(m)) {
        take_line(m);
        if (m->stop)
            return;
    }
    if (m->stop)
        return;
    m->line.at = m->bytes.size;
    if (m->depth > 0)
        ambiguous(m, "the mail ends before its last part does");
    else if (m->place == IN_HEAD)
        end_head(m); /* a message may be a header alone */
    if (!m->stop && m->depth > 0)
        ambiguous(m, "the mail ends before its parts begin");
    if (!m->stop && m->place == IN_BODY)
        end_part(m, m->bytes.size);
}

void active_eml_scan(struct inspection *in)
{
    struct mail m = {.in = in};
    if (!bytes_init_slice(&m.bytes, in->bytes, 0, in->bytes->size)) {
        inspect_find(in, FINDING_INSPECT_LIMIT, "no memory for a scanner");
        return;
    }
    buf_init(&m.head, EML_HEADER);
    buf_init(&m.words, EML_HEADER);
    scan_init(&m.scan, &m.bytes, 0);
    walk(&m);
    if (m.words.len > 0)
        inspect_loose(in, "!header", m.words.data, m.words.len);
    if (m.words.failed)
        inspect_find(in, FINDING_INSPECT_LIMIT, "the mail has more encoded words than are looked at");
    buf_free(&m.head);
    buf_free(&m.words);
    bytes_free(&m.bytes);
}
