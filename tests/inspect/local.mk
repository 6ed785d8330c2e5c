# SPDX-License-Identifier: ISC
# tests/inspect: bytes, the inspection functions, listings. Inspectors' own tests bring their own lines below.
TESTS += tests/bin/test_bytes tests/bin/test_inspection tests/bin/test_listing
check_PROGRAMS += tests/bin/test_bytes tests/bin/test_inspection tests/bin/test_listing
WORKER_TEST_LIBS = libworker.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
tests_bin_test_bytes_SOURCES = %D%/test_bytes.c
tests_bin_test_bytes_LDADD = $(WORKER_TEST_LIBS)
tests_bin_test_inspection_SOURCES = %D%/test_inspection.c
tests_bin_test_inspection_LDADD = $(WORKER_TEST_LIBS)
tests_bin_test_listing_SOURCES = %D%/test_listing.c
tests_bin_test_listing_LDADD = $(WORKER_TEST_LIBS)
TESTS += tests/bin/test_octet_run
check_PROGRAMS += tests/bin/test_octet_run
tests_bin_test_octet_run_SOURCES = %D%/test_octet_run.c
tests_bin_test_octet_run_LDADD = libfirst.a $(WORKER_TEST_LIBS)
TESTS += tests/bin/test_find
check_PROGRAMS += tests/bin/test_find
tests_bin_test_find_SOURCES = %D%/test_find.c
tests_bin_test_find_LDADD = libfirst.a $(WORKER_TEST_LIBS)
include tests/inspect/active.mk
include tests/inspect/archive.mk
include tests/inspect/type.mk
include tests/inspect/frame.mk
include tests/inspect/secret.mk
