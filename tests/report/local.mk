# SPDX-License-Identifier: ISC
# Stock tools and the ecosystem's own code on what we write. A target of its own: it wants npm and packages that the
# build does not, and names the one that is missing.
interop = tests/interop/bag.sh tests/interop/sarif.sh
EXTRA_DIST += $(interop) tests/scale/README tests/scale/job.yaml tests/scale/parallel.sh tests/scale/slurm.sh
.PHONY: check-interop
check-interop: all
	@for t in $(interop); do echo "$$t"; srcdir='$(abs_srcdir)' SALLYPORT='$(abs_builddir)/sallyport' JQ='$(JQ)' \
	    PYTHON3='$(PYTHON3)' LC_ALL=C.UTF-8 sh '$(srcdir)'/$$t || exit 1; done
