#!/bin/sh
# SPDX-License-Identifier: ISC
# Every header compiles alone.
. "$(dirname "$0")/common.sh"
headers=$(find broker -name '*.h' | sort)
must_exist "$headers" "no header below broker/"
for h in $headers; do
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -DPACKAGE_VERSION='"0"' -Ibroker -I"$build" -Wall -Werror -fsyntax-only -x c "$h" \
        -Wno-unused-function -Wno-pragma-once-outside-header > "${TMPDIR:-/tmp}/h.$$" 2>&1 || {
        complain "$h does not compile alone:"
        head -n 5 "${TMPDIR:-/tmp}/h.$$"
    }
done
rm -f "${TMPDIR:-/tmp}/h.$$"
verdict
