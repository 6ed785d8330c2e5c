# SPDX-License-Identifier: ISC
# The frame: what crosses the socket, and the pool against a pair of worker programs that obeys the file, however bad.
TESTS += tests/bin/test_finding_wire
check_PROGRAMS += tests/bin/test_finding_wire
tests_bin_test_finding_wire_SOURCES = %D%/test_finding_wire.c
tests_bin_test_finding_wire_LDADD = libinspect.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
TESTS += tests/bin/test_type_second
check_PROGRAMS += tests/bin/test_type_second
tests_bin_test_type_second_SOURCES = %D%/test_type_second.c
tests_bin_test_type_second_LDADD = libsecond.a libworker.a libbase.a $(SECOND_EXTERNAL) $(TEST_EXTERNAL)

check_PROGRAMS += tests/bin/bad/sallyport-inspect tests/bin/bad/sallyport-second
tests_bin_bad_sallyport_inspect_SOURCES = %D%/bad_worker.c broker/inspect/worker.c
tests_bin_bad_sallyport_inspect_LDADD = libworker.a libconfine.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS)
tests_bin_bad_sallyport_second_SOURCES = %D%/bad_worker.c broker/inspect/worker.c
tests_bin_bad_sallyport_second_CPPFLAGS = $(AM_CPPFLAGS) -DSECOND
tests_bin_bad_sallyport_second_LDADD = $(tests_bin_bad_sallyport_inspect_LDADD)
TESTS += tests/bin/test_inspect
check_PROGRAMS += tests/bin/test_inspect
tests_bin_test_inspect_SOURCES = %D%/test_inspect.c
tests_bin_test_inspect_LDADD = libinspect.a libconfine.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
TESTS += tests/bin/test_inspect_batch tests/bin/test_inspect_ask
check_PROGRAMS += tests/bin/test_inspect_batch tests/bin/test_inspect_ask
tests_bin_test_inspect_batch_SOURCES = %D%/test_inspect_batch.c
tests_bin_test_inspect_batch_LDADD = $(tests_bin_test_inspect_LDADD)
tests_bin_test_inspect_ask_SOURCES = %D%/test_inspect_ask.c
tests_bin_test_inspect_ask_LDADD = $(tests_bin_test_inspect_LDADD)
