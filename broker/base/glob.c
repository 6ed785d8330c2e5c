/* SPDX-License-Identifier: ISC
 * Both processes. A glob is run over a path as a set of positions, component by component, so that no pattern takes
 * more than length times length steps. Trusts nothing: any bytes may be matched against any bytes. */
#include "base/glob.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

enum { COMPONENTS_MAX = PATH_BYTES / 2 + 1 };

struct component {
    uint16_t at, len;
};

/* One character at p: its code point, or a byte that is no UTF-8 as a number no character has. */
static size_t character(const char *p, size_t left, uint32_t *code)
{
    size_t n = utf8_decode((const uint8_t *)p, left, code);
    if (n == 0)
        *code = 0x110000u + (uint8_t)*p;
    return n ? n : 1;
}

/* Length of the class that starts at p with '[', or 0 where it never ends. A ']' first is a member. */
static size_t class_length(const char *p, size_t left)
{
    size_t at = left > 1 && (p[1] == '!' || p[1] == '^') ? 2 : 1;
    for (size_t i = at + 1; i < left; i++)
        if (p[i] == ']')
            return i + 1;
    return 0;
}

/* Is the character in the class of this length? */
static bool class_has(const char *p, size_t len, uint32_t code)
{
    bool negated = p[1] == '!' || p[1] == '^', found = false;
    size_t at = negated ? 2 : 1, end = len - 1;
    while (at < end) {
        uint32_t low, high;
        at += character(p + at, end - at, &low);
        high = low;
        if (at + 1 < end && p[at] == '-')
            at += 1 + character(p + at + 1, end - at - 1, &high);
        found |= code >= low && code <= high;
    }
    return found != negated;
}

/* Matches one character of the text; returns how much of the pattern it used, 0 for no match. */
static size_t match_one(const char *pattern, size_t left, uint32_t code)
{
    uint32_t literal;
    if (pattern[0] == '?')
        return 1;
    if (pattern[0] == '[') {
        size_t n = class_length(pattern, left);
        if (n)
            return class_has(pattern, n, code) ? n : 0;
    }
    size_t n = character(pattern, left, &literal);
    return literal == code ? n : 0;
}

/* One component against one component; going back to the last '*' is enough. */
static bool match_component(const char *pattern, size_t pn, const char *text, size_t tn, bool dots)
{
    size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
    if (tn == 0 || (!dots && text[0] == '.' && (pn == 0 || pattern[0] != '.')))
        return false;
    while (t < tn) {
        uint32_t code;
        size_t step = character(text + t, tn - t, &code), used = 0;
        if (p < pn && pattern[p] == '*') {
            star = ++p;
            mark = t;
            continue;
        }
        if (p < pn && (used = match_one(pattern + p, pn - p, code)) > 0) {
            p += used;
            t += step;
            continue;
        }
        if (star == SIZE_MAX)
            return false;
        p = star;
        mark += character(text + mark, tn - mark, &code);
        t = mark;
    }
    while (p < pn && pattern[p] == '*')
        p++;
    return p == pn;
}

static bool is_double_star(const char *glob, struct component c)
{
    return c.len == 2 && memcmp(glob + c.at, "**", 2) == 0;
}

/* A glob taken apart, and the positions that a run can be at: live[i] says that components before i are used up. */
struct run_state {
    const char *glob;
    struct component part[COMPONENTS_MAX];
    bool live[COMPONENTS_MAX + 1], next[COMPONENTS_MAX + 1];
    size_t n;
};

static bool take_apart(struct run_state *r, const char *glob)
{
    size_t len = strnlen(glob, PATH_BYTES + 1), at = 0;
    r->glob = glob;
    r->n = 0;
    if (len > PATH_BYTES)
        return false;
    while (at <= len && r->n < COMPONENTS_MAX) {
        const char *slash = memchr(glob + at, '/', len - at);
        size_t end = slash ? (size_t)(slash - glob) : len;
        r->part[r->n++] = (struct component){(uint16_t)at, (uint16_t)(end - at)};
        at = end + 1;
    }
    return at > len;
}

/* A "**" that is not last may stand for no directory at all. */
static void skip_double_stars(struct run_state *r)
{
    for (size_t i = 0; i + 1 < r->n; i++)
        if (r->live[i] && is_double_star(r->glob, r->part[i]))
            r->live[i + 1] = true;
}

static bool step(struct run_state *r, const char *text, size_t len, bool dots)
{
    bool any = false;
    memset(r->next, 0, r->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        if (!r->live[i])
            continue;
        if (!is_double_star(r->glob, r->part[i])) {
            r->next[i + 1] |= match_component(r->glob + r->part[i].at, r->part[i].len, text, len, dots);
        } else if (len && (dots || text[0] != '.')) {
            r->next[i] = true;
            r->next[i + 1] |= i + 1 == r->n;
        }
    }
    memcpy(r->live, r->next, r->n + 1);
    skip_double_stars(r);
    for (size_t i = 0; i <= r->n; i++)
        any |= r->live[i];
    return any;
}

/* Runs the whole path; false once no position is left. */
static bool run(struct run_state *r, const char *glob, const char *path, bool dots)
{
    if (!take_apart(r, glob))
        return false;
    memset(r->live, 0, r->n + 1);
    r->live[0] = true;
    skip_double_stars(r);
    for (const char *at = path, *slash; at && *path; at = slash ? slash + 1 : NULL) {
        slash = strchr(at, '/');
        if (!step(r, at, slash ? (size_t)(slash - at) : strlen(at), dots))
            return false;
    }
    return true;
}

bool glob_match_dots(const char *glob, const char *path)
{
    struct run_state r;
    return *path && run(&r, glob, path, true) && r.live[r.n];
}

bool glob_match(const char *glob, const char *path, bool *hidden)
{
    struct run_state r;
    bool match = *path && run(&r, glob, path, false) && r.live[r.n];
    if (hidden)
        *hidden = !match && (path[0] == '.' || strstr(path, "/.")) && run(&r, glob, path, true) && r.live[r.n];
    return match;
}

bool glob_enter(const char *glob, const char *dir, bool dots)
{
    struct run_state r;
    if (!run(&r, glob, dir, dots))
        return false;
    for (size_t i = 0; i < r.n; i++)
        if (r.live[i])
            return true;
    return false;
}

/* Rules for one component of a glob: its classes end, its ranges ascend, nothing looks like another syntax. */
static bool component_valid(const char *p, size_t len)
{
    if (len == 0 || len > COMPONENT_BYTES || (p[0] == '.' && (len == 1 || (len == 2 && p[1] == '.'))))
        return false;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        if (p[i] == '[') {
            size_t n = class_length(p + i, len - i);
            if (n == 0)
                return false;
            for (size_t k = i + 1; k + 2 < i + n; k++)
                if (p[k] == '-' && k > i + 1 && (uint8_t)p[k - 1] < 0x80 && (uint8_t)p[k + 1] < 0x80 &&
                    p[k + 1] < p[k - 1])
                    return false;
            i += n;
            continue;
        }
        size_t n = utf8_decode((const uint8_t *)p + i, len - i, &code);
        if (n == 0 || utf8_is_control(code) || strchr("{}]\\", p[i]))
            return false;
        if (p[i] == '*' && i + 1 < len && p[i + 1] == '*' && len != 2)
            return false;
        i += n;
    }
    return true;
}

bool glob_valid(const char *glob, size_t len)
{
    if (len == 0 || len > PATH_BYTES || memchr(glob, '\0', len))
        return false;
    for (size_t at = 0; at <= len;) {
        const char *slash = memchr(glob + at, '/', len - at);
        size_t end = slash ? (size_t)(slash - glob) : len;
        if (!component_valid(glob + at, end - at))
            return false;
        at = end + 1;
    }
    return true;
}
