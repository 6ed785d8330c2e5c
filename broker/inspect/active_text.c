/* SPDX-License-Identifier: ISC
 * In a worker child: text that acts on whoever shows or reads it: terminal controls, bidirectional controls, invisible
 * characters. Runs on all that is valid UTF-8, whatever it claims. Sources: ECMA-48, xterm ctlseqs, Unicode UAX 9 and
 * UTS 51; the weights follow measured logs and sources: colours are what a log has, a clipboard command is not. */
#include "inspect/active_scanners.h"

#include <string.h>

#include "base/utf8.h"
#include "inspect/terminal.h"
#include "inspect/textchars.h"

bool active_text_applies(const struct inspection *in)
{
    return in->text == TYPE_PLAIN;
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
    scan_init(&s, in->bytes, 0);
    while (scan_peek(&s) >= 0) {
        const uint8_t *from = s.p, *end = s.end;
        while (s.p < end && table[*s.p] == 0)
            s.p++;
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
