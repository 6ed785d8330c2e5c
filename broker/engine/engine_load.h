/* SPDX-License-Identifier: ISC
 * Carrying the agent and the inputs to a daemon on another host: a volume for each place in the container, filled through a
 * second container that is created and never started, so that nothing of the image runs before the agent. */
#ifndef SALLYPORT_ENGINE_LOAD_H
#define SALLYPORT_ENGINE_LOAD_H

#include "engine/engine_job.h"

/* job->engine->load holds these inputs: what is there already is used again, unless a job could write to it. 0 or -1 with
 * errno and result->fault. */
int load_inputs(struct engine_job *job) MUST_CHECK;
/* The words that mount it. */
void load_words(struct engine_job *job, struct client_words *w);
/* The words that tell the agent where they are. */
void load_places(struct engine_job *job, struct client_words *w);
/* Removes the volumes. False: one is left. */
bool load_drop(struct container_engine *e);
/* Removes what brokers of this host left that are dead. */
void load_clear_leftovers(struct container_engine *e);
/* "org.sallyport.host=...": whose containers and volumes these are; pid numbers mean nothing on another host. */
const char *load_host_label(char out[96]);

#endif
