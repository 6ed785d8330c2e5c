/* SPDX-License-Identifier: ISC
 * Is this relative path acceptable? Pure text rules (the only file that knows utf8proc). */
#ifndef SALLYPORT_PATH_H
#define SALLYPORT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/contract.h"

enum path_fault {
    PATH_OK = 0,
    PATH_EMPTY,
    PATH_ABSOLUTE,
    PATH_DOT,            /* a "." component */
    PATH_DOTDOT,         /* a ".." component */
    PATH_EMPTY_COMPONENT,/* "a//b" */
    PATH_TRAILING_SLASH,
    PATH_NUL,
    PATH_LONG,           /* component over 255 bytes or path over 4,096 */
    PATH_CONTROL,        /* C0, DEL, C1, line and paragraph separators */
    PATH_FORMAT,         /* bidirectional controls, zero-width and other format characters */
    PATH_UTF8,           /* not valid UTF-8 */
    PATH_LEADING_DASH,   /* the first component starts with '-' */
    PATH_PORTABLE,       /* backslash, % : " < > | ? *, trailing dot or space */
    PATH_DEVICE,         /* a Windows device name or 8.3 alias */
    PATH_FAULT_COUNT
};

/* The grammar every path must pass before any system call: empty, absolute, dot, dotdot, empty component, trailing
 * slash, NUL, over-long. `len` bytes, which need not be terminated. */
enum path_fault path_grammar(const char *path, size_t len);
/* The grammar and the rules of name/unsafe under a policy. */
enum path_fault path_check(const char *path, size_t len, enum names_policy policy);
/* A sentence fragment ("has a '..' component"); never NULL. */
const char *path_fault_text(enum path_fault fault);

/* Version of the library behind the collision key. */
const char *path_library(void);
/* The path's collision key: NFC and full case folding. malloc'ed; NULL with errno EILSEQ (not UTF-8) or ENOMEM. Folding neither makes nor removes a
 * '/'. */
char *path_fold(const char *path, size_t len) MUST_CHECK;

/* Would other software act on a file of this name by itself (name/auto-run)? `member`: only .git/ and .ssh/ count. */
bool path_auto_run(const char *path, size_t len, bool member);

/* Collisions over many paths: two paths, or two of their parent directories, that fold to one key but differ in bytes,
 * or a file that is another's parent. The same bytes twice, both files or both directories, do not collide. index is
 * the caller's. */
struct path_set;
struct path_set *path_set_new(void) MUST_CHECK;
/* 0 added; 1 collides, and *other is the index given with the path it collides with; -1 with errno. */
int path_set_add(struct path_set *set, const char *path, size_t len, bool directory, size_t index,
                 size_t *other) MUST_CHECK;
void path_set_free(struct path_set **set);

#endif
