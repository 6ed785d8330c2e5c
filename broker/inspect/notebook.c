/* SPDX-License-Identifier: ISC
 * In a worker child: decoded values of a hostile notebook, through the scanners of pages and Markdown, or as members. */
#include "inspect/notebook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/eml_decode.h"
#include "inspect/markdown.h"
#include "inspect/scan.h"

enum { FILE_LEAST = 16 }; /* a file that is shorter holds nothing but its signature */

static const struct {
    const char *key; /* a media type or key, lower case, or its start where it ends with '*' */
    enum show show;
    bool old;
    const char *extension;
} keys[] = {
    {"text/html", SHOW_PAGE, false, NULL},
    {"image/svg+xml", SHOW_PAGE, false, NULL},
    {"application/xhtml+xml", SHOW_PAGE, false, NULL},
    {"text/markdown", SHOW_MARKDOWN, false, NULL},
    {"text/latex", SHOW_LATEX, false, NULL},
    {"application/javascript", SHOW_SCRIPT, false, NULL},
    {"application/ecmascript", SHOW_SCRIPT, false, NULL},
    {"application/x-javascript", SHOW_SCRIPT, false, NULL},
    {"text/javascript", SHOW_SCRIPT, false, NULL},
    {"text/ecmascript", SHOW_SCRIPT, false, NULL},
    {"application/vnd.bokehjs*", SHOW_SCRIPT, false, NULL},
    {"application/vnd.holoviews*", SHOW_SCRIPT, false, NULL},
    {"application/vnd.jupyter.widget*", SHOW_WIDGET, false, NULL},
    {"widgets", SHOW_WIDGET, false, NULL},
    {"source", SHOW_SOURCE, false, NULL},
    {"cell_type", SHOW_KIND, false, NULL},
    {"image/png", SHOW_FILE, false, ".png"},
    {"image/jpeg", SHOW_FILE, false, ".jpg"},
    {"image/jpg", SHOW_FILE, false, ".jpg"},
    {"image/gif", SHOW_FILE, false, ".gif"},
    {"image/webp", SHOW_FILE, false, ".webp"},
    {"image/bmp", SHOW_FILE, false, ".bmp"},
    {"image/*", SHOW_FILE, false, ""},
    {"audio/*", SHOW_FILE, false, ""},
    {"video/*", SHOW_FILE, false, ""},
    {"font/*", SHOW_FILE, false, ""},
    {"application/pdf", SHOW_FILE, false, ".pdf"},
    {"application/zip", SHOW_FILE, false, ".zip"},
    {"application/octet-stream", SHOW_FILE, false, ""},
    {"html", SHOW_PAGE, true, NULL},
    {"svg", SHOW_PAGE, true, NULL},
    {"latex", SHOW_LATEX, true, NULL},
    {"javascript", SHOW_SCRIPT, true, NULL},
    {"png", SHOW_FILE, true, ".png"},
    {"jpeg", SHOW_FILE, true, ".jpg"},
    {"pdf", SHOW_FILE, true, ".pdf"},
};

/* Readers compare media types without regard to case, and some cut parameters off. */
static bool key_is(const char *want, const struct buf *key)
{
    size_t n = strlen(want);
    bool start = want[n - 1] == '*';
    n -= start;
    if (key->len < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (ascii_lower(key->data[i]) != want[i])
            return false;
    return start || key->len == n || (memchr(want, '/', n) && (key->data[n] == ';' || key->data[n] == ' '));
}

uint32_t notebook_letters(void)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        letters |= (uint32_t)1 << (keys[i].key[0] & 31);
    return letters;
}

enum show notebook_show_of(const struct buf *key, bool old, const char **extension)
{
    int first = key->len > 0 ? ascii_lower(key->data[0]) : 0;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (keys[i].key[0] == first && (old || !keys[i].old) && key_is(keys[i].key, key)) {
            *extension = keys[i].extension;
            return keys[i].show;
        }
    return SHOW_NOTHING;
}

void notebook_presence(struct tally *tally, enum show show, uint64_t at)
{
    struct page page = {.context = page_context_of(tally->in), .tally = tally};
    page_act(&page, show == SHOW_SCRIPT ? ACT_SCRIPT : ACT_EMBED, at);
}

/* --- files --------------------------------------------------------------------------------------- */

/* In place; false where it is no base64. */
static bool undo_base64(struct buf *text)
{
    struct eml_decoder d = {.encoding = EML_BASE64};
    uint8_t tail[4];
    size_t left, n = eml_decode(&d, text->data, text->len, text->data);
    if (!eml_decode_end(&d, tail, &left))
        return false;
    memcpy(text->data + n, tail, left);
    text->len = n + left;
    return true;
}

static void examine_file(struct tally *tally, struct buf *text, uint64_t at, unsigned number, const char *extension)
{
    struct inspection *in = tally->in;
    struct bytes content;
    char name[48];
    if (!undo_base64(text)) {
        inspect_find_at(in, FINDING_INSPECT_INCOMPLETE, LEVEL_REFUSE, at, 0, "a file in the notebook is not the base64 it should be");
        return;
    }
    if (text->len < FILE_LEAST)
        return;
    int n = snprintf(name, sizeof(name), "output-%u%s", number, extension);
    bytes_init_memory(&content, text->data, text->len);
    (void)inspect_member(in, name, (size_t)n, &content, NULL, false);
    bytes_free(&content);
}

/* --- texts --------------------------------------------------------------------------------------- */

static void examine_page(struct page *page, struct buf *text)
{
    struct bytes bytes;
    /* an attached image is in base64, an output is not */
    if (!memchr(text->data, '<', text->len) && !undo_base64(text))
        return;
    bytes_init_memory(&bytes, text->data, text->len);
    page_examine(page, &bytes);
    bytes_free(&bytes);
}

void notebook_examine(struct tally *tally, enum show show, struct buf *text, uint64_t at, unsigned number, const char *extension)
{
    struct page page = {.context = page_context_of(tally->in), .tally = tally};
    if (text->failed)
        inspect_find(tally->in, FINDING_INSPECT_LIMIT, "an output of the notebook is too long to be looked at");
    if (text->len == 0)
        return;
    tally->has_origin = true;
    tally->origin = at;
    if (show == SHOW_MARKDOWN) {
        page.context = markdown_context(tally->in);
        markdown_examine(&page, text->data, text->len);
    } else if (show == SHOW_PAGE) {
        examine_page(&page, text);
    } else if (show == SHOW_LATEX && memmem(text->data, text->len, "script:", 7)) {
        page_act(&page, ACT_SCRIPT_URL, at);
    } else if (show == SHOW_FILE) {
        examine_file(tally, text, at, number, extension);
    }
    tally->has_origin = false;
}

/* --- joined strings ------------------------------------------------------------------------------ */

static bool begins_block(const struct buf *text)
{
    const uint8_t *dash = text->len >= 10 ? memchr(text->data, '-', text->len) : NULL;
    return dash && memmem(dash, text->len - (size_t)(dash - text->data), "-----BEGIN", 10);
}

void notebook_join_add(struct notebook_join *j, const struct buf *text)
{
    bool whole = j->text.len == 0 || j->text.data[j->text.len - 1] == '\n';
    j->differs = j->differs || !whole || begins_block(text);
    j->strings++;
    buf_bytes(&j->text, text->data, text->len);
}

void notebook_join_end(struct notebook_join *j)
{
    if (j->text.failed && j->strings > 1)
        inspect_find(j->in, FINDING_INSPECT_LIMIT, "a text of the notebook is too long to be looked at");
    else if (j->differs && j->strings > 1)
        inspect_loose(j->in, "!text", j->text.data, j->text.len);
    buf_reset(&j->text);
    j->strings = 0;
    j->differs = false;
}
