/* SPDX-License-Identifier: ISC
 * A tar stream as a source (docker cp, git archive, kubectl exec tar): the walker of archive_tar, which
 * answers with extents instead of looking into members. Worker child. The broker copies and judges each
 * member like a file of a directory; a finding here refuses the stream as a whole. */
#include "inspect/archive_tar.h"

static bool visit(struct tar_walk *walk, const struct tar_member *member, struct bytes *content)
{
    struct stream_member out = {.path = member->name,
                                .path_len = member->name_len,
                                .offset = member->offset,
                                .length = content ? member->size : 0,
                                .mode = member->mode,
                                .uid = member->uid,
                                .gid = member->gid,
                                .mtime_ns = member->mtime_ns,
                                .kind = member->kind};
    if (content && !inspect_entries(walk->in, 1))
        return false;
    if (member->name_len > 0)
        inspect_extent(walk->in, &out);
    else if (content)
        inspect_find(walk->in, FINDING_ARCHIVE_PATH, "a file without a name");
    return inspect_wants_more(walk->in);
}

void stream_tar(struct inspection *in)
{
    struct inspection whole = *in;
    struct tar_source source = {.in = &whole, .bytes = in->bytes};
    struct tar_walk walk = {.in = &whole, .source = &source, .visit = visit};
    /* nothing is unpacked; sizes are bounded when the broker copies */
    whole.inside.member = whole.inside.unpacked = UINT64_MAX;
    if (tar_walk_run(&walk))
        names_judge_exact(&walk.names, &whole);
    tar_walk_free(&walk);
    tar_source_free(&source);
}
