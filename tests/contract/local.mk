# SPDX-License-Identifier: ISC
contract_tests = tests/bin/test_contract_errors tests/bin/test_contract_floor tests/bin/test_contract_init \
    tests/bin/test_contract_manual tests/bin/test_contract_match tests/bin/test_contract_parse \
    tests/bin/test_contract_takes tests/bin/test_value
TESTS += $(contract_tests)
check_PROGRAMS += $(contract_tests)
contract_test_libs = libcontract.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_contract_errors_SOURCES = %D%/test_contract_errors.c
tests_bin_test_contract_errors_LDADD = $(contract_test_libs)
tests_bin_test_contract_match_SOURCES = %D%/test_contract_match.c
tests_bin_test_contract_match_LDADD = $(contract_test_libs)
tests_bin_test_contract_parse_SOURCES = %D%/test_contract_parse.c
tests_bin_test_contract_parse_LDADD = $(contract_test_libs)
tests_bin_test_contract_takes_SOURCES = %D%/test_contract_takes.c
tests_bin_test_contract_takes_LDADD = $(contract_test_libs)
tests_bin_test_value_SOURCES = %D%/test_value.c
tests_bin_test_value_LDADD = $(contract_test_libs)
tests_bin_test_contract_floor_SOURCES = %D%/test_contract_floor.c
tests_bin_test_contract_floor_LDADD = $(contract_test_libs)
tests_bin_test_contract_init_SOURCES = %D%/test_contract_init.c
tests_bin_test_contract_init_LDADD = $(contract_test_libs)
tests_bin_test_contract_manual_SOURCES = %D%/test_contract_manual.c
tests_bin_test_contract_manual_LDADD = $(contract_test_libs)
TESTS += tests/bin/test_rules_parse
check_PROGRAMS += tests/bin/test_rules_parse
tests_bin_test_rules_parse_SOURCES = %D%/test_rules_parse.c
tests_bin_test_rules_parse_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(TEST_EXTERNAL)
