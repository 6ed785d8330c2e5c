# SPDX-License-Identifier: ISC
# Scanners of active content, each through one case at a time.
ACTIVE_TEST_LIBS = libfirst.a libworker.a libbase.a $(FIRST_EXTERNAL) $(TEST_EXTERNAL)
ACTIVE_TESTS = tests/bin/test_active_page tests/bin/test_active_text tests/bin/test_active_table \
    tests/bin/test_active_office tests/bin/test_active_pdf tests/bin/test_text_fast tests/bin/test_scan_work
TESTS += $(ACTIVE_TESTS)
check_PROGRAMS += $(ACTIVE_TESTS)
tests_bin_test_active_page_SOURCES = %D%/test_active_page.c %D%/active_cases.h
tests_bin_test_active_page_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_test_active_text_SOURCES = %D%/test_active_text.c %D%/active_cases.h
tests_bin_test_active_text_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_test_active_table_SOURCES = %D%/test_active_table.c %D%/active_cases.h
tests_bin_test_active_table_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_test_active_office_SOURCES = %D%/test_active_office.c %D%/active_cases.h
tests_bin_test_active_office_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_test_active_pdf_SOURCES = %D%/test_active_pdf.c %D%/active_cases.h
tests_bin_test_active_pdf_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_test_text_fast_SOURCES = %D%/test_text_fast.c %D%/active_cases.h
tests_bin_test_text_fast_LDADD = $(ACTIVE_TEST_LIBS)
tests_bin_test_scan_work_SOURCES = %D%/test_scan_work.c
tests_bin_test_scan_work_LDADD = $(ACTIVE_TEST_LIBS)
# One scanner over files, for the oracles.
check_PROGRAMS += tests/bin/active_say
tests_bin_active_say_SOURCES = %D%/active_say.c
tests_bin_active_say_LDADD = libfirst.a libworker.a libbase.a $(FIRST_EXTERNAL)
