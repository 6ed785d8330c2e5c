/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "confine/confine_landlock.h"
#include "confine/confine_seccomp.h"
#include "confine/confine_system.h"

int system_lower(struct confinement *applied)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    int abi = landlock_deny_all();
    if (abi < 0)
        return -1;
    applied->landlock_abi = abi;
    return 0;
}

int system_filter(struct confinement *applied)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return -1;
    if (getppid() != applied->parent) { /* it ended before the signal was asked for */
        errno = ESRCH;
        return -1;
    }
    if (seccomp_worker() != 0)
        return -1;
    applied->seccomp = true;
    return 0;
}
