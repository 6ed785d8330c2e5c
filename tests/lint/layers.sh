#!/bin/sh
# SPDX-License-Identifier: ISC
# The include rule: a file includes base/ and its own directory; box/, inspect/ and source/ also confine/; source/ also the
# engine's client; probe/ and engine/, which run programs as boxes do, also box/; cmd/ anything.
. "$(dirname "$0")/common.sh"
files=$(find broker -name '*.[ch]' | sort)
must_exist "$files" "no C file below broker/"
for f in $files; do
    stage=$(echo "$f" | cut -d/ -f2)
    case $stage in
    cmd | main.c) continue ;;
    box | inspect) allowed="base $stage confine" ;;
    source) allowed="base source confine engine" ;;
    engine) allowed="base engine box" ;;
    probe) allowed="base probe box" ;;
    *) allowed="base $stage" ;;
    esac
    sed -n 's/^# *include "\([^"]*\)".*/\1/p' "$f" | while read -r inc; do
        case $inc in
        config.h | *_table.inc) continue ;; # made at build time
        */*) dir=${inc%%/*} ;;
        *) dir=none ;;
        esac
        case " $allowed " in
        *" $dir "*) ;;
        *) echo "$f includes \"$inc\"; allowed: $allowed" ;;
        esac
    done
done > "${TMPDIR:-/tmp}/layers.$$"
[ -s "${TMPDIR:-/tmp}/layers.$$" ] && { cat "${TMPDIR:-/tmp}/layers.$$"; found=1; }
rm -f "${TMPDIR:-/tmp}/layers.$$"
verdict
