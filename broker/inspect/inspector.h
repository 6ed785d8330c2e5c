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

/* What is shared by a file and all of its members: spent, never given back. */
struct budget {
    uint64_t entries;   /* members seen */
    uint64_t unpacked;  /* bytes delivered by decoders */
    uint64_t held;      /* bytes of members kept in memory at this moment */
    uint64_t work;      /* units of scanner work, each scanner's own bound is against this */
    uint32_t findings;  /* sent so far */
};

/* Where claims and findings go: the socket in a worker, a list in tests and fuzzing. */
struct sink {
    void (*claim)(struct sink *sink, enum type type, enum evidence evidence);
    void (*finding)(struct sink *sink, const struct finding *finding);
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
    bool package_part;      /* member of a package: unknown passive parts are allowed */
    struct budget *budget;
    struct sink *sink;
    const struct inspection *parent;
    uint8_t sha256[32];     /* of a member, for the cycle check */
};

/* One inspector. run() says findings through the functions below; at depth 0 the frame sends DONE after it. */
struct inspector {
    const char *name;
    enum inspector_id id;
    void (*run)(struct inspection *in);
};

/* The inspectors of this program in order, ending with a NULL name: worker_first.c or worker_second.c. */
extern const struct inspector inspectors[];

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

/* All inspectors over one member: builds the child's inspection from the parent, judges its claims, and spends the
 * shared budget. name is the member's own name (raw bytes, no NUL). content is borrowed. admitted NULL: the parent's
 * `inside` types. Returns false when a bound was hit and the container must stop. */
bool inspect_member(struct inspection *parent, const char *name, size_t name_len, struct bytes *content,
                    const struct type_set *admitted, bool package_part);

/* Text that belongs to a container but to no member (comments, extra fields, padding, names): secrets only. label: a
 * fixed word, shown as member ("!comment"). */
void inspect_loose(struct inspection *parent, const char *label, const void *data, size_t len);

#endif
