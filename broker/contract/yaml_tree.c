/* SPDX-License-Identifier: ISC
 * Broker. The only file with <yaml.h>. libyaml's events become a bounded number of nodes, without recursion.
 * Invariant: every bound of limits.h is checked before memory is taken for it. */
#include "contract/yaml_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "contract/contract_parse.h"

struct builder {
    struct yaml_tree *tree;
    struct contract_errors *errors;
    struct node *open[CONTRACT_DEPTH], *last[CONTRACT_DEPTH], *key[CONTRACT_DEPTH];
    unsigned depth, documents;
    bool stop, no_memory;
};

bool node_is_null(const struct node *node)
{
    return node->kind == NODE_SCALAR && node->plain &&
           (node->len == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const struct node *node_later(const struct node *a, const struct node *b)
{
    if (a->line != b->line)
        return a->line > b->line ? a : b;
    return a->column > b->column ? a : b;
}

const struct node *node_get(const struct node *map, const char *key)
{
    for (const struct node *child = map->kind == NODE_MAPPING ? map->first : NULL; child; child = child->next)
        if (child->key->kind == NODE_SCALAR && strcmp(child->key->text, key) == 0)
            return child;
    return NULL;
}

void yaml_tree_free(struct yaml_tree *tree)
{
    for (size_t i = 0; i < tree->n; i++)
        free(tree->chunks[i / NODE_CHUNK][i % NODE_CHUNK].text);
    for (size_t i = 0; i < NODE_CHUNKS; i++)
        free(tree->chunks[i]);
    *tree = (struct yaml_tree){.n = 0};
}

/* Why a character may not stand in the text itself, or NULL. Line breaks that editors do not count would shift every
 * position; bidirectional controls would let a contract read differently from what it says. Joiners are left to the
 * scripts that need them. */
static const char *character_fault(uint32_t code, uint32_t next)
{
    bool joiner = code == 0x200C || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F);
    if (code == '\n' || code == '\t' || (code == '\r' && next == '\n') || joiner)
        return NULL;
    if (code == '\r')
        return "a carriage return alone; end lines with LF or CRLF";
    if (code == 0)
        return "a NUL byte";
    if (utf8_is_control(code))
        return "a control character; write it as an escape in double quotes, as \"\\u001b\"";
    return utf8_is_format(code) ? "an invisible or bidirectional character; write it as an escape in double quotes"
                                : NULL;
}

/* Checks the bytes before libyaml sees them, so that positions and encodings are ours. */
static bool text_check(const uint8_t *text, size_t len, struct contract_errors *errors)
{
    unsigned line = 1, column = 1;
    for (size_t i = 0; i < len;) {
        uint32_t code = 0;
        size_t n = utf8_decode(text + i, len - i, &code);
        if (n == 0) {
            contract_errors_add(errors, line, column, "byte 0x%02X is not UTF-8; save the file as UTF-8", text[i]);
            return false;
        }
        const char *fault = character_fault(code, i + n < len ? text[i + n] : 0);
        if (fault) {
            contract_errors_add(errors, line, column, "the text holds %s", fault);
            return false;
        }
        i += n;
        column = code == '\n' ? 1 : column + 1;
        line += code == '\n';
    }
    return true;
}

static void complain(struct builder *b, yaml_mark_t mark, const char *sentence)
{
    contract_errors_add(b->errors, (unsigned)mark.line + 1, (unsigned)mark.column + 1, "%s", sentence);
}

static struct node *node_new(struct builder *b, enum node_kind kind, yaml_mark_t mark)
{
    if (b->tree->n == CONTRACT_NODES) {
        contract_errors_add(b->errors, (unsigned)mark.line + 1, (unsigned)mark.column + 1,
                            "more than %u keys and values in one file", CONTRACT_NODES);
        b->stop = true;
        return NULL;
    }
    struct node **chunk = &b->tree->chunks[b->tree->n / NODE_CHUNK];
    if (!*chunk)
        *chunk = calloc(NODE_CHUNK, sizeof(**chunk));
    if (!*chunk) {
        b->stop = b->no_memory = true;
        return NULL;
    }
    struct node *node = &(*chunk)[b->tree->n++ % NODE_CHUNK];
    node->kind = kind;
    node->line = (unsigned)mark.line + 1;
    node->column = (unsigned)mark.column + 1;
    return node;
}

/* A scalar in key position: a bad one is reported and blanked, so that its value is passed over. */
static void key_check(struct builder *b, struct node *map, struct node *key)
{
    const struct node *twin = key->kind == NODE_SCALAR ? node_get(map, key->text) : NULL;
    if (key->kind == NODE_BAD)
        return;
    if (key->kind != NODE_SCALAR)
        contract_errors_add(b->errors, key->line, key->column, "a key must be a plain word, not a list or mapping");
    else if (key->plain && strcmp(key->text, "<<") == 0)
        contract_errors_add(b->errors, key->line, key->column, "merge keys are not part of the profile; write it out");
    else if (strlen(key->text) != key->len)
        contract_errors_add(b->errors, key->line, key->column, "a key holds a NUL character");
    else if (twin)
        contract_errors_add(b->errors, key->line, key->column, "duplicate key '%s'; the first is on line %u",
                            contract_quote(key->text, key->len).text, twin->key->line);
    else
        return;
    key->kind = NODE_BAD;
}

static void attach(struct builder *b, struct node *node)
{
    if (b->depth == 0) {
        b->tree->root = node;
        return;
    }
    unsigned d = b->depth - 1;
    struct node *parent = b->open[d];
    if (parent->kind == NODE_MAPPING && !b->key[d]) {
        key_check(b, parent, node);
        b->key[d] = node;
        return;
    }
    node->key = b->key[d];
    b->key[d] = NULL;
    if (b->last[d])
        b->last[d]->next = node;
    else
        parent->first = node;
    b->last[d] = node;
    parent->n++;
}

static void on_scalar(struct builder *b, const yaml_event_t *event)
{
    struct node *node = node_new(b, NODE_SCALAR, event->start_mark);
    if (!node)
        return;
    node->len = event->data.scalar.length;
    node->text = malloc(node->len + 1);
    if (!node->text) {
        b->stop = b->no_memory = true;
        return;
    }
    memcpy(node->text, event->data.scalar.value, node->len);
    node->text[node->len] = '\0';
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    attach(b, node);
}

static void on_open(struct builder *b, enum node_kind kind, yaml_mark_t mark)
{
    struct node *node = node_new(b, kind, mark);
    if (!node)
        return;
    attach(b, node);
    if (b->depth == CONTRACT_DEPTH) {
        contract_errors_add(b->errors, node->line, node->column, "nested more than %u levels deep", CONTRACT_DEPTH);
        b->stop = true;
        return;
    }
    b->open[b->depth] = node;
    b->last[b->depth] = b->key[b->depth] = NULL;
    b->depth++;
}

static void on_document(struct builder *b, const yaml_event_t *event)
{
    if (++b->documents > 1) {
        complain(b, event->start_mark, "a second document; a file holds exactly one");
        b->stop = true;
    }
    if (event->data.document_start.version_directive ||
        event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
        complain(b, event->start_mark, "directives (%YAML, %TAG) are not part of the profile; remove the line");
}

static const char *const anchor_fault = "anchors are not part of the profile; write the value out where it is used";
static const char *const tag_fault = "tags are not part of the profile; remove it, the key decides the type";

static void on_node(struct builder *b, yaml_mark_t mark, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        complain(b, mark, anchor_fault);
    if (tag)
        complain(b, mark, tag_fault);
}

static void on_event(struct builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        on_document(b, event);
        break;
    case YAML_ALIAS_EVENT: {
        struct node *node = node_new(b, NODE_BAD, event->start_mark);
        complain(b, event->start_mark, "aliases are not part of the profile; write the value out");
        if (node)
            attach(b, node);
        break;
    }
    case YAML_SCALAR_EVENT:
        on_node(b, event->start_mark, event->data.scalar.anchor, event->data.scalar.tag);
        on_scalar(b, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_node(b, event->start_mark, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        on_open(b, NODE_SEQUENCE, event->start_mark);
        break;
    case YAML_MAPPING_START_EVENT:
        on_node(b, event->start_mark, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        on_open(b, NODE_MAPPING, event->start_mark);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        break;
    case YAML_STREAM_END_EVENT:
        b->stop = true;
        break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
}

static void on_yaml_error(struct builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        b->no_memory = true;
        return;
    }
    contract_errors_add(b->errors, (unsigned)parser->problem_mark.line + 1, (unsigned)parser->problem_mark.column + 1,
                        "not valid YAML: %s%s%s", parser->problem ? parser->problem : "unreadable",
                        parser->context ? " " : "", parser->context ? parser->context : "");
    b->tree->root = NULL;
}

/* False where the text was left before its end. */
static bool events_read(struct builder *b, yaml_parser_t *parser)
{
    while (!b->stop) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            on_yaml_error(b, parser);
            return false;
        }
        bool end = event.type == YAML_STREAM_END_EVENT;
        on_event(b, &event);
        yaml_event_delete(&event);
        if (end)
            return true;
    }
    return false;
}

int yaml_tree_parse(const uint8_t *text, size_t len, struct yaml_tree *out, struct contract_errors *errors)
{
    *out = (struct yaml_tree){.n = 0};
    size_t skip = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (len > CONTRACT_BYTES) {
        contract_errors_add(errors, 1, 1, "the file has more than %u KiB", (unsigned)(CONTRACT_BYTES / KIB));
        return 0;
    }
    if (!text_check(text + skip, len - skip, errors))
        return 0;
    struct builder b = {.tree = out, .errors = errors};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        errno = ENOMEM;
        return -1;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, text + skip, len - skip);
    bool whole = events_read(&b, &parser);
    yaml_parser_delete(&parser);
    if (b.no_memory) {
        yaml_tree_free(out);
        errno = ENOMEM;
        return -1;
    }
    if (!whole)
        out->root = NULL;
    else if (!out->root)
        contract_errors_add(errors, 1, 1, "the file is empty");
    return 0;
}

const char *contract_library(void)
{
    return yaml_get_version_string();
}
