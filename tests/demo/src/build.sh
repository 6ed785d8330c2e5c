#!/bin/sh
# SPDX-License-Identifier: ISC
# The job: builds the program from the read-only input, tests it, and leaves three results in scratch.
set -eu
src=$(dirname "$0")
mkdir -p report dist obj
echo "compiling wordfreq"
cc -std=c11 -O1 -Wall -Wextra -o obj/wordfreq "$src/wordfreq.c"
echo "testing"
failures=0
cases=
check() { # check NAME INPUT WANT
    got=$(printf '%s' "$2" | obj/wordfreq)
    if [ "$got" = "$3" ]; then
        echo "ok   $1"
        cases="$cases<testcase name=\"$1\"/>"
    else
        echo "FAIL $1"
        failures=$((failures + 1))
        cases="$cases<testcase name=\"$1\"><failure message=\"other output than expected\"/></testcase>"
    fi
}
check empty "" ""
check one "a" "1 a"
check counts "b a b" "2 b
1 a"
check ties-by-name "d c" "1 c
1 d"
printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="wordfreq" tests="4" failures="%s">%s</testsuite>\n' \
    "$failures" "$cases" > report/junit.xml
tar -C "$src" --sort=name --owner=0 --group=0 --numeric-owner -czf dist/wordfreq.tar.gz wordfreq.c NOTES.txt
echo "done, $failures failures"
[ "$failures" = 0 ]
