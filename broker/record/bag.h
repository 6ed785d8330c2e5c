/* SPDX-License-Identifier: ISC
 * Tag files of a BagIt 1.0 bag (RFC 8493). Pure: text in, text out. */
#ifndef SALLYPORT_BAG_H
#define SALLYPORT_BAG_H

#include "base/buf.h"
#include "base/contract.h"
#include "base/item.h"

struct bag_file { char *path; uint8_t sha256[SHA256_SIZE]; uint8_t xxh128[XXH128_SIZE]; uint64_t bytes; };
struct bag_list { struct bag_file *v; size_t n, cap; };

int bag_list_add(struct bag_list *list, const char *path, const struct digest *digest) MUST_CHECK;
/* Reads a list in the form of bag_manifest_sha256(), whatever its order. 0, or -1 with errno (EINVAL: malformed). */
int bag_list_parse(struct bag_list *list, const char *text, size_t len) MUST_CHECK;
void bag_list_sort(struct bag_list *list);
void bag_list_free(struct bag_list *list);

void bag_declaration(struct buf *out);                              /* bagit.txt */
void bag_info(struct buf *out, const struct contract *contract, const char *id, int64_t date, uint64_t bytes,
              uint64_t files, const struct pair_list *labels);      /* bag-info.txt */
/* One line of it: nothing where the value is NULL or empty. */
void bag_info_line(struct buf *out, const char *label, const char *value);
void bag_info_label(struct buf *out, const char *key, const char *value);
void bag_manifest_sha256(struct buf *out, const struct bag_list *list); /* "hex  path\n" */
void bag_manifest_xxh128(struct buf *out, const struct bag_list *list); /* "XXH128 (path) = hex\n" */

#endif
