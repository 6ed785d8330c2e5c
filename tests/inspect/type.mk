# SPDX-License-Identifier: ISC
# The type inspector and the scanners of programs, models and media.
TYPE_TEST_LIBS = libfirst.a $(WORKER_TEST_LIBS) $(FIRST_EXTERNAL)
TYPE_TESTS = tests/bin/test_type tests/bin/test_active_pickle tests/bin/test_image_png tests/bin/test_image_other \
    tests/bin/test_image_meta tests/bin/test_active_data tests/bin/test_active_eml \
    tests/bin/test_active_columns tests/bin/test_flat tests/bin/test_snappy tests/bin/test_span_list tests/bin/test_thrift
TESTS += $(TYPE_TESTS)
check_PROGRAMS += $(TYPE_TESTS)
tests_bin_test_type_SOURCES = %D%/test_type.c
tests_bin_test_type_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_active_pickle_SOURCES = %D%/test_active_pickle.c %D%/binary_cases.h
tests_bin_test_active_pickle_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_image_png_SOURCES = %D%/test_image_png.c %D%/binary_cases.h
tests_bin_test_image_png_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_image_other_SOURCES = %D%/test_image_other.c %D%/binary_cases.h
tests_bin_test_image_other_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_image_meta_SOURCES = %D%/test_image_meta.c %D%/binary_cases.h
tests_bin_test_image_meta_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_active_data_SOURCES = %D%/test_active_data.c %D%/binary_cases.h
tests_bin_test_active_data_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_active_eml_SOURCES = %D%/test_active_eml.c %D%/binary_cases.h
tests_bin_test_active_eml_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_active_columns_SOURCES = %D%/test_active_columns.c
tests_bin_test_active_columns_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_flat_SOURCES = %D%/test_flat.c
tests_bin_test_flat_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_snappy_SOURCES = %D%/test_snappy.c
tests_bin_test_snappy_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_span_list_SOURCES = %D%/test_span_list.c
tests_bin_test_span_list_LDADD = $(TYPE_TEST_LIBS)
tests_bin_test_thrift_SOURCES = %D%/test_thrift.c
tests_bin_test_thrift_LDADD = $(TYPE_TEST_LIBS)
# Both inspectors over files, for the oracles and for measuring.
check_PROGRAMS += tests/bin/type_say
tests_bin_type_say_SOURCES = %D%/type_say.c
tests_bin_type_say_LDADD = libfirst.a libworker.a libbase.a $(FIRST_EXTERNAL)
# Throughput: make bench-types BENCH_LIST=FILE, one path a line; of one kind of file, to see its scanners alone.
bench-types: tests/bin/type_say$(EXEEXT)
	test -n '$(BENCH_LIST)' && tests/bin/type_say -t < '$(BENCH_LIST)'
.PHONY: bench-types
