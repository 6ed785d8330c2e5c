# SPDX-License-Identifier: ISC
# A unit test is one program per tested file, in tests/bin/.
TESTS += tests/bin/test_buf
check_PROGRAMS += tests/bin/test_buf
tests_bin_test_buf_SOURCES = %D%/test_buf.c
tests_bin_test_buf_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
