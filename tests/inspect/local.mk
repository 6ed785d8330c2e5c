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
include tests/inspect/active.mk
include tests/inspect/archive.mk
include tests/inspect/type.mk
# A pair of worker programs that obeys the file it inspects, however bad.
check_PROGRAMS += tests/bin/bad/sallyport-inspect tests/bin/bad/sallyport-second
tests_bin_bad_sallyport_inspect_SOURCES = %D%/bad_worker.c broker/inspect/worker.c
tests_bin_bad_sallyport_inspect_LDADD = libworker.a libconfine.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS)
tests_bin_bad_sallyport_second_SOURCES = %D%/bad_worker.c broker/inspect/worker.c
tests_bin_bad_sallyport_second_CPPFLAGS = $(AM_CPPFLAGS) -DSECOND
tests_bin_bad_sallyport_second_LDADD = $(tests_bin_bad_sallyport_inspect_LDADD)
TESTS += tests/bin/test_inspect
check_PROGRAMS += tests/bin/test_inspect
tests_bin_test_inspect_SOURCES = %D%/test_inspect.c
tests_bin_test_inspect_LDADD = libinspect.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
