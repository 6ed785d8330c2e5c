/* SPDX-License-Identifier: ISC
 * Starting the job's command: shared by the box child and the static agent. */
#ifndef SALLYPORT_BOX_EXEC_H
#define SALLYPORT_BOX_EXEC_H

/* Replaces the process by argv[0], which is looked for along PATH of envp (without one: /usr/bin:/bin) unless it has a
 * slash. Returns only where that failed: errno is the first that says more than that a place does not have it. */
void exec_search(char *const *argv, char *const *envp);

#endif
