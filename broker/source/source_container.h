/* SPDX-License-Identifier: ISC
 * A directory of a container as a source (docker:CONTAINER:/path, podman:..., orb:MACHINE:/path). Where the daemon is on this host and the
 * container runs, the directory is opened through /proc/PID/root: the only way that sees a tmpfs, and one that no rename in
 * the container can redirect. Otherwise the engine's own copy command writes a tar stream. */
#ifndef SALLYPORT_SOURCE_CONTAINER_H
#define SALLYPORT_SOURCE_CONTAINER_H

#include <stdbool.h>

#include "base/compiler.h"

enum { CONTAINER_ARGS = 20 };

struct container_source {
    int dir_fd;                   /* the directory, for reading; owned; -1: take the stream */
    char *argv[CONTAINER_ARGS];   /* of the command that writes the stream, NULL at its end; owned */
    char *strip;                  /* the directory that all its names begin with; owned; NULL: none */
    char owner_acts[512];         /* orb: how its owner rebuilds and deletes the machine */
    char fault[512];              /* why not, escaped */
    bool usage;                   /* the fault is in how the source was named */
};

/* engine: "docker" or "podman"; spec: CONTAINER:/path. 0, or -1 with errno and a fault. */
int container_source_open(struct container_source *s, const char *engine, const char *spec) MUST_CHECK;
/* MACHINE:/path of an OrbStack machine: always the tar stream of a command in it. */
int machine_source_open(struct container_source *s, const char *spec) MUST_CHECK;
void container_source_close(struct container_source *s);

#endif
