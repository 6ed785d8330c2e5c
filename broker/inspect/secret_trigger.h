/* SPDX-License-Identifier: ISC
 * From a rule's trigger to what the database is asked for. The database is fast while every expression of it holds a
 * literal of three bytes or more and nothing long hangs behind a literal that text is full of; this is where the
 * triggers are brought into that form. Pure. */
#ifndef SALLYPORT_SECRET_TRIGGER_H
#define SALLYPORT_SECRET_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/ruletable.h"

enum {
    TRIGGER_TEXT = RULE_TEXT_MAX + 64,
    TRIGGER_FORMS = 128, /* expressions of one trigger that holds no literal */
    GATE_STEPS = 12
};

/* What must follow the sign of a trigger, step by step: bytes of a class, at least and at most so many. */
struct secret_gate {
    size_t n;
    struct gate_step {
        bool class[256];
        unsigned least, most;
    } steps[GATE_STEPS];
};

/* Is the rule's trigger a sign with a long wait behind it ("://", up to a hundred bytes, ":")? Its expression is then the
 * sign and the gate the rest; *gate means nothing otherwise. */
bool secret_trigger_gate(const struct rule *rule, struct secret_gate *gate);
/* Have two rules the same sign? Then one expression serves both. Asked of each pair at start-up: nearly all differ within
 * their first word, and cost no more than that. */
bool secret_trigger_share(const struct rule *a, const struct rule *b);
/* The trigger of a fixed width, with a capped end and without its guard, class by class; false: it is none. */
bool secret_trigger_shape(const struct rule *rule, struct secret_gate *shape);
/* The expression for the rule's trigger: with its left guard, and cut where its end only says how long a match is. */
void secret_trigger_expression(const struct rule *rule, char out[TRIGGER_TEXT]);
/* An expression that starts with three small classes, written out: how many there are (1: itself). */
size_t secret_trigger_forms(const char *expression);
/* The nth of them, to be freed; NULL: out of memory. */
char *secret_trigger_form(const char *expression, size_t nth) MUST_CHECK;

/* What every match of the rule's pattern holds: at least `least` bytes of the class in a row. Asked for where a window is
 * large and the matcher slow to see that it is not there; false: nothing is known of this pattern. */
bool secret_trigger_need(const struct rule *rule, struct gate_step *need);
/* Where in [from, len) such bytes begin; len: nowhere. */
size_t secret_need_find(const struct gate_step *need, const uint8_t *p, size_t from, size_t len);

/* May what must follow the sign stand at p? Never false for what does, as far as len reaches. */
bool secret_gate_open(const struct secret_gate *gate, const uint8_t *p, size_t len);

#endif
