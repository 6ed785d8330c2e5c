#!/bin/bash
# SPDX-License-Identifier: ISC
# Setting up a box, running `true` and tearing all down with its proof, against bwrap and unshare, interleaved in one run:
# medians in milliseconds and ratios. As the user who runs it, and as root also as an ordinary user. BENCH_RUNS scales it.
set -u
try=${builddir:?}/tests/bin/box_try
runs=${BENCH_BOX_RUNS:-21}
work=$(mktemp -d "${TMPDIR:-/tmp}/sallyport-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" && mkdir -m 1777 "$work/t" && cp "$try" "$work/box_try" && cd "$work" || exit 1
export TMPDIR=$work/t
now() { date +%s%N; }
median() { printf '%s\n' "$@" | sort -n | sed -n "$(($# / 2 + 1))p"; }
side() { # side NAME: one run of it, its nanoseconds
    local t
    t=$(now)
    case $1 in
    box) $as ./box_try wall=10000 -- true > log ;;
    limits) $as ./box_try wall=10000 processes=64 scratch=16777216 inodes=1000 ${memory:+memory=$memory} -- true > log ;;
    bwrap) $as bwrap --ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin --proc /proc \
        --dev /dev --tmpfs /scratch --unshare-all --die-with-parent true > log ;;
    unshare) $as unshare -Urmpfniu --mount-proc true > log ;;
    esac || { echo "bench: $1 failed"; cat log; exit 1; }
    case $1 in box | limits) grep -q '^gone: 0' log || { echo "bench: nothing ran"; cat log; exit 1; } ;; esac
    echo $(($(now) - t))
}
suite() {
    local box=() limits=() bwrap=() unshare=() i
    for ((i = 0; i < runs; i++)); do
        box+=("$(side box)") limits+=("$(side limits)") unshare+=("$(side unshare)")
        if command -v bwrap > /dev/null; then bwrap+=("$(side bwrap)"); else bwrap+=(0); fi
    done
    python3 - "$1" "$(median "${box[@]}")" "$(median "${limits[@]}")" "$(median "${bwrap[@]}")" "$(median "${unshare[@]}")" <<'P'
import sys
who, box, limits, bwrap, unshare = sys.argv[1], *(int(v) / 1e6 for v in sys.argv[2:])
print("`true` in a box, %s: %.0f ms, with limits %.0f   (at most 60)   bwrap %s, unshare %.0f; ratio to bwrap %s, to unshare %.1f" %
      (who, box, limits, "%.0f" % bwrap if bwrap else "not installed", unshare, "%.1f" % (box / bwrap) if bwrap else "-", box / unshare))
P
}
as= memory=
[ "$(id -u)" = 0 ] && memory=67108864
suite "$(id -un)"
if [ "$(id -u)" = 0 ]; then
    as='setpriv --reuid=65534 --regid=65534 --clear-groups' memory=
    suite nobody
fi
