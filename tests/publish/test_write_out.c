/* SPDX-License-Identifier: ISC
 * It promises nothing but to leave things as they are, to wait for nobody, and to let go of every descriptor. */
#include "publish/write_out.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <time.h>

#include "base/limits.h"
#include "tests/collect/scratch.h"

static struct scratch s;

static void setup(void)
{
    s = scratch_new();
}

static void teardown(void)
{
    scratch_free(&s);
}

TestSuite(write_out, .init = setup, .fini = teardown, .timeout = 60);

static size_t descriptors(void)
{
    size_t n = 0;
    DIR *list = opendir("/dev/fd");
    cr_assert_not_null(list);
    while (readdir(list))
        n++;
    closedir(list);
    return n;
}

Test(write_out, more_orders_than_it_takes_are_dropped_and_nothing_leaks)
{
    size_t before = descriptors();
    char have[8] = "";
    scratch_text(&s, "a", "hello");
    int fd = openat(s.fd, "a", O_RDWR | O_CLOEXEC);
    struct write_out *w = write_out_begin();
    cr_assert_not_null(w);
    for (size_t i = 0; i < 4 * WRITE_OUT_ORDERS; i++) {
        write_out_file(w, fd);
        write_out_all(w, s.fd);
    }
    write_out_end(&w);
    cr_assert_null(w);
    cr_assert_eq(pread(fd, have, sizeof(have), 0), 5);
    cr_assert_str_eq(have, "hello");
    close(fd);
    cr_assert_eq(descriptors(), before);
}

#ifdef F_SETLEASE
/* The file is let go of when it is written: while it is open for writing nobody gets a read lease. */
Test(write_out, a_file_is_let_go_of)
{
    scratch_text(&s, "a", "hello");
    int fd = openat(s.fd, "a", O_RDWR | O_CLOEXEC);
    struct write_out *w = write_out_begin();
    write_out_file(w, fd);
    close(fd);
    fd = openat(s.fd, "a", O_RDONLY | O_CLOEXEC);
    for (unsigned tries = 0; fcntl(fd, F_SETLEASE, F_RDLCK) != 0; tries++) {
        cr_assert_lt(tries, 2000u, "the file is still open for writing");
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    close(fd);
    write_out_end(&w);
}

#endif

Test(write_out, nothing_is_asked_of_none)
{
    struct write_out *none = NULL;
    write_out_file(none, s.fd);
    write_out_all(none, s.fd);
    write_out_end(&none);
    cr_assert_null(none);
}
