/* SPDX-License-Identifier: ISC
 * A thread that has the system begin early to write what was copied, so that the sync at the end finds little left. It only
 * hastens: whatever it does not do, or fails to do, that sync does, and tells of. */
#ifndef SALLYPORT_WRITE_OUT_H
#define SALLYPORT_WRITE_OUT_H

struct write_out;

/* NULL: none is to be had, and nothing is hastened. */
struct write_out *write_out_begin(void);
/* A file as it is now (borrowed), or the whole filesystem of a descriptor. Never waits; with NULL nothing happens. */
void write_out_file(struct write_out *w, int fd);
void write_out_all(struct write_out *w, int fd);
/* Ends it after the call it is in; what it has not begun is left. */
void write_out_end(struct write_out **w);

#endif
