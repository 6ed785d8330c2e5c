/* SPDX-License-Identifier: ISC */
#include "base/contract.h"

bool accept_exit_has(const struct run *run, int status)
{
    if (status < 0 || status > 255)
        return false;
    return (run->accept_exit[status / 8] >> (status % 8)) & 1;
}
