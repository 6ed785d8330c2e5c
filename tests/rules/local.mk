# SPDX-License-Identifier: ISC
# tests/rules: a .hit and a .miss for every rule, checked by the build itself (rules/compile_rules), and what measures
# recall and false alarms.
EXTRA_DIST += tests/rules
check_PROGRAMS += tests/bin/secret_probe
SECRET_TEST_LIBS = libfirst.a libsecret.a libworker.a libbase.a $(FIRST_EXTERNAL)
tests_bin_secret_probe_SOURCES = %D%/secret_probe.c
tests_bin_secret_probe_LDADD = $(SECRET_TEST_LIBS)
SECRET_CLI = tests/cli/rules.sh tests/cli/secret_silence.sh
TESTS += $(SECRET_CLI)
EXTRA_DIST += $(SECRET_CLI)
