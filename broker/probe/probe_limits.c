/* SPDX-License-Identifier: ISC
 * Probes of limits: stay below the given size, which must work, then go past it. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe/probe_inside.h"

enum { BLOCK = 65536 };

static bool touch(uint8_t *p, uint64_t size)
{
    if (p == MAP_FAILED || !p)
        return false;
    for (uint64_t i = 0; i < size; i += 4096)
        p[i] = 1;
    return true;
}

typedef bool taker(uint64_t size);

static bool take_anon(uint64_t size)
{
    return touch(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), size);
}

static bool take_shared(uint64_t size)
{
    return touch(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), size);
}

static bool take_sysv(uint64_t size)
{
    int id = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    void *p = id < 0 ? NULL : shmat(id, NULL, 0);
    if (id >= 0)
        shmctl(id, IPC_RMID, NULL);
    return p != (void *)-1 && touch(p, size);
}

static bool fill(int fd, uint64_t size)
{
    static const char block[BLOCK] = {1};
    for (uint64_t done = 0; done < size;) {
        size_t n = size - done < BLOCK ? (size_t)(size - done) : BLOCK;
        ssize_t put = write(fd, block, n);
        if (put <= 0)
            return false;
        done += (uint64_t)put;
    }
    return true;
}

static bool take_memfd(uint64_t size)
{
    int fd = memfd_create("probe", MFD_CLOEXEC);
    return fd >= 0 && fill(fd, size);
}

static void memory(const struct probe_args *args, const char *name, taker *take)
{
    inside_positive(name, take(args->size / 4), "a quarter of the limit");
    bool got = take(2 * args->size);
    inside_negative(name, got, got ? "twice the limit was taken" : strerror(errno));
}

void probe_memory_anon(const struct probe_args *args, const char *name)
{
    memory(args, name, take_anon);
}

void probe_memory_memfd(const struct probe_args *args, const char *name)
{
    memory(args, name, take_memfd);
}

void probe_memory_shared(const struct probe_args *args, const char *name)
{
    memory(args, name, take_shared);
}

void probe_memory_sysv(const struct probe_args *args, const char *name)
{
    memory(args, name, take_sysv);
}

void probe_processes(const struct probe_args *args, const char *name)
{
    char detail[64];
    uint64_t n = 0;
    for (; n < 3 * args->size; n++) {
        pid_t pid = fork();
        if (pid < 0)
            break;
        if (pid == 0)
            for (;;)
                pause();
    }
    snprintf(detail, sizeof detail, "%llu processes", (unsigned long long)n);
    inside_positive(name, n >= 3, detail);
    inside_negative(name, n > args->size, detail);
}

/* Busy for as long as it takes to be throttled several times; the oracle is the kernel's count. */
void probe_cpus(const struct probe_args *args, const char *name)
{
    struct timespec start, now;
    int64_t ms;
    (void)args;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            alarm(1);
            for (;;)
                ;
        }
    inside_positive(name, true, "it runs");
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        ms = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
    } while (ms < 300);
}

void probe_file_size(const struct probe_args *args, const char *name)
{
    signal(SIGXFSZ, SIG_IGN);
    int fd = open(PROBE_SCRATCH "/file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    inside_positive(name, fd >= 0 && fill(fd, args->size), "a file of exactly the limit");
    inside_attempt(name, fill(fd, 1) ? 0 : -1);
    unlink(PROBE_SCRATCH "/file");
}

void probe_scratch_size(const struct probe_args *args, const char *name)
{
    int fd = open(PROBE_SCRATCH "/file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    inside_positive(name, fd >= 0 && fill(fd, args->size / 2), "half of the limit");
    inside_attempt(name, fill(fd, args->size) ? 0 : -1);
}

void probe_inodes(const struct probe_args *args, const char *name)
{
    char path[64];
    uint64_t n = 0;
    for (; n < 2 * args->size; n++) {
        snprintf(path, sizeof path, PROBE_SCRATCH "/i%llu", (unsigned long long)n);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            break;
        close(fd);
    }
    inside_positive(name, n >= args->size / 4, "a quarter of the limit");
    inside_negative(name, n > args->size, n > args->size ? "more files than the limit" : strerror(errno));
}

/* The oracle counts. */
void probe_output(const struct probe_args *args, const char *name)
{
    inside_positive(name, true, "the first line arrives");
    fill(1, 2 * args->size);
}

/* A tree that leaves its session and ignores what it can; the oracle is the clock and the freeze. */
void probe_wall(const struct probe_args *args, const char *name)
{
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            setsid();
            int fd = open(PROBE_SCRATCH "/beat", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
            for (uint64_t ms = 0; ms < 3 * args->size; ms += 10) {
                if (write(fd, "b", 1) != 1)
                    _exit(1);
                usleep(10000);
            }
            _exit(0);
        }
    if (fork() == 0) { /* one that is stopped, and would answer nothing but the last signal */
        setsid();
        raise(SIGSTOP);
        _exit(0);
    }
    struct stat st = {0};
    for (uint64_t ms = 0; ms < args->size / 2 && (stat(PROBE_SCRATCH "/beat", &st) < 0 || st.st_size == 0); ms += 5)
        usleep(5000);
    inside_positive(name, st.st_size > 0, "the tree is alive");
    for (uint64_t ms = 0; ms < 3 * args->size; ms += 50)
        usleep(50000);
    inside_negative(name, true, "the tree outlived the limit");
}

/* Leaves everything behind that can be left behind. */
void probe_daemon(const struct probe_args *args, const char *name)
{
    (void)args;
    int up[2];
    bool ok = pipe(up) == 0 && shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0 && msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGHUP, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        setsid();
        int fd = open(PROBE_SCRATCH "/daemon", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        uint8_t *p = fd < 0 || ftruncate(fd, 4096) < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED || write(up[1], "u", 1) != 1)
            _exit(1);
        for (;;) {
            p[0]++;
            usleep(1000);
        }
    }
    char byte;
    ok = ok && pid > 0 && read(up[0], &byte, 1) == 1;
    inside_positive(name, ok, "a process, a writable mapping, shared memory and a queue are left behind");
}
