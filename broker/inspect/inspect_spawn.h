/* SPDX-License-Identifier: ISC
 * Finding and starting a worker program (broker side). */
#ifndef SALLYPORT_INSPECT_SPAWN_H
#define SALLYPORT_INSPECT_SPAWN_H

#include <sys/types.h>

#include "base/compiler.h"

/* Opens the program `name` in `libexec`, or (NULL) beside the running executable, else in libexecdir. It must be a regular
 * file of root or ours that nobody else can write to. A descriptor, or -1 with errno (ENOENT, EPERM). */
int spawn_find(const char *libexec, const char *name) MUST_CHECK;
/* Executes it by descriptor with a fixed environment. *control is our end of its socket. rules_fd: -1 or borrowed. The
 * process id, or -1 with errno. */
pid_t spawn_worker(int program, const char *name, int rules_fd, int *control) MUST_CHECK;

#endif
