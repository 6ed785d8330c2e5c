/* SPDX-License-Identifier: ISC
 * The tar inspector: what each member is allowed to be, and the list that the second reader must find too.
 * Worker child. */
#include "inspect/archive_tar.h"

#include <string.h>

#include "inspect/archive_package.h"

struct tar_visitor {
    struct package_rule rule;
    enum type package, container; /* what it is; what the second reader takes it for */
    struct listing listing;
};

/* A link that `inside: links: inside` admits: a hard link to a file before it, a symbolic link that stays
 * within. */
static bool link_inside(struct tar_walk *walk, const struct tar_member *member)
{
    const char *target = member->link;
    size_t len = member->link_len;
    if (walk->in->inside.links != LINKS_INSIDE)
        return false;
    if (member->kind == OBJECT_SYMLINK)
        return name_symlink_inside(member->name, member->name_len, target, len);
    name_trim(&target, &len);
    return names_has_file(&walk->names, target, len);
}

static bool visit_other(struct tar_walk *walk, const struct tar_member *member)
{
    struct archive_view view;
    bool link = member->kind == OBJECT_SYMLINK || member->kind == OBJECT_OTHER;
    if (member->kind == OBJECT_DIRECTORY || (link && link_inside(walk, member)))
        return true;
    archive_view_init(&view, walk->in, member->name, member->name_len);
    if (!link)
        inspect_find(&view.in, FINDING_ARCHIVE_SPECIAL, NULL);
    else
        inspect_find(&view.in, FINDING_ARCHIVE_LINK,
                     member->kind == OBJECT_SYMLINK ? "the member is a symbolic link"
                                                    : "the member is a hard link");
    return inspect_wants_more(walk->in);
}

static bool visit(struct tar_walk *walk, const struct tar_member *member, struct bytes *content)
{
    struct tar_visitor *visitor = walk->visitor;
    listing_add(&visitor->listing, member->name, member->name_len, member->size, member->kind);
    bool root = member->name_len == 0 && member->kind == OBJECT_DIRECTORY;
    if (!root)
        (void)name_check(walk->in, member->name, member->name_len, visitor->rule.names);
    if (!content)
        return visit_other(walk, member);
    archive_privilege(walk->in, member->name, member->name_len, member->mode, walk->pax.capability, visitor->rule.package);
    return package_member(walk->in, &visitor->rule, visitor->package, member->name, member->name_len,
                          content);
}

static bool is_gem(const struct names *names)
{
    return names_has(names, "metadata.gz") && names_has(names, "data.tar.gz");
}

/* Plain bytes are walked twice: first the structure and all names, so that what does not hold is refused
 * before any member is looked into, and a package is known by its members. False: it does not hold. */
static bool survey(struct inspection *in, struct tar_visitor *visitor)
{
    struct tar_source source = {.in = in, .bytes = in->bytes, .survey = true};
    struct tar_walk walk = {.in = in, .source = &source};
    bool holds = tar_walk_run(&walk);
    package_rule_plain(in, &visitor->rule);
    if (holds && is_gem(&walk.names)) {
        inspect_claim(in, visitor->package = TYPE_GEM, EVIDENCE_STRUCTURE);
        package_rule_of(in, TYPE_GEM, &visitor->rule);
    }
    if (holds)
        names_judge(&walk.names, in, visitor->rule.names);
    tar_walk_free(&walk);
    tar_source_free(&source);
    return holds;
}

/* Every member through all inspectors, and the list for the second reader. */
static void deliver(struct inspection *in, struct tar_source *source, struct tar_visitor *visitor)
{
    struct tar_walk walk = {.in = in, .source = source, .visit = visit, .visitor = visitor};
    source->in = in;
    source->hold.budget = in->budget;
    visitor->listing.max = inspect_entries_left(in);
    bool whole = tar_walk_run(&walk);
    if (source->peel)
        names_judge(&walk.names, in, visitor->rule.names);
    visitor->listing.failed = visitor->listing.failed || !whole;
    archive_list(in, visitor->container, &visitor->listing);
    tar_walk_free(&walk);
    tar_source_free(source);
}

void archive_tar(struct inspection *in)
{
    struct tar_source source = {.bytes = in->bytes};
    struct tar_visitor visitor = {.package = TYPE_TAR, .container = TYPE_TAR};
    inspect_claim(in, TYPE_TAR, EVIDENCE_STRUCTURE);
    if (survey(in, &visitor))
        deliver(in, &source, &visitor);
}

void archive_tar_peeled(struct inspection *in, struct peel *peel, struct archive_meter *meter,
                        const uint8_t *ahead, size_t ahead_len, enum type container)
{
    struct tar_source source = {.peel = peel, .meter = meter, .ahead = ahead, .ahead_len = ahead_len};
    struct tar_visitor visitor = {.package = TYPE_TAR, .container = container};
    package_rule_plain(in, &visitor.rule);
    deliver(in, &source, &visitor);
}
