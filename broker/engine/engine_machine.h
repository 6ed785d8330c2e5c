/* SPDX-License-Identifier: ISC
 * An OrbStack machine, through the `orb` program: running commands in it, and a firewall table of our own in it. What the
 * machine says is hostile text. */
#ifndef SALLYPORT_ENGINE_MACHINE_H
#define SALLYPORT_ENGINE_MACHINE_H

#include "base/compiler.h"
#include "engine/engine_client.h"

struct machine {
    struct engine_client client;
    char name[128];
    char system[64];           /* "debian:bookworm", as `orb create` takes it; "" unknown */
    char fault[512];           /* escaped */
};

/* Letters, digits, dot, dash and underscore, beginning with a letter or digit. Pure. */
bool machine_name_valid(const char *name, size_t len);
/* Asks whether the machine answers. 0, or -1 with errno and fault: ENOENT no `orb`, EAGAIN the machine does not answer. */
int machine_open(struct machine *m, const char *name) MUST_CHECK;
/* Runs words in the machine as the user; stdin_fd: -1 none. Exit status, or -1 with errno; out: both its streams, cut. */
int machine_run(const struct machine *m, const char *user, const char *const *words, int stdin_fd, char *out, size_t size);
/* Copies the program in / removes it. path: where it is, fixed by us. 0 or -1 with errno. */
int machine_copy_in(const struct machine *m, int program) MUST_CHECK;
void machine_copy_out(const struct machine *m);
#define MACHINE_PROGRAM "/tmp/.sallyport-probe/probe"
/* Puts our table in place (only loopback passes), or removes it; no other rule is touched. 0, or -1 with errno and fault. */
int machine_cut(struct machine *m) MUST_CHECK;
int machine_restore(struct machine *m) MUST_CHECK;
/* Is our table there? 1, 0, or -1 where it cannot be asked. */
int machine_is_cut(const struct machine *m);

#endif
