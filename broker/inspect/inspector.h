/* SPDX-License-Identifier: ISC
 * What an inspector is. It runs in a confined child of sallyport-inspect (or -second), reads hostile bytes, and says
 * claims and findings; it never says a verdict. Ending without DONE is the refusal, so any surprise is _exit(). */
#ifndef SALLYPORT_INSPECTOR_H
#define SALLYPORT_INSPECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/item.h"
#include "base/task.h"
#include "inspect/bytes.h"
#include "inspect/spool.h"

/* What is shared by a file and all of its members: spent, never given back. */
struct budget {
    uint64_t entries;   /* members seen */
    uint64_t unpacked;  /* bytes delivered by decoders */
    uint64_t held;      /* bytes of members kept in memory at this moment */
    uint64_t work;      /* bytes that scanners read once more, or in small steps: a multiple of the size, or it ends */
    uint32_t findings;  /* sent so far */
    uint32_t nested;    /* listings of archives inside, sent so far */
    struct spool *spool; /* for what is too large for memory; NULL: none */
};

/* One member of a tar stream whose bytes the broker will copy itself; path is raw and need not be terminated. */
struct stream_member {
    const char *path;
    size_t path_len;
    uint64_t offset, length; /* where its content lies in the spooled stream */
    uint32_t mode, uid, gid;
    int64_t mtime_ns;
    enum object_kind kind;
};

/* The listing of an archive inside the file: where its bytes lie, so that the second reader can read the very same. */
struct nested_listing {
    enum type container;
    bool spooled;          /* in the spool; else in the file itself */
    uint64_t base, size;
    uint64_t count;
    uint8_t sha256[32];
    const char *member;    /* borrowed for the call */
};

/* Where claims and findings go: the socket in a worker, a list in tests and fuzzing (sink.h). Everything is borrowed
 * for the call. listing, nested and extent may be NULL where nobody listens. */
struct sink {
    void (*claim)(struct sink *sink, enum type type, enum evidence evidence);
    void (*finding)(struct sink *sink, const struct finding *finding);
    void (*listing)(struct sink *sink, const uint8_t sha256[32], uint64_t count);
    void (*nested)(struct sink *sink, const struct nested_listing *listing);
    void (*extent)(struct sink *sink, const struct stream_member *member);
};

/* One file or member under inspection. */
struct inspection {
    struct bytes *bytes;
    const char *path;       /* name whose extension counts: the task's path, or the member's own name */
    const char *member;     /* member path ("b.tar.gz!c.txt") below the file; NULL: the file itself */
    unsigned depth;         /* nesting: 0 the file itself; each compression or container is one */
    const struct task *task;
    const struct type_set *admitted; /* what is admitted here: the output's types, `inside` types, or a package's rule */
    struct inside inside;   /* bounds in force */
    struct claims claims;   /* collected so far; the type inspector fills it first */
    enum type text;         /* TYPE_PLAIN where the content is valid UTF-8 text without NUL, else TYPE_NONE */
    bool legacy;            /* text in an 8-bit encoding, part of a package: looked through as if it were UTF-8 */
    uint64_t clean;         /* so many bytes from the start were seen to be printable ASCII, blanks and line ends */
    bool fragment;          /* text that starts with a tag and is no page: looked through as one */
    bool package_part;      /* member of a package: unknown passive parts are allowed */
    struct budget *budget;
    struct sink *sink;
    const struct inspection *parent;
    bool hashed;            /* sha256 is set: computed when the first member of this member is entered */
    uint8_t sha256[32];     /* of a member, for the cycle check */
};

/* One inspector. run() says findings through the functions below; at depth 0 the frame sends DONE after it. setup()
 * runs once in the worker's parent, before confinement and before any child: load tables; NULL: nothing to do; -1 ends the program (exit 4 at the broker). rules_fd: extra rules or -1, borrowed. */
struct inspector {
    const char *name;
    enum inspector_id id;
    void (*run)(struct inspection *in);
    int (*setup)(int rules_fd);
};

/* The inspectors of this program in order, ending with a NULL name: worker_first.c or worker_second.c. The type
 * inspector is first and fills claims and text. In the tables the entries are type_inspect, archive_inspect,
 * active_inspect and secret_inspect with secret_setup; type_second_inspect and archive_second_inspect in the second,
 * which look at task->ask (ASK_LISTING: the file was read as task->container; say the listing or a finding). */
extern const struct inspector inspectors[];
void type_inspect(struct inspection *in);
void active_inspect(struct inspection *in);

/* Reads a spooled tar stream: one inspect_extent() per member in order, findings on the stream as a whole. Bounds:
 * in->inside.entries. (archive_stream.c) */
void stream_tar(struct inspection *in);
void inspect_extent(struct inspection *in, const struct stream_member *member);

/* A fresh inspection of a whole file at depth 0. Everything is borrowed. */
void inspection_init(struct inspection *in, struct bytes *bytes, const struct task *task, struct budget *budget,
                     struct sink *sink);

/* A claim on the file or member. At depth 0 it is sent to the broker; a member's is judged here by type_judge(). */
void inspect_claim(struct inspection *in, enum type type, enum evidence evidence);

/* A finding at the code's default level, without a place. message: one sentence of our own, without hostile bytes
 * (numbers and fixed words only), or NULL for the code's sentence. */
void inspect_find(struct inspection *in, enum finding_code code, const char *message);
/* With a place: byte offset and, where line is not 0, a 1-based line; level overrides the default. */
void inspect_find_at(struct inspection *in, enum finding_code code, enum finding_level level, uint64_t offset,
                     uint32_t line, const char *message);
/* A credential: rule id, offset, line, length; never its bytes. chain: how it was encoded ("base64", "utf-16le"), or
 * NULL. */
void inspect_secret(struct inspection *in, const char *rule, enum finding_level level, uint64_t offset, uint32_t line,
                    uint64_t length, const char *chain);

/* False once FINDINGS_MAX findings were said: inspect/limit was sent, nothing more will be, loops may stop. */
bool inspect_wants_more(const struct inspection *in);

/* --- containers ------------------------------------------------------------------------------------------------ */

/* How many more members the bounds admit; check it before allocating a list of them. */
uint64_t inspect_entries_left(const struct inspection *in);
/* Spends entries that are not handed to inspect_member (directories, links, refused names). False: archive/entries was
 * said, stop. */
bool inspect_entries(struct inspection *in, uint64_t n);

/* One running decoder (or the copy of a stored member): zero-initialise, call with what each step consumed and
 * produced. Spends the shared unpacked budget and holds `member`, `unpacked` and `ratio`. False: the finding was said,
 * stop. Bytes that already came out of an outer decoder are spent there: a stored member inside it costs nothing. */
struct unpack {
    uint64_t in, out;
};
bool inspect_unpack(struct inspection *in, struct unpack *unpack, uint64_t consumed, uint64_t produced);

/* Says the canonical member list of a container (listing.h), which the second reader must find too: of the file, or of
 * an archive inside it, whose bytes are kept for that. container: what the second reader takes it for. */
void inspect_listing(struct inspection *in, enum type container, const uint8_t sha256[32], uint64_t count);

/* All inspectors of this program over one member: builds the child's inspection from the parent, judges its claims, and spends the
 * shared budget (one entry; not its bytes, see inspect_unpack). name is the member's own name (raw bytes; one with a NUL is
 * refused and cut there). content is borrowed. admitted NULL: the parent's `inside` types; package_part adds the passive
 * types and unknown binaries to it. Returns false when a bound was hit and the container must stop. The first member of a
 * member also checks the nesting bound and that no archive contains itself. */
bool inspect_member(struct inspection *parent, const char *name, size_t name_len, struct bytes *content,
                    const struct type_set *admitted, bool package_part);
/* The same for a layer that is no member: the tar inside a tar.gz. A level of nesting, but no entry, and members below
 * it are shown as members of the parent. name only gives the extension ("b.tar"). */
bool inspect_layer(struct inspection *parent, const char *name, size_t name_len, struct bytes *content,
                   const struct type_set *admitted);

/* Text that belongs to a container but to no member (comments, extra fields, padding, names): secrets only. label: a
 * fixed word, shown as member ("!comment"). */
void inspect_loose(struct inspection *parent, const char *label, const void *data, size_t len);

#endif
