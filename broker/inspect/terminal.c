/* SPDX-License-Identifier: ISC
 * In a worker child: hostile terminal text. What is not in a table of harmless sequences acts, known or not. */
#include "inspect/terminal.h"

#include <string.h>

enum { PARAMETERS = 64 };

enum effect { EFFECT_COLOUR = 0, EFFECT_MOVE, EFFECT_CONTROL, EFFECT_ACT };

static void say(struct terminal *t, enum effect effect, uint64_t at, const char *message)
{
    enum finding_level level = t->log ? LEVEL_NOTE : LEVEL_WARN;
    if (effect == EFFECT_COLOUR && t->log)
        return;
    tally_add(t->tally, FINDING_ACTIVE_TERMINAL_ESCAPE, effect == EFFECT_ACT && !t->part ? LEVEL_REFUSE : level, at, message);
}

/* ESC [ ? n h: cursor, wrap, blink and frame marks are what progress bars use. */
static bool harmless_mode(const char *parameters)
{
    static const char *const modes[] = {"?25", "?7", "?12", "?2026"};
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        if (strcmp(parameters, modes[i]) == 0)
            return true;
    return false;
}

/* SGR 8 shows nothing of what follows. 38, 48 and 58 take their colour along: "5;8" is no 8. */
static bool conceals(const char *p)
{
    while (*p) {
        size_t n = strcspn(p, ";");
        bool colour = n >= 2 && (strncmp(p, "38", 2) == 0 || strncmp(p, "48", 2) == 0 || strncmp(p, "58", 2) == 0);
        const char *digits = p + strspn(p, "0");
        if (*digits == '8' && digits + 1 == p + n)
            return true;
        p += n + (p[n] == ';');
        if (colour && n == 2) { /* with colons it is one parameter */
            size_t skip = strncmp(p, "5", 1) == 0 ? 2 : strncmp(p, "2", 1) == 0 ? 4 : 0;
            for (; skip > 0 && *p; skip--) {
                n = strcspn(p, ";");
                p += n + (p[n] == ';');
            }
        }
    }
    return false;
}

static enum effect sequence_effect(const char *parameters, bool intermediate, int final)
{
    bool private = parameters[0] >= '<';
    if (intermediate)
        return EFFECT_ACT;
    if (private) {
        bool erase = parameters[0] == '?' && (final == 'J' || final == 'K');
        bool mode = (final == 'h' || final == 'l') && harmless_mode(parameters);
        return erase || mode ? EFFECT_MOVE : EFFECT_ACT;
    }
    if (final == 'm')
        return conceals(parameters) ? EFFECT_ACT : EFFECT_COLOUR;
    return strchr("ABCDEFGHIJKLMPSTXZ@`adefgsu", final) ? EFFECT_MOVE : EFFECT_ACT;
}

/* Behind "ESC [". */
static void control_sequence(struct terminal *t, struct scan *s, uint64_t at)
{
    char parameters[PARAMETERS + 1];
    size_t n = 0;
    bool intermediate = false;
    int c;
    while ((c = scan_peek(s)) >= 0x20 && c <= 0x3F && n < PARAMETERS) {
        intermediate = intermediate || c < 0x30;
        parameters[n++] = (char)c;
        scan_next(s);
    }
    parameters[n] = '\0';
    if (c < 0x40 || c > 0x7E) {
        say(t, EFFECT_ACT, at, "a control sequence that does not end");
        return;
    }
    scan_next(s);
    enum effect effect = sequence_effect(parameters, intermediate, c);
    say(t, effect, at,
        effect == EFFECT_COLOUR ? "colours" : effect == EFFECT_MOVE ? "the cursor is moved or lines are erased"
                                                                    : "a control sequence changes or questions the terminal");
}

static void designate(struct terminal *t, struct scan *s, uint64_t at)
{
    scan_next(s);
    int c = scan_next(s);
    if (c == 'B') /* back to ASCII: part of what resets colours */
        say(t, EFFECT_COLOUR, at, "colours");
    else
        say(t, c < 0 ? EFFECT_ACT : EFFECT_CONTROL, at, "switches the character set");
}

static void escape(struct terminal *t, struct scan *s, uint64_t at)
{
    int c = scan_peek(s);
    if (c == '[') {
        scan_next(s);
        control_sequence(t, s, at);
    } else if (c == '(' || c == ')' || c == '$') {
        designate(t, s, at);
    } else if (c > 0 && strchr("78MDEH=>", c)) {
        scan_next(s);
        say(t, EFFECT_MOVE, at, "the cursor is moved or lines are erased");
    } else if (c > 0 && strchr("]P_^Xk", c)) {
        scan_next(s);
        say(t, EFFECT_ACT, at, "a command to the terminal (title, clipboard, link or the like)");
    } else {
        say(t, EFFECT_ACT, at, "an escape that acts on the terminal");
    }
}

/* A carriage return that is no line end lets text overwrite text. */
static void carriage_return(struct terminal *t, struct scan *s, uint64_t at)
{
    while (scan_peek(s) == '\r')
        scan_next(s);
    int c = scan_peek(s);
    if (c != '\n' && c >= 0)
        say(t, EFFECT_MOVE, at, "text is overwritten by a carriage return");
}

void terminal_control(struct terminal *t, struct scan *s)
{
    uint64_t at = scan_offset(s);
    int c = scan_next(s);
    if (c == 0x1B)
        escape(t, s, at);
    else if (t->off)
        return;
    else if (c == '\r')
        carriage_return(t, s, at);
    else if (c == '\b')
        say(t, EFFECT_MOVE, at, "text is overwritten by a backspace");
    else
        say(t, EFFECT_CONTROL, at, "control characters");
}

/* Those that xterm lists, and terminals that follow it, do something on. The others are what is left of text in Windows'
 * code page that was taken for Latin-1. */
void terminal_c1(struct terminal *t, uint32_t code, uint64_t at)
{
    static const char acting[] = "\x84\x88\x8D\x8E\x8F\x90\x96\x97\x98\x9A\x9B\x9C\x9D\x9E\x9F";
    if (t->off)
        return;
    if (strchr(acting, (char)code)) /* 0x85, next line: some readers break the line, none acts */
        say(t, EFFECT_ACT, at, "a C1 control acts on the terminal");
    else
        say(t, EFFECT_CONTROL, at, "control characters");
}
