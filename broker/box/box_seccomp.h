/* SPDX-License-Identifier: ISC
 * The job's system call filter. Pure but for inside_seccomp(). */
#ifndef SALLYPORT_BOX_SECCOMP_H
#define SALLYPORT_BOX_SECCOMP_H

#include "confine/confine_bpf.h"

/* Fails the program where there is no table for the architecture. */
void box_seccomp_program(enum bpf_arch arch, struct bpf_program *out);

struct box_plan;
/* Loads it into the calling process for good, or reports and ends. Needs no_new_privs. */
void inside_seccomp(const struct box_plan *plan);

#endif
