# SPDX-License-Identifier: ISC
record_tests = tests/bin/test_allowed_signers tests/bin/test_bag tests/bin/test_base64 tests/bin/test_dsse \
    tests/bin/test_ledger tests/bin/test_record tests/bin/test_sshsig
TESTS += $(record_tests)
check_PROGRAMS += $(record_tests)
record_test_libs = librecord.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_allowed_signers_SOURCES = %D%/test_allowed_signers.c
tests_bin_test_allowed_signers_LDADD = $(record_test_libs)
tests_bin_test_bag_SOURCES = %D%/test_bag.c
tests_bin_test_bag_LDADD = $(record_test_libs)
tests_bin_test_base64_SOURCES = %D%/test_base64.c
tests_bin_test_base64_LDADD = $(record_test_libs)
tests_bin_test_dsse_SOURCES = %D%/test_dsse.c
tests_bin_test_dsse_LDADD = $(record_test_libs)
tests_bin_test_ledger_SOURCES = %D%/test_ledger.c
tests_bin_test_ledger_LDADD = $(record_test_libs)
tests_bin_test_record_SOURCES = %D%/test_record.c
tests_bin_test_record_LDADD = $(record_test_libs)
tests_bin_test_sshsig_SOURCES = %D%/test_sshsig.c
tests_bin_test_sshsig_LDADD = $(record_test_libs)
