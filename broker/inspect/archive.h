/* SPDX-License-Identifier: ISC
 * What the parts of the archive inspector share: how a container is chosen, where a finding on a member goes,
 * and the bounds under which anything is unpacked. Runs in a worker child; trusts no number that the bytes
 * claim. */
#ifndef SALLYPORT_ARCHIVE_H
#define SALLYPORT_ARCHIVE_H

#include "base/limits.h"
#include "inspect/inspector.h"
#include "inspect/listing.h"

/* The inspector: opens one container or compression layer and hands its members to inspect_member(). */
void archive_inspect(struct inspection *in);

/* Which container the bytes are, by signature; `claims` are asked only for what has none (a prefixed zip, a tar of no
 * members, lzma). TYPE_NONE: none; TYPE_OTHER_ARCHIVE: one that cannot be looked into, *what names it. */
enum type archive_type_of(struct bytes *bytes, const struct claims *claims, const char **what);

/* A finding at the default level with an offset and a sentence of fixed words and numbers. */
void archive_find(struct inspection *in, enum finding_code code, uint64_t at, const char *fmt, ...)
    PRINTF(4, 5);

/* A view of `in` whose findings stand on the member `name`: the same inspection under a longer member path.
 */
struct archive_view {
    struct inspection in;
    char member[MEMBER_BYTES + 1];
};
void archive_view_init(struct archive_view *view, const struct inspection *in, const char *name, size_t len);

/* Says that a file would run with another's rights where it is unpacked by root: set-user-ID, set-group-ID or file
 * capabilities. A warning; in a package, whose system hands them out, a note. */
void archive_privilege(struct inspection *in, const char *name, size_t len, uint64_t mode, bool capability, bool package);

/* Are the len bytes from `at` all NUL? */
bool archive_zeros(struct bytes *bytes, uint64_t at, uint64_t len);

/* What one decoder delivers, against the bounds of the contract. */
struct archive_meter {
    uint64_t packed; /* size of what is unpacked; the ratio is judged against it */
    uint64_t out;    /* delivered so far */
    bool member;     /* the output is one member: its bound applies too */
};
/* Would `more` bytes pass a bound? Then it is said, with its key and value, and the container must be given
 * up. */
bool archive_admits(struct inspection *in, const struct archive_meter *meter, uint64_t more);
/* The same for bytes that were delivered: they are spent. */
bool archive_spend(struct inspection *in, struct archive_meter *meter, uint64_t more);
/* A member that lies in the container as it is: its bytes, spent where no decoder has spent them (in a file itself). */
bool archive_stored(struct inspection *in, struct bytes *content, uint64_t at, uint64_t size);
/* Says the list of a container, if it is whole, and frees it. */
void archive_list(struct inspection *in, enum type container, struct listing *listing);
/* May so many members follow? Asked before a list of them is built; spends nothing. False after a finding. */
bool archive_count(struct inspection *in, uint64_t entries);

/* One unpacked member: in memory as long as it is small, else in the spool. Grows as bytes are delivered, never by a
 * claim; memory is charged to budget->held. */
struct archive_hold {
    struct budget *budget;
    uint8_t *data; /* in memory: all of it, or what follows the part in the spool */
    size_t len, cap;
    uint64_t at, spooled; /* the part in the spool */
};
/* Room for `more` bytes behind data + len. False: there is neither memory nor room in the spool. */
bool archive_hold_room(struct archive_hold *hold, size_t more);
/* All that was delivered, as bytes that are good until the hold is used again. False: no room in the spool. */
bool archive_hold_bytes(struct archive_hold *hold, struct bytes *bytes);
/* Empty again; keeps its memory. */
void archive_hold_reset(struct archive_hold *hold);
void archive_hold_free(struct archive_hold *hold);
/* What to say when there is no room. */
void archive_hold_full(struct inspection *in, uint64_t at);

#endif
