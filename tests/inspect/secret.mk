# SPDX-License-Identifier: ISC
# The secret inspector, over the samples of every rule.
SECRET_TESTS = tests/bin/test_rule tests/bin/test_secret_check tests/bin/test_secret_class tests/bin/test_secret_db \
    tests/bin/test_secret_filter tests/bin/test_secret_scan tests/bin/test_secret_shape \
    tests/bin/test_secret_trigger tests/bin/test_secret_views
TESTS += $(SECRET_TESTS)
check_PROGRAMS += $(SECRET_TESTS)
SECRET_SAMPLES = %D%/secret_samples.c %D%/secret_samples.h
SECRET_UNIT_LIBS = libfirst.a libsecret.a libworker.a libbase.a $(FIRST_EXTERNAL) $(TEST_EXTERNAL)
tests_bin_test_rule_SOURCES = %D%/test_rule.c $(SECRET_SAMPLES)
tests_bin_test_rule_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_check_SOURCES = %D%/test_secret_check.c $(SECRET_SAMPLES)
tests_bin_test_secret_check_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_class_SOURCES = %D%/test_secret_class.c $(SECRET_SAMPLES)
tests_bin_test_secret_class_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_db_SOURCES = %D%/test_secret_db.c $(SECRET_SAMPLES)
tests_bin_test_secret_db_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_filter_SOURCES = %D%/test_secret_filter.c $(SECRET_SAMPLES)
tests_bin_test_secret_filter_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_scan_SOURCES = %D%/test_secret_scan.c $(SECRET_SAMPLES)
tests_bin_test_secret_scan_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_shape_SOURCES = %D%/test_secret_shape.c $(SECRET_SAMPLES)
tests_bin_test_secret_shape_LDADD = $(SECRET_UNIT_LIBS)
tests_bin_test_secret_trigger_SOURCES = %D%/test_secret_trigger.c
tests_bin_test_secret_trigger_LDADD = libsecret.a libbase.a $(TEST_EXTERNAL)
tests_bin_test_secret_views_SOURCES = %D%/test_secret_views.c $(SECRET_SAMPLES)
tests_bin_test_secret_views_LDADD = $(SECRET_UNIT_LIBS)
