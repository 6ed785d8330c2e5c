# SPDX-License-Identifier: ISC
TESTS += tests/bin/test_decide
check_PROGRAMS += tests/bin/test_decide
tests_bin_test_decide_SOURCES = %D%/test_decide.c
tests_bin_test_decide_LDADD = libdecide.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
