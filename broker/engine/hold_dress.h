/* SPDX-License-Identifier: ISC
 * Steps in a held container's own mount namespace: by the broker's child where it is root on the same host, else by the
 * agent. The image is not trusted: no link of it is followed in a last component. All return 0 or -1 with errno. */
#ifndef SALLYPORT_HOLD_DRESS_H
#define SALLYPORT_HOLD_DRESS_H

#include "base/compiler.h"

/* A detached mount on the object at this path. */
int dress_attach(int mount_fd, const char *path) MUST_CHECK;
/* The directory `from` of the scratch also stands at `path`. */
int dress_lead(const char *from, const char *path) MUST_CHECK;
/* What a container shows of its host's kernel beyond its own processes is covered. */
int dress_hide_kernel(void) MUST_CHECK;

#endif
