/* SPDX-License-Identifier: ISC
 * What a file's name claims. Names are hostile bytes. */
#include "inspect/type_name.h"

#include <ctype.h>
#include <string.h>

enum { EXTENSION_BYTES = 24 };

enum type type_of_extension(const struct type_extension *table, size_t n, const char *ext, size_t len)
{
    char lower[EXTENSION_BYTES];
    if (len == 0 || len >= sizeof(lower))
        return TYPE_NONE;
    for (size_t i = 0; i < len; i++)
        lower[i] = (char)tolower((unsigned char)ext[i]);
    lower[len] = 0;
    for (size_t low = 0, high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(lower, table[middle].name);
        if (order == 0)
            return table[middle].type;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return TYPE_NONE;
}

/* Windows drops these; so must whoever asks what it will make of the name. */
static size_t trimmed(const char *name, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++)
        if (name[i] == ':' && name[i + 1] == ':')
            len = i;
    while (len > 0 && (name[len - 1] == '.' || name[len - 1] == ' '))
        len--;
    return len;
}

/* Position behind the last dot before `end`, 0 where there is none but a leading one. */
static size_t behind_dot(const char *name, size_t end)
{
    for (size_t i = end; i > 1; i--)
        if (name[i - 1] == '.')
            return i;
    return 0;
}

/* Java's archives are named after what they hold ("javax.servlet.jsp.jstl.jar"), and no server goes by that part. */
static bool is_package(const char *part, enum type last)
{
    return strncmp(part, "jsp", 3) == 0 && (type_flags(last) & T_PACKAGE);
}

/* An ELF file whose e_type is this, in either byte order. */
static bool is_elf(struct bytes *bytes, uint8_t type)
{
    const uint8_t *p = bytes_at(bytes, 0, 18);
    return p && memcmp(p, "\x7f" "ELF", 4) == 0 && p[16] + p[17] == type;
}

/* Linkers take a short text under a library's name for a script that says where the library is, and an object file under
 * an archive's name for its one member. What Guile compiles is a shared object, and named as Go's sources are. */
static enum type meant(struct inspection *in, enum type by_name, const char *extension)
{
    enum { OBJECT = 1, SHARED = 3 };
    if ((by_name == TYPE_AR && is_elf(in->bytes, OBJECT)) || (strcmp(extension, "go") == 0 && is_elf(in->bytes, SHARED)))
        return TYPE_ELF;
    return (by_name == TYPE_ELF || by_name == TYPE_AR) && type_linker_script(in->bytes) ? TYPE_SOURCE : by_name;
}

void type_name_claims(struct inspection *in, const struct type_extension *table, size_t n)
{
    const char *slash = strrchr(in->path, '/');
    const char *name = slash ? slash + 1 : in->path;
    size_t len = trimmed(name, strlen(name)), last = behind_dot(name, len);
    if (last == 0)
        return;
    size_t before = behind_dot(name, last - 1);
    enum type two = before ? type_of_extension(table, n, name + before, len - before) : TYPE_NONE;
    enum type one = type_of_extension(table, n, name + last, len - last);
    if (two != TYPE_NONE || one != TYPE_NONE)
        inspect_claim(in, meant(in, two != TYPE_NONE ? two : one, name + last), EVIDENCE_EXTENSION);
    for (size_t end = last - 1; before > 0; end = before - 1, before = behind_dot(name, end))
        if (type_of_extension(table, n, name + before, end - before) == TYPE_SERVER_PAGE && !is_package(name + before, one))
            inspect_claim(in, TYPE_SERVER_PAGE, EVIDENCE_EXTENSION);
}
