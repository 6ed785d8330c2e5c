/* SPDX-License-Identifier: ISC
 * Which question a file is asked, and whether two answers agree (broker side). Pure: looks at names, claims and digests,
 * never at the file's bytes. */
#ifndef SALLYPORT_INSPECT_ASK_H
#define SALLYPORT_INSPECT_ASK_H

#include "base/task.h"
#include "inspect/inspect_batch.h"

/* What the second reader's inspectors are, each of which must say DONE. */
enum { ASK_SECOND_DONE = (1u << INSPECTOR_TYPE) | (1u << INSPECTOR_ARCHIVE) };

/* Does the file get a child to itself? By its extension, or because nothing but containers is admitted: a wrong guess
 * costs its neighbours a second try, not safety. */
bool ask_alone(const struct task *task);
/* Bytes of work that the deadline allows for: its size, and what it may unpack to where it may be a container. */
uint64_t ask_work(const struct task *task);
/* The question to the second reader after the first one's answer; ASK_ALL: none. */
enum task_ask ask_of(const struct task *task, const struct claims *claims, bool listed, enum type *container);
/* Adds archive/ambiguous where the two do not list the same members: of the file (nested NULL), or of an archive inside
 * it, whose member path then stands on what the second one said. 0 or -1 with errno. */
int ask_compare(const struct job_result *first, const struct wire_nested *nested, struct job_result *second,
                struct finding_list *out) MUST_CHECK;
/* The second reader's claims join the first one's. */
void ask_unite(struct job_result *first, const struct job_result *second);
/* Adds inspect/incomplete where the first reader claims an archive by content, refuses nothing and lists no members. 0 or
 * -1 with errno. */
int ask_unlisted(const struct job_result *first, struct finding_list *out) MUST_CHECK;
/* No byte of the stream belongs to two members. */
bool ask_extents_apart(const struct extent_list *list);

#endif
