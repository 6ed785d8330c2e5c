#!/bin/sh
# SPDX-License-Identifier: ISC
# Mounts below scratch, overlay and tmpfs scratches, and destinations on filesystems of other kinds. Needs root for mount
# namespaces; without it this says what was not run and skips, except in CI as root, where skipping is failing.
set -eu
PATH=$PATH:/usr/sbin:/sbin
show=$builddir/tests/bin/collect_show
if [ "${1:-}" != inside ]; then
    if ! unshare -m true 2>/dev/null; then
        echo "NOT RUN: mount namespaces need root here" >&2
        [ "$(id -u)" = 0 ] && [ -n "${CI:-}" ] && exit 1
        exit 77
    fi
    exec unshare -m --propagation private "$0" inside
fi

dir=$(mktemp -d)
# The mounts end with this namespace; only plain files are left to remove.
trap 'umount -l "$dir/m" 2>/dev/null; rm -rf --one-file-system "$dir"' EXIT
mkdir "$dir/m"
mount -t tmpfs tmpfs "$dir/m"
cd "$dir/m"
failed=0

has() { # text of a whole line in the last output
    grep -qx "$1" out || { echo "FAILED: no line '$1' ($case)"; cat out; failed=1; }
}
hasnt() {
    ! grep -q "$1" out || { echo "FAILED: '$1' ($case)"; cat out; failed=1; }
}
missing() {
    echo "NOT RUN: $1" >&2
    if [ "$(id -u)" = 0 ] && [ -n "${CI:-}" ]; then failed=1; fi
}

for tier in openat2 components; do
    case="bind mounts of the same filesystem, $tier"
    rm -rf s host; mkdir -p s/dir s/plain host
    echo secret >host/key; echo mine >s/plain/a; echo mine >s/file
    mount --bind host s/dir
    mount --bind host/key s/file
    "$show" $tier s >out
    has 'tier: .* remote=0 overlay=0'
    has 'dir: file/other-mount'
    has 'file: file/other-mount'
    has 'plain/a: copied 5 leased'
    hasnt key
    for path in dir/key dir file; do
        "$show" $tier s open $path >out || true
        has 'failed: open: EXDEV'
    done
    umount s/dir s/file
done

case="another filesystem below scratch"
mkdir -p s/other && mount -t tmpfs tmpfs s/other && echo x >s/other/x
for tier in openat2 components; do
    "$show" $tier s >out
    has 'other: file/other-mount'
    hasnt 'other/x'
done
umount s/other

case="a scratch that is a mount itself"
mkdir own && mount -t tmpfs tmpfs own && echo x >own/x
"$show" best own >out
has 'x: copied 2 leased'

case="overlay"
mkdir lower upper work merged && echo old >lower/a
if mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged 2>/dev/null; then
    echo new >merged/b
    "$show" best merged >out
    has 'tier: openat2 remote=0 overlay=1'
    has 'a: copied 4 stat-only'
    has 'b: copied 4 stat-only'
    mkdir merged/dest
    "$show" best s merged/dest bag >out
    has 'destination: overlay .*'
    [ "$(cat merged/dest/bag/data/plain/a)" = mine ] || { echo "FAILED: bag on overlay"; failed=1; }
    has 'destination: overlay .* dir_sync=1 .*'
    case="a filesystem that syncs no directory"
    "$builddir/tests/bin/fake_enosys" fsync EINVAL "$show" best s merged/dest poor >out || true
    has 'destination: overlay .* dir_sync=0 .*'
    [ "$(cat merged/dest/poor/data/plain/a 2>/dev/null)" = mine ] || { echo "FAILED: bag without a sync of directories"; failed=1; }
else
    missing "this kernel mounts no overlay"
fi

# filesystem, options of mkfs, grade
on_loop() {
    case="destination on $1"
    rm -f image; truncate -s 40M image; mkdir -p loop
    if ! command -v "mkfs.$1" >/dev/null; then missing "mkfs.$1 is not installed"; return; fi
    "mkfs.$1" $2 image >/dev/null 2>&1 || { echo "FAILED: mkfs.$1"; failed=1; return; }
    if ! mount -o loop image loop 2>mount.err; then
        # what the kernel was built without is no fault of the host's set-up
        if [ "$1" = ext4 ]; then missing "no loop mount of $1: $(cat mount.err)"; fi
        echo "NOT RUN: $case: $(head -n 1 mount.err)" >&2
        return
    fi
    "$show" best s loop/dest bag >out || { echo "FAILED: $case"; cat out; failed=1; }
    has "destination: $3"
    [ "$(cat loop/dest/bag/data/plain/a)" = mine ] || { echo "FAILED: bag on $1"; failed=1; }
    "$show" best s loop/dest bag >out && { echo "FAILED: $1 replaced a bag"; failed=1; }
    has 'failed: commit: EEXIST'
    if [ "$1" = ext4 ]; then
        mkdir -p big; head -c 60M /dev/zero >big/zero
        "$show" best big loop/dest full >out && { echo "FAILED: 60M in 40M"; failed=1; }
        has 'failed: copy: ENOSPC'
        [ ! -e loop/dest/full ] || { echo "FAILED: a bag that did not fit"; failed=1; }
    fi
    if [ "$(ls -A loop/dest | grep -c '^.sallyport-')" != 0 ]; then echo "FAILED: leftovers on $1"; failed=1; fi
    umount loop
}
on_loop ext4 -q 'ext4 tmpfile=1 noreplace=1 syncfs=1 dir_sync=1 modes=1'
on_loop vfat '' 'vfat tmpfile=0 noreplace=1 syncfs=1 dir_sync=[01] modes=0'

exit $failed
