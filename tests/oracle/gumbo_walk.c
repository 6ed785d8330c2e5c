/* SPDX-License-Identifier: ISC
 * Oracle. An HTML5 tree (libgumbo) of each file named on standard input, walked for what acts in a browser; prints
 * "path TAB codes". Built by page_oracle.py; knows nothing of our scanners. */
#include <gumbo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SCRIPT = 1, HANDLER = 2, URL = 4, EMBED = 8, REFRESH = 16, BASE = 32, LOAD = 64 };

static const char *const codes[] = {"html-script", "html-handler", "html-url", "html-embed",
                                    "html-refresh", "html-base", "external-load"};

static bool starts(const char *value, const char *scheme)
{
    while (*value && (unsigned char)*value <= ' ')
        value++;
    for (; *scheme; value++) {
        if (*value == '\t' || *value == '\n' || *value == '\r')
            continue;
        if (!*value || (*value | 32) != (*scheme | 32))
            return false;
        scheme++;
    }
    return true;
}

static bool outside(const char *value)
{
    return starts(value, "http://") || starts(value, "https://") || starts(value, "//");
}

static unsigned attribute(GumboTag tag, const GumboAttribute *a)
{
    unsigned found = 0;
    if (strncasecmp(a->name, "on", 2) == 0 && (a->name[2] | 32) >= 'a' && (a->name[2] | 32) <= 'z' && a->value[0])
        found |= HANDLER;
    if (starts(a->value, "javascript:") && (strcmp(a->name, "href") == 0 || strcmp(a->name, "action") == 0 ||
                                            strcmp(a->name, "formaction") == 0 || strcmp(a->name, "src") == 0))
        found |= URL;
    if (strcmp(a->name, "src") == 0 && outside(a->value))
        found |= LOAD;
    if (tag == GUMBO_TAG_BASE && strcmp(a->name, "href") == 0)
        found |= BASE;
    if (tag == GUMBO_TAG_META && strcmp(a->name, "http-equiv") == 0 && strcasecmp(a->value, "refresh") == 0)
        found |= REFRESH;
    return found;
}

static unsigned element(const GumboElement *e)
{
    unsigned found = 0;
    GumboStringPiece tag = e->original_tag;
    gumbo_tag_from_original_text(&tag);
    if (tag.length == 6 && strncasecmp(tag.data, "script", 6) == 0)
        found |= SCRIPT;
    if (e->tag == GUMBO_TAG_IFRAME || e->tag == GUMBO_TAG_OBJECT || e->tag == GUMBO_TAG_EMBED ||
        e->tag == GUMBO_TAG_FRAMESET)
        found |= EMBED;
    for (unsigned i = 0; i < e->attributes.length; i++)
        found |= attribute(e->tag, e->attributes.data[i]);
    return found;
}

static unsigned walk(const GumboNode *node, int depth)
{
    unsigned found = 0;
    if (depth > 1000 || (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE))
        return 0;
    found |= element(&node->v.element);
    for (unsigned i = 0; i < node->v.element.children.length; i++)
        found |= walk(node->v.element.children.data[i], depth + 1);
    return found;
}

int main(void)
{
    static char path[4096], text[1 << 20];
    while (fgets(path, sizeof(path), stdin)) {
        path[strcspn(path, "\n")] = '\0';
        FILE *file = fopen(path, "rb");
        if (!file)
            return 1;
        size_t len = fread(text, 1, sizeof(text), file);
        fclose(file);
        GumboOutput *out = gumbo_parse_with_options(&kGumboDefaultOptions, text, len);
        unsigned found = walk(out->root, 0);
        printf("%s\t", path);
        for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
            if (found & 1u << i)
                printf("active/%s ", codes[i]);
        printf("\n");
        gumbo_destroy_output(&kGumboDefaultOptions, out);
    }
    return 0;
}
