#!/bin/sh
# SPDX-License-Identifier: ISC
# Functions: none over 80 lines, nine in ten at most 50, median at most 20. Files: at most 500 lines. Basenames unique.
. "$(dirname "$0")/common.sh"
files=$(find broker -name '*.c' | sort)
must_exist "$files" "no C file below broker/"
for f in $files $(find broker -name '*.h'); do
    n=$(wc -l < "$f")
    [ "$n" -le 500 ] || complain "$f has $n lines; at most 500"
done
lengths=$(for f in $files; do
    awk -v f="$f" '/^{$/ { start = NR; next } /^}$/ && start { print NR - start - 1, f ":" start; start = 0 }' "$f"
done | sort -n)
must_exist "$lengths" "no function found"
echo "$lengths" | awk '$1 > 80' | while read -r n where; do echo "$where: function of $n lines; at most 80"; done > "${TMPDIR:-/tmp}/l.$$"
[ -s "${TMPDIR:-/tmp}/l.$$" ] && { cat "${TMPDIR:-/tmp}/l.$$"; found=1; }
rm -f "${TMPDIR:-/tmp}/l.$$"
total=$(echo "$lengths" | wc -l)
median=$(echo "$lengths" | awk -v k=$((total / 2 + 1)) 'NR == k { print $1 }')
ninth=$(echo "$lengths" | awk -v k=$((total * 9 / 10 + 1)) 'NR == k { print $1 }')
[ "${median:-0}" -le 20 ] || complain "the median function has $median lines; at most 20"
[ "${ninth:-0}" -le 50 ] || complain "one function in ten has more than $ninth lines; at most 50"
twice=$(find broker -name '*.[ch]' -exec basename {} \; | sort | uniq -d)
[ -z "$twice" ] || complain "basenames that are not unique:" $twice
verdict
