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
# The scanners of active content, one by one: `make bench-active BENCH_DIR=DIRECTORY`, MB/s of processor time by extension.
.PHONY: bench-active
bench-active: tests/bin/active_say$(EXEEXT)
	@for s in html svg xml css csv pdf; do \
	    find '$(BENCH_DIR)' -type f -name "*.$$s" -print0 | xargs -0 -r -n 100000 -s 2000000 \
	        tests/bin/active_say$(EXEEXT) -t $$s $$(test $$s = html && echo html-static || echo $$s) html-any; \
	done
	@find '$(BENCH_DIR)' -type f \( -name '*.txt' -o -name '*.html' \) -print0 | xargs -0 -r -n 100000 -s 2000000 \
	    tests/bin/active_say$(EXEEXT) -t text text text
