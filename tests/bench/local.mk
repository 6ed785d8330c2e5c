# SPDX-License-Identifier: ISC
# The secret inspector alone: `make bench-secret BENCH_TEXT='FILES' BENCH_BINARY='FILES'`.
EXTRA_PROGRAMS = tests/bin/bench_secret
tests_bin_bench_secret_SOURCES = %D%/bench_secret.c
tests_bin_bench_secret_LDADD = $(SECRET_TEST_LIBS)
bench-secret: tests/bin/bench_secret$(EXEEXT)
	tests/bin/bench_secret$(EXEEXT)
	test -z '$(BENCH_TEXT)$(BENCH_BINARY)' || tests/bin/bench_secret$(EXEEXT) $(BENCH_TEXT) -- $(BENCH_BINARY)
EXTRA_DIST += %D%/bench.sh
.PHONY: bench
bench: all
	@SALLYPORT='$(abs_builddir)/sallyport' bash $(srcdir)/%D%/bench.sh
