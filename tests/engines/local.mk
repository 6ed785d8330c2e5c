# SPDX-License-Identifier: ISC
# Not part of check: they need root, docker.io, podman, runc and busybox-static. orb.sh needs only root, ip and nft.
engine_tests = %D%/engines.sh %D%/orb.sh
EXTRA_DIST += $(engine_tests) %D%/common.sh %D%/far.part.sh %D%/nested.part.sh %D%/probe.part.sh %D%/promote.part.sh %D%/run.part.sh
check-engines: all
	@set -e; for t in $(engine_tests); do echo "== $$t"; \
	    $(AM_TESTS_ENVIRONMENT) sh $(srcdir)/$$t; done
.PHONY: check-engines
