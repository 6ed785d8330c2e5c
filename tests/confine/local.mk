# SPDX-License-Identifier: ISC
if LINUX
TESTS += tests/bin/test_confine tests/bin/test_confine_seccomp_relay
check_PROGRAMS += tests/bin/test_confine tests/bin/test_confine_seccomp_relay
tests_bin_test_confine_SOURCES = %D%/test_confine.c
tests_bin_test_confine_LDADD = libconfine.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
tests_bin_test_confine_seccomp_relay_SOURCES = %D%/test_confine_seccomp_relay.c
tests_bin_test_confine_seccomp_relay_LDADD = libconfine.a libbase.a $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(TEST_EXTERNAL)
endif
