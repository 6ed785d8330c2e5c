#!/bin/sh
# SPDX-License-Identifier: ISC
# Nothing from outside the root is ever read, however fast names are swapped, on either tier and on two filesystems.
# RACE_TRIES: tries per tier and kind (200000 is the full mode). The naive copier must be caught within 200000.
set -eu
tries=${RACE_TRIES:-20000}
race=$builddir/tests/bin/race_open
work=
trap 'rm -rf $work' EXIT
trap 'exit 130' INT TERM
failed=0

one() { # base tier kind tries
    dir=$(mktemp -d "$1/sallyport-race-XXXXXX")
    work="$work $dir"
    if ! "$race" "$2" "$3" "$4" "$dir"; then
        echo "FAILED on $1: $2 $3" >&2
        failed=1
    fi
}

for base in "${TMPDIR:-/tmp}" /dev/shm; do
    if ! test -w "$base"; then
        echo "NOT RUN: $base is not writable" >&2
        continue
    fi
    echo "on $base ($(stat -f -c %T "$base"))"
    for kind in leaf parent; do
        one "$base" naive "$kind" 200000
        one "$base" openat2 "$kind" "$tries"
        one "$base" components "$kind" "$tries"
    done
    one "$base" openat2 walk "$((tries / 10 + 1))"
    one "$base" components walk "$((tries / 10 + 1))"
done
exit $failed
