/* SPDX-License-Identifier: ISC
 * Private directories in a destination, each held by a lock for as long as its run lives. Whoever has the
 * lock owns the directory, also to remove it. */
#ifndef SALLYPORT_STAGING_H
#define SALLYPORT_STAGING_H

#include "publish/publish.h"

/* Names in a staging directory. */
#define STAGING_BAG "bag"       /* what will be published */
#define STAGING_MOVING "tree"   /* tree commits: what moves */
#define STAGING_JOURNAL "moved" /* tree commits: what is being moved into the destination */

/* A lock on a directory; wait_ms 0: no waiting. The descriptor to hold, or -1 with errno EAGAIN: held by
 * another. */
int staging_lock_directory(int dir, unsigned wait_ms) MUST_CHECK;
int staging_make(int dest, struct staging *s) MUST_CHECK;
void staging_remove(int dest, struct staging *s);
/* Removes what dead runs of this user left behind; undoes their half-done tree commits. */
void staging_clear_dead(int dest);
/* Opens one component that must be a directory; create: makes it (0755) where it is missing and tells in
 * *made. */
int staging_open_directory(int dir, const char *name, bool create, bool *made) MUST_CHECK;
/* fsync of every file and directory below. */
int staging_sync(int dir) MUST_CHECK;

/* Half-done moves of a tree commit, by its journal. */
int publish_tree_undo(int dest, int staging) MUST_CHECK;

#endif
