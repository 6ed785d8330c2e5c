/* SPDX-License-Identifier: ISC
 * Writes a tar stream of the operator's own inputs: directories, plain files and links, with root as their owner and readable
 * by all. Sockets, FIFOs and devices are left out: they would be ways back to this host. */
#ifndef SALLYPORT_ENGINE_TAR_H
#define SALLYPORT_ENGINE_TAR_H

#include <stdint.h>

#include "base/compiler.h"

struct tar_writer {
    int out;           /* borrowed */
    uint64_t written;
    unsigned depth;
};

/* One file under this name, or the contents of one directory under their own names. 0 or -1 with errno; EFBIG: more than
 * FAR_INPUT_BYTES; ELOOP: too deep; EAGAIN: a file changed while it was read. */
int tar_file(struct tar_writer *t, int fd, const char *name) MUST_CHECK;
int tar_directory(struct tar_writer *t, int fd, const char *prefix) MUST_CHECK;
int tar_end(struct tar_writer *t) MUST_CHECK;

#endif
