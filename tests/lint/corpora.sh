#!/bin/sh
# SPDX-License-Identifier: ISC
# Every fuzz harness has seeds, and every corpus a harness.
. "$(dirname "$0")/common.sh"
harnesses=$(find fuzz -name 'fuzz_*.c' | sort)
must_exist "$harnesses" "no harness below fuzz/"
for h in $harnesses; do
    name=$(basename "$h" .c)
    seeds=$(find "fuzz/corpus/${name#fuzz_}" -type f 2>/dev/null | head -n 1)
    [ -n "$seeds" ] || complain "$h has no seed in fuzz/corpus/${name#fuzz_}/"
done
for dir in fuzz/corpus/*/; do
    [ -f "fuzz/fuzz_$(basename "$dir").c" ] || complain "$dir has no harness"
done
verdict
