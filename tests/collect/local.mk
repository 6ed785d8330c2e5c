# SPDX-License-Identifier: ISC
TESTS += tests/bin/test_collect_walk tests/bin/test_collect_copy
check_PROGRAMS += tests/bin/test_collect_walk tests/bin/test_collect_copy
tests_bin_test_collect_walk_SOURCES = %D%/test_collect_walk.c %D%/scratch.h
tests_bin_test_collect_walk_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_collect_walk_LDADD = libcollect.a libcontract.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_collect_copy_SOURCES = %D%/test_collect_copy.c %D%/scratch.h
tests_bin_test_collect_copy_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_collect_copy_LDADD = libcollect.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
