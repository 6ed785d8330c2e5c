/* SPDX-License-Identifier: ISC
 * Linker scripts that stand in for a library: "libc.so" of every C library is one. Runs in the confined child on hostile
 * bytes. Invariant: the whole file is such a script, or it is none; what follows one makes it none. */
#include "inspect/type_name.h"

#include <string.h>

enum { SCRIPT_BYTES = 4096, NESTED = 4 };

struct words {
    const uint8_t *p, *end;
};

static bool blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Of a file name, a format's name or a version. */
static bool of_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c && strchr("_-./+=:@,\"", c));
}

/* Past blanks and comments; false: a comment does not end. */
static bool skip(struct words *w)
{
    while (w->p < w->end) {
        if (blank(*w->p)) {
            w->p++;
        } else if (w->end - w->p > 1 && w->p[0] == '/' && w->p[1] == '*') {
            const uint8_t *close = memmem(w->p + 2, (size_t)(w->end - w->p) - 2, "*/", 2);
            if (!close)
                return false;
            w->p = close + 2;
        } else {
            break;
        }
    }
    return true;
}

/* One command that names libraries or their format. */
static bool command(struct words *w)
{
    static const char *const commands[] = {"GROUP", "INPUT", "OUTPUT_FORMAT", "OUTPUT_ARCH", "SEARCH_DIR", "TARGET"};
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        size_t n = strlen(commands[i]);
        if ((size_t)(w->end - w->p) > n && memcmp(w->p, commands[i], n) == 0 && !of_word(w->p[n])) {
            w->p += n;
            return skip(w) && w->p < w->end && *w->p == '(';
        }
    }
    return false;
}

/* From '(' to behind the ')' that closes it. */
static bool list(struct words *w)
{
    int open = 0;
    do {
        if (!skip(w) || w->p == w->end)
            return false;
        uint8_t c = *w->p++;
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (open > NESTED || (c != '(' && c != ')' && !of_word(c)))
            return false;
    } while (open > 0);
    return true;
}

bool type_linker_script(struct bytes *bytes)
{
    size_t len = bytes->size <= SCRIPT_BYTES ? (size_t)bytes->size : 0, commands = 0;
    const uint8_t *p = len > 0 ? bytes_at(bytes, 0, len) : NULL;
    if (!p)
        return false;
    struct words w = {p, p + len};
    for (; skip(&w); commands++) {
        if (w.p == w.end)
            return commands > 0;
        if (!command(&w) || !list(&w))
            return false;
        if (w.p < w.end && *w.p == ';')
            w.p++;
    }
    return false;
}
