/* SPDX-License-Identifier: ISC
 * What may come next from an agent on another host, and what it came to. Pure: the caller reads frames, hands each in, and
 * does with its bytes what the return says. Once it is broken nothing more is taken. */
#ifndef SALLYPORT_FAR_SESSION_H
#define SALLYPORT_FAR_SESSION_H

#include "engine/engine.h"
#include "engine/far_wire.h"

enum far_phase {
    FAR_COMES_UP = 0, /* HELLO or FAULT */
    FAR_IS_HELD,      /* nothing: the broker's GO is next */
    FAR_RUNS,         /* OUT, ERR, END */
    FAR_HAS_ENDED,    /* QUIET */
    FAR_LISTS,        /* ENTRY, LISTED */
    FAR_LISTED_ALL,   /* nothing: the broker's WANT or BYE is next */
    FAR_SENDS,        /* FILE or DONE for the oldest WANT */
    FAR_SENDS_DATA,   /* DATA, DONE */
    FAR_BROKEN
};

struct far_session {
    enum far_phase phase;
    struct far_hello hello;
    struct far_end end;
    struct far_quiet quiet;
    uint32_t fault_control, fault_error; /* of FAULT */
    struct engine_take *take;  /* NULL: entries are checked and not kept */
    uint64_t visited_max;
    uint64_t listed, name_bytes;
    size_t asked, answered;    /* WANTs sent and answered; the entry of each stands in order */
    size_t *order;             /* borrowed: indices of the wanted entries */
    uint64_t got, spooled;     /* of the file that is sent; of all */
    char fault[160];           /* why it is broken, or the agent's words */
};

/* Judges one frame. 0, or -1: it must not come now or says what it must not, the phase is FAR_BROKEN and fault says why.
 * Of FAR_OUT, FAR_ERR and FAR_DATA the caller then writes the payload down. */
int far_accept(struct far_session *s, const struct far_frame *f) MUST_CHECK;
/* The caller's own word that it goes on: GO or the next WANT was sent. */
void far_let_go(struct far_session *s);
void far_asked(struct far_session *s);

#endif
