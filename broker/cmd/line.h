/* SPDX-License-Identifier: ISC
 * One promotion under way: everything that its steps share. Each step is a verb on this struct, returns 0 to go on or
 * an exit code after it said why; cmd_promote.c is the order. */
#ifndef SALLYPORT_LINE_H
#define SALLYPORT_LINE_H

#include "base/fd.h"
#include "base/item.h"
#include "collect/collect_walk.h"
#include "decide/decide.h"
#include "inspect/inspect.h"
#include "publish/publish.h"
#include "record/bag.h"
#include "record/record.h"
#include "record/sign.h"
#include "record/verify.h"
#include "report/report.h"

struct args;
struct box_result;
struct container_engine;
struct container_source;
struct line_part;
struct probe_report;

enum { LINE_ACTIONS = 32, LINE_CONTROLS = 32, LINE_ID_BYTES = 80, LINE_NAME_BYTES = 160 };

/* A file that the broker itself captured (the job's output), offered under a name of the contract. */
struct captured {
    const char *path; /* NULL: none */
    int fd;           /* borrowed */
};

struct line {
    const struct args *args;
    bool publishes;                 /* false: check */
    struct contract *contract;
    int rules_fd;                   /* sealed table of --rules; -1: none */
    struct inspect_pool *pool;
    const char *source_kind;        /* "directory", "tar", "held", "scratch", ... */
    char *source_text;              /* owned, escaped */
    struct line_part *parts;        /* bag: sources; owned */
    struct part_line *part_lines;   /* the same for the record; owned */
    size_t parts_n;
    uint64_t shard_index, shard_of; /* --shard K/N; 0: all */
    struct root root;               /* source directory; fd -1: none */
    bool streams;                   /* the source is a tar stream */
    char *const *producer;          /* the command that writes it; NULL: standard input */
    const char *strip;              /* the directory that its names begin with; NULL: none */
    struct container_source *container; /* owned; NULL */
    bool far, far_judged;           /* it is what an agent on another host sent; its listing was walked when it came */
    int spool;                      /* the spooled tar stream, read-only; -1 */
    struct extent_list extents;     /* of the spooled stream */
    const struct box_result *box;   /* run: the job that made the source; NULL */
    const struct container_engine *engine; /* run: what ran it; NULL: the built-in runner */
    const struct fetch_line *fetch; /* run: what the fetch phase did; NULL */
    const struct probe_report *proof; /* run: what the probes proved before the job; NULL */
    struct captured captured[2];
    struct destination dest;        /* fd -1: none */
    bool dest_inside;               /* it lies in the source, and the walk leaves it out */
    char *scratch_dest;             /* owned; private temporary directory of a check, removed at the end */
    struct publish *publish;
    struct publish *hold;           /* staging below --hold; NULL */
    struct destination hold_dest;
    struct publish *tree;           /* staging below --tree where there is a bag as well; NULL */
    struct destination tree_dest;
    struct publish *refusal;        /* staging below --record; NULL */
    struct destination refusal_dest;
    struct walk_result walk;
    struct finding_list whole;
    uint8_t floors[2][SHA256_SIZE]; /* digests of the floors that were held */
    size_t floors_n;
    bool *accept_used;
    enum decision decision;
    uint64_t copied_bytes;
    enum stability worst;
    char id[LINE_ID_BYTES];
    char name[LINE_NAME_BYTES];     /* NAME-ID */
    bool already;                   /* the same promotion was published before */
    bool published;
    bool failed;                    /* the decision was to publish, and nothing appeared */
    char operator_name[256];        /* empty: not asked for yet; LOGIN_NAME_MAX */
    char *bag_path;                 /* owned; as the operator can open it */
    const char *tree_path;          /* --tree once its files are there */
    char head[SHA256_HEX];          /* ledger head after this run; "" none */
    uint64_t sequence;
    int64_t started;                /* Unix seconds, or SOURCE_DATE_EPOCH */
    int64_t clock;                  /* Unix seconds of the real clock: expiry is judged by it */
    int64_t finished;               /* as the record says it */
    int64_t started_ns;             /* CLOCK_MONOTONIC */
    int64_t deadline_ns;            /* of the promotion, which begins with the walk: a job has a limit of its own */
    struct action actions[LINE_ACTIONS];
    size_t actions_n;
    struct bag_list files;          /* promoted ones, for the lists */
    struct buf record;              /* record.json */
    struct control_line controls[LINE_CONTROLS];
    struct report_row control_rows[LINE_CONTROLS], score_rows[RECORD_SCORES];
    size_t controls_n, scores_n;
    uint8_t content_sha256[SHA256_SIZE];
    uint8_t tagmanifest_sha256[SHA256_SIZE];
    int64_t progress_ns;            /* when the progress line was last written; 0 never */
};

/* --- line.c: life, time, log ---------------------------------------------------------- */
int line_begin(struct line *line, const struct args *args, bool publishes);
void line_end(struct line *line);
/* Appends to the action log; detail may be NULL and is copied. */
void line_did(struct line *line, const char *step, const char *detail);
int64_t line_now_ns(void);
/* Unix seconds; SOURCE_DATE_EPOCH where it is set. */
int64_t line_wall_clock(void);
/* Is SOURCE_DATE_EPOCH set? A value that is no time of the years 1970 to 9999 counts as not set; line_epoch_check says so. */
bool line_epoch(int64_t *seconds);
int line_epoch_check(void);
/* The exit code of a run that came to its end: "nothing was published" cannot be said of one that published. */
int line_settled(const struct line *line, int rc);
/* Says an errno with what failed and returns the exit code for it. */
int line_fail(const char *what, const char *name, int error);
/* Is there what every step needs of a Linux system, /proc of our own and /dev/null? Says which is missing. */
bool line_surroundings(void);
void line_progress(struct line *line, const char *step, size_t done, size_t of);
void line_progress_end(struct line *line);

/* --- line_contract.c ------------------------------------------------------------------ */
int line_contract(struct line *line);

/* --- line_rules.c --------------------------------------------------------------------- */
int line_rules(struct line *line);
/* Does every accepted secret rule exist? With --rules, those may name it. */
int line_rules_accepts(const struct line *line);

/* --- line_source.c -------------------------------------------------------------------- */
int line_source(struct line *line);
int line_destination(struct line *line);

/* --- line_walk.c ---------------------------------------------------------------------- */
int line_walk(struct line *line);
/* The job's output, as the contract names it. */
void line_capture(struct line *line, const struct box_result *result);

/* --- line_inspect.c ------------------------------------------------------------------- */
/* Copies, inspects, decides and places every file: the next one is copied while the last ones are inspected. */
int line_items(struct line *line);
/* Would this item's bytes be copied? */
bool line_wants_copy(const struct item *item);
/* The decision on the whole. */
/* The name of who runs this. The system's answer can take a while: asked for while the inspector starts. */
const char *line_operator(struct line *line);
int line_decide(struct line *line);

/* --- line_publish.c ------------------------------------------------------------------- */
/* Publishes, or records the refusal; returns the exit code of the decision. */
int line_publish(struct line *line);

/* --- line_ledger.c: under the destination's lock ------------------------------------- */
/* Repairs what a dead run left, holds the id against the ledger, notes what is about to be published. */
int line_ledger_ready(struct line *line);
int line_ledger_append(struct line *line);
/* The head as it is, where this run adds no line. */
void line_ledger_head(struct line *line);
/* The bag was not published: nothing is pending. */
void line_ledger_give_up(struct line *line);

/* --- line_sign.c ---------------------------------------------------------------------- */
/* Ends the workers, then opens each key and adds its signature to the bag under construction. */
int line_sign(struct line *line, struct publish *into, const struct sign_input *input);
/* The bag was there already: adds the signatures it lacks, where its content is what this run found. */
int line_sign_published(struct line *line, const struct verify_result *bag);

/* --- line_report.c -------------------------------------------------------------------- */
int line_record(struct line *line);
/* What the reports of a run share; content_sha256 is where the digest's text lives. */
void line_report_common(const struct line *line, char content_sha256[SHA256_HEX], struct report *out);
/* Standard output and --report files. */
int line_report(struct line *line);

#endif
