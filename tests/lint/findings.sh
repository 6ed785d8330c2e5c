#!/bin/sh
# SPDX-License-Identifier: ISC
# Every finding code of findings.def is in sallyport.7, and the other way round.
. "$(dirname "$0")/common.sh"
codes=$(sed -n 's/^FINDING([A-Z0-9_]*, \([a-z]*\), "\([^"]*\)".*/\1\/\2/p' broker/base/findings.def | grep -v '^secret/$' | sort)
must_exist "$codes" "findings.def has no code"
pages=$(sed -n 's/^\.It Li \([a-z]*\/[a-z-][a-z-]*\).*/\1/p' man/sallyport.7 | sort -u)
must_exist "$pages" "sallyport.7 has no code"
for code in $codes; do
    echo "$pages" | grep -qx "$code" || complain "man/sallyport.7 lacks $code"
done
for code in $pages; do
    echo "$codes" | grep -qx "$code" || complain "man/sallyport.7 has $code, which findings.def has not"
done
verdict
