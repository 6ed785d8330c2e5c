/* SPDX-License-Identifier: ISC */
#include "engine/engine_load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fd.h"
#include "base/limits.h"
#include "engine/engine_tar.h"

#define LOADER_HOME "/.sallyport-load"

/* Where a volume is seen, and what it holds: the agent (place 0), a directory, or single files by their last names. */
struct load_place {
    char at[PATH_BYTES + 1];
    bool writable;
};

struct load_input {
    char path[PATH_BYTES + 1];
    dev_t dev;
    ino_t ino;
    size_t place;
};

struct engine_load {
    char name[64];             /* of the volumes, before their numbers */
    struct load_place *places;
    size_t places_n, volumes_n;
    struct load_input *inputs;
    size_t inputs_n;
    bool filled;
};

const char *load_host_label(char out[96])
{
    char id[128] = "", hex[SHA256_HEX];
    uint8_t sum[SHA256_SIZE];
    AUTO_FD fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, id, 63);
    /* process ids are of one namespace: a broker in a container beside us has others */
    ssize_t more = readlink("/proc/self/ns/pid", id + (n > 0 ? n : 0), 64);
    sha256_bytes(id, (size_t)((n > 0 ? n : 0) + (more > 0 ? more : 0)), sum);
    hex_encode(sum, 8, hex);
    snprintf(out, 96, "org.sallyport.host=%.16s", hex);
    return out;
}

static int ask(const struct container_engine *e, const char *const *words, size_t n, char *answer, size_t size)
{
    struct client_words w = {0};
    for (size_t i = 0; i < n; i++)
        client_word(&w, words[i]);
    return client_ask(&e->client, &w, answer, size);
}

static const char *volume_name(const struct engine_load *l, size_t place, char out[96])
{
    snprintf(out, 96, "%s-%zu", l->name, place);
    return out;
}

/* --- which places ------------------------------------------------------------------------------------------------------- */

static size_t place_at(struct engine_load *l, const char *at)
{
    for (size_t i = 0; i < l->places_n; i++)
        if (strcmp(l->places[i].at, at) == 0)
            return i;
    client_text(l->places[l->places_n].at, sizeof l->places[0].at, "", at);
    return l->places_n++;
}

/* A volume is a directory: a single file stands in one of its own, which is what the image has there no more. */
static int plan_input(struct engine_job *job, struct engine_load *l, const struct box_input *in)
{
    struct load_input *mine = &l->inputs[l->inputs_n++];
    char at[PATH_BYTES + 1];
    client_text(at, sizeof at, "", in->at);
    if (!in->directory) {
        *strrchr(at, '/') = 0;
        if (!at[0])
            return job_fault(job, EINVAL, "input at '%s': a single file goes to a directory of its own where the daemon is on "
                             "another host", in->at);
    }
    client_text(mine->path, sizeof mine->path, "", in->path);
    mine->dev = in->dev;
    mine->ino = in->ino;
    mine->place = place_at(l, at);
    return 0;
}

static struct engine_load *plan_load(struct engine_job *job)
{
    size_t n = job->plan.inputs_n;
    struct engine_load *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->places = calloc(n + 1, sizeof *l->places);
    l->inputs = calloc(n + 1, sizeof *l->inputs);
    bool good = l->places && l->inputs;
    if (good)
        (void)place_at(l, ENGINE_HOME);
    for (size_t i = 0; good && i < n; i++)
        good = plan_input(job, l, &job->plan.inputs[i]) == 0;
    for (size_t i = 1; good && i < l->places_n; i++)
        l->places[i].writable = job_off(job, CONTROL_INPUTS);
    if (good)
        return l;
    free(l->places);
    free(l->inputs);
    free(l);
    return NULL;
}

static bool same_load(const struct engine_load *a, const struct engine_load *b)
{
    if (a->places_n != b->places_n || a->inputs_n != b->inputs_n)
        return false;
    for (size_t i = 0; i < a->places_n; i++)
        if (strcmp(a->places[i].at, b->places[i].at) != 0 || a->places[i].writable || b->places[i].writable)
            return false;
    for (size_t i = 0; i < a->inputs_n; i++)
        if (a->inputs[i].dev != b->inputs[i].dev || a->inputs[i].ino != b->inputs[i].ino ||
            a->inputs[i].place != b->inputs[i].place || strcmp(a->inputs[i].path, b->inputs[i].path) != 0)
            return false;
    return true;
}

static void free_load(struct engine_load *l)
{
    free(l->places);
    free(l->inputs);
    free(l);
}

/* --- filling them ------------------------------------------------------------------------------------------------------- */

static int add_input(struct engine_job *job, struct tar_writer *t, const struct box_input *in)
{
    AUTO_FD fd = job_open_input(job, in);
    if (fd < 0)
        return -1;
    if ((in->directory ? tar_directory(t, fd, "") : tar_file(t, fd, strrchr(in->at, '/') + 1)) == 0)
        return 0;
    return job_fault(job, errno, "input '%s' cannot be carried to the daemon's host: %s", in->path, strerror(errno));
}

static int write_place(struct engine_job *job, const struct engine_load *l, size_t place, int out)
{
    struct tar_writer t = {.out = out};
    if (place == 0) {
        AUTO_FD agent = fd_reopen_read(job->engine->agent);
        if (agent < 0 || tar_file(&t, agent, "hold") < 0)
            return job_fault(job, errno, "the agent could not be read");
    }
    for (size_t i = 0; i < l->inputs_n; i++)
        if (l->inputs[i].place == place && add_input(job, &t, &job->plan.inputs[i]) < 0)
            return -1;
    return tar_end(&t) < 0 || lseek(out, 0, SEEK_SET) < 0 ? job_fault(job, errno, "the inputs could not be packed") : 0;
}

static int fill_place(struct engine_job *job, const struct engine_load *l, size_t place, const char *loader)
{
    char to[160], answer[1024];
    struct client_words w = {0};
    AUTO_FD tar = openat(job->stage_dir, "load", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (tar < 0 || unlinkat(job->stage_dir, "load", 0) < 0)
        return job_fault(job, errno, "the inputs could not be packed");
    if (write_place(job, l, place, tar) < 0)
        return -1;
    snprintf(to, sizeof to, "%.64s:" LOADER_HOME "/%zu", loader, place);
    client_word(&w, "cp");
    client_word(&w, "-");
    client_word(&w, to);
    if (client_feed(&job->engine->client, &w, tar, answer, sizeof answer) == 0)
        return 0;
    return job_fault(job, EIO, "%s cannot carry '%.64s' to its host: %.100s", job->engine->client.name, l->places[place].at,
                     client_first_line(answer));
}

static int make_volumes(struct engine_job *job, struct engine_load *l)
{
    char name[96], label[96], word[128], answer[1024];
    snprintf(word, sizeof word, "--label=%s", load_host_label(label));
    for (; l->volumes_n < l->places_n; l->volumes_n++) {
        const char *const words[] = {"volume", "create", "--label=org.sallyport.job=1", word, volume_name(l, l->volumes_n, name)};
        if (ask(job->engine, words, ARRAY_LEN(words), answer, sizeof answer) != 0)
            return job_fault(job, EIO, "%s cannot make a volume: %.150s", job->engine->client.name, client_first_line(answer));
    }
    return 0;
}

/* The loader is never started; it only says where the volumes are to be seen. */
static int make_loader(struct engine_job *job, const struct engine_load *l, char id[65])
{
    char answer[2048], name[96], label[96], word[128], own[96];
    struct client_words w = {0};
    AUTO_FREE char *mounts = malloc(l->places_n * 192);
    if (!mounts)
        return -1;
    snprintf(word, sizeof word, "--label=%s", load_host_label(label));
    snprintf(own, sizeof own, "--name=%s-load", l->name);
    const char *const fixed[] = {"create", "--label=org.sallyport.job=1", word, own, "--network=none", "--pull=never"};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        client_word(&w, fixed[i]);
    for (size_t i = 0; i < l->places_n; i++) {
        snprintf(mounts + i * 192, 192, "--volume=%s:" LOADER_HOME "/%zu", volume_name(l, i, name), i);
        client_word(&w, mounts + i * 192);
    }
    client_word(&w, job->engine->image_id);
    client_word(&w, LOADER_HOME);
    int rc = client_ask(&job->engine->client, &w, answer, sizeof answer);
    id[0] = 0;
    for (char *save = NULL, *line = strtok_r(answer, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (strlen(line) == 64 && strspn(line, "0123456789abcdef") == 64)
            memcpy(id, line, 65);
    if (rc == 0 && id[0])
        return 0;
    return job_fault(job, EIO, "%s cannot create a container: %.150s", job->engine->client.name, client_first_line(answer));
}

static int fill(struct engine_job *job, struct engine_load *l)
{
    char loader[65], answer[1024];
    uint32_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(l->name, sizeof l->name, "sallyport-%d-%08x", getpid(), random);
    if (make_volumes(job, l) < 0 || make_loader(job, l, loader) < 0)
        return -1;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < l->places_n; i++)
        rc = fill_place(job, l, i, loader);
    int saved = errno;
    const char *const words[] = {"rm", "--force", loader};
    if (ask(job->engine, words, ARRAY_LEN(words), answer, sizeof answer) != 0 && rc == 0)
        rc = job_fault(job, EIO, "%s cannot remove a container: %.150s", job->engine->client.name, client_first_line(answer));
    else
        errno = saved;
    return rc;
}

int load_inputs(struct engine_job *job)
{
    struct container_engine *e = job->engine;
    struct engine_load *l = plan_load(job);
    if (!l)
        return -1;
    if (e->load && e->load->filled && same_load(e->load, l)) {
        free_load(l);
        return 0;
    }
    (void)load_drop(e);
    e->load = l;
    int rc = fill(job, l);
    l->filled = rc == 0;
    return rc;
}

void load_words(struct engine_job *job, struct client_words *w)
{
    char name[96];
    const struct engine_load *l = job->engine->load;
    for (size_t i = 0; l && i < l->places_n; i++) {
        /* podman puts a file of its own into /run; there the agent alone makes it read-only */
        bool left = l->places[i].writable || strcmp(l->places[i].at, "/run") == 0;
        job_word(job, w, "--volume=%s:%s%s", volume_name(l, i, name), l->places[i].at, left ? "" : ":ro");
    }
}

void load_places(struct engine_job *job, struct client_words *w)
{
    const struct engine_load *l = job->engine->load;
    for (size_t i = 0; l && i < l->places_n; i++)
        job_word(job, w, "place=%s", l->places[i].at);
}

bool load_drop(struct container_engine *e)
{
    char name[96], answer[1024];
    struct engine_load *l = e->load;
    bool gone = true;
    for (size_t i = 0; l && i < l->volumes_n; i++) {
        const char *const words[] = {"volume", "rm", "--force", volume_name(l, i, name)};
        gone = ask(e, words, ARRAY_LEN(words), answer, sizeof answer) == 0 && gone;
    }
    if (l)
        free_load(l);
    e->load = NULL;
    return gone;
}

/* Of this boot of this host and of our processes, by a broker that is dead. */
static bool is_leftover(const char *name)
{
    int pid = 0;
    unsigned number;
    return sscanf(name, "sallyport-%d-%8x", &pid, &number) == 2 && pid > 1 && kill(pid, 0) < 0 && errno == ESRCH;
}

void load_clear_leftovers(struct container_engine *e)
{
    char label[96], filter[128], answer[4096], more[1024];
    snprintf(filter, sizeof filter, "--filter=label=%s", load_host_label(label));
    const char *const containers[] = {"ps", "--all", filter, "--filter=status=created", "--format={{.Names}}"};
    const char *const volumes[] = {"volume", "ls", filter, "--format={{.Name}}"};
    const struct {
        const char *const *words;
        size_t n;
        const char *remove[3];
        size_t remove_n;
    } kinds[] = {{containers, ARRAY_LEN(containers), {"rm", "--force", NULL}, 2},
                 {volumes, ARRAY_LEN(volumes), {"volume", "rm", "--force"}, 3}};
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        if (ask(e, kinds[k].words, kinds[k].n, answer, sizeof answer) != 0)
            continue;
        for (char *save = NULL, *name = strtok_r(answer, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
            const char *words[4] = {kinds[k].remove[0], kinds[k].remove[1], kinds[k].remove[2], NULL};
            words[kinds[k].remove_n] = name;
            if (is_leftover(name))
                (void)ask(e, words, kinds[k].remove_n + 1, more, sizeof more);
        }
    }
}
