/* SPDX-License-Identifier: ISC
 * Every number in the program, each with its why. The bounds that a user meets (contract defaults, and what is unpacked at
 * most) are in rules/bounds, which bounds_table.inc is made of. */
#ifndef SALLYPORT_LIMITS_H
#define SALLYPORT_LIMITS_H

#include <stdint.h>

#include "bounds_table.inc"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* --- contract text ------------------------------------------------------------------------ */
#define CONTRACT_BYTES (256 * KIB)
#define CONTRACT_DEPTH 8u
#define CONTRACT_NODES 10000u
#define CONTRACT_ERRORS 20u
#define RUN_MEMORY_MIN MIB         /* of a job: with less the box itself cannot be set up */
#define RUN_INODES_MIN 3u          /* the scratch and the two directories that /tmp and /dev/shm lead to */
#define RUN_PROCESSES_MAX 4194304u /* PID_MAX_LIMIT: the kernel takes no greater limit */
#define INIT_OUTPUTS 200u /* proposed by `init`: more than a person reads through */
#define INIT_EXACT 3u     /* so many files of a kind are named one by one, more by a glob */
#define DURATION_MAX_MS (3660ull * 24 * 3600 * 1000) /* ten years are for ever, and nanoseconds of them are 59 bits */
#define EPOCH_MAX 253402300799ll /* the last second of the year 9999: later ones have no date of four digits */
#define DAYS_MAX 36500u /* of a floor: a century is for ever, and keeps the arithmetic small */

/* --- paths ---------------------------------------------------------------------------------- */
#define PATH_BYTES 4096u     /* the kernel's PATH_MAX; longer names no system agrees on */
#define COMPONENT_BYTES 255u /* NAME_MAX of every common filesystem */
/* Components a collision set holds before it gives up: forty for each entry an archive may have. */
#define PATH_SET_MAX (4u << 20)
/* Deeper than any contract's depth: the fixed size of the walk's stack of descriptors. */
#define WALK_DEPTH_MAX 256u

/* --- copying -------------------------------------------------------------------------------- */
#define COPY_BLOCK (256 * KIB) /* measured: larger blocks leave the cache and halve the throughput */
#define COPY_THREADS 2u        /* two cores are what is promised for; more would wait for one disk */
#define COPY_AHEAD 64u         /* given to them and not taken back: each holds a descriptor */
#define COPY_AHEAD_BUNCH 8u    /* small files that are worth waking a thread for */
#define COPY_AHEAD_FILES 32u   /* from here on, or ... */
#define COPY_AHEAD_BYTES (4 * MIB) /* ... in two files or more, threads win back what starting them costs */
#define COPY_AHEAD_WAIT_MS 5u  /* how long the answers of the inspectors wait for a copy */
/* A lease against readers: an honest holder gives way at once, the kernel lets a dishonest one keep it for 45 s. */
#define COPY_BUSY_TRIES 20u
#define COPY_BUSY_WAIT_NS (10 * 1000 * 1000)

/* --- publishing ----------------------------------------------------------------------------- */
#define STAGING_TRIES 16u      /* another run's clearing can take a directory that is not locked yet */
#define LOCK_STEP_MS 10u
#define DEST_LOCK_MS 30000u    /* a rename, a directory sync and one ledger line: far longer means a stuck run */
/* Writing begins early for files that are worth a system call by themselves, in pieces that a disk writes in a moment. */
#define WRITE_OUT_FILE MIB
#define SYNC_BEGIN_BYTES (8 * MIB) /* less is written by the sync at the end in no time */
#define WRITE_OUT_PIECE (32 * MIB)
#define WRITE_OUT_ORDERS 64u   /* each holds a descriptor; with more waiting the disk is busy enough */
#define TREE_JOURNAL_BYTES (64 * MIB) /* 10,000 paths of the greatest length are 40 MiB */

/* --- evidence --------------------------------------------------------------------------------- */
#define REFUSALS_MAX 999u         /* of one id beside each other: a loop that nobody looks at, else */
#define LEDGER_LINE_BYTES 8192u   /* a custody event: 512 bytes of text, a signature of 300, digests */
#define LEDGER_BYTES (512 * MIB)  /* a million promotions */
#define LEDGER_TEXT_BYTES 512u    /* what a person says to a custody event */
#define ALLOWED_SIGNERS_BYTES (4 * MIB) /* twenty thousand keys */

#define SARIF_RESULTS 25000            /* GitHub rejects a run with more */
#define SARIF_BYTES (9500 * 1000u)     /* of a run's results, compressed: GitHub takes 10 MB, and the rules want some */

/* What a tar stream may spend on the framing of one object: two headers, a long name and padding. */
#define STREAM_FRAMING (4 * KIB)

/* --- findings and frames -------------------------------------------------------------------- */
#define FINDINGS_MAX 1000u      /* on one item; more is inspect/limit */
#define FINDINGS_RESERVE 64u     /* room behind them for what the broker itself adds: never silently lost */
#define MESSAGE_BYTES 512u
#define MEMBER_BYTES 4096u
#define FRAME_BYTES (64 * KIB)  /* largest payload of a frame with text in it, but for SCAN */
#define BATCH_FILES 64u         /* plain files one child serves: descriptors cost 0.5 us each together, 11 alone */
#define SCAN_BYTES (512 * KIB)  /* largest text of our own handed over for a secret scan */
#define NAME_LOOKS 8u           /* at a name, each without what the one before found; then all of it is masked */
#define NAME_ENCODED 16u        /* a component shorter than this holds no credential that is encoded */

/* --- workers --------------------------------------------------------------------------------- */
#define WORKER_ADDRESS_SPACE (3 * GIB)
#define WORKER_FILE_MS 30000u        /* deadline for a file of no size ... */
#define WORKER_FILE_MS_PER_MIB 250u  /* ... and for each MiB of it: 4 MB/s, a tenth of the slowest scanner */
/* Unpacked members that are kept in memory, all levels together; what is larger lies in the child's spool. Only where
 * there is no spool (tests, fuzzing) memory is all there is. */
#define WORKER_HELD (8 * MIB)
#define WORKER_HELD_LEAST (256 * KIB) /* one level's buffer, however much the others hold */
#define WORKER_MEMBER_MEMORY (256 * MIB)
#define WORKER_SPOOL (8 * GIB)        /* of one child: four times what `inside: unpacked` is by default */
#define WORK_MAX (1024 * GIB)    /* keeps the deadline's arithmetic far from overflow */
#define WORKER_READY_MS 20000u   /* loading tables takes 10 ms; a machine that swaps, a sanitizer build: more */
#define WORKER_KILL_MS 3000u     /* from the order to kill a child until its end must be reported */
#define WORKER_STARTS 8u         /* of one program in one run: a program that keeps dying is not tried for ever */
#define JOB_ATTEMPTS 2u          /* in its batch, then alone */
#define FIRST_CHILD 0u           /* number of a worker program's first child, which is made before any machine code: ... */
#define FIRST_CHILD_BYTES (64 * KIB) /* ... beyond this the millisecond that the code takes is won back */
#define BATCH_BYTES (8 * MIB)    /* a batch is one child's work: beyond this it would starve the other processors */
#define WORKER_DESCRIPTORS 128u /* BATCH_FILES, the socket, three standard ones; the rest is air */
#define WORKER_CPU_SECONDS 7200u /* backstop behind the broker's deadlines: a child that outlived its broker */

/* --- types and active content --------------------------------------------------------------------- */
#define JSON_NESTING_MAX 512u    /* deeper than any tool writes; readers that recurse crash somewhere above */
#define XML_TEXT_BYTES 128u       /* of an entity that passes: below the hundredfold growth that readers admit */
#define XML_NESTING_MAX 1024u    /* a word on the stack for each */
#define PICKLE_OPS 100000000u     /* walked in about a second; a list of as many numbers is 200 MB */
#define PICKLE_MARKS 1024u       /* marks open at once: nesting of containers while they are written */
#define IMAGE_PADDING 16u        /* measured: tools leave a line end behind a picture, nothing longer */
#define IMAGE_TEXT (16 * MIB)    /* what compressed text and profiles of one picture may unpack to */
#define OGG_TEXT (4 * MIB)       /* of the first pages of a sound, where its comments are: with a cover, hundreds of KiB */
#define JPEG_PICTURES 64u        /* in one multi-picture file; cameras write two or three */
#define JPEG_GAP (64 * KIB)      /* zeros that align one picture behind another */
#define TIFF_DIRECTORIES 65536u  /* pages of the longest scans */
#define TIFF_ENTRIES 4096u       /* in one directory; a hundred are common */
#define TIFF_ENTRIES_ALL 1000000u /* over all directories, so that a circle of large ones ends soon */
#define BMFF_BOXES 1000000u      /* fragments of hours of video */
#define BMFF_DEPTH 10u           /* tracks nest six deep */
#define MP3_GAP (64 * KIB)       /* neither sound nor tag in one stretch */
#define FONTS_MAX 4096u          /* in one collection */
#define NPY_HEADER 8192u         /* longer ones have thousands of fields */
#define GGUF_STEPS 20000000u     /* tokens of the largest vocabularies, several lists of them */
#define SAFETENSORS_HELD (16 * MIB) /* of a header, kept in memory; the largest models have two */
#define PARQUET_FOOTER (32 * MIB)   /* 10,000 columns of 100 row groups take ten */
#define PARQUET_PAGE (64 * MIB)     /* of one page, unpacked; writers end them at 1 MiB, and never inside a text */
#define PARQUET_ROOM (64 * 1024u)   /* what is taken at first */
#define PARQUET_LEAVES 1000000u     /* columns of a schema */
#define PARQUET_DEPTH 64u           /* of a schema; documents nest a dozen */
#define PARQUET_COPY (64 * KIB)     /* the description of a column that older writers repeat behind it */
#define PARQUET_COPY_LEAST 16u      /* what one takes at least: shorter runs of bytes read as anything */
#define DELTA_BLOCK (1u << 20)      /* numbers in one block; writers use 128 or 256 */
#define ARROW_METADATA (32 * MIB)   /* of one message; 100,000 columns take ten */
#define ARROW_FIELDS 1000000u       /* of a schema, children too */
#define ARROW_DEPTH 64u             /* of a schema */
#define ARROW_DICTIONARIES 4096u    /* each is compared with all others */
#define SPANS_MAX (1u << 22)        /* parts of one file that are kept to be compared: four for each column */
#define SHOWN_WINDOW (1024 * 1024u) /* of derived bytes, looked through for credentials at once */
#define SHOWN_OVERLAP (32 * 1024u)  /* of one window and the next; longer than the longest key and its encoding */
#define SAFETENSORS_HEADER (100 * 1000 * 1000u) /* the format's own bound */

/* --- the box --------------------------------------------------------------------------------------- */
/* Reserved ids for jobs of a broker that is root: far above what systems hand out (systemd's dynamic and container
 * ranges end below), so that user limits apply and no file of the host belongs to the job. */
#define BOX_UID_FIRST 1900000000u
#define BOX_UID_COUNT 65536u
#define BOX_ROOT_BYTES (16 * MIB)   /* the box's own root: links, an empty tree and /etc */
#define BOX_ROOT_INODES 4096u
#define BOX_ETC_BYTES (2 * MIB)     /* largest file copied into the private /etc (ld.so.cache is 100-500 KiB) */
#define BOX_TREE_ENTRIES 2000000u   /* of a base or a copied input: a full desktop system has a million files */
#define BOX_COPY_BYTES GIB          /* of a copied input, where the contract gives the scratch no size */
#define BOX_COPY_INODES 200000u
#define BOX_PROC_BYTES MIB         /* mountinfo of a host with thousands of containers stays below */
#define BOX_SETUP_MS 15000u         /* measured 2-20 ms; far above it the set-up hangs */
#define BOX_KILL_MS 10000u          /* a tree of 900 processes took 53 ms to die */
#define BOX_FREEZE_MS 2000u         /* dying writers release their files within milliseconds */
#define BOX_UNMOUNT_MS 2000u        /* measured below 2 ms */
#define BOX_INPUTS_MAX 256u         /* inputs of one contract; each is a mount */
#define GATE_DESTINATIONS 4096u     /* connections of one fetch phase: a large dependency tree makes hundreds */
#define GATE_CONNECTIONS 64u        /* of a fetch phase at once; package managers open ten to fifty */
#define GATE_HEAD_BYTES 8192u       /* of one proxy request: what servers usually allow */
#define GATE_CONNECT_MS 10000       /* for a name's answer, a connection, a request's head */
#define GATE_IDLE_MS 120000         /* a connection on which nothing moves; slow mirrors think for a minute */
#define PROOF_AGE_S (24 * 3600)      /* how long many jobs may share one proof */
#define PROOF_PROGRAM_BYTES (64 * MIB) /* our own programs are 1-3 MiB, with sanitizers 20 */
#define PROBE_ANSWER_BYTES (16 * KIB) /* what the probe program says: two lines of at most 256 bytes a probe */
#define CANARY_NUMBER_LEAST 1000u /* process number of the probes' canary: a run of them starts below 300 processes */
#define PROBE_WALL_MS 30000u         /* of a run of the probes; measured: below 3 s together */
#define BOX_OWN_DIRECTORIES 2u      /* .tmp and .shm of a scratch */
#define BOX_LOCKED_BYTES (8 * MIB)  /* RLIMIT_MEMLOCK of the job: what systems give to anybody */
#define BOX_OPEN_FILES 4096u        /* RLIMIT_NOFILE of the job: node and java ask for a thousand */
/* --- container engines ------------------------------------------------------------------------------- */
#define CLIENT_MS 60000             /* of one question to a client: measured 20-500 ms, a loaded daemon takes seconds */
#define ENGINE_HELD_MS 30000u       /* until a container is held at its start; measured below 1 s */
#define ENGINE_GONE_MS 15000u       /* until a removed container is forgotten; measured below 0.3 s */
#define ENGINE_POLL_MS 20           /* how often the agent's state and the counters are looked at */
#define CLIENT_FEED_MS (30 * 60 * 1000) /* of carrying an input to another host: 4 GiB at 2.3 MB/s */
#define FAR_UID 1000u                /* of a job where the daemon maps no reserved id: an ordinary one of its own map */
#define FAR_LATE_MS 5000u           /* beyond the wall limit until the agent's word on it must be there; then we kill */
#define FAR_SILENT_MS 60000u        /* without a byte from an agent that lists or sends */
#define FAR_WINDOW 8u               /* files asked for ahead: their names fit into one pipe */
#define FAR_NAMES_BYTES (64 * MIB)  /* 100,000 names of 600 bytes */
#define FAR_INPUT_BYTES (4 * GIB)   /* inputs that are carried to another host */
#define FAR_INPUT_DEPTH 64u         /* directories within directories of such an input */
#define ENGINE_AGENT_BYTES (64 * MIB) /* a file that is copied to be shown to a container: agent, probes, single inputs */

/* --- archives -------------------------------------------------------------------------------- */
#define ZIP_COMMENT_BYTES 65535u       /* the format's own field: where an end record can lie */

/* --- active content ---------------------------------------------------------------------------- */
/* Reading of tags, in multiples of the part's size: a '<' inside a tag makes a stretch be read again, which real pages
 * do for a few attributes (measured: below 1.0) and scripts with comparisons more often (2.1); nesting without end is an
 * attack on the reader. A megabyte of it then costs a tenth of a second, 60 MB a few seconds. */
#define MARKUP_WORK_FACTOR 4u
#define MARKUP_WORK_FLOOR MIB
#define YAML_WORK_FACTOR 8u  /* looking at tags, in multiples of the size; those of real files are a tenth of it */
#define YAML_WORK_FLOOR MIB
#define MARKDOWN_WORK_FACTOR 8u  /* looking for ends of code that has none, in multiples of the size */
#define MARKDOWN_WORK_FLOOR MIB
#define MARKDOWN_COPY (4 * MIB) /* larger Markdown than any measured is looked at without blanking its code */
#define OFFICE_TEXT (64 * KIB)    /* one formula or field; spreadsheets stop at 8,192 characters */
#define OFFICE_FIELDS (1 * MIB) /* field instructions of one part; a thesis with an index has 100 KiB */
#define PDF_INFLATED (1 * GIB)      /* all streams of one PDF: 3 s of inflating; a 600-page scan has 300 MiB */
#define PDF_OBJECTS 65536u          /* objects of one object stream; writers put 100 to 200 into one */
#define PDF_STREAM_KEPT (64 * MIB)  /* one stream kept to be looked at; object streams are below 1 MiB */
#define PDF_WINDOW (1024 * 1024u)   /* of a stream, looked through for credentials at once: small against the rest */
#define PDF_OVERLAP (32 * 1024u)    /* of one window and the next; longer than the longest key and its encoding */
#define EML_HEADER (256 * KIB)  /* one header block of a mail; a thousand relays leave 200 KiB */
#define EML_DEPTH 16u             /* parts within parts, and messages within messages; forwarded threads have six */
#define PDF_PIECE (16 * 1024u)       /* strings of one line or list, joined: longer than the longest key */
#define PDF_ROW MIB                  /* of a predictor: 100,000 columns of several samples */
#define NOTEBOOK_OUTPUT (16 * MIB) /* one output of a notebook, decoded; saved plots are 1-5 MiB */

/* --- secret rules ------------------------------------------------------------------------------ */
#define RULES_MAX 4000u             /* default and extra rules together: more take a minute to compile */
#define RULE_TEXT_MAX 8192u         /* bytes of one pattern; the longest published one has 2,100 */
#define RULE_FILE_BYTES (4 * MIB)   /* a rule file */
#define RULE_TABLE_BYTES (16 * MIB) /* a sealed table */
#define RULE_WIDTH_MAX (64u * 1024u) /* longest match: a window of four of them fits into one read */
#define RULE_TRIGGER_WIDTH 1024u    /* widest trigger: what is scanned twice where two reads meet */
#define RULE_MATCH_LIMIT 2000000u   /* backtracking steps of one window; then it is undecided, which refuses */
#define RULE_JIT_STACK (1 * MIB)    /* most stack a compiled pattern may use */
#define RULE_MATCH_HEAP (32 * MIB)  /* most heap the interpreter may use where compiled code ran out of stack */
#define SECRET_HITS_MAX 100u        /* findings of one rule in one file or member; the next one says so and is the last */
#define SECRET_DEPTH 3u             /* encodings inside encodings: mail in JSON in base64 is as deep as people go */
#define SECRET_DECODED_FACTOR 8u    /* decoded bytes per byte of the file, over all views; honest files stay below 2 ... */
#define SECRET_DECODED_FLOOR (4 * MIB) /* ... and small ones need no counting */

#endif
