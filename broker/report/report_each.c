/* SPDX-License-Identifier: ISC */
#include "report/report_each.h"

#include <string.h>

#include "base/digest.h"
#include "base/say.h"

static bool one_list(const struct item *item, const struct finding_list *list, bool accepted, size_t *index,
                     bool (*each)(void *ctx, const struct report_line *line), void *ctx)
{
    for (size_t i = 0; i < list->n; i++) {
        struct report_line line = {.item = item, .finding = &list->v[i], .index = *index};
        if (list->v[i].accepted && !accepted)
            continue;
        (*index)++;
        finding_name(line.finding, line.code, sizeof(line.code));
        line.message = line.finding->message ? line.finding->message : finding_sentence(line.finding->code);
        if (!each(ctx, &line))
            return false;
    }
    return true;
}

void report_each(const struct report *report, bool accepted, bool (*each)(void *ctx, const struct report_line *line),
                 void *ctx)
{
    size_t index = 0;
    for (size_t i = 0; i < report->items->n; i++)
        if (!one_list(&report->items->v[i], &report->items->v[i].findings, accepted, &index, each, ctx))
            return;
    one_list(NULL, report->whole, accepted, &index, each, ctx);
}

void report_uri(struct buf *out, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (; *path; path++) {
        if (strchr(plain, *path))
            buf_u8(out, (uint8_t)*path);
        else
            buf_printf(out, "%%%02X", (uint8_t)*path);
    }
}

static const char *reference_of(uint8_t c)
{
    static const struct {
        char c;
        const char *reference;
    } rows[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].c == (char)c)
            return rows[i].reference;
    return NULL;
}

void report_markup(struct buf *out, const char *text)
{
    struct buf safe;
    buf_init(&safe, 1 << 20);
    say_escape(&safe, text, strlen(text));
    for (size_t i = 0, from = 0; i <= safe.len; i++) {
        const char *reference = i < safe.len ? reference_of(safe.data[i]) : "";
        if (!reference)
            continue;
        buf_bytes(out, safe.data + from, i - from);
        buf_text(out, reference);
        from = i + 1;
    }
    if (safe.failed)
        out->failed = true;
    buf_free(&safe);
}

void report_fingerprint(const struct report_line *line, char out[SHA256_HEX])
{
    struct buf text;
    uint8_t sha256[SHA256_SIZE];
    const struct finding *f = line->finding;
    buf_init(&text, 65536);
    buf_printf(&text, "%s\n%s\n%s\n%llu\n%u\n%zu\n", line->code, line->item ? item_shown(line->item) : "",
               f->member ? f->member : "", (unsigned long long)(f->has_offset ? f->offset : 0), f->has_line ? f->line : 0,
               f->has_offset || f->has_line ? 0 : line->index);
    sha256_bytes(text.data ? text.data : (const uint8_t *)"", text.len, sha256);
    hex_encode(sha256, SHA256_SIZE, out);
    buf_free(&text);
}
