#!/bin/sh
# SPDX-License-Identifier: ISC
# The harness starts a test by its name: one that is not executable fails in a fresh checkout alone.
. "$(dirname "$0")/common.sh"
files=$(find tests -name '*.sh' ! -name common.sh ! -name '*.part.sh' | sort)
must_exist "$files" "no test script"
for f in $files; do
    [ -x "$f" ] || complain "$f is not executable"
done
verdict
