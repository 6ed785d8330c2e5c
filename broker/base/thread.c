/* SPDX-License-Identifier: ISC */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>

int thread_begin(pthread_t *out, void *(*run)(void *argument), void *argument)
{
    sigset_t every, before;
    sigfillset(&every);
    int rc = pthread_sigmask(SIG_SETMASK, &every, &before);
    if (rc == 0) {
        rc = pthread_create(out, NULL, run, argument);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = rc;
    return rc == 0 ? 0 : -1;
}
