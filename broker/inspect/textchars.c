/* SPDX-License-Identifier: ISC
 * In a worker child: hostile characters, by table of ranges. */
#include "inspect/textchars.h"

#include <string.h>

#include "base/utf8.h"

enum kind {
    KIND_NONE = 0,
    KIND_OPEN_EMBED,
    KIND_CLOSE_EMBED,
    KIND_OPEN_ISOLATE,
    KIND_CLOSE_ISOLATE,
    KIND_MARK,      /* LRM, RLM, ALM */
    KIND_JOINER,    /* ZWJ, ZWNJ */
    KIND_HIDDEN,    /* zero width or blank, accepted in identifiers or not */
    KIND_BREAK,     /* zero width space: between words of scripts that write none */
    KIND_SOFT,      /* soft hyphen: typography */
    KIND_BOM,
    KIND_VARIATION, /* one is how emoji and Han choose a form */
    KIND_VARIATION_HAN,
    KIND_MONGOLIAN,
    KIND_TAG
};

static const struct {
    uint32_t first, last;
    enum kind kind;
} ranges[] = {
    {0xAD, 0xAD, KIND_SOFT},          {0x034F, 0x034F, KIND_HIDDEN},         {0x061C, 0x061C, KIND_MARK},
    {0x115F, 0x1160, KIND_HIDDEN},    {0x180B, 0x180D, KIND_MONGOLIAN},      {0x180E, 0x180E, KIND_HIDDEN},
    {0x180F, 0x180F, KIND_MONGOLIAN}, {0x200B, 0x200B, KIND_BREAK},          {0x200C, 0x200D, KIND_JOINER},
    {0x200E, 0x200F, KIND_MARK},      {0x202A, 0x202B, KIND_OPEN_EMBED},     {0x202C, 0x202C, KIND_CLOSE_EMBED},
    {0x202D, 0x202E, KIND_OPEN_EMBED}, {0x2060, 0x2064, KIND_HIDDEN},        {0x2066, 0x2068, KIND_OPEN_ISOLATE},
    {0x2069, 0x2069, KIND_CLOSE_ISOLATE}, {0x206A, 0x206F, KIND_HIDDEN},     {0x3164, 0x3164, KIND_HIDDEN},
    {0xFE00, 0xFE0F, KIND_VARIATION}, {0xFEFF, 0xFEFF, KIND_BOM},            {0xFFA0, 0xFFA0, KIND_HIDDEN},
    {0xE0000, 0xE007F, KIND_TAG},     {0xE0100, 0xE01EF, KIND_VARIATION_HAN},
};

static enum kind kind_of(uint32_t code)
{
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].kind;
    return KIND_NONE;
}

void textchars_init(struct textchars *t, struct tally *tally)
{
    static const enum type strict[] = {TYPE_SOURCE, TYPE_SCRIPT, TYPE_JS,   TYPE_CSS,
                                       TYPE_JSON,   TYPE_JSONL,  TYPE_YAML, TYPE_TOML};
    const struct inspection *in = tally->in;
    *t = (struct textchars){.terminal = {.tally = tally, .log = type_set_has(in->admitted, TYPE_LOG)}};
    t->terminal.part = in->package_part && type_set_has(in->admitted, TYPE_SCRIPT);
    t->terminal.off = in->package_part && claims_by_content(&in->claims, TYPE_XML);
    for (size_t i = 0; i < ARRAY_LEN(strict); i++)
        t->strict = t->strict || claims_has(&in->claims, strict[i]);
    t->program = claims_has(&in->claims, TYPE_SOURCE) || claims_has(&in->claims, TYPE_SCRIPT) ||
                 claims_has(&in->claims, TYPE_JS);
}

static void invisible(struct textchars *t, enum finding_level level, uint64_t at, const char *message)
{
    tally_add(t->terminal.tally, FINDING_ACTIVE_INVISIBLE_TEXT, level, at, message);
}

static void bidi(struct textchars *t, enum finding_level level, uint64_t at, const char *message)
{
    tally_add(t->terminal.tally, FINDING_ACTIVE_BIDI, level, at, message);
}

/* --- what stands before -------------------------------------------------------------------------- */

void textchars_edge(struct textchars *t, const uint8_t *from, const uint8_t *end)
{
    size_t n = (size_t)(end - from);
    if (n >= TEXTCHARS_EDGE) {
        memcpy(t->edge, end - TEXTCHARS_EDGE, TEXTCHARS_EDGE);
        t->edge_n = TEXTCHARS_EDGE;
        return;
    }
    size_t keep = t->edge_n + n > TEXTCHARS_EDGE ? TEXTCHARS_EDGE - n : t->edge_n;
    memmove(t->edge, t->edge + t->edge_n - keep, keep);
    memcpy(t->edge + keep, from, n);
    t->edge_n = keep + n;
}

void textchars_before(struct textchars *t, const uint8_t *from, const uint8_t *p)
{
    size_t i;
    textchars_edge(t, from, p);
    t->before = 0;
    for (i = t->edge_n; i > 0 && (t->edge[i - 1] & 0xC0) == 0x80; i--)
        ;
    if (i > 0 && utf8_decode(t->edge + i - 1, t->edge_n - (i - 1), &t->before) == 0)
        t->before = 0;
}

static void remember(struct textchars *t, uint32_t code)
{
    uint8_t utf8[4] = {(uint8_t)(0xF0 | code >> 18), (uint8_t)(0x80 | (code >> 12 & 0x3F)),
                       (uint8_t)(0x80 | (code >> 6 & 0x3F)), (uint8_t)(0x80 | (code & 0x3F))};
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (n == 3)
        utf8[1] = (uint8_t)(0xE0 | code >> 12);
    if (n == 2)
        utf8[2] = (uint8_t)(0xC0 | code >> 6);
    textchars_edge(t, utf8 + 4 - n, utf8 + 4);
}

/* --- judging ------------------------------------------------------------------------------------- */

/* Scripts that have no use for joiners between their letters. */
static bool joins_nothing(uint32_t c)
{
    return ascii_letter((int)c) || ascii_digit((int)c) || (c >= 0xC0 && c <= 0x24F) || (c >= 0x370 && c <= 0x52F) ||
           (c >= 0x1E00 && c <= 0x1FFF) || (c >= 0x3040 && c <= 0x30FF) || (c >= 0x4E00 && c <= 0x9FFF);
}

/* Thai, Lao, Tibetan, Myanmar and Khmer are written without spaces between words. */
static bool spaceless(uint32_t c)
{
    return (c >= 0x0E00 && c <= 0x0FFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF);
}

static uint32_t code_after(struct scan *s)
{
    size_t len;
    uint32_t code = 0;
    const uint8_t *p = scan_view(s, 4, &len);
    return len > 0 && utf8_decode(p, len, &code) > 0 ? code : 0;
}

/* Behind a first tag character: the rest of an emoji flag, which is short and ends with a terminator. */
static bool is_flag(struct textchars *t, struct scan *s, uint32_t code)
{
    enum { BLACK_FLAG = 0x1F3F4, CANCEL = 0xE007F, REGION_MAX = 6 };
    if (t->before != BLACK_FLAG || code == CANCEL)
        return false;
    for (int i = 0; i < REGION_MAX; i++) {
        uint32_t next = code_after(s);
        if (next < 0xE0030 || next > CANCEL)
            return false;
        scan_skip(s, 4);
        if (next == CANCEL)
            return true;
    }
    return false;
}

static bool is_variation(uint32_t code)
{
    enum kind kind = kind_of(code);
    return kind == KIND_VARIATION || kind == KIND_VARIATION_HAN;
}

static bool is_han(uint32_t c)
{
    return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

static void judge_bidi(struct textchars *t, enum kind kind, uint64_t at)
{
    if (kind == KIND_MARK) {
        bidi(t, t->strict ? LEVEL_WARN : LEVEL_NOTE, at, "a direction mark");
        return;
    }
    bidi(t, t->strict ? LEVEL_REFUSE : LEVEL_WARN, at, NULL);
    bool opens = kind == KIND_OPEN_EMBED || kind == KIND_OPEN_ISOLATE;
    if (opens && t->embeds + t->isolates == 0)
        t->opened_at = at;
    if (kind == KIND_OPEN_EMBED)
        t->embeds++;
    else if (kind == KIND_OPEN_ISOLATE)
        t->isolates++;
    else if (kind == KIND_CLOSE_EMBED && t->embeds > 0)
        t->embeds--;
    else if (kind == KIND_CLOSE_ISOLATE && t->isolates > 0)
        t->isolates--;
    t->open = t->embeds + t->isolates > 0;
}

void textchars_line(struct textchars *t)
{
    if (t->embeds + t->isolates > 0)
        bidi(t, LEVEL_REFUSE, t->opened_at, "a bidirectional control is not closed in its line");
    t->embeds = t->isolates = 0;
    t->open = false;
}

static void judge_invisible(struct textchars *t, struct scan *s, enum kind kind, uint32_t code, uint64_t at)
{
    enum finding_level hard = t->program ? LEVEL_REFUSE : LEVEL_WARN;
    if (kind == KIND_TAG) {
        if (!is_flag(t, s, code))
            invisible(t, LEVEL_REFUSE, at, "tag characters, which carry hidden text");
    } else if (kind == KIND_HIDDEN || (kind == KIND_BOM && at > 0)) {
        invisible(t, hard, at, NULL);
    } else if (kind == KIND_BREAK) {
        if (!spaceless(t->before) || !spaceless(code_after(s)))
            invisible(t, hard, at, NULL);
    } else if (kind == KIND_SOFT) {
        invisible(t, LEVEL_NOTE, at, "soft hyphens");
    } else if (kind == KIND_JOINER) {
        if (joins_nothing(t->before) || joins_nothing(code_after(s)))
            invisible(t, hard, at, "a joiner between letters that do not join");
    } else if (kind == KIND_VARIATION || kind == KIND_VARIATION_HAN) {
        bool form = !is_variation(t->before) && (kind == KIND_VARIATION || is_han(t->before));
        if (!form)
            invisible(t, hard, at, "variation selectors that select nothing");
    } else if (kind == KIND_MONGOLIAN && (t->before < 0x1800 || t->before > 0x18AF)) {
        invisible(t, hard, at, NULL);
    }
}

void textchars_code(struct textchars *t, struct scan *s, uint32_t code, uint64_t at)
{
    enum kind kind = kind_of(code);
    if (kind >= KIND_OPEN_EMBED && kind <= KIND_MARK)
        judge_bidi(t, kind, at);
    else if (kind != KIND_NONE)
        judge_invisible(t, s, kind, code, at);
    remember(t, code);
}
