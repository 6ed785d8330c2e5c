#!/bin/sh
# SPDX-License-Identifier: ISC
# The link rule: the broker links no parser of hostile bytes; each worker links its own readers alone. A library is seen by
# its name where it is shared, and by a function that everything in it needs where it is static.
. "$(dirname "$0")/common.sh"
readelf=${READELF:-readelf}
function_of() {
    case $1 in
    libarchive) echo archive_read_new ;;
    libmagic) echo magic_open ;;
    libpcre2) echo pcre2_match_8 ;;
    libhs) echo hs_scan ;;
    libbz2) echo BZ2_bzDecompress ;;
    liblzma) echo lzma_code ;;
    libzstd) echo ZSTD_decompressStream ;;
    liblz4) echo LZ4_decompress_safe ;;
    libz.so) echo inflate ;;
    libxml2) echo xmlParseDocument ;;
    libyaml) echo yaml_parser_parse ;;
    libjansson) echo json_loadb ;;
    *) complain "$1: no function of it is known" ;;
    esac
}
check() { # check PROGRAM MUST MUST-NOT...
    program=$build/$1
    must=$2
    shift 2
    [ -x "$program" ] || { complain "$program is not built: nothing was checked"; return; }
    needed=$("$readelf" -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    symbols=$("$readelf" -sW "$program" | awk '$4 == "FUNC" || $4 == "IFUNC" {print $8}' | sed 's/@.*//' | sort -u)
    must_exist "$symbols" "$program has no symbols"
    linked "$must" || complain "$program does not show $must: nothing else would be seen either"
    for lib in "$@"; do
        linked "$lib" && complain "$program links $lib"
    done
    return 0
}
linked() {
    case $needed in
    *"$1"*) return 0 ;;
    esac
    printf '%s\n' "$symbols" | grep -qx "$(function_of "$1")"
}
check sallyport libyaml libarchive libmagic libpcre2 libhs libbz2 liblzma libzstd liblz4 libz.so libxml2
check sallyport-inspect libhs libarchive libmagic libyaml libjansson
check sallyport-second libarchive libhs libpcre2 libyaml libjansson
verdict
