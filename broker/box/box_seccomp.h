/* SPDX-License-Identifier: ISC
 * The job's system call filter. Pure but for inside_seccomp(). */
#ifndef SALLYPORT_BOX_SECCOMP_H
#define SALLYPORT_BOX_SECCOMP_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum box_arch { BOX_ARCH_NONE = 0, BOX_ARCH_X86_64, BOX_ARCH_ARM64 };

/* The architecture this program was built for; BOX_ARCH_NONE: there is no table for it. */
enum box_arch box_seccomp_arch(void);
/* Writes the program into out; its length, or 0 where it does not fit or there is no table. */
size_t box_seccomp_program(enum box_arch arch, struct sock_filter *out, size_t max);

struct box_plan;
/* Loads it into the calling process for good, or reports and ends. Needs no_new_privs. */
void inside_seccomp(const struct box_plan *plan);

#endif
