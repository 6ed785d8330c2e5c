/* SPDX-License-Identifier: ISC
 * Broker. Quotes strings for YAML (1.1, section 5.7): what a reader might act on or not see becomes an escape. */
#include "contract/yaml_text.h"

#include <string.h>

#include "base/utf8.h"

void yaml_text_quote(struct buf *out, const char *text, size_t len)
{
    buf_u8(out, '"');
    for (size_t i = 0; i < len;) {
        uint32_t code = 0;
        size_t n = utf8_decode((const uint8_t *)text + i, len - i, &code);
        if (utf8_is_control(code) || utf8_is_format(code))
            buf_printf(out, "\\U%08X", code);
        else if (code == '"' || code == '\\')
            buf_printf(out, "\\%c", (char)code);
        else
            buf_bytes(out, text + i, n);
        i += n ? n : 1;
    }
    buf_u8(out, '"');
}

void yaml_text_plain(struct buf *out, const char *text, size_t len)
{
    static const char inner[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-";
    bool plain = len > 0 && strchr(inner, text[0]) && text[0] != '-' && text[0] != '.' && text[0] != '\0';
    for (size_t i = 0; i < len && plain; i++)
        plain = text[i] && strchr(inner, text[i]);
    if (plain && !(len == 4 && memcmp(text, "null", 4) == 0))
        buf_bytes(out, text, len);
    else
        yaml_text_quote(out, text, len);
}
