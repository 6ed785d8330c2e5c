/* SPDX-License-Identifier: ISC
 * Running one job in a container of docker or podman, with the promises of the built-in runner: it is started held, its
 * scratch is opened by descriptor, the places that engines leave open are closed from outside, it is let go, killed by
 * process descriptor and id, and its scratch read after it is dead. Needs root on the daemon's own host. Linux only. */
#ifndef SALLYPORT_ENGINE_H
#define SALLYPORT_ENGINE_H

#include "base/compiler.h"
#include "box/box.h"
#include "engine/engine_client.h"

enum { ENGINE_FLAGS_BYTES = 4096 };

struct container_engine {
    struct engine_client client;
    char version[96];          /* client and server */
    char runtime[64];          /* "runc", ...; after the first container */
    char image[512];           /* as the operator named it */
    char image_id[80];         /* sha256:... of its configuration */
    char flags[ENGINE_FLAGS_BYTES]; /* of the last container with nothing left out, as one line */
    bool plain;                /* the common command line instead of ours: for showing what that leaves open */
    int agent;                 /* sallyport-hold, opened; owned */
    char fault[512];           /* escaped */
};

/* name: "docker" or "podman"; agent: taken. Asks for the daemon and the image. 0, or -1 with errno and fault: EAGAIN the
 * daemon is away or has not the image, ENOENT the client is not there, EINVAL no image's name. Close in either case. */
int engine_open(struct container_engine *e, const char *name, const char *image, int *agent) MUST_CHECK;
void engine_close(struct container_engine *e);

/* As box_check() and box_run(), and box_end() ends their results. context: a struct container_engine. */
int engine_check(void *context, const struct box_options *options, struct box_result *result) MUST_CHECK;
int engine_run(void *context, const struct box_options *options, struct box_result *result) MUST_CHECK;

#endif
