# SPDX-License-Identifier: ISC
# Tests of the archive inspector: archives are written by archive_make.c.
ARCHIVE_TESTS = tests/bin/test_archive_package tests/bin/test_archive_peel tests/bin/test_archive_property \
    tests/bin/test_archive_rpm tests/bin/test_archive_second tests/bin/test_archive_sevenzip tests/bin/test_archive_stream \
    tests/bin/test_archive_tar tests/bin/test_archive_zip
TESTS += $(ARCHIVE_TESTS)
check_PROGRAMS += $(ARCHIVE_TESTS)
ARCHIVE_TEST_LIBS = libfirst.a libworker.a libbase.a $(ZLIB_LIBS) $(BZ2_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(LZ4_LIBS) \
    $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
tests_bin_test_archive_peel_SOURCES = %D%/test_archive_peel.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_peel_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_tar_SOURCES = %D%/test_archive_tar.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_tar_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_zip_SOURCES = %D%/test_archive_zip.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_zip_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_stream_SOURCES = %D%/test_archive_stream.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_stream_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_second_SOURCES = %D%/test_archive_second.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_second_LDADD = libsecond.a $(ARCHIVE_TEST_LIBS) $(ARCHIVE_LIBS)
tests_bin_test_archive_package_SOURCES = %D%/test_archive_package.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_package_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_property_SOURCES = %D%/test_archive_property.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_property_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_sevenzip_SOURCES = %D%/test_archive_sevenzip.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_sevenzip_LDADD = $(ARCHIVE_TEST_LIBS)
tests_bin_test_archive_rpm_SOURCES = %D%/test_archive_rpm.c %D%/archive_make.c %D%/archive_make.h
tests_bin_test_archive_rpm_LDADD = $(ARCHIVE_TEST_LIBS)
