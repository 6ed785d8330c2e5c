/* SPDX-License-Identifier: ISC
 * In a worker child: text that acts on whoever shows or reads it: terminal controls, bidirectional controls, invisible
 * characters. Runs on all that is valid UTF-8, whatever it claims, and on text of packages that nearly is. Sources:
 * ECMA-48, xterm ctlseqs, Unicode UAX 9 and UTS 51; the weights follow measured logs and sources: colours are what a
 * log has, a clipboard command is not. */
#include "inspect/active_scanners.h"

#include <string.h>

#include "base/utf8.h"
#include "inspect/octet_run.h"
#include "inspect/terminal.h"
#include "inspect/textchars.h"

bool active_text_applies(const struct inspection *in)
{
    return in->text == TYPE_PLAIN || in->legacy;
}

/* Which first bytes need a look: 1 always, 2 only while a bidirectional control is open. */
static void build_table(uint8_t table[256])
{
    static const uint8_t leads[] = {0x7F, 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF3};
    memset(table, 0, 256);
    memset(table, 1, 0x20);
    table['\t'] = table['\n'] = table['\f'] = 0;
    for (size_t i = 0; i < ARRAY_LEN(leads); i++)
        table[leads[i]] = 1;
}

/* Most characters behind these first bytes are letters and punctuation. Ranges of the first three bytes of those that
 * textchars.c or terminal.c has a word for; of two-byte characters, the third is the next one's. */
static bool may_matter(const uint8_t *p, const uint8_t *end)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0xC28000, 0xC29FFF}, {0xC2AD00, 0xC2ADFF}, {0xCD8F00, 0xCD8FFF}, {0xD89C00, 0xD89CFF},
                  {0xE1859F, 0xE185A0}, {0xE1A08B, 0xE1A08F}, {0xE2808B, 0xE2808F}, {0xE280AA, 0xE280AE},
                  {0xE281A0, 0xE281AF}, {0xEFB880, 0xEFB88F}, {0xEFBBBF, 0xEFBBBF},
                  {0xEFBEA0, 0xEFBEA0}, {0xF3A000, 0xF3A0FF}};
    uint32_t start = 0;
    if (*p < 0x80 || end - p < 3)
        return true;
    if (p[0] == 0xE3) /* kana */
        return p[1] == 0x85 && p[2] == 0xA4;
    start = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
        if (start >= ranges[i].first && start <= ranges[i].last)
            return true;
    return false;
}

/* How far to look byte by byte before a stretch of plain text is tried for again. */
enum { STRIDE = 64 };

/* The next byte that needs a look, or end. */
static const uint8_t *next_odd(const uint8_t table[256], const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        const uint8_t *stop;
        if (!table['\n'])
            p += octet_run_blocks(p, (size_t)(end - p));
        stop = end - p > STRIDE ? p + STRIDE : end;
        while (p < stop && table[*p] == 0)
            p++;
        if (p < stop && may_matter(p, end))
            return p;
        p += p < stop;
    }
    return p;
}

static void look_at(struct textchars *t, struct scan *s, const uint8_t *from)
{
    size_t len, n;
    uint32_t code;
    if (*s->p < 0x80) {
        if (*s->p == '\n') {
            scan_next(s);
            textchars_line(t);
        } else {
            terminal_control(&t->terminal, s);
        }
        return;
    }
    textchars_before(t, from, s->p);
    const uint8_t *p = scan_view(s, 4, &len);
    n = utf8_decode(p, len, &code);
    if (n == 0) {
        scan_skip(s, 1);
        return;
    }
    uint64_t at = scan_offset(s);
    scan_skip(s, n);
    if (code < 0xA0)
        terminal_c1(&t->terminal, code, at);
    else
        textchars_code(t, s, code, at);
}

void active_text_scan(struct inspection *in)
{
    uint8_t table[256];
    struct tally tally;
    struct textchars t;
    struct scan s;
    build_table(table);
    tally_init(&tally, in);
    textchars_init(&t, &tally);
    /* a few bytes of what is clean stand before the first that is not */
    scan_init(&s, in->bytes, in->clean > TEXTCHARS_EDGE ? in->clean - TEXTCHARS_EDGE : 0);
    while (scan_peek(&s) >= 0) {
        const uint8_t *from = s.p, *end = s.end;
        s.p = next_odd(table, s.p, end);
        if (s.p == end) {
            textchars_edge(&t, from, end);
            continue;
        }
        look_at(&t, &s, from);
        table['\n'] = t.open ? 1 : 0;
    }
    textchars_line(&t);
    tally_say(&tally);
}
