#!/bin/sh
# SPDX-License-Identifier: ISC
# make check-vm-arm64: the box and its probes on a real arm64 kernel, emulated (some minutes). Needs qemu-system-arm, cpio, and
#   VM_ARM64_BUILD  a build directory of a cross build (configure --host=aarch64-linux-gnu EMULATOR=qemu-aarch64-static; then
#                   make sallyport-probe tests/bin/box_try tests/bin/box_probe tests/bin/test_box_seccomp)
#   VM_ARM64_ROOT   the root that holds the arm64 libraries and an arm64 busybox, such as the chroot of that build
#   VM_ARM64_KERNEL an unpacked Debian kernel package (default: downloaded, with package lists of its own)
# Without these it says so and does nothing.
set -u
builddir=${builddir:-.}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$builddir" && pwd)
. "$here/common.sh"
skip() { echo "check-vm-arm64: NOT RUN: $*"; exit 0; }
for tool in qemu-system-aarch64 cpio readelf; do
    command -v $tool > /dev/null || skip "$tool is missing: install qemu-system-arm, cpio, binutils"
done
build=${VM_ARM64_BUILD-} base=${VM_ARM64_ROOT-}
[ -n "$build" ] && [ -n "$base" ] || skip "VM_ARM64_BUILD and VM_ARM64_ROOT do not name a cross build and its root"
mkdir -p "$top/vm/arm64" && cd "$top/vm/arm64" || exit 1

# package lists of our own: nothing of this system's is touched
kernel_of_arm64() {
    mkdir -p apt/lists/partial apt/cache/archives/partial && : > apt/status
    set -- -o Dir::State="$PWD/apt" -o Dir::State::status="$PWD/apt/status" -o Dir::Cache="$PWD/apt/cache" \
        -o APT::Architecture=arm64 -o APT::Architectures=arm64
    pkg=$(find . -maxdepth 1 -name 'linux-image-*' -type d | head -n 1)
    if [ -z "$pkg" ]; then
        apt-get "$@" update -qq > /dev/null 2>&1
        pkg=$(apt-cache "$@" depends "${VM_ARM64_META:-linux-image-6.12-cloud-arm64}" 2> /dev/null |
            sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\).*/\1/p' | head -n 1)
        [ -n "$pkg" ] && apt-get "$@" download "$pkg" > /dev/null 2>&1 && dpkg -x "$pkg"_*.deb "$pkg" && rm -f "$pkg"_*.deb || return 1
    fi
    echo "$PWD/$(basename "$pkg")"
}

# copy_foreign FILE: a program and what it links, found in the root of the cross build
copy_foreign() {
    cp -L "$1" root/usr/bin/ || return 1
    needed "$1"
}
needed() {
    for lib in $(readelf -d "$1" 2> /dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        [ ! -e "root/usr/lib/aarch64-linux-gnu/$lib" ] || continue
        cp -L "$base/usr/lib/aarch64-linux-gnu/$lib" root/usr/lib/aarch64-linux-gnu/ || return 1
        needed "$base/usr/lib/aarch64-linux-gnu/$lib"
    done
}

kernel=${VM_ARM64_KERNEL:-$(kernel_of_arm64)}
[ -n "$kernel" ] || skip "no arm64 kernel could be downloaded: set VM_ARM64_KERNEL"
busybox=$(find "$base/usr/bin" "$base/bin" -name busybox 2> /dev/null | head -n 1)
[ -n "$busybox" ] || skip "no busybox in $base: install busybox-static:arm64 there"
make_tree "$busybox" "$here/init.sh" && take_overlay "$kernel" || exit 1
mkdir -p root/usr/lib/aarch64-linux-gnu
for prog in "$build/sallyport-probe" "$build/tests/bin/box_try" "$build/tests/bin/box_probe"; do
    copy_foreign "$prog" || { echo "check-vm-arm64: $prog or a library of it is missing"; exit 1; }
done
cp -L "$base/lib/ld-linux-aarch64.so.1" root/usr/lib/ || cp -L "$base/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1" root/usr/lib/
for unit in test_box_seccomp test_confine test_confine_seccomp_relay; do
    [ ! -e "$build/tests/bin/$unit" ] || copy_foreign "$build/tests/bin/$unit" || exit 1
done
pack || exit 1
start=$(date +%s)
timeout 1500 qemu-system-aarch64 -nodefaults -no-user-config -display none -serial stdio -no-reboot -m 1536 -smp 1 \
    -machine virt -cpu max,pauth-impdef=on -kernel "$(find "$kernel/boot" -name 'vmlinuz*' | head -n 1)" -initrd initrd \
    -append "console=ttyAMA0 quiet panic=-1 checks=units" > console 2>&1 < /dev/null
echo "$(basename "$kernel"): $(($(date +%s) - start)) s"
check 'the machine ran to its end' "grep -q '^=== end' console"
check 'it is arm64' "grep -aq 'aarch64' console"
check 'as root all is held' "part root | grep -q '^all held: 1'"
check 'nothing is broken as root' "! part root | grep -qE '^(BROKEN|INSTRUMENT-BROKEN)'"
check 'the filter holds' "part root | grep -q 'HELD seccomp ptrace'"
check 'memory by version 2' "part root | grep -q 'HELD memory .*cgroup v2'"
check 'the memory limit ends a job' "part root | grep -q '^end: memory-limit'"
check 'delegated: all is held' "part 'nobody, delegated' | grep -q '^all held: 1'"
check 'without user namespaces the control is named' "part 'nobody, no' | grep -q '^fault: namespaces: '"
check 'unit tests of the filters' "! part units | grep -q ' failed'"
finish
