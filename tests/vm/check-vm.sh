#!/bin/sh
# SPDX-License-Identifier: ISC
# make check-vm: the runner and its probes on other kernels, in an emulated machine (half a minute each, no KVM needed): control
# groups version 2 as root and in a delegated group of an ordinary user, a kernel that forbids user namespaces, and groups
# that a real systemd delegates (two minutes).
# Needs qemu-system-x86, cpio, busybox-static, systemd, and kernels: VM_KERNELS="DIR ...", each an unpacked Debian kernel
# package; by default the two cloud kernels of Debian 12 are downloaded (apt-get download) into the build directory.
set -u
builddir=${builddir:-.}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$builddir" && pwd)
. "$here/common.sh"
. "$here/systemd.part.sh"
for tool in qemu-system-x86_64 cpio busybox; do
    command -v $tool > /dev/null || { echo "check-vm: $tool is missing: install qemu-system-x86, cpio and busybox-static"; exit 1; }
done
mkdir -p "$top/vm" && cd "$top/vm" || exit 1

kernels() {
    if [ -n "${VM_KERNELS-}" ]; then
        echo "$VM_KERNELS"
        return
    fi
    for meta in linux-image-cloud-amd64 linux-image-6.12-cloud-amd64; do fetch_kernel $meta; done
}
machine() { # machine KERNEL WORDS: what it prints is in console
    start=$(date +%s)
    timeout 900 qemu-system-x86_64 -nodefaults -no-user-config -display none -serial stdio -no-reboot -m 1536 -smp 1 \
        -machine q35,accel=tcg -cpu max -kernel "$(find "$1/boot" -name 'vmlinuz*' | head -n 1)" -initrd initrd \
        -append "console=ttyS0 quiet panic=-1 $2" > console 2>&1 < /dev/null
    echo "$(basename "$1")${2:+ ($2)}: $(($(date +%s) - start)) s"
    cp console "console.$(basename "$1").${2:-plain}"
}
files() { # files KERNEL
    make_tree "$(command -v busybox)" "$here/init.sh" && take_overlay "$1" || return 1
    for prog in "$top/sallyport-probe" "$top/tests/bin/box_try" "$top/tests/bin/box_probe" "$(command -v setpriv)"; do
        cp -L "$prog" root/usr/bin/ && copy_libraries "$prog" || return 1
    done
}

for kernel in $(kernels); do
    files "$kernel" && pack || { echo "check-vm: the machine could not be made"; exit 1; }
    machine "$kernel" ""
    check 'the machine ran to its end' "grep -q '^=== end' console"
    check 'as root all is held' "part root | grep -q '^all held: 1'"
    check 'nothing is broken as root' "! part root | grep -qE '^(BROKEN|INSTRUMENT-BROKEN)'"
    check 'memory by version 2' "part root | grep -q 'HELD memory .*cgroup v2'"
    check 'the memory limit ends a job' "part root | grep -q '^end: memory-limit'"
    check 'no group is left' "! grep -q '^/sys/fs/cgroup/.*sallyport-' console"
    check 'delegated: all is held' "part 'nobody, delegated' | grep -q '^all held: 1'"
    check 'without user namespaces the control is named' "part 'nobody, no' | grep -q '^fault: namespaces: '"
    last=$kernel
done
[ -n "${last-}" ] || { echo "check-vm: no kernel: set VM_KERNELS"; exit 1; }
kernel=$last
if files "$kernel" && add_systemd; then
    pack
    machine "$kernel" checks=systemd
    judge_systemd
else
    echo "check-vm: NOT RUN: no systemd to put into the machine (install systemd)"
fi
finish
