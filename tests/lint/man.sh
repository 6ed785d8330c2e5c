#!/bin/sh
# SPDX-License-Identifier: ISC
# The manual is clean under mandoc's own lint.
. "$(dirname "$0")/common.sh"
pages=$(find man -name '*.[1-8]' | sort)
must_exist "$pages" "no manual page"
for page in $pages; do
    out=$("${MANDOC:-mandoc}" -Tlint -Wwarning "$page" 2>&1) || true
    [ -z "$out" ] || complain "$out"
done
verdict
