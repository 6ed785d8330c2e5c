/* SPDX-License-Identifier: ISC
 * The threads of the broker: they copy and have things written, and judge nothing. */
#ifndef SALLYPORT_THREAD_H
#define SALLYPORT_THREAD_H

#include <pthread.h>

#include "base/compiler.h"

/* Starts one that gets no signals: those are for the thread that looks at them. 0 or -1 with errno. */
int thread_begin(pthread_t *out, void *(*run)(void *argument), void *argument) MUST_CHECK;

#endif
