/* SPDX-License-Identifier: ISC
 * What engines have no flags for, done in the held container's own mount namespace by a child of the broker: inputs behind a
 * lower-only overlay, /tmp and /dev/shm into the scratch, no view of the host's kernel. */
#ifndef SALLYPORT_ENGINE_DRESS_H
#define SALLYPORT_ENGINE_DRESS_H

#include "engine/engine_job.h"

/* 0; 1 a control is missing and the result says which; -1 with errno. */
int engine_dress(struct engine_job *job) MUST_CHECK;

#endif
