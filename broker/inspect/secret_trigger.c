/* SPDX-License-Identifier: ISC
 * Triggers rewritten for the database, and the gates that stand in for what was cut. Reads rules, which are ours or the
 * operator's. Whatever is not understood is left as it is: a rewritten trigger may hit more often, never less. Pure. */
#include "inspect/secret_trigger.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN_MOST = 20,  /* measured: a longer run at the end makes the library choose shorter literals and a slower search */
    SIGN_LEAST = 3, /* bytes of a sign: a shorter literal halves the speed of the whole database */
    SIGN_MOST = 8,  /* text is full of short signs; a long one is rare enough for the automaton */
    WAIT_LEAST = 64,
    GATE_LEAST = 4, /* bytes that a gate behind words asks for: it is shut before nearly all of a text */
    NEED_WINDOW = 4096, /* of what a rule looks at: less is faster looked at than asked about */
    NEED_LEAD = 256,
    NEED_RUN = 8,       /* bytes in a row that ordinary text is not full of */
    FORM_CLASSES = 3,
    CLASS_MEMBERS = 16
};

/* --- elements of an expression ----------------------------------------------------------------------- */

/* One character of an expression, escaped or plain; returns behind it, or NULL where it is more than a character. */
static const char *read_char(const char *p, unsigned *c)
{
    if (*p != '\\') {
        *c = (uint8_t)*p;
        return *p ? p + 1 : NULL;
    }
    if (p[1] == 'x' && isxdigit((uint8_t)p[2]) && isxdigit((uint8_t)p[3])) {
        const char digits[3] = {p[2], p[3], 0};
        *c = (unsigned)strtoul(digits, NULL, 16);
        return p + 4;
    }
    const char *known = p[1] ? strchr("n\nt\tr\r", p[1]) : NULL;
    *c = known && isalpha((uint8_t)p[1]) ? (uint8_t)known[1] : (uint8_t)p[1];
    return p[1] && (known || !isalnum((uint8_t)p[1])) ? p + 2 : NULL;
}

/* A class in brackets; returns behind it, or NULL where it is not understood. */
static const char *read_class(const char *p, bool class[256])
{
    bool not = p[1] == '^';
    memset(class, 0, 256);
    p += not ? 2 : 1;
    if (*p == ']') /* here it is a member and no end */
        return NULL;
    while (*p != ']') {
        unsigned from, to;
        if (p[0] == '\\' && p[1] == 's') {
            for (const char *s = " \t\n\v\f\r"; *s; s++)
                class[(uint8_t)*s] = true;
            p += 2;
            continue;
        }
        if (*p == '[' || !(p = read_char(p, &from)))
            return NULL;
        to = from;
        if (p[0] == '-' && p[1] != ']' && !(p = read_char(p + 1, &to)))
            return NULL;
        for (; from <= to; from++)
            class[from & 255] = true;
    }
    for (unsigned i = 0; not && i < 256; i++)
        class[i] = !class[i];
    return p + 1;
}

/* {n}, {n,m} or a question mark; one where there is none. NULL: another quantifier. */
static const char *read_repeat(const char *p, unsigned *least, unsigned *most)
{
    char *end;
    *least = *most = 1;
    if (*p == '?') {
        *least = 0;
        return strchr("?+", p[1] ? p[1] : ' ') ? NULL : p + 1;
    }
    if (*p && strchr("*+", *p))
        return NULL;
    if (*p != '{')
        return p;
    *least = *most = (unsigned)strtoul(p + 1, &end, 10);
    if (*end == ',')
        *most = (unsigned)strtoul(end + 1, &end, 10);
    return *end == '}' && *least <= *most && *most > 0 && *most < RULE_TRIGGER_WIDTH && !strchr("?+", end[1] ? end[1] : ' ')
               ? end + 1
               : NULL;
}

/* --- gates -------------------------------------------------------------------------------------------- */

static const char *read_step(const char *p, struct gate_step *step)
{
    unsigned c;
    memset(step, 0, sizeof(*step));
    if (*p == '[') {
        p = read_class(p, step->class);
    } else {
        if (!*p || strchr("()|.^$*+?{", *p) || !(p = read_char(p, &c)))
            return NULL;
        step->class[c & 255] = true;
    }
    return p ? read_repeat(p, &step->least, &step->most) : NULL;
}

static bool share(const struct gate_step *a, const struct gate_step *b)
{
    for (size_t i = 0; i < sizeof(a->class); i++)
        if (a->class[i] && b->class[i])
            return true;
    return false;
}

/* A step of variable length is decided at once where nothing that may follow it can be part of it. */
static bool is_decided(const struct gate_step *step, const struct gate_step *end)
{
    for (const struct gate_step *next = step + 1; step->least < step->most && next < end; next++) {
        if (share(step, next))
            return false;
        if (next->least > 0)
            break;
    }
    return true;
}

static const char ASSIGNS[] = "(?:=>|:=|[:=])";

static void set_step(struct gate_step *step, const char *members, unsigned least)
{
    memset(step, 0, sizeof(*step));
    for (; *members; members++)
        step->class[(uint8_t)*members] = true;
    step->least = least;
    step->most = 1;
}

/* The second byte of what assigns may be the first of the value instead. Greedy, it costs the value one byte, and nothing
 * between them takes another: then the value, with which the trigger ends, is asked for one byte less. */
static bool settle_value(struct secret_gate *gate, size_t second)
{
    struct gate_step *value = &gate->steps[gate->n - 1];
    for (const struct gate_step *step = &gate->steps[second + 1]; step < value; step++)
        if (step->least > 0 || share(step, &gate->steps[second]))
            return false;
    if (second + 1 >= gate->n || value->least < 2)
        return false;
    value->least--;
    return true;
}

/* Steps from p to the end of the trigger; false where there is one that is not understood or not decided. */
static bool read_steps(const char *p, struct secret_gate *gate)
{
    size_t second = GATE_STEPS;
    for (gate->n = 0; *p; gate->n++) {
        if (gate->n + 1 >= GATE_STEPS)
            return false;
        if (second == GATE_STEPS && strncmp(p, ASSIGNS, strlen(ASSIGNS)) == 0) {
            p += strlen(ASSIGNS);
            set_step(&gate->steps[gate->n++], ":=", 1);
            second = gate->n;
            set_step(&gate->steps[second], "=>", 0);
        } else if (!(p = read_step(p, &gate->steps[gate->n])))
            return false;
    }
    for (size_t i = 0; i < gate->n; i++)
        if (i != second && !is_decided(&gate->steps[i], gate->steps + gate->n))
            return false;
    return gate->n > 0 && (second == GATE_STEPS || settle_value(gate, second));
}

/* Length of the sign that is words, "(?i:secret|api[_-]?key)"; 0 where there is none or a word of few letters. */
static size_t words_length(const char *p)
{
    unsigned depth = 1, letters = 0;
    const char *start = p;
    bool fold = strncmp(p, "(?i:", 4) == 0;
    if (!fold && strncmp(p, "(?:", 3) != 0)
        return 0;
    for (p += fold ? 4 : 3; *p && depth > 0; p++) {
        bool class = *p == '[', maybe = p[1] == '?';
        if (class && !(p = strchr(p, ']')))
            return 0;
        if ((depth == 1 && *p == '|') || *p == ')') {
            if (depth == 1 && letters < SIGN_LEAST)
                return 0;
            letters = depth == 1 ? 0 : letters;
            depth -= *p == ')';
        } else if (*p == '(' && strncmp(p, "(?:", 3) == 0) {
            depth++;
            p += 2;
        } else if (!class && *p != '?' && *p != ' ' && *p != '-' && !(isalpha((uint8_t)*p) || (*p == '|' && depth > 1)))
            return 0;
        letters += !class && depth == 1 && !maybe && isalpha((uint8_t)*p);
    }
    return depth == 0 ? (size_t)(p - start) : 0;
}

/* The same, where the rest asks for enough. Many words cost the automaton more for each place of one than the gate does. */
static size_t split_words(const char *trigger, struct secret_gate *gate)
{
    size_t n = words_length(trigger), asked = 0;
    if (n == 0 || trigger[n] != '[' || !read_steps(trigger + n, gate))
        return 0;
    for (size_t i = 0; i < gate->n; i++)
        asked += gate->steps[i].least;
    return asked >= GATE_LEAST ? n : 0;
}

/* Length of the sign in front of a long wait, the gate being the rest; 0 where the trigger is none of that kind. */
static size_t split_sign(const char *trigger, struct secret_gate *gate)
{
    size_t n = 0;
    while (n <= SIGN_MOST && trigger[n] && !strchr("\\[](){}|.^$*+?", trigger[n]))
        n++;
    if (n == 0 && trigger[0] == '(')
        return split_words(trigger, gate);
    if (n < SIGN_LEAST || n > SIGN_MOST || trigger[n] != '[' || !read_steps(trigger + n, gate))
        return 0;
    return gate->n > 1 && gate->steps[0].most >= gate->steps[0].least + WAIT_LEAST ? n : 0;
}

bool secret_gate_open(const struct secret_gate *gate, const uint8_t *p, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < gate->n; i++) {
        const struct gate_step *step = &gate->steps[i];
        unsigned n = 0;
        for (; n < step->most && at < len && step->class[p[at]]; at++)
            n++;
        if (n < step->least)
            return at == len;
    }
    return true;
}

/* --- expressions ---------------------------------------------------------------------------------------- */

/* The end of one alternative, when it is the repeat of a class: no longer than tells a token from a word. */
static void cap_run(char *out, size_t *len)
{
    size_t at = *len;
    if (at < 4 || out[--at] != '}')
        return;
    while (at > 0 && (isdigit((uint8_t)out[at - 1]) || out[at - 1] == ','))
        at--;
    if (at < 2 || out[at - 1] != '{' || out[at - 2] != ']')
        return;
    unsigned long least = strtoul(out + at, NULL, 10);
    if (least > 0)
        *len = at + (size_t)snprintf(out + at, TRIGGER_TEXT - at, "%lu}", least < RUN_MOST ? least : RUN_MOST);
}

/* Copies the trigger, each of its alternatives with a capped end. Inside groups nothing is touched. */
static void cap_runs(const char *p, char out[TRIGGER_TEXT])
{
    size_t n = 0;
    unsigned depth = 0;
    bool class = false;
    if (strstr(p, "\\Q") || strstr(p, "(?#")) { /* signs that are none */
        snprintf(out, TRIGGER_TEXT, "%s", p);
        return;
    }
    for (; *p && n + 2 < RULE_TEXT_MAX; p++) {
        if (*p == '|' && !class && depth == 0)
            cap_run(out, &n);
        if (!class)
            depth += *p == '(' ? 1u : *p == ')' ? -1u : 0u;
        bool opens = *p == '[' && !class;
        class = opens || (class && *p != ']');
        out[n++] = *p;
        if (opens && p[1] == '^')
            out[n++] = *++p;
        if ((*p == '\\' || (opens && p[1] == ']')) && p[1])
            out[n++] = *++p;
    }
    cap_run(out, &n);
    out[n] = '\0';
}

/* A trigger that starts a token asks for its left guard already, which halves the work on text. What it lets through
 * is more than rule_left_clear() does: the letters that end \n, \r, \t and a terminal colour. One that is written out in
 * many forms does without: the database would grow by half. */
static const char *guard_of(const struct rule *rule, const char *text)
{
    static const char *const guards[GUARD_COUNT] = {
        [GUARD_NONE] = "",
        [GUARD_WORD] = "(?:^|[^0-9A-Za-lo-qsu-z_])",
        [GUARD_BASE64] = "(?:^|[^0-9A-Za-lo-qsu-z_+/-])",
    };
    return rule->lead > 0 || secret_trigger_forms(text) > 1 ? "" : guards[rule->left];
}

static const char *trigger_of(const struct rule *rule)
{
    return rule->trigger ? rule->trigger : rule->pattern;
}

bool secret_trigger_gate(const struct rule *rule, struct secret_gate *gate)
{
    return split_sign(trigger_of(rule), gate) > 0;
}

bool secret_trigger_share(const struct rule *a, const struct rule *b)
{
    struct secret_gate unused;
    const char *p = trigger_of(a), *q = trigger_of(b);
    size_t same = 0, n;
    while (p[same] && p[same] == q[same])
        same++;
    return same >= SIGN_LEAST + (p[0] == '(' ? strlen("(?:)") : 0) && (n = split_sign(p, &unused)) > 0 && n <= same &&
           split_sign(q, &unused) == n && guard_of(a, p) == guard_of(b, q);
}

bool secret_trigger_shape(const struct rule *rule, struct secret_gate *shape)
{
    char text[TRIGGER_TEXT];
    cap_runs(trigger_of(rule), text);
    if (!read_steps(text, shape))
        return false;
    for (size_t i = 0; i < shape->n; i++)
        if (shape->steps[i].least != shape->steps[i].most)
            return false;
    return true;
}

void secret_trigger_expression(const struct rule *rule, char out[TRIGGER_TEXT])
{
    const char *trigger = trigger_of(rule);
    char text[TRIGGER_TEXT];
    struct secret_gate unused;
    size_t sign = split_sign(trigger, &unused);
    cap_runs(trigger, text);
    if (sign > 0)
        text[sign] = '\0';
    const char *guard = guard_of(rule, text);
    snprintf(out, TRIGGER_TEXT, guard[0] ? "%s(?:%s)" : "%s%s", guard, text);
}

/* --- forms ------------------------------------------------------------------------------------------------ */

struct head {
    char members[FORM_CLASSES][CLASS_MEMBERS];
    size_t n[FORM_CLASSES];
    const char *rest;
};

static const char *read_members(const char *p, char members[CLASS_MEMBERS], size_t *n)
{
    bool class[256];
    const char *end = *p == '[' ? read_class(p, class) : NULL;
    *n = 0;
    if (!end || (*end && strchr("{?*+", *end)))
        return NULL;
    for (unsigned c = 0; c < 256; c++)
        if (class[c]) {
            if (*n == CLASS_MEMBERS || !isalnum((int)c))
                return NULL;
            members[(*n)++] = (char)c;
        }
    return end;
}

/* Three classes and no alternative of any kind behind them. */
static bool read_head(const char *expression, struct head *head)
{
    head->rest = expression;
    for (size_t i = 0; i < FORM_CLASSES; i++)
        if (!(head->rest = read_members(head->rest, head->members[i], &head->n[i])))
            return false;
    return !strpbrk(head->rest, "(|") && head->n[0] * head->n[1] * head->n[2] <= TRIGGER_FORMS;
}

size_t secret_trigger_forms(const char *expression)
{
    struct head head;
    return read_head(expression, &head) ? head.n[0] * head.n[1] * head.n[2] : 1;
}

char *secret_trigger_form(const char *expression, size_t nth)
{
    struct head head;
    char *form = strdup(expression);
    if (!form || !read_head(expression, &head))
        return form;
    size_t a = nth % head.n[0], b = nth / head.n[0] % head.n[1], c = nth / head.n[0] / head.n[1] % head.n[2];
    form[0] = head.members[0][a];
    form[1] = head.members[1][b];
    form[2] = head.members[2][c];
    memmove(form + FORM_CLASSES, head.rest, strlen(head.rest) + 1);
    return form;
}

/* --- needs -------------------------------------------------------------------------------------------------- */

/* Behind the group or class at p, NULL: it has no end. */
static const char *skip_group(const char *p)
{
    unsigned depth = 0;
    for (bool class = false; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (class)
            class = *p != ']';
        else if (*p == '[') {
            class = true;
            p += p[1] == '^';
            p += p[1] == ']';
        } else if (*p == '(')
            depth++;
        else if (*p == ')')
            depth -= depth > 0;
        if (depth == 0 && !class)
            return p + 1;
    }
    return NULL;
}

/* Behind the quantifier at p, if there is one, with the fewest times that it asks for. */
static const char *skip_repeat(const char *p, unsigned long *least)
{
    bool counted = *p == '{' && isdigit((uint8_t)p[1]);
    *least = *p == '?' || *p == '*' ? 0 : counted ? strtoul(p + 1, NULL, 10) : 1;
    if (counted)
        p += strcspn(p, "}");
    else if (!*p || !strchr("?*+", *p))
        return p;
    p += *p != 0;
    return p + (*p == '?' || *p == '+');
}

static const char LETTERS[] = "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ^";

/* One piece of a sequence: a class and how often it is asked for, or, of a group in plain parentheses that is not optional and
 * holds no choice, the class that it begins with. Returns behind it, NULL: not understood. */
static const char *read_piece(const char *p, bool class[256], unsigned long *least)
{
    unsigned long times;
    const char *end = *p == '(' || *p == '[' ? skip_group(p) : p + (*p == '\\' && p[1] ? 2 : 1);
    bool group = *p == '(' && p[1] == '[';
    *least = 0;
    if (!end || strncmp(p, "(*", 2) == 0 || (strncmp(p, "(?", 2) == 0 && p[2 + strspn(p + 2, LETTERS)] == ')'))
        return NULL; /* a verb, or options for what follows */
    const char *behind = skip_repeat(end, &times);
    const char *inner = *p == '[' || group ? read_class(p + group, class) : NULL;
    if (*p == '[' && !inner)
        return NULL;
    if (inner && group && times > 0 && !memchr(inner, '|', (size_t)(end - inner)))
        skip_repeat(inner, least);
    if (inner && !group)
        *least = times;
    if (*p == ';') {
        memset(class, 0, 256);
        class[';'] = true;
        *least = times;
    }
    return behind;
}

static bool serves(const bool class[256], unsigned long least)
{
    return least <= RULE_TEXT_MAX && (least >= NEED_RUN || (least > 0 && class[';'] && !class['a'] && !class[' ']));
}

bool secret_trigger_need(const struct rule *rule, struct gate_step *need)
{
    const char *p = rule->pattern, *end = p + strlen(p);
    bool fold = strncmp(p, "(?i:", 4) == 0 && skip_group(p) == end, class[256];
    memset(need, 0, sizeof(*need));
    if ((rule->max < NEED_WINDOW && rule->lead < NEED_LEAD) || strstr(p, "\\Q") || strstr(p, "(?#") || strstr(p, "[:"))
        return false;
    p += fold ? 4 : 0;
    end -= fold ? 1 : 0;
    while (p < end) {
        unsigned long least;
        if (*p == '|' || !(p = read_piece(p, class, &least)) || p > end)
            return false;
        if (!serves(class, least) || least <= need->least)
            continue;
        for (unsigned c = 0; c < 256; c++)
            need->class[c] = class[c] || (fold && isalpha((int)c) && class[c ^ 0x20]);
        need->least = need->most = (unsigned)least;
    }
    return need->least > 0;
}

size_t secret_need_find(const struct gate_step *need, const uint8_t *p, size_t from, size_t len)
{
    size_t run = 0;
    for (size_t i = from; i < len; i++) {
        run = need->class[p[i]] ? run + 1 : 0;
        if (run == need->least)
            return i + 1 - run;
    }
    return len;
}
