/* SPDX-License-Identifier: ISC
 * macOS: Seatbelt's profile for pure computation: no opening, no network, no processes. sandbox_init(3) is marked
 * deprecated without a successor; it is what the system's own tools use. A child ends with its socket. */
#include <errno.h>
#include <sandbox.h>

#include "confine/confine_system.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

int system_lower(struct confinement *applied)
{
    (void)applied;
    return 0;
}

int system_filter(struct confinement *applied)
{
    char *why = NULL;
    if (sandbox_init(kSBXProfilePureComputation, SANDBOX_NAMED, &why) != 0) {
        sandbox_free_error(why);
        errno = ENOTSUP;
        return -1;
    }
    applied->seccomp = true;
    return 0;
}
