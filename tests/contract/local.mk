# SPDX-License-Identifier: ISC
TESTS += tests/bin/test_contract_match
check_PROGRAMS += tests/bin/test_contract_match
tests_bin_test_contract_match_SOURCES = %D%/test_contract_match.c
tests_bin_test_contract_match_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
