/* SPDX-License-Identifier: ISC
 * Attributes and scope helpers used everywhere. */
#ifndef SALLYPORT_COMPILER_H
#define SALLYPORT_COMPILER_H

#include <stddef.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline)) /* where a loop becomes vector instructions only so */
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNUSED __attribute__((unused))
#define NORETURN __attribute__((noreturn))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Closes / frees at the end of the scope; a descriptor that was handed on is -1, a pointer NULL. */
void fd_close_auto(int *fd);
void free_auto(void *pointer_to_pointer);
#define AUTO_FD __attribute__((cleanup(fd_close_auto))) int
#define AUTO_FREE __attribute__((cleanup(free_auto)))

#endif
