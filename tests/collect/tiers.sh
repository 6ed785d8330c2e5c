#!/bin/sh
# SPDX-License-Identifier: ISC
# Where openat2 is missing or filtered the second tier serves, decided once on the root; another error there is no tier.
set -eu
fake=$builddir/tests/bin/fake_enosys
show=$builddir/tests/bin/collect_show
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/in/d"
echo hello >"$dir/in/d/a.txt"
ln -s d "$dir/in/link"
failed=0

expect() { # text, then the command
    want=$1
    shift
    if ! "$@" >"$dir/out" 2>&1 && ! grep -q '^failed' "$dir/out"; then
        echo "FAILED: $*"; cat "$dir/out"; failed=1
    elif ! grep -qx "$want" "$dir/out"; then
        echo "FAILED: no line '$want' from $*"; cat "$dir/out"; failed=1
    fi
}

expect 'tier: openat2 remote=0 overlay=[01]' "$show" best "$dir/in"
for error in ENOSYS EPERM EINVAL; do
    expect 'tier: components remote=0 overlay=[01]' "$fake" openat2 $error "$show" best "$dir/in"
    expect 'd/a.txt: copied 6 .*' "$fake" openat2 $error "$show" best "$dir/in"
    expect 'link: file/symlink' "$fake" openat2 $error "$show" best "$dir/in"
    expect "failed: root: $error" "$fake" openat2 $error "$show" openat2 "$dir/in"
done
expect 'failed: root: EIO' "$fake" openat2 EIO "$show" best "$dir/in"

# The slower ladder of publishing: no RENAME_NOREPLACE, no syncfs (no sync of directories: mounts.sh). The same bag,
# and it says so.
bag() { # name, grade, then what is missing
    name=$1 grade=$2
    shift 2
    expect "destination: .* $grade .*" "$fake" "$@" "$show" best "$dir/in" "$dir/dest" "$name"
    [ "$(cat "$dir/dest/$name/data/d/a.txt")" = hello ] || { echo "FAILED: no bag without $1"; failed=1; }
    expect 'failed: commit: EEXIST' "$fake" "$@" "$show" best "$dir/in" "$dir/dest" "$name"
    if ls -A "$dir/dest" | grep '^.sallyport-'; then echo "FAILED: leftovers without $1"; failed=1; fi
}
bag b1 noreplace=0 renameat2 EINVAL
bag b2 noreplace=0 renameat2 ENOSYS
bag b4 syncfs=1 syncfs ENOSYS
expect 'failed: commit: EIO' "$fake" syncfs EIO "$show" best "$dir/in" "$dir/dest" b5
[ ! -e "$dir/dest/b5" ] || { echo "FAILED: a bag that was not synced"; failed=1; }
exit $failed
