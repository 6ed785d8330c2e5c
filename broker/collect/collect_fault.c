/* SPDX-License-Identifier: ISC */
#include "collect/collect_fault.h"

#include <errno.h>
#include <stddef.h>

#include "base/compiler.h"

enum finding_code collect_fault(int error)
{
    static const struct {
        int error;
        enum finding_code code;
    } faults[] = {{ELOOP, FINDING_FILE_SYMLINK},      {ENOENT, FINDING_FILE_CHANGED},
                  {ENOTDIR, FINDING_FILE_CHANGED},    {ESTALE, FINDING_FILE_CHANGED},
                  {EXDEV, FINDING_FILE_OTHER_MOUNT},  {ENXIO, FINDING_FILE_NOT_REGULAR},
                  {ENODEV, FINDING_FILE_NOT_REGULAR}, {EAGAIN, FINDING_FILE_BUSY},
                  {EBUSY, FINDING_FILE_BUSY},         {ETXTBSY, FINDING_FILE_BUSY},
                  {EOVERFLOW, FINDING_FILE_TOO_LARGE}};
    for (size_t i = 0; i < ARRAY_LEN(faults); i++)
        if (faults[i].error == error)
            return faults[i].code;
    return FINDING_FILE_UNREADABLE;
}

bool collect_is_ours(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}
