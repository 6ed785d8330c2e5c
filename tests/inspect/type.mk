# SPDX-License-Identifier: ISC
# The type inspector and the scanners of programs, models and media.
TYPE_TEST_LIBS = libfirst.a $(WORKER_TEST_LIBS) $(FIRST_EXTERNAL)
TESTS += tests/bin/test_type
check_PROGRAMS += tests/bin/test_type
tests_bin_test_type_SOURCES = %D%/test_type.c
tests_bin_test_type_LDADD = $(TYPE_TEST_LIBS)
