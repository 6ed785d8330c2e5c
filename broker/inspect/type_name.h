/* SPDX-License-Identifier: ISC
 * What a name claims, and what structures claim that no signature shows. */
#ifndef SALLYPORT_TYPE_NAME_H
#define SALLYPORT_TYPE_NAME_H

#include "inspect/inspector.h"
#include "inspect/type_table.h"

/* Claims by extension. `table` is sorted by name. Trailing dots and blanks and an alternate stream ("a.php::$DATA") do
 * not hide one; of several only the last counts, but a server page inside ("a.php.jpg") claims as well, since web
 * servers act on every part. A name that is all extension (".bashrc") has none. */
void type_name_claims(struct inspection *in, const struct type_extension *table, size_t n);
/* The type of one extension, any case; TYPE_NONE. Pure. */
enum type type_of_extension(const struct type_extension *table, size_t n, const char *ext, size_t len);

/* Is the whole file a linker script that names libraries (GNU ld, "Implicit linker scripts"), at most 4,096 bytes? Under a
 * library's name it is what the name means, and source text. */
bool type_linker_script(struct bytes *bytes);

/* Claims by structure: an end record of ZIP at the end, safetensors, ONNX. */
void type_structure(struct inspection *in);

#endif
