/* SPDX-License-Identifier: ISC
 * What a container is shown of ours: copies in a private directory, so that no lock, socket or FIFO of the host is among
 * them. Directories that are inputs are shown as they are and covered by an overlay later. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "engine/engine_job.h"

static int copy_file(int from, int dir, const char *name)
{
    struct stat st;
    AUTO_FREE uint8_t *block = malloc(COPY_BLOCK);
    AUTO_FD to = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    uint64_t done = 0;
    if (!block || to < 0 || fstat(from, &st) < 0)
        return -1;
    for (;;) {
        ssize_t n = pread(from, block, COPY_BLOCK, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || (n > 0 && fd_write_full(to, block, (size_t)n) < 0))
            return -1;
        if (n == 0)
            return fchmod(to, st.st_mode & 0111 ? 0555 : 0444);
        done += (uint64_t)n;
        if (done > ENGINE_AGENT_BYTES) {
            errno = EFBIG;
            return -1;
        }
    }
}

int job_open_input(struct engine_job *job, const struct box_input *in)
{
    struct stat st;
    int fd = open(in->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        (void)job_fault(job, errno, "input '%s' cannot be read", in->path);
    else if (st.st_dev != in->dev || st.st_ino != in->ino)
        (void)job_fault(job, ESTALE, "input '%s' was replaced while the job was prepared", in->path);
    else
        return fd;
    fd_close(&fd);
    return -1;
}

static int copy_input(struct engine_job *job, const struct box_input *in, const char *name)
{
    AUTO_FD fd = job_open_input(job, in);
    if (fd < 0)
        return -1;
    if (copy_file(fd, job->stage_dir, name) < 0)
        return job_fault(job, errno, "input '%s' cannot be copied for the container (at most 64 MiB; put larger files into a "
                         "directory)", in->path);
    return 0;
}

int stage_open(struct engine_job *job)
{
    const char *tmp = getenv("TMPDIR");
    char name[32];
    int n = snprintf(job->stage, sizeof job->stage, "%s/sallyport-engine-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (n < 0 || n >= (int)sizeof job->stage || !mkdtemp(job->stage)) {
        job->stage[0] = 0;
        return job_fault(job, errno, "no private directory could be made in %s", tmp ? tmp : "/tmp");
    }
    job->stage_dir = open(job->stage, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* only its bind mount is for others: the path above it stays ours */
    if (job->stage_dir < 0 || mkdirat(job->stage_dir, "home", 0755) < 0 || fchmodat(job->stage_dir, "home", 0755, 0) < 0)
        return job_fault(job, errno, "the private directory could not be filled");
    int home = openat(job->stage_dir, "home", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (home < 0 || mkdirat(home, "empty", 0755) < 0 || fchmodat(home, "empty", 0755, 0) < 0 ||
        copy_file(job->engine->agent, home, "hold") < 0) {
        fd_close(&home);
        return job_fault(job, errno, "the agent could not be copied for the container");
    }
    fd_close(&home);
    for (size_t i = 0; i < job->plan.inputs_n; i++) {
        snprintf(name, sizeof name, "file-%zu", i);
        if (!job->plan.inputs[i].directory && copy_input(job, &job->plan.inputs[i], name) < 0)
            return -1;
    }
    return 0;
}

void stage_close(struct engine_job *job)
{
    char name[32];
    if (job->stage_dir >= 0) {
        unlinkat(job->stage_dir, "home/hold", 0);
        unlinkat(job->stage_dir, "home/empty", AT_REMOVEDIR);
        unlinkat(job->stage_dir, "home", AT_REMOVEDIR);
        for (size_t i = 0; i < job->plan.inputs_n; i++) {
            snprintf(name, sizeof name, "file-%zu", i);
            unlinkat(job->stage_dir, name, 0);
        }
    }
    fd_close(&job->stage_dir);
    if (job->stage[0])
        rmdir(job->stage);
    job->stage[0] = 0;
}
