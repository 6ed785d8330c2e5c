# SPDX-License-Identifier: ISC
# A unit test is one program per tested file, in tests/bin/.
base_tests = tests/bin/test_buf tests/bin/test_jsonw
TESTS += $(base_tests)
check_PROGRAMS += $(base_tests)
tests_bin_test_buf_SOURCES = %D%/test_buf.c
tests_bin_test_buf_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_jsonw_SOURCES = %D%/test_jsonw.c
tests_bin_test_jsonw_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)

TESTS += tests/bin/test_type_judge
check_PROGRAMS += tests/bin/test_type_judge
tests_bin_test_type_judge_SOURCES = %D%/test_type_judge.c
tests_bin_test_type_judge_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)

TESTS += tests/bin/test_glob tests/bin/test_path
check_PROGRAMS += tests/bin/test_glob tests/bin/test_path
tests_bin_test_glob_SOURCES = %D%/test_glob.c
tests_bin_test_glob_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_path_SOURCES = %D%/test_path.c
tests_bin_test_path_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
TESTS += tests/bin/test_fd_root
check_PROGRAMS += tests/bin/test_fd_root
tests_bin_test_fd_root_SOURCES = %D%/test_fd_root.c tests/collect/scratch.h
tests_bin_test_fd_root_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tests_bin_test_fd_root_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
TESTS += tests/bin/test_wire
check_PROGRAMS += tests/bin/test_wire
tests_bin_test_wire_SOURCES = %D%/test_wire.c
tests_bin_test_wire_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
TESTS += tests/bin/test_ruletable
check_PROGRAMS += tests/bin/test_ruletable
tests_bin_test_ruletable_SOURCES = %D%/test_ruletable.c
tests_bin_test_ruletable_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
TESTS += tests/bin/test_utf8
check_PROGRAMS += tests/bin/test_utf8
tests_bin_test_utf8_SOURCES = %D%/test_utf8.c
tests_bin_test_utf8_LDADD = libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
