/* SPDX-License-Identifier: ISC
 * Running one job in a container of docker or podman, with the promises of the built-in runner: it is started held, its
 * scratch is opened by descriptor, the places that engines leave open are closed from outside, it is let go, killed by
 * process descriptor and id, and its scratch read after it is dead. Where that cannot be done (the daemon is on another
 * host, or we are not root) the agent inside does it, and what it sends is a hostile stream like any. Linux only. */
#ifndef SALLYPORT_ENGINE_H
#define SALLYPORT_ENGINE_H

#include "base/compiler.h"
#include "base/item.h"
#include "box/box.h"
#include "engine/engine_client.h"

enum { ENGINE_FLAGS_BYTES = 4096 };

/* One object in the scratch of a container elsewhere, as its agent told. */
struct engine_entry {
    char *path;                /* owned; grammatical as a path of a tree, and no more than that */
    enum object_kind kind;
    uint32_t mode, uid, gid;
    uint64_t links, size, ino;
    int64_t mtime_ns;
    bool wanted;               /* set by the choice */
    bool there;                /* its bytes are in the spool, at offset */
    uint64_t offset;
};

/* What is to be taken out of the scratch of a container elsewhere: everything is listed, the choice marks what is sent. */
struct engine_take {
    int (*choose)(struct engine_take *take, void *context); /* 0 or -1 with errno */
    void *context;
    uint64_t visited_max;
    uint64_t time_ms;          /* for listing and sending together */
    int spool;                 /* where the bytes go; borrowed */
    struct engine_entry *v;    /* sorted by path */
    size_t n, cap;
    char fault[192];           /* the stream broke off or was not what it must be: nothing of it may leave; "" */
};

struct container_engine {
    struct engine_client client;
    char version[96];          /* client and server */
    char runtime[64];          /* "runc", ...; after the first container */
    char image[512];           /* as the operator named it */
    char image_id[80];         /* sha256:... of its configuration */
    char flags[ENGINE_FLAGS_BYTES]; /* of the last container with nothing left out, as one line */
    bool plain;                /* the common command line instead of ours: for showing what that leaves open */
    int agent;                 /* sallyport-hold, opened; owned */
    bool elsewhere;            /* its processes are not ours to look into: the agent does all of it */
    char why[128];             /* why that is so */
    uint32_t uid;              /* of its jobs there, in the container's own view; 0: not known yet */
    struct engine_take *take;  /* of the next job, where it is elsewhere; borrowed; NULL: nothing is taken */
    bool decided;              /* where it is stays as it is: a saved proof is of one place */
    struct engine_oracle *oracle; /* of the probes, where it is elsewhere; owned; NULL: none */
    struct engine_load *load;  /* what was carried to the daemon's host; owned; NULL: nothing */
    char fault[512];           /* escaped */
};

/* name: "docker" or "podman"; agent: taken. Asks for the daemon and the image. 0, or -1 with errno and fault: EAGAIN the
 * daemon is away or has not the image, ENOENT the client is not there, EINVAL no image's name. Close in either case. */
int engine_open(struct container_engine *e, const char *name, const char *image, int *agent) MUST_CHECK;
void engine_close(struct container_engine *e);

/* Of probe_options: the oracle on the daemon's host; e->fault says why not. False of the end: something of it is left. */
int engine_oracle(void *context, const char *program, int *in, int *out) MUST_CHECK;
bool engine_oracle_end(void *context);
void engine_take_free(struct engine_take *take);

/* As box_check() and box_run(), and box_end() ends their results. context: a struct container_engine. */
int engine_check(void *context, const struct box_options *options, struct box_result *result) MUST_CHECK;
int engine_run(void *context, const struct box_options *options, struct box_result *result) MUST_CHECK;

#endif
