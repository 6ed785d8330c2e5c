/* SPDX-License-Identifier: ISC
 * Globs over '/'-separated paths: `*` and `?` never match '/', `[a-z]` and `[!a]` are classes of one character, `**` as
 * a whole component matches any depth of directories and, last, any files below. No braces, no escapes. A wildcard does
 * not match a leading dot: the glob's component must start with one. Characters are UTF-8 sequences, or single bytes
 * where there is none. Work is at most the product of the two lengths. Pure. */
#ifndef SALLYPORT_GLOB_H
#define SALLYPORT_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Is this a well-formed glob? At most PATH_BYTES, relative, no empty, '.' or '..' component, no control character. */
bool glob_valid(const char *glob, size_t len);
/* *hidden (may be NULL): no match, but there would be one if wildcards matched leading dots. */
bool glob_match(const char *glob, const char *path, bool *hidden);
/* The same without the rule for leading dots. */
bool glob_match_dots(const char *glob, const char *path);
/* Could the glob match something below this directory? "" is the root. dots: leave out the rule for leading dots. */
bool glob_enter(const char *glob, const char *dir, bool dots);

#endif
