/* SPDX-License-Identifier: ISC
 * main() of both worker programs. This process loads tables, makes all machine code and forks one confined child for
 * each batch; it never reads a hostile byte itself. It trusts the broker, and tells it how each child ended. */
#include "inspect/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/finding_wire.h"

enum { CHILDREN_MAX = 256 };

struct child {
    uint32_t number;
    pid_t pid;
};

struct parent {
    struct wire wire;
    struct confinement applied;
    struct child children[CHILDREN_MAX];
    size_t n;
    bool warm;
    sigset_t waiting; /* the mask while waiting: SIGCHLD gets through */
};

static void on_child(int signal_number)
{
    (void)signal_number; /* only to wake pselect */
}

static int signals_prepare(sigset_t *waiting)
{
    struct sigaction action = {.sa_handler = on_child};
    sigset_t block;
    sigemptyset(&action.sa_mask);
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    if (sigaction(SIGCHLD, &action, NULL) != 0 || sigprocmask(SIG_BLOCK, &block, waiting) != 0)
        return -1;
    return sigdelset(waiting, SIGCHLD);
}

/* --- children ------------------------------------------------------------------------------------ */

static NORETURN void become_child(struct parent *p, int *socket)
{
    fd_close(&p->wire.fd);
    if (dup2(*socket, WORKER_SOCKET) != WORKER_SOCKET || fd_close_from(WORKER_SOCKET + 1) != 0)
        _exit(WORKER_SETUP);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &p->waiting, NULL);
    *socket = WORKER_SOCKET;
    worker_child(socket, p->applied);
}

/* Where no child can be made the socket just closes: the broker sees the end of the stream. */
static void batch_begin(struct parent *p, uint32_t number, int *socket)
{
    if (number != FIRST_CHILD && !p->warm && worker_program.warm)
        worker_program.warm();
    p->warm = p->warm || number != FIRST_CHILD;
    pid_t pid = p->n < CHILDREN_MAX ? fork() : -1;
    if (pid == 0)
        become_child(p, socket);
    fd_close(socket);
    if (pid > 0)
        p->children[p->n++] = (struct child){number, pid};
}

static void batch_kill(const struct parent *p, uint32_t number)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->children[i].number == number)
            kill(p->children[i].pid, SIGKILL);
}

static int exit_report(struct parent *p, uint32_t number, uint32_t status)
{
    struct buf out;
    buf_init(&out, 8);
    buf_u32(&out, number);
    buf_u32(&out, status);
    int rc = out.failed ? -1 : wire_send(&p->wire, FRAME_EXIT, out.data, out.len, -1);
    buf_free(&out);
    return rc;
}

static int children_reap(struct parent *p)
{
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < p->n; i++)
            if (p->children[i].pid == pid) {
                uint32_t number = p->children[i].number;
                p->children[i] = p->children[--p->n];
                if (exit_report(p, number, (uint32_t)status) != 0)
                    return -1;
                break;
            }
    return 0;
}

/* --- the broker's orders --------------------------------------------------------------------------- */

static int order(struct parent *p, struct frame *frame)
{
    struct reader r;
    reader_init(&r, frame->payload, frame->len);
    uint32_t number = reader_u32(&r);
    if (frame->type == FRAME_BATCH)
        batch_begin(p, number, &frame->fd);
    else if (frame->type == FRAME_KILL)
        batch_kill(p, number);
    else
        return -1;
    return 0;
}

static int serve(struct parent *p)
{
    for (;;) {
        struct frame frame = {.fd = -1};
        fd_set in;
        int got = 0;
        while ((got = wire_recv(&p->wire, &frame, false)) == 1)
            if (order(p, &frame) != 0)
                return -1;
        if (got < 0 || children_reap(p) != 0)
            return -1;
        FD_ZERO(&in);
        FD_SET(p->wire.fd, &in);
        if (pselect(p->wire.fd + 1, &in, NULL, NULL, NULL, &p->waiting) < 0 && errno != EINTR)
            return -1;
    }
}

static int ready_report(struct parent *p)
{
    struct wire_ready ready = {.version = PACKAGE_VERSION};
    struct buf out;
    worker_program.libraries(ready.libraries, sizeof(ready.libraries));
    buf_init(&out, sizeof(ready) + 4);
    wire_ready_encode(&ready, &out);
    int rc = out.failed ? -1 : wire_send(&p->wire, FRAME_READY, out.data, out.len, -1);
    buf_free(&out);
    return rc;
}

static int by_byte(const void *a, const void *b)
{
    return memcmp(a, b, 1);
}

/* The first large qsort() asks the system how much memory there is, which a child may not: asked here, once. Large is
 * counted in bytes, so two elements do. */
static void libc_warm(void)
{
    char sorted[4096] = {0};
    qsort(sorted, 2, sizeof(sorted) / 2, by_byte);
}

static int tables_load(int rules_fd)
{
    libc_warm();
    for (const struct inspector *i = inspectors; i->name; i++)
        if (i->setup && i->setup(rules_fd) != 0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    struct parent p = {.n = 0};
    struct stat st;
    bool rules = argc == 2 && strcmp(argv[1], "rules") == 0;
    int socket = WORKER_SOCKET;
    if (argc > 2 || (argc == 2 && !rules) || fstat(socket, &st) != 0 || !S_ISSOCK(st.st_mode)) {
        fprintf(stderr, "%s is started by sallyport and is of no use by itself\n", worker_program.name);
        return WORKER_USAGE;
    }
    if (fd_close_from(WORKER_SOCKET + 1 + rules) != 0 || tables_load(rules ? WORKER_RULES : -1) != 0)
        return WORKER_SETUP;
    wire_init(&p.wire, &socket, true);
    if (signals_prepare(&p.waiting) != 0 || confine_worker_parent(&p.applied) != 0)
        return WORKER_CONFINE;
    if (ready_report(&p) != 0)
        return WORKER_WIRE;
    int rc = serve(&p);
    for (size_t i = 0; i < p.n; i++)
        kill(p.children[i].pid, SIGKILL);
    return rc == 0 ? 0 : WORKER_WIRE;
}
