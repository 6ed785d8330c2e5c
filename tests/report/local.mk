# SPDX-License-Identifier: ISC
# Stock tools and the ecosystem's own code on what we write. A target of its own: it wants npm and packages that the
# build does not, and names the one that is missing.
interop = tests/interop/bag.sh tests/interop/page.sh tests/interop/sarif.sh
EXTRA_DIST += $(interop) tests/scale/README tests/scale/job.yaml tests/scale/parallel.sh tests/scale/scale.sh tests/scale/slurm-run.sh \
    tests/scale/slurm.sh
.PHONY: check-interop
check-interop: all
	@for t in $(interop); do echo "$$t"; srcdir='$(abs_srcdir)' SALLYPORT='$(abs_builddir)/sallyport' JQ='$(JQ)' \
	    PYTHON3='$(PYTHON3)' LC_ALL=C.UTF-8 sh '$(srcdir)'/$$t || exit 1; done
# 20,000 files by 16 workers of GNU parallel and of a Slurm array: minutes, and a Slurm controller for the second.
.PHONY: check-scale
check-scale: all
	@for t in parallel slurm-run; do SALLYPORT='$(abs_builddir)/sallyport' JQ='$(JQ)' FILES=20000 WORKERS=16 LC_ALL=C.UTF-8 \
	    sh '$(srcdir)'/tests/scale/$$t.sh || exit 1; done
