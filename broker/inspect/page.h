/* SPDX-License-Identifier: ISC
 * What a construct of a page weighs where: one table for HTML, SVG, XML, Markdown and notebooks. The three profiles of
 * HTML are columns: static (nothing acts, nothing loads from outside), local (scripts, nothing from outside), any. */
#ifndef SALLYPORT_PAGE_H
#define SALLYPORT_PAGE_H

#include "inspect/css.h"
#include "inspect/tally.h"

enum page_context { PAGE_STATIC = 0, PAGE_LOCAL, PAGE_ANY, PAGE_PROSE, PAGE_CONTEXTS };

enum page_act {
    ACT_SCRIPT,        /* a script element */
    ACT_HANDLER,       /* an on... attribute */
    ACT_SCRIPT_URL,    /* javascript: */
    ACT_DOCUMENT_URL,  /* data: with a document, which is not looked into */
    ACT_SCHEME,        /* an address that starts a program or reads odd places */
    ACT_FILE_LINK,     /* a link to a file of the reader's machine */
    ACT_EMBED,         /* another document or object */
    ACT_SRCDOC,        /* a document inside an attribute */
    ACT_FOREIGN,       /* foreignObject */
    ACT_REFRESH,       /* to a place nearby */
    ACT_REFRESH_AWAY,  /* to another host */
    ACT_HEADER,        /* other http-equiv */
    ACT_BASE,
    ACT_LOAD,          /* from another host */
    ACT_COUNT
};

enum { PAGE_PREFIXES = 16, PAGE_PREFIX = 31 };

/* XML: the prefixes that are bound to a namespace whose elements act. */
struct page_prefixes {
    bool all;    /* more than there is room for: every element counts */
    size_t n;
    char v[PAGE_PREFIXES][PAGE_PREFIX + 1];
};

struct markup_attribute;

struct page {
    enum page_context context;
    struct tally *tally;
    const struct page_prefixes *live; /* NULL: every element counts */
    bool *latin;                      /* set where Latin-1 is declared; NULL: nobody asks */
    uint64_t start;                   /* tags before it are not looked at */
    bool exact;                       /* generic XML: comments, CDATA and instructions hold no tags for any reader */
};

/* The column for what is admitted here. */
enum page_context page_context_of(const struct inspection *in);
void page_act(const struct page *page, enum page_act act, uint64_t at);
/* An xml:base that moves every address below it to another place. */
bool page_rebases(const struct markup_attribute *a);
/* A style's addresses in [offset, stop). */
void page_style(const struct page *page, struct bytes *bytes, uint64_t offset, uint64_t stop, bool refs);
/* All tags of bytes. */
void page_examine(const struct page *page, struct bytes *bytes);
/* The declared encoding must be UTF-8, ASCII or Latin-1; else type/conflict is said. label need not be terminated. */
void page_encoding(const struct page *page, const uint8_t *label, size_t len, uint64_t at);

/* Bytes that readers take for different text: UTF-16, NUL, ISO-2022 shifts, or neither UTF-8 nor declared as Latin-1.
 * Called last, when the declarations are known. */
void page_bytes(const struct page *page, struct inspection *in);

#endif
