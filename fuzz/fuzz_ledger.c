/* SPDX-License-Identifier: ISC
 * A ledger of any bytes: the chain that is read is one, and where a torn end was mended the whole is good, the lines before
 * it are untouched, and the next line fits behind it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "record/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void check_chain(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n; i++)
        need(ledger->v[i].sequence == i + 1 && ledger->v[i].id && ledger->v[i].name && ledger->v[i].decision);
}

static void check_mended(int dir, size_t good_lines)
{
    struct ledger ledger;
    const struct ledger_line next = {.id = "next", .name = "n", .decision = "promote", .time = 1};
    uint64_t sequence;
    char head[SHA256_HEX];
    need(ledger_append(dir, &next, &sequence, head) == 0);
    need(ledger_load(dir, &ledger) == 0 && ledger.n == good_lines + 2 && sequence == ledger.n);
    need(strcmp(ledger.v[good_lines].event, LEDGER_MENDED) == 0);
    check_chain(&ledger);
    ledger_free(&ledger);
}

static size_t good_lines(const uint8_t *data, size_t size)
{
    struct ledger ledger = {0};
    need(ledger_parse(&ledger, (const char *)data, size) >= 0);
    size_t n = ledger.n;
    check_chain(&ledger);
    ledger_free(&ledger);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/sallyport-fuzz-XXXXXX";
    struct ledger_torn torn;
    need(mkdtemp(path) != NULL);
    AUTO_FD dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = openat(dir, LEDGER_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    need(fd >= 0 && fd_write_full(fd, data, size) == 0);
    close(fd);
    size_t n = good_lines(data, size);
    int rc = ledger_mend(dir, 1, &torn);
    if (rc == 1)
        check_mended(dir, n);
    else
        need(rc == 0 ? size == 0 || data[size - 1] == '\n' : errno == EILSEQ);
    (void)unlinkat(dir, LEDGER_NAME, 0);
    need(rmdir(path) == 0);
    return 0;
}
