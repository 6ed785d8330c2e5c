#!/bin/sh
# SPDX-License-Identifier: ISC
# Each library has few owners: only these files may include its header, so that it can be replaced and reviewed.
. "$(dirname "$0")/common.sh"
owner() { # owner HEADER FILE-PATTERN...
    header=$1
    shift
    users=$(grep -rlE "^# *include <$header>" broker --include='*.[ch]' | sort || true)
    for user in $users; do
        ok=no
        for pattern in "$@"; do
            # shellcheck disable=SC2254 # patterns on purpose
            case $user in $pattern) ok=yes ;; esac
        done
        [ $ok = yes ] || complain "$user includes <$header>; its owners are $*"
    done
}
must_exist "$(find broker -name '*.c')" "no C file below broker/"
owner 'archive\.h' broker/inspect/archive_second.c
owner 'archive_entry\.h' broker/inspect/archive_second.c
owner 'magic\.h' broker/inspect/type_second.c
owner 'pcre2\.h' 'broker/inspect/rule*.[ch]'
owner 'hs.*\.h' 'broker/inspect/secret_*.c' 'broker/inspect/rule*.[ch]'
owner 'utf8proc\.h' broker/base/path.c 'broker/base/path_*.c'
owner 'yaml\.h' 'broker/contract/*.c'
owner 'jansson\.h' 'broker/record/*.c' 'broker/cmd/*.c'
owner 'xxhash\.h' 'broker/base/digest*.c' broker/base/path_set.c broker/inspect/secret_scan.c
owner 'openssl/.*' 'broker/base/digest*.c' 'broker/record/sign*.[ch]' 'broker/record/*key*.c'
owner 'zlib\.h' 'broker/inspect/*.c'
calls=$(grep -rln 'SYS_openat2\|__NR_openat2' broker --include='*.c' | grep -v '^broker/base/fd\|^broker/confine/\|^broker/box/\|^broker/probe/' || true)
[ -z "$calls" ] || complain "openat2 is called outside of base/fd*:" $calls
verdict
