/* SPDX-License-Identifier: ISC
 * The pickle walker. Runs in the confined child on hostile bytes; memory is constant, work is bounded by PICKLE_OPS.
 * Invariant: an opcode counts only where the unpickler would execute it: its argument complete, the stack high enough.
 * That is what keeps text that looks like opcodes from counting. */
#include "inspect/pickle.h"

#include <string.h>

#include "base/limits.h"
#include "inspect/octets.h"

enum argument { ARG_BAD = 0, ARG_NONE, ARG_SKIP, ARG_LENGTH, ARG_LINE, ARG_NUMBER, ARG_FLOAT, ARG_QUOTED, ARG_NAMES };

enum act {
    ACT_PLAIN = 0, /* pops `need`, pushes so that the height changes by `delta` */
    ACT_MARK, ACT_POP, ACT_POP_MARK,
    ACT_TO_MARK,   /* everything above the mark becomes one item, below which `need` items stand */
    ACT_INTO,      /* everything above the mark goes into the item below */
    ACT_STOP, ACT_PROTO, ACT_FRAME
};

/* Of a global that was reached. */
enum effect { EFFECT_NONE = 0, EFFECT_GLOBAL, EFFECT_CALL, EFFECT_BOTH };

struct opcode {
    enum argument argument;
    uint8_t size;  /* bytes to skip, or of the length that stands before the bytes */
    uint8_t need;
    int8_t delta;
    enum act act;
    enum effect effect;
};

#define PUSH(argument, size) {argument, size, 0, 1, ACT_PLAIN, EFFECT_NONE}
#define STACK(need, delta) {ARG_NONE, 0, need, delta, ACT_PLAIN, EFFECT_NONE}
#define MEMO(argument, size) {argument, size, 1, 0, ACT_PLAIN, EFFECT_NONE}
#define MARKED(act, need) {ARG_NONE, 0, need, 1, act, EFFECT_NONE}
#define CALL(need, delta) {ARG_NONE, 0, need, delta, ACT_PLAIN, EFFECT_CALL}

static const struct opcode opcodes[256] = {
    ['('] = MARKED(ACT_MARK, 0),
    ['.'] = {ARG_NONE, 0, 1, -1, ACT_STOP, EFFECT_NONE},
    ['0'] = MARKED(ACT_POP, 0),
    ['1'] = MARKED(ACT_POP_MARK, 0),
    ['2'] = STACK(1, 1),
    ['F'] = PUSH(ARG_FLOAT, 0),
    ['I'] = PUSH(ARG_NUMBER, 0),
    ['J'] = PUSH(ARG_SKIP, 4),
    ['K'] = PUSH(ARG_SKIP, 1),
    ['L'] = PUSH(ARG_NUMBER, 0),
    ['M'] = PUSH(ARG_SKIP, 2),
    ['N'] = PUSH(ARG_NONE, 0),
    ['P'] = PUSH(ARG_LINE, 0),
    ['Q'] = STACK(1, 0),
    ['R'] = CALL(2, -1),
    ['S'] = PUSH(ARG_QUOTED, 0),
    ['T'] = PUSH(ARG_LENGTH, 4),
    ['U'] = PUSH(ARG_LENGTH, 1),
    ['V'] = PUSH(ARG_LINE, 0),
    ['X'] = PUSH(ARG_LENGTH, 4),
    ['a'] = STACK(2, -1),
    ['b'] = CALL(2, -1),
    ['c'] = {ARG_NAMES, 0, 0, 1, ACT_PLAIN, EFFECT_GLOBAL},
    ['d'] = MARKED(ACT_TO_MARK, 0),
    ['}'] = PUSH(ARG_NONE, 0),
    ['e'] = MARKED(ACT_INTO, 1),
    ['g'] = PUSH(ARG_NUMBER, 0),
    ['h'] = PUSH(ARG_SKIP, 1),
    ['i'] = {ARG_NAMES, 0, 0, 1, ACT_TO_MARK, EFFECT_BOTH},
    ['j'] = PUSH(ARG_SKIP, 4),
    ['l'] = MARKED(ACT_TO_MARK, 0),
    [']'] = PUSH(ARG_NONE, 0),
    ['o'] = {ARG_NONE, 0, 0, 1, ACT_TO_MARK, EFFECT_CALL},
    ['p'] = MEMO(ARG_NUMBER, 0),
    ['q'] = MEMO(ARG_SKIP, 1),
    ['r'] = MEMO(ARG_SKIP, 4),
    ['s'] = STACK(3, -2),
    ['t'] = MARKED(ACT_TO_MARK, 0),
    [')'] = PUSH(ARG_NONE, 0),
    ['u'] = MARKED(ACT_INTO, 1),
    ['G'] = PUSH(ARG_SKIP, 8),
    [0x80] = {ARG_SKIP, 1, 0, 0, ACT_PROTO, EFFECT_NONE},
    [0x81] = CALL(2, -1),
    [0x82] = {ARG_SKIP, 1, 0, 1, ACT_PLAIN, EFFECT_GLOBAL},
    [0x83] = {ARG_SKIP, 2, 0, 1, ACT_PLAIN, EFFECT_GLOBAL},
    [0x84] = {ARG_SKIP, 4, 0, 1, ACT_PLAIN, EFFECT_GLOBAL},
    [0x85] = STACK(1, 0),
    [0x86] = STACK(2, -1),
    [0x87] = STACK(3, -2),
    [0x88] = PUSH(ARG_NONE, 0),
    [0x89] = PUSH(ARG_NONE, 0),
    [0x8a] = PUSH(ARG_LENGTH, 1),
    [0x8b] = PUSH(ARG_LENGTH, 4),
    ['B'] = PUSH(ARG_LENGTH, 4),
    ['C'] = PUSH(ARG_LENGTH, 1),
    [0x8c] = PUSH(ARG_LENGTH, 1),
    [0x8d] = PUSH(ARG_LENGTH, 8),
    [0x8e] = PUSH(ARG_LENGTH, 8),
    [0x8f] = PUSH(ARG_NONE, 0),
    [0x90] = MARKED(ACT_INTO, 1),
    [0x91] = MARKED(ACT_TO_MARK, 0),
    [0x92] = CALL(3, -2),
    [0x93] = {ARG_NONE, 0, 2, -1, ACT_PLAIN, EFFECT_GLOBAL},
    [0x94] = MEMO(ARG_NONE, 0),
    [0x95] = {ARG_SKIP, 8, 0, 0, ACT_FRAME, EFFECT_NONE},
    [0x96] = PUSH(ARG_LENGTH, 8),
    [0x97] = PUSH(ARG_NONE, 0),
    [0x98] = STACK(1, 0),
};

struct walker {
    struct bytes *b;
    struct pickle_walk *out;
    uint64_t at;
    uint64_t height;                /* items above the last mark */
    uint64_t below[PICKLE_MARKS];   /* heights under each mark */
    unsigned marks;
    uint64_t frame_end;             /* 0: in no frame */
};

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* A dotted name. Others can be imported where such a file is, so this only keeps words of a text from counting. */
static bool is_name(const uint8_t *p, size_t len)
{
    bool first = true;
    for (size_t i = 0; i < len; i++) {
        if (p[i] == '.' ? first : !(is_letter(p[i]) || (!first && is_digit(p[i]))))
            return false;
        first = p[i] == '.';
    }
    return len > 0 && !first;
}

static bool all_of(const uint8_t *p, size_t len, const char *set)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] == 0 || !strchr(set, p[i]))
            return false;
    return len > 0;
}

/* Looks whether the line at w->at is what the argument must be; *len without its end. A line longer than a window is
 * none of the short forms. */
static bool line_fits(struct walker *w, enum argument argument, uint64_t len)
{
    if (argument == ARG_LINE)
        return true;
    if (len > BYTES_WINDOW)
        return argument == ARG_NUMBER || argument == ARG_QUOTED;
    const uint8_t *p = bytes_at(w->b, w->at, (size_t)len);
    if (!p)
        return false;
    while (len > 0 && p[len - 1] == '\r')
        len--;
    if (argument == ARG_NAMES)
        return w->out->protocol || is_name(p, (size_t)len);
    if (argument == ARG_QUOTED)
        return len >= 2 && (p[0] == '\'' || p[0] == '"') && p[len - 1] == p[0];
    return all_of(p, (size_t)len, argument == ARG_NUMBER ? "0123456789abcdefABCDEFxXlLoO+-_ " : "0123456789.eE+-infaINFA_ ");
}

/* Moves behind the end of the line. Most are short, so little is looked at first. */
static bool take_line(struct walker *w, enum argument argument)
{
    size_t step = 256;
    for (uint64_t at = w->at; at < w->b->size; at += step, step = step < BYTES_WINDOW / 2 ? 2 * step : step) {
        step = step < w->b->size - at ? step : (size_t)(w->b->size - at);
        const uint8_t *p = bytes_at(w->b, at, step), *end = p ? memchr(p, '\n', step) : NULL;
        if (!end)
            continue;
        uint64_t stop = at + (uint64_t)(end - p);
        bool fits = line_fits(w, argument, stop - w->at);
        w->at = stop + 1;
        return fits;
    }
    return false;
}

static bool skip(struct walker *w, uint64_t n)
{
    if (n > w->b->size - w->at)
        return false;
    w->at += n;
    return true;
}

static bool take_length(struct walker *w, uint8_t size)
{
    const uint8_t *p = bytes_at(w->b, w->at, size);
    if (!p)
        return false;
    uint64_t n = size == 1 ? *p : size == 4 ? get_le32(p) : get_le64(p);
    return skip(w, size) && skip(w, n);
}

static bool take_argument(struct walker *w, const struct opcode *op)
{
    if (op->argument == ARG_NONE)
        return true;
    if (op->argument == ARG_SKIP)
        return skip(w, op->size);
    if (op->argument == ARG_LENGTH)
        return take_length(w, op->size);
    if (op->argument == ARG_NAMES && !take_line(w, ARG_NAMES))
        return false;
    return take_line(w, op->argument);
}

/* --- the stack ------------------------------------------------------------------------------------------------------ */

static bool to_mark(struct walker *w)
{
    if (w->marks == 0)
        return false;
    w->height = w->below[--w->marks];
    return true;
}

static bool act_on_stack(struct walker *w, uint8_t code, const struct opcode *op)
{
    if (op->act == ACT_MARK) {
        if (w->marks == PICKLE_MARKS) {
            w->out->limit = true;
            return false;
        }
        w->below[w->marks++] = w->height;
        w->height = 0;
        return true;
    }
    if (op->act == ACT_POP) {
        if (w->height == 0)
            return to_mark(w);
        w->height--;
        return true;
    }
    if (op->act == ACT_POP_MARK)
        return to_mark(w);
    if (op->act == ACT_INTO)
        return to_mark(w) && w->height >= op->need;
    if (op->act == ACT_TO_MARK) {
        bool called_is_there = code != 'o' || w->height > 0; /* OBJ calls the first item above the mark */
        if (!called_is_there || !to_mark(w))
            return false;
        w->height++;
        return true;
    }
    if (w->height < op->need)
        return false;
    w->height = w->height - op->need + (uint64_t)(op->need + op->delta);
    return true;
}

/* --- frames ---------------------------------------------------------------------------------------------------------- */

static void straddle(struct walker *w, uint64_t at)
{
    if (!w->out->straddle)
        w->out->straddle_at = at;
    w->out->straddle = true;
}

/* The reader in C takes a frame as one piece and goes on behind it: an opcode across its end is read as two things. */
static bool keep_frame(struct walker *w, uint64_t start, const struct opcode *op)
{
    if (op->act == ACT_FRAME) {
        const uint8_t *p = bytes_at(w->b, start + 1, 8);
        uint64_t len = p ? get_le64(p) : UINT64_MAX;
        if (w->frame_end > 0 && start < w->frame_end)
            straddle(w, start);
        if (len > w->b->size - w->at) { /* the reader in Python takes what there is, the one in C gives up */
            straddle(w, start);
            len = w->b->size - w->at;
        }
        w->frame_end = w->at + len;
        return true;
    }
    if (w->frame_end > 0 && start < w->frame_end && w->at > w->frame_end)
        straddle(w, start);
    return true;
}

/* --- the walk ---------------------------------------------------------------------------------------------------------- */

static void note(struct walker *w, const struct opcode *op, uint64_t at)
{
    struct pickle_walk *out = w->out;
    if ((op->effect == EFFECT_GLOBAL || op->effect == EFFECT_BOTH) && !out->global) {
        out->global = true;
        out->global_at = at;
    }
    if ((op->effect == EFFECT_CALL || op->effect == EFFECT_BOTH) && out->global && !out->call) {
        out->call = true;
        out->call_at = at;
    }
}

/* Persistent names and extension codes fail in every reader that was not made for them; such readers' files announce their
 * protocol. Without one, they are the first bytes of archives ("PK") and of Cyrillic text. */
static bool needs_protocol(uint8_t code)
{
    return code == 'P' || (code >= 0x82 && code <= 0x84);
}

/* One pickle, up to and with its STOP. */
static bool walk_one(struct walker *w)
{
    uint64_t first = w->at;
    w->height = 0;
    w->marks = 0;
    w->frame_end = 0;
    for (;;) {
        uint64_t start = w->at;
        const uint8_t *p = bytes_at(w->b, start, 1);
        if (!p)
            return false;
        uint8_t code = *p;
        const struct opcode *op = &opcodes[code];
        if (++w->out->ops > PICKLE_OPS) {
            w->out->limit = true;
            return false;
        }
        w->at++;
        if (!w->out->protocol && needs_protocol(code))
            return false;
        if (op->argument == ARG_BAD || !take_argument(w, op) || !keep_frame(w, start, op) || !act_on_stack(w, code, op))
            return false;
        if (op->act == ACT_PROTO && start == first) {
            p = bytes_at(w->b, start + 1, 1);
            w->out->protocol = w->out->protocol || (p && *p >= 2 && *p <= 5);
        }
        note(w, op, start);
        w->out->end = w->at;
        if (op->act == ACT_STOP)
            return true;
    }
}

struct pickle_walk pickle_walk(struct bytes *b, uint64_t offset)
{
    struct pickle_walk out = {.end = offset};
    struct walker w = {.b = b, .out = &out, .at = offset};
    while (w.at < b->size && walk_one(&w))
        out.complete = w.at == b->size;
    return out;
}
