/* SPDX-License-Identifier: ISC
 * One promotion under construction; shared by the files of this directory. */
#ifndef SALLYPORT_PUBLISH_PRIVATE_H
#define SALLYPORT_PUBLISH_PRIVATE_H

#include <time.h>

#include "base/limits.h"
#include "publish/publish.h"
#include "publish/staging.h"
#include "publish/write_out.h"

/* Where the file behind a descriptor lies in staging. */
struct slot {
    enum { SLOT_FREE = 0, SLOT_UNNAMED, SLOT_SERIAL, SLOT_IN_PLACE } state;
    uint64_t serial;
    char *path; /* SLOT_IN_PLACE; owned */
};

struct publish {
    struct destination *d;
    struct staging s;
    int bag;    /* STAGING_BAG; owned */
    int parent; /* the last parent directory; owned, or -1: none cached */
    char parent_path[PATH_BYTES + 1];
    struct slot *slots; /* by descriptor number */
    size_t slots_n;
    size_t unsettled; /* SLOT_IN_PLACE that are neither placed nor discarded */
    uint64_t serial;
    struct write_out *out; /* NULL: nothing was large enough yet */
    bool held, dirty;
    bool has_time;
    int64_t time;
};

/* Directory of `path` in staging, made where it is missing, and the last component. Borrowed; -1 with errno.
 */
int publish_parent(struct publish *p, const char *path, const char **name) MUST_CHECK;
/* dir/path checked as a path; false: too long or no path. */
bool publish_join(const char *dir, const char *path, char out[PATH_BYTES + 1]);
/* Last rites of a file: mode, time, close with its error seen. *fd is taken. */
int publish_seal(struct publish *p, int *fd, unsigned mode, const int64_t *mtime_ns) MUST_CHECK;

#endif
