/* SPDX-License-Identifier: ISC
 * Reading what bag.c writes. Pure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "record/bag.h"

/* Undoes the one escape that can occur, a doubled backslash; in place. */
static bool unescape(char *path)
{
    char *to = path;
    for (const char *from = path; *from; from++) {
        if (*from == '\\' && *++from != '\\')
            return false;
        *to++ = *from;
    }
    *to = '\0';
    return true;
}

/* "HEX  PATH"; a leading backslash says that PATH is escaped. */
static int parse_line(struct bag_list *list, const char *line, size_t len)
{
    struct digest digest = {0};
    char hex[SHA256_HEX];
    bool escaped = len > 0 && line[0] == '\\';
    line += escaped;
    len -= escaped;
    errno = EINVAL;
    if (len < SHA256_HEX + 2 || memcmp(line + SHA256_HEX - 1, "  ", 2) != 0)
        return -1;
    memcpy(hex, line, SHA256_HEX - 1);
    hex[SHA256_HEX - 1] = '\0';
    if (!hex_decode(hex, digest.sha256, SHA256_SIZE) || strspn(hex, "0123456789abcdef") != SHA256_HEX - 1)
        return -1;
    AUTO_FREE char *path = strndup(line + SHA256_HEX + 1, len - SHA256_HEX - 1);
    if (!path)
        return -1;
    bool whole = escaped ? unescape(path) : strchr(path, '\\') == NULL;
    if (!whole || path_grammar(path, strlen(path)) != PATH_OK) {
        errno = EINVAL;
        return -1;
    }
    return bag_list_add(list, path, &digest);
}

int bag_list_parse(struct bag_list *list, const char *text, size_t len)
{
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        errno = EINVAL;
        if (!end || memchr(text, '\0', (size_t)(end - text)) || parse_line(list, text, (size_t)(end - text)) != 0)
            return -1;
        len -= (size_t)(end - text) + 1;
        text = end + 1;
    }
    return 0;
}
