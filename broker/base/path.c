/* SPDX-License-Identifier: ISC
 * Both processes. Is this relative path acceptable, and which paths are one path elsewhere? The only file with
 * <utf8proc.h>. Trusts nothing: any bytes of any length may come in. Pure. */
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "base/limits.h"
#include "base/utf8.h"

/* Calls `judge` for each component until one has a fault. */
static enum path_fault each_component(const char *path, size_t len, enum path_fault (*judge)(const char *, size_t))
{
    for (size_t at = 0; at <= len;) {
        const char *slash = memchr(path + at, '/', len - at);
        size_t end = slash ? (size_t)(slash - path) : len;
        enum path_fault fault = judge(path + at, end - at);
        if (fault != PATH_OK)
            return fault;
        at = end + 1;
    }
    return PATH_OK;
}

static enum path_fault component_grammar(const char *name, size_t len)
{
    if (len == 0)
        return PATH_EMPTY_COMPONENT;
    if (len == 1 && name[0] == '.')
        return PATH_DOT;
    if (len == 2 && name[0] == '.' && name[1] == '.')
        return PATH_DOTDOT;
    return len > COMPONENT_BYTES ? PATH_LONG : PATH_OK;
}

enum path_fault path_grammar(const char *path, size_t len)
{
    if (len == 0)
        return PATH_EMPTY;
    if (memchr(path, '\0', len))
        return PATH_NUL;
    if (path[0] == '/')
        return PATH_ABSOLUTE;
    if (len > PATH_BYTES)
        return PATH_LONG;
    enum path_fault fault = each_component(path, path[len - 1] == '/' ? len - 1 : len, component_grammar);
    return fault == PATH_OK && path[len - 1] == '/' ? PATH_TRAILING_SLASH : fault;
}

static enum path_fault character_faults(const char *path, size_t len)
{
    const uint8_t *p = (const uint8_t *)path;
    for (size_t i = utf8_plain(p, len); i < len; i += utf8_plain(p + i, len - i)) {
        uint32_t code = 0;
        size_t n = utf8_decode(p + i, len - i, &code);
        if (n == 0)
            return PATH_UTF8;
        if (utf8_is_control(code))
            return PATH_CONTROL;
        if (utf8_is_format(code))
            return PATH_FORMAT;
        i += n;
    }
    return PATH_OK;
}

/* Case does not count, and neither does what follows the first dot: "nul.tar.gz" is the null device. */
static bool is_device(const char *name, size_t len)
{
    static const char *const names[] = {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"};
    static const char *const ports[] = {"com", "lpt"};
    const char *dot = memchr(name, '.', len);
    size_t base = dot ? (size_t)(dot - name) : len;
    while (base && name[base - 1] == ' ')
        base--;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strlen(names[i]) == base && strncasecmp(name, names[i], base) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_LEN(ports); i++) {
        if (base < 4 || strncasecmp(name, ports[i], 3) != 0)
            continue;
        if (base == 4 && name[3] >= '0' && name[3] <= '9')
            return true;
        /* Superscript one, two and three count as digits there. */
        if (base == 5 && name[3] == '\xC2' && (name[4] == '\xB9' || name[4] == '\xB2' || name[4] == '\xB3'))
            return true;
    }
    return false;
}

/* "PROGRA~1", "README~2.TXT": the second name that Windows gives to a file with a long one. */
static bool is_short_alias(const char *name, size_t len)
{
    const char *dot = memchr(name, '.', len), *tilde = memchr(name, '~', len);
    size_t base = dot ? (size_t)(dot - name) : len;
    if (!tilde || tilde == name || base > 8 || (dot && len - base - 1 > 3))
        return false;
    size_t at = (size_t)(tilde - name) + 1;
    if (at >= base || (dot && memchr(dot + 1, '.', len - base - 1)))
        return false;
    while (at < base && name[at] >= '0' && name[at] <= '9')
        at++;
    return at == base;
}

static enum path_fault component_portable(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr("\\%:\"<>|?*", name[i]))
            return PATH_PORTABLE;
    if (name[len - 1] == '.' || name[len - 1] == ' ')
        return PATH_PORTABLE;
    return is_device(name, len) || is_short_alias(name, len) ? PATH_DEVICE : PATH_OK;
}

enum path_fault path_check(const char *path, size_t len, enum names_policy policy)
{
    enum path_fault fault = path_grammar(path, len);
    if (fault == PATH_OK)
        fault = character_faults(path, len);
    if (fault == PATH_OK && path[0] == '-')
        fault = PATH_LEADING_DASH;
    if (fault == PATH_OK && policy != NAMES_POSIX)
        fault = each_component(path, len, component_portable);
    return fault;
}

const char *path_fault_text(enum path_fault fault)
{
    static const char *const texts[PATH_FAULT_COUNT] = {
        [PATH_OK] = "is acceptable",
        [PATH_EMPTY] = "is empty",
        [PATH_ABSOLUTE] = "is absolute",
        [PATH_DOT] = "has a '.' component",
        [PATH_DOTDOT] = "has a '..' component",
        [PATH_EMPTY_COMPONENT] = "has an empty component ('//')",
        [PATH_TRAILING_SLASH] = "ends in '/'",
        [PATH_NUL] = "holds a NUL character",
        [PATH_LONG] = "is too long (a component over 255 bytes, or the path over 4,096)",
        [PATH_CONTROL] = "holds a control character",
        [PATH_FORMAT] = "holds an invisible or bidirectional character",
        [PATH_UTF8] = "is not valid UTF-8",
        [PATH_LEADING_DASH] = "starts with '-', which programs read as an option",
        [PATH_PORTABLE] = "holds one of \\ % : \" < > | ? * or ends in a dot or space, which other systems read differently",
        [PATH_DEVICE] = "is a device name or short alias on Windows",
    };
    return (unsigned)fault < PATH_FAULT_COUNT ? texts[fault] : "is not acceptable";
}

/* One pass of utf8proc. malloc'ed; NULL with errno. */
static char *map_text(const char *text, size_t len, utf8proc_option_t options)
{
    utf8proc_uint8_t *out = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)len, &out, options);
    if (n >= 0)
        return (char *)out;
    errno = n == UTF8PROC_ERROR_NOMEM ? ENOMEM : EILSEQ;
    return NULL;
}

/* Folds what is ASCII whole: nothing to decompose, case alone. */
static char *fold_plain(const char *path, size_t len)
{
    char *folded = malloc(len + 1);
    for (size_t i = 0; folded && i < len; i++)
        folded[i] = path[i] >= 'A' && path[i] <= 'Z' ? (char)(path[i] + ('a' - 'A')) : path[i];
    if (folded)
        folded[len] = '\0';
    return folded;
}

char *path_fold(const char *path, size_t len)
{
    if (utf8_plain((const uint8_t *)path, len) == len)
        return fold_plain(path, len);
    if (!utf8_valid((const uint8_t *)path, len) || memchr(path, '\0', len)) {
        errno = EILSEQ;
        return NULL;
    }
    /* Canonical caseless matching (Unicode 3.13, D145): decompose, fold, compose; folding can undo a composition. */
    AUTO_FREE char *apart = map_text(path, len, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    AUTO_FREE char *folded = apart ? map_text(apart, strlen(apart), UTF8PROC_STABLE | UTF8PROC_CASEFOLD |
                                                                        UTF8PROC_DECOMPOSE)
                                   : NULL;
    return folded ? map_text(folded, strlen(folded), UTF8PROC_STABLE | UTF8PROC_COMPOSE) : NULL;
}

const char *path_library(void)
{
    return utf8proc_version();
}
