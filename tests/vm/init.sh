#!/bin/sh
# SPDX-License-Identifier: ISC
# The first process of the small machine. A root that can be pivoted from, then the checks; what they print is judged outside.
if [ ! -e /second ]; then
    mount -t tmpfs none /new
    cp -a /usr /bin /sbin /lib /lib64 /etc /work /run /var /init /overlay.ko /new/
    mkdir -p /new/proc /new/sys /new/dev /new/tmp
    chmod 1777 /new/tmp
    : >/new/second
    exec switch_root /new /init
fi
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/shm && mount -t tmpfs none /dev/shm
mount -t cgroup2 -o nsdelegate none /sys/fs/cgroup
insmod /overlay.ko
ifconfig lo 127.0.0.1 up
cat /proc/version
[ -e /proc/sys/kernel/unprivileged_userns_clone ] && echo 1 >/proc/sys/kernel/unprivileged_userns_clone
chmod 666 /dev/console
cd /tmp
if grep -q checks=systemd /proc/cmdline; then
    exec /usr/lib/systemd/systemd --unit=check.target --log-target=kmsg --log-level=warning --show-status=no
fi
as_nobody() { # busybox has no setpriv that changes ids
    if [ -x /usr/bin/setpriv ]; then
        /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        su -s /bin/sh nobody -c "$*"
    fi
}
echo "=== units"
for unit in /usr/bin/test_*; do
    [ ! -e "$unit" ] || { timeout 300 "$unit" --jobs 1 >/tmp/unit.out 2>&1 && echo "$unit: passed" || { echo "$unit failed"; tail -n 5 /tmp/unit.out; }; }
done
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
as_nobody /usr/bin/box_probe /usr/bin/sallyport-probe 2>&1
find /sys/fs/cgroup -name 'sallyport-*'
echo "=== nobody, no user namespaces"
echo 0 >/proc/sys/user/max_user_namespaces
as_nobody /usr/bin/box_try check wall=1000 -- true | grep -E '^(rc|fault)'
echo "=== end"
poweroff -f
