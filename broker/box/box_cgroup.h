/* SPDX-License-Identifier: ISC
 * Control groups of one box: the limits that hold for the whole tree together, made by the broker outside of it. Version 2
 * (as root, or in a delegated tree) and version 1, also side by side. All descriptors are owned. */
#ifndef SALLYPORT_BOX_CGROUP_H
#define SALLYPORT_BOX_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "box/box_plan.h"

enum { CG_MEMORY = 1 << 0, CG_PIDS = 1 << 1, CG_CPU = 1 << 2, CG_KILL = 1 << 3 };
enum { CG_HOMES = 5, CG_NAME = 48 };

/* One hierarchy: `dir` is our group in it, below `parent`. */
struct cgroup_home {
    int parent, dir;
    bool v2;
    unsigned has;     /* what we use it for */
};

struct box_cgroup {
    struct cgroup_home homes[CG_HOMES];
    size_t n;
    char name[CG_NAME];
    unsigned enabled; /* controllers that we switched on in the v2 parent, to be switched off again */
    int leaf;         /* the broker's own place inside a delegated group; -1: it was not moved */
    int janitor_pipe; /* its closing tells the janitor that the broker died */
    pid_t janitor;    /* 0: none */
};

/* What one hierarchy of this host offers to us. */
struct cgroup_site {
    char path[512];   /* of the group we are in */
    char mount[256];  /* of the hierarchy's top */
    bool v2;
    unsigned controllers;
};

/* The hierarchies that hold a controller we use, from the texts of /proc/self/mountinfo and /proc/self/cgroup. Pure. */
size_t cgroup_sites(const char *mountinfo, const char *cgroup, struct cgroup_site *out, size_t max);

/* Creates the groups and sets the limits, each read back. 0 done (also where nothing is needed), 1 a control the contract
 * asks for is missing (result says so), -1 with errno. Close in every case. */
int box_cgroup_open(struct box_cgroup *cg, const struct box_plan *plan, struct box_result *result) MUST_CHECK;
/* Moves a process in, before it runs anything of the job. */
int box_cgroup_place(const struct box_cgroup *cg, pid_t pid) MUST_CHECK;
/* What was used, and which limits were hit. */
void box_cgroup_read(const struct box_cgroup *cg, struct box_result *result);
/* Kills what is left, waits until the groups are empty and removes them. True: nothing is left of them. */
bool box_cgroup_close(struct box_cgroup *cg);

/* Shared by box_cgroup.c and box_cgroup_end.c */
int cgroup_write(int dir, const char *file, const char *text) MUST_CHECK;
/* The text of a small file, without the last LF; false where there is none. */
bool cgroup_read(int dir, const char *file, char *out, size_t size);
/* Forks the janitor: a process that removes the groups when the broker dies before it could. */
int cgroup_janitor(struct box_cgroup *cg) MUST_CHECK;
/* Back to what the v2 tree was before us. */
void cgroup_restore(struct box_cgroup *cg);

#endif
