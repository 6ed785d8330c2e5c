#!/bin/sh
# SPDX-License-Identifier: ISC
# The link rule: the broker links no parser of hostile bytes; each worker links its own readers alone.
. "$(dirname "$0")/common.sh"
readelf=${READELF:-readelf}
check() { # check PROGRAM MUST-NOT...
    program=$build/$1
    shift
    [ -x "$program" ] || { complain "$program is not built: nothing was checked"; return; }
    needed=$("$readelf" -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    must_exist "$needed" "$program has no dynamic section"
    for lib in "$@"; do
        case $needed in
        *"$lib"*) complain "$program links $lib" ;;
        esac
    done
}
check sallyport libarchive libmagic libpcre2 libhs libbz2 liblzma libzstd liblz4 libz.so libxml2
check sallyport-inspect libarchive libmagic libyaml libjansson
check sallyport-second libhs libpcre2 libyaml libjansson
verdict
