/* SPDX-License-Identifier: ISC
 * What makes one of the two worker programs: sallyport-inspect (worker_first.c) or sallyport-second (worker_second.c). */
#ifndef SALLYPORT_WORKER_H
#define SALLYPORT_WORKER_H

#include "base/wire.h"
#include "confine/confine.h"
#include "inspect/inspector.h"

/* Beside the table `inspectors`. */
struct worker_program {
    const char *name;
    void (*stream)(struct inspection *in);         /* reads a spooled tar stream; NULL: this program does not */
    void (*libraries)(char *out, size_t size);     /* "name version" pairs, comma-separated; for the record */
    void (*warm)(void);                            /* in the parent, before the second child; NULL: nothing to do */
};


extern const struct worker_program worker_program;

/* Descriptors of a worker: 0 to 2 lead nowhere, 3 is the socket (a child has its own there), 4 extra rules. */
enum { WORKER_SOCKET = 3, WORKER_RULES = 4 };

/* How a worker ends where it does not just end. For whoever debugs it; the broker only sees that DONE is missing. */
enum worker_exit { WORKER_USAGE = 2, WORKER_SETUP = 70, WORKER_CONFINE = 71, WORKER_WIRE = 72, WORKER_TASK = 73 };

/* The life of a child: lock ourselves, then serve what comes on the socket (taken). */
NORETURN void worker_child(int *socket, struct confinement applied);

#endif
