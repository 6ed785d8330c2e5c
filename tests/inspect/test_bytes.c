/* SPDX-License-Identifier: ISC */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "inspect/bytes.h"

enum { FILE_BYTES = 3 * BYTES_WINDOW + 12345, BASE = 77 };

static uint8_t expected(uint64_t at)
{
    return (uint8_t)((at * 2654435761u) >> 13);
}

static int test_file(void)
{
    int fd = memfd_create("bytes", MFD_CLOEXEC);
    uint8_t *data = malloc(BASE + FILE_BYTES);
    cr_assert(fd >= 0 && data);
    for (uint64_t i = 0; i < FILE_BYTES; i++)
        data[BASE + i] = expected(i);
    cr_assert_eq(fd_write_full(fd, data, BASE + FILE_BYTES), 0);
    free(data);
    return fd;
}

static void check(const uint8_t *p, uint64_t at, size_t len)
{
    cr_assert_not_null(p);
    for (size_t i = 0; i < len; i++)
        if (p[i] != expected(at + i))
            cr_assert_fail("wrong byte at %zu", (size_t)at + i);
}

Test(bytes, windows_give_the_right_bytes_in_any_order)
{
    AUTO_FD fd = test_file();
    struct bytes b;
    bytes_init_fd(&b, fd, BASE, FILE_BYTES);
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t at = (seed >> 20) % FILE_BYTES;
        size_t len = i % 3 ? (size_t)(seed >> 40) % 300 : (size_t)(seed >> 40) % BYTES_WINDOW;
        if (len > FILE_BYTES - at)
            cr_assert_null(bytes_at(&b, at, len));
        else
            check(bytes_at(&b, at, len), at, len);
    }
    for (uint64_t at = FILE_BYTES; at-- > FILE_BYTES - 70000;)
        check(bytes_at(&b, at, 1), at, 1);
    bytes_free(&b);
}

Test(bytes, chunks_cover_the_file_once_and_end)
{
    AUTO_FD fd = test_file();
    struct bytes b;
    uint64_t at = 0;
    size_t len = 0;
    bytes_init_fd(&b, fd, BASE, FILE_BYTES);
    for (;;) {
        const uint8_t *p = bytes_chunk(&b, at, &len);
        if (len == 0)
            break;
        check(p, at, len);
        at += len;
    }
    cr_assert_eq(at, (uint64_t)FILE_BYTES);
    bytes_free(&b);
}

Test(bytes, nothing_outside_is_given)
{
    struct bytes b, part;
    uint8_t out[8];
    bytes_init_memory(&b, "abcdef", 6);
    cr_assert_null(bytes_at(&b, 4, 3));
    cr_assert_null(bytes_at(&b, UINT64_MAX, 1));
    cr_assert_null(bytes_at(&b, 0, BYTES_WINDOW + 1));
    cr_assert_not_null(bytes_at(&b, 6, 0));
    cr_assert(!bytes_copy(&b, 1, out, 6));
    cr_assert(bytes_copy(&b, 1, out, 5));
    cr_assert_arr_eq(out, "bcdef", 5);
    cr_assert(!bytes_init_slice(&part, &b, 5, 2));
    cr_assert(!bytes_init_slice(&part, &b, 2, UINT64_MAX));
    cr_assert(bytes_init_slice(&part, &b, 2, 3));
    cr_assert_arr_eq(bytes_at(&part, 0, 3), "cde", 3);
    cr_assert_null(bytes_at(&part, 0, 4));
}

Test(bytes, a_file_shorter_than_promised_ends_the_process, .exit_code = 74)
{
    AUTO_FD fd = test_file();
    struct bytes b;
    bytes_init_fd(&b, fd, BASE, FILE_BYTES + 1);
    const uint8_t *p = bytes_at(&b, FILE_BYTES, 1);
    cr_assert_null(p);
    _exit(0);
}
