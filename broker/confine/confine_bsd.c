/* SPDX-License-Identifier: ISC
 * OpenBSD: pledge(2). FreeBSD: capability mode, capsicum(4). Elsewhere there is no filter, and that is said: the broker
 * then ends with exit 4. */
#include <errno.h>
#include <unistd.h>
#ifdef __FreeBSD__
#include <sys/capsicum.h>
#endif

#include "confine/confine_system.h"

int system_lower(struct confinement *applied)
{
    (void)applied;
    return 0;
}

int system_filter(struct confinement *applied)
{
#if defined(__OpenBSD__)
    if (pledge("stdio recvfd", NULL) != 0)
        return -1;
#elif defined(__FreeBSD__)
    if (cap_enter() != 0)
        return -1;
#else
    errno = ENOTSUP;
    return -1;
#endif
    applied->seccomp = true;
    return 0;
}
