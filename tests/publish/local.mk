# SPDX-License-Identifier: ISC
TESTS += tests/bin/test_publish
check_PROGRAMS += tests/bin/test_publish
tests_bin_test_publish_SOURCES = %D%/test_publish.c tests/collect/scratch.h
tests_bin_test_publish_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_publish_LDADD = libpublish.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
TESTS += tests/bin/test_write_out
check_PROGRAMS += tests/bin/test_write_out
tests_bin_test_write_out_SOURCES = %D%/test_write_out.c tests/collect/scratch.h
tests_bin_test_write_out_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_write_out_LDADD = libpublish.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
