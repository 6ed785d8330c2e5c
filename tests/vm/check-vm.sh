#!/bin/sh
# SPDX-License-Identifier: ISC
# make check-vm: the runner and its probes on other kernels, in an emulated machine (10-20 s each, no KVM needed): control
# groups version 2 as root and in a delegated group of an ordinary user, and a kernel that forbids user namespaces.
# Needs qemu-system-x86, cpio, busybox-static, and kernels: VM_KERNELS="DIR ...", each an unpacked Debian kernel package; by
# default the two cloud kernels of Debian 12 are downloaded (apt-get download) into the build directory.
set -u
builddir=${builddir:-.}
top=$(cd "$builddir" && pwd)
dir=$top/vm
for tool in qemu-system-x86_64 cpio busybox; do
    command -v $tool >/dev/null || { echo "check-vm: $tool is missing: install qemu-system-x86, cpio and busybox-static"; exit 1; }
done
mkdir -p "$dir" || exit 1
cd "$dir" || exit 1

kernels() {
    if [ -n "${VM_KERNELS-}" ]; then
        echo "$VM_KERNELS"
        return
    fi
    for meta in linux-image-cloud-amd64 linux-image-6.12-cloud-amd64; do
        pkg=$(apt-cache depends "$meta" 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
        [ -n "$pkg" ] || continue
        [ -d "$pkg" ] || { apt-get download "$pkg" >/dev/null && dpkg -x "$pkg"_*.deb "$pkg" && rm -f "$pkg"_*.deb; } || continue
        echo "$dir/$pkg"
    done
}

# The machine's files: busybox, our programs and their libraries.
make_root() {
    rm -rf root && mkdir -p root/usr/bin root/usr/sbin root/usr/lib64 root/proc root/sys root/dev root/tmp root/new root/etc || return 1
    for l in bin sbin lib64; do ln -s usr/$l root/$l || return 1; done
    ln -s usr/lib root/lib
    cp "$(command -v busybox)" root/usr/bin/busybox || return 1
    for applet in sh mount umount mkdir cat echo ls cp id grep sed poweroff switch_root insmod chown chmod ifconfig sleep seq env head sort \
        true kill setsid unshare find rmdir; do
        ln -sf busybox root/usr/bin/$applet
    done
    printf 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' > root/etc/passwd
    printf 'root:x:0:\nnogroup:x:65534:\n' > root/etc/group
    for prog in "$top/sallyport-probe" "$top/tests/bin/box_try" "$top/tests/bin/box_probe" "$(command -v setpriv)"; do
        cp "$prog" root/usr/bin/ || return 1
        ldd "$prog" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
            mkdir -p "root/usr/lib/$(basename "$(dirname "$lib")")"
            case $lib in
            /lib64/*) cp -L "$lib" root/usr/lib64/ ;;
            *) cp -L "$lib" "root/usr/lib/$(basename "$(dirname "$lib")")/" ;;
            esac
        done
    done
    cp "$1" root/overlay.ko || return 1
    cat > root/init <<'I'
#!/bin/sh
if [ ! -e /second ]; then
    mount -t tmpfs none /new
    cp -a /usr /bin /sbin /lib /lib64 /etc /init /overlay.ko /new/
    mkdir -p /new/proc /new/sys /new/dev /new/tmp
    chmod 1777 /new/tmp
    : >/new/second
    exec switch_root /new /init
fi
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t cgroup2 -o nsdelegate none /sys/fs/cgroup
insmod /overlay.ko
ifconfig lo 127.0.0.1 up
cat /proc/version
cd /tmp
echo "=== root"
/usr/bin/box_probe /usr/bin/sallyport-probe
/usr/bin/box_try wall=20000 memory=16777216 input=/usr/bin/sallyport-probe:/p -- /p size=16777216 -- memory-anon |
    grep -E '^(rc|end|hit|control memory|gone|residue)'
find /sys/fs/cgroup -name 'sallyport-*'
cat /sys/fs/cgroup/cgroup.subtree_control
echo "=== nobody, delegated"
echo "+memory +pids +cpu" >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/delegated
for f in . cgroup.procs cgroup.subtree_control cgroup.threads; do chown 65534:65534 /sys/fs/cgroup/delegated/$f; done
echo 0 >/sys/fs/cgroup/delegated/cgroup.procs
[ -e /proc/sys/kernel/unprivileged_userns_clone ] && echo 1 >/proc/sys/kernel/unprivileged_userns_clone
/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/box_probe /usr/bin/sallyport-probe 2>&1
find /sys/fs/cgroup -name 'sallyport-*'
echo "=== nobody, no user namespaces"
echo 0 >/proc/sys/user/max_user_namespaces
/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/box_try check wall=1000 -- true | grep -E '^(rc|fault)'
echo "=== end"
poweroff -f
I
    chmod 755 root/init
    (cd root && find . | cpio -o -H newc --quiet) > initrd || return 1
}

failed=0
ok=0
check() {
    if eval "$2"; then ok=$((ok + 1)); else failed=$((failed + 1)); echo "FAIL: $kernel: $1"; fi
}
part() { sed -n "/^=== $1/,/^===/p" console | tr -d '\r'; }
for kernel in $(kernels); do
    vmlinuz=$(find "$kernel/boot" -name 'vmlinuz*' | head -n 1)
    overlay=$(find "$kernel" -name 'overlay.ko*' | head -n 1)
    case $overlay in
    *.xz) xz -dc "$overlay" > overlay.ko; overlay=overlay.ko ;;
    esac
    make_root "$overlay" || { echo "check-vm: the machine could not be made"; exit 1; }
    start=$(date +%s)
    timeout 300 qemu-system-x86_64 -nodefaults -no-user-config -display none -serial stdio -no-reboot -m 1024 -smp 1 \
        -machine q35,accel=tcg -cpu max -kernel "$vmlinuz" -initrd initrd -append "console=ttyS0 quiet panic=-1" \
        > console 2>&1 < /dev/null
    echo "$(basename "$kernel"): $(($(date +%s) - start)) s"
    cp console "console.$(basename "$kernel")"
    check 'the machine ran to its end' "grep -q '^=== end' console"
    check 'as root all is held' "part root | grep -q '^all held: 1'"
    check 'nothing is broken as root' "! part root | grep -qE '^(BROKEN|INSTRUMENT-BROKEN)'"
    check 'memory by version 2' "part root | grep -q 'HELD memory .*cgroup v2'"
    check 'the memory limit ends a job' "part root | grep -q '^end: memory-limit'"
    check 'no group is left' "! grep -q '^/sys/fs/cgroup/.*sallyport-' console"
    check 'delegated: all is held' "part 'nobody, delegated' | grep -q '^all held: 1'"
    check 'without user namespaces the control is named' "part 'nobody, no' | grep -q '^fault: namespaces: '"
done
echo "$ok passed, $failed failed"
[ "$failed" = 0 ] && [ "$ok" -gt 0 ]
