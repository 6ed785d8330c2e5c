#!/bin/sh
# SPDX-License-Identifier: ISC
# The probes prove what holds, name what is missing, and find out where a control is really off.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT INT TERM
chmod 755 "$work"
cp "$builddir/tests/bin/box_probe" "$builddir/sallyport-probe" "$work/" || exit 99
mkdir -m 1777 "$work/tmp" && TMPDIR=$work/tmp && export TMPDIR
failed=0 passed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $1"; grep -v '^HELD' "$work/log"; }
probes() { (cd "$work" && $as timeout 60 ./box_probe ./sallyport-probe "$@") >"$work/log" 2>&1 </dev/null; }
boxed() { ! grep -q '^fault: .' "$work/log"; }
rows() { grep -c "^$1 " "$work/log"; }

as=
probes
cp "$work/log" "$work/first"
if boxed; then
    [ "$(rows BROKEN)" = 0 ] && ok || bad 'a control is broken'
    [ "$(rows INSTRUMENT-BROKEN)" = 0 ] && ok || bad 'an instrument is broken'
    [ "$(rows HELD)" -ge 48 ] && ok || bad 'fewer than 48 rows held'
    if [ "$(id -u)" = 0 ] && ! grep -q '^UNSUPPORTED memory' "$work/log"; then
        grep -q '^all held: 1' "$work/log" && ok || bad 'not all held, as root'
    fi
    [ -z "$(ls "$work/tmp")" ] && ok || bad 'something is left in the work directory'
    # a real profile that lacks controls: bits of enum control, with Landlock (14) and the filter (13) where they stand behind
    for case in '4002 none tcp4 udp4 abstract hosts resolve host-name rebinding' '4004 none input-write input-fifo input-socket' '4008 none scratch-only' \
        '4001 none signal proc kill-all pidfd' \
        '7000 none capabilities raw mount setuid proc-root ptrace-outside' '2000 none keyring vm-read perf' '80 file file-size' \
        '100 scratch scratch-size' '200 inodes inodes' '400 output output' '800 wall wall' '18000 none daemon descriptors'; do
        set -- $case
        probes "$1" "$2"
        off=$1
        shift 2
        for name; do
            grep -q "^BROKEN [a-z-]* $name " "$work/log" && ok || bad "off $off: $name is not found BROKEN"
        done
        grep -q '^all held: 0' "$work/log" && ok || bad "off $off: all held"
    done
    if [ "$(id -u)" = 0 ]; then
        as='setpriv --reuid=65534 --regid=65534 --clear-groups'
        probes
        grep -qE '^(BROKEN|INSTRUMENT-BROKEN)' "$work/log" && bad 'as nobody' || ok
        [ "$(rows HELD)" -ge 42 ] && ok || bad 'as nobody: fewer than 42 rows held'
    fi
else
    grep -q '^all held: 0' "$work/log" && ok || bad 'nothing can be shown here, and yet all held'
    grep -q '^fault: [a-z-]*: .' "$work/log" && ok || bad 'the missing control is not named'
    echo '(user namespaces are not available; only the refusal was tested)'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
