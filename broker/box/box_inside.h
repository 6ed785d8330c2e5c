/* SPDX-License-Identifier: ISC
 * Shared by the files of the box child. Any surprise is reported on the control socket and ends the process. */
#ifndef SALLYPORT_BOX_INSIDE_H
#define SALLYPORT_BOX_INSIDE_H

#include "box/box_plan.h"

/* Sends one message; fd < 0: none. Ends the process where the broker is gone. */
void inside_send(const struct box_plan *plan, enum box_message_kind kind, int value, enum control control,
                 const char *text, int fd);
/* Reports errno and what could not be done, and ends. */
NORETURN void inside_fail(const struct box_plan *plan, enum control control, const char *what);

/* The pinned object as this mount namespace sees it, compared with what the broker saw; for a file its directory. */
int inside_open_input(const struct box_plan *plan, const struct box_input *in);
/* Copies the contents of one directory into another. */
void inside_copy_tree(const struct box_plan *plan, int from, int to, unsigned depth);
/* Copies one plain file of a directory into another, under the same name. */
void inside_copy_file(const struct box_plan *plan, int from, int to, const char *name);
/* As root: a detached directory with the five device files; -1: it cannot be made here. */
int inside_own_devices(void);
/* Nothing that is mounted from here on is seen outside of our mount namespace. */
void inside_private_mounts(const struct box_plan *plan);
/* As root, before the id is given up: fills in each input's and the base's `lower`. */
void inside_pin_inputs(struct box_plan *plan);
/* The mount table. Before: a mount namespace and user namespace of our own. After: the new root is attached at a
 * staging directory, everything but /proc is in it, and *scratch is the scratch mount. Returns the root's descriptor. */
int inside_mounts(const struct box_plan *plan, int *scratch);
/* In the job's pid namespace: /proc, then the new root becomes the root. */
void inside_pivot(const struct box_plan *plan, int root);
/* Lowers the calling process and all it starts, for good: capabilities, no_new_privs. */
void inside_lower(const struct box_plan *plan);
/* Landlock for the job, where the kernel has it; says so on the control socket. */
void inside_landlock(const struct box_plan *plan);
/* The job's resource limits. */
void inside_limits(const struct box_plan *plan);

#endif
