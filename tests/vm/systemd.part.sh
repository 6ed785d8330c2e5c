# SPDX-License-Identifier: ISC
# Part of check-vm.sh: the same machine with a real systemd as its first process, and sallyport as an ordinary user in groups
# that systemd delegates: a service of the system's manager, a service and a scope of the user's own manager (as
# `systemd-run --user --scope -p Delegate=yes` makes it), and a service without delegation, where memory is missing.
add_systemd() {
    for prog in /usr/lib/systemd/systemd /usr/bin/systemd-run; do
        [ -e "$prog" ] || return 1
        copy_program "$prog" || return 1
    done
    for prog in sallyport sallyport-inspect; do
        cp "$top/$prog" root/usr/bin/ && copy_libraries "$top/$prog" || return 1
    done
    echo 0123456789abcdef0123456789abcdef > root/etc/machine-id
    echo 'PRETTY_NAME="small machine"' > root/etc/os-release
    mkdir -p root/etc/systemd/system root/etc/systemd/user
    for d in system user; do
        for t in default basic sysinit shutdown; do printf '[Unit]\nDefaultDependencies=no\n' > root/etc/systemd/$d/$t.target; done
    done
    printf '[Unit]\nDefaultDependencies=no\nRequires=user@1000.service check.service\n' > root/etc/systemd/system/check.target
    cat > root/etc/systemd/system/user@1000.service <<'U'
[Unit]
DefaultDependencies=no
[Service]
User=1000
Type=notify
Environment=XDG_RUNTIME_DIR=/run/user/1000 HOME=/tmp
Delegate=pids memory cpu
ExecStartPre=+/bin/sh -c 'mkdir -p /run/user/1000; chown 1000:1000 /run/user/1000; chmod 700 /run/user/1000'
ExecStart=/usr/lib/systemd/systemd --user --log-target=kmsg --log-level=warning
U
    cat > root/etc/systemd/system/check.service <<'U'
[Unit]
DefaultDependencies=no
After=user@1000.service
[Service]
Type=oneshot
ExecStart=/bin/sh /work/check.sh
StandardOutput=file:/dev/console
StandardError=file:/dev/console
U
    cat > root/work/job.yaml <<'C'
sallyport: 1
name: job
run: {command: [sh, -c, 'echo x > a.txt'], limits: {memory: 64M, processes: 40, cpus: 1}}
outputs:
  - {path: a.txt, types: [text]}
C
    cat > root/work/one.sh <<'C'
cd "$(mktemp -d)"
echo "in: $(cat /proc/self/cgroup) uid $(id -u)"
/usr/bin/sallyport probe /work/job.yaml --save proof > p.out 2> p.err
echo "probe $?"
grep -vE '^HELD' p.out
grep -E '^HELD +(memory|processes|cpus) ' p.out
cat p.err
[ ! -e proof ] || proof="--proof proof"
/usr/bin/sallyport run /work/job.yaml --to d --id one $proof > r.out 2> r.err
echo "run $?"
grep -v provide r.err
cat d/job-one/data/a.txt
C
    cat > root/work/check.sh <<'C'
U="/usr/bin/setpriv --reuid 1000 --regid 1000 --clear-groups /usr/bin/env XDG_RUNTIME_DIR=/run/user/1000 HOME=/tmp"
O="-p Type=oneshot -p DefaultDependencies=no -p StandardOutput=file:/dev/console -p StandardError=file:/dev/console"
left() { find /sys/fs/cgroup -name 'sallyport-*' 2> /dev/null | sed 's/^/left: /'; }
echo "=== service"
systemd-run $O -p Delegate=yes -p User=1000 sh /work/one.sh
left
echo "=== user service"
$U systemd-run --user $O -p Delegate=yes sh /work/one.sh
left
echo "=== user scope"
$U systemd-run --user $O systemd-run --user --scope -p DefaultDependencies=no -p Delegate=yes sh /work/one.sh
left
echo "=== not delegated"
systemd-run $O -p User=1000 sh /work/one.sh
echo "=== end"
poweroff -f
C
}

judge_systemd() {
    check 'systemd: the machine ran to its end' "grep -q '^=== end' console"
    for where in service 'user service' 'user scope'; do
        check "$where: every control is proven" "part '$where' | grep -q '^probe 0'"
        check "$where: nothing is broken" "! part '$where' | grep -qE '^(BROKEN|INSTRUMENT-BROKEN)'"
        check "$where: memory by version 2" "part '$where' | grep -q '^HELD *memory *memory-anon *cgroup v2'"
        check "$where: cpus by version 2" "part '$where' | grep -q '^HELD *cpus *cpus *cgroup v2'"
        check "$where: the job ran" "part '$where' | grep -q '^run 0' && part '$where' | grep -q '^x$'"
        check "$where: an ordinary user in that group" "part '$where' | grep -qE '^in: 0::/.*(service|scope) uid 1000'"
    done
    check 'not delegated: memory is missing, by name' "part 'not delegated' | grep -q '^run 4' &&
        part 'not delegated' | grep -q 'control missing: memory: no control group'"
    check 'no group is left' "! grep -q '^left: ' console"
}
