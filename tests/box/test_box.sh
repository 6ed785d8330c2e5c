#!/bin/sh
# SPDX-License-Identifier: ISC
# The runner end to end, as root and as an ordinary user: an honest job, then jobs that try to get past each limit.
# Where this system forbids user namespaces, the same test shows that the runner refuses by name.
set -u
try=$builddir/tests/bin/box_try
work=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT INT TERM
chmod 755 "$work"
cp "$try" "$work/box_try" && try=$work/box_try && cp "$builddir/tests/bin/no_userns" "$work/" || exit 99
mkdir -m 755 "$work/in" && echo data >"$work/in/a" && chmod 644 "$work/in/a"
mkdir -m 1777 "$work/tmp" && TMPDIR=$work/tmp && export TMPDIR
mkfifo -m 666 "$work/in/fifo"
mkdir -m 755 "$work/tree" "$work/tree/d" && echo original >"$work/tree/a" && head -c 100000 /dev/zero >"$work/tree/d/b"
# a base of our own: two programs and what they need
mkdir -p "$work/base/usr/bin" "$work/base/usr/lib" "$work/base/etc"
for l in bin lib lib64; do ln -s usr/$l "$work/base/$l"; done
for p in sh cat ls; do
    cp -L "$(command -v $p)" "$work/base/usr/bin/"
    ldd "$(command -v $p)" | grep -o '/[^ ]*' | while read -r lib; do
        mkdir -p "$work/base/usr/$(dirname "${lib#/usr/}")" && cp -L "$lib" "$work/base/usr/${lib#/usr/}"
    done
done
failed=0 passed=0 who=
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL ($who): $1"; sed 's/^/    /' "$work/log" | head -40; }
# has TEXT NAME: the last run printed that line beginning
has() { if grep -q -- "^$1" "$work/log"; then ok; else bad "$2: no '$1'"; fi; }
hasnt() { if grep -q -- "^$1" "$work/log"; then bad "$2: '$1'"; else ok; fi; }
box() { (cd "$work" && $as timeout 60 "$try" "$@") >"$work/log" 2>&1 </dev/null || echo "box_try: exit $?" >>"$work/log"; }

# What is left of boxes: processes of the test's mark, control groups, mounts.
# A control group is named after the broker that made it: those of brokers that live are not left over.
dead_groups() {
    find /sys/fs/cgroup -maxdepth 6 -name 'sallyport-*' 2>/dev/null | while read -r group; do
        pid=${group##*/sallyport-}
        [ -d "/proc/${pid%%-*}" ] || echo "$group"
    done
}
leftovers() { pgrep -f "^sleep $1"; dead_groups; }

suite() {
    who=$1 as=$2
    box check wall=1000 -- true
    if grep -q '^rc: 1' "$work/log"; then
        if $as unshare -Urmpf --mount-proc true 2>/dev/null; then
            bad "user namespaces work here, and the runner says they do not"
        else
            has 'fault: [a-z-]*: ' 'the missing control is named'
        fi
        echo "($who: user namespaces are not available; only the refusal was tested)"
        return
    fi
    has 'rc: 0' 'dry run'; has 'end: not-run' 'dry run'

    box wall=20000 input=in:/target -- sh -c 'cat /target/a; echo err >&2; echo kept >out; exit 7'
    has 'end: exited 7' 'honest job'; has 'stdout: data' 'honest job'; has 'stderr: err' 'honest job'
    has 'scratch/out: kept' 'honest job'; has 'quiesced: 1' 'honest job'; has 'gone: 0' 'honest job'

    box wall=20000 -- sh -c 'test "$(ulimit -r)" = 0 && test "$(ulimit -l)" != unlimited && test "$(ulimit -l)" -le 8192'
    has 'end: exited 0' 'no real-time priority, little locked memory'
    box wall=20000 -- sh -c 'kill -9 $$'
    has 'end: signalled 9' 'signal'
    box wall=20000 -- /no/such/program
    has 'end: setup-failed' 'no such program'; has "fault: the command '/no/such/program'" 'no such program'

    ENV_CANARY=leak box wall=20000 -- env
    hasnt '.*ENV_CANARY' 'environment'
    has 'stdout: .*' 'environment'
    box wall=20000 -- sh -c 'for f in /proc/self/fd/*; do echo "fd ${f##*/}"; done | sort | uniq | tr "\n" " "'
    has 'stdout: fd 0 fd 1 fd 2 fd 3 $' 'descriptors (3 is the shell looking)'

    box wall=20000 input=in:/target -- sh -c 'echo x >/target/a; echo x >/target/new; chmod 777 /target/a; touch /target/a
        rm -f /target/a; echo x >/usr/x; echo x >/etc/x; echo x >/x; echo x >/dev/x; mkdir /proc/x; ls /target; cat /target/a'
    has 'data' 'inputs are untouched'; hasnt 'new' 'inputs are untouched'
    [ "$(cat "$work/in/a")" = data ] && [ ! -e "$work/in/new" ] && ok || bad 'the input changed'
    (timeout 5 cat "$work/in/fifo" >"$work/leak" &) ; sleep 0.2
    box wall=3000 input=in:/target -- sh -c 'timeout 1 sh -c "echo leak >/target/fifo"; echo done'
    if [ -s "$work/leak" ]; then bad 'a FIFO of the input leaks'; else ok; fi

    box wall=500 -- sh -c 'setsid sh -c "trap \"\" TERM INT HUP; sleep 60 & sleep 60" & trap "" TERM; sleep 60'
    has 'end: timed-out' 'wall'; has 'quiesced: 1' 'wall'; has 'gone: 0' 'wall'
    box wall=20000 -- sh -c 'setsid sh -c "trap \"\" TERM; while :; do echo x >>/scratch/grow; sleep 0.01; done" & sleep 0.2; echo started >out'
    has 'end: exited 0' 'daemon left behind'; has 'quiesced: 1' 'daemon left behind'; has 'gone: 0' 'daemon left behind'

    box wall=20000 output=65536 -- sh -c 'yes'
    has 'end: output-limit' 'output bomb'; has 'out: 65536' 'output bomb'
    box wall=20000 output=65536 -- sh -c 'head -c 65536 /dev/zero | tr "\0" x'
    has 'end: exited 0' 'output at the limit'; has 'out: 65536' 'output at the limit'

    box wall=20000 scratch=1048576 -- sh -c 'head -c 500000 /dev/zero >a && echo below; head -c 2000000 /dev/zero >b || echo full'
    has 'stdout: below' 'disk bomb'; has 'full' 'disk bomb'
    box wall=20000 inodes=100 -- sh -c 'i=0; while [ $i -lt 50 ] && : >f$i; do i=$((i+1)); done; echo $i
        while [ $i -lt 300 ] && (: >f$i) 2>/dev/null; do i=$((i+1)); done; [ $i -lt 100 ] && echo stopped'
    has 'stdout: 50' 'inode bomb'; has 'stopped' 'inode bomb'
    box wall=20000 file=100000 -- sh -c 'head -c 100000 /dev/zero >a && echo below; (head -c 100001 /dev/zero >b) 2>/dev/null || echo over'
    has 'stdout: below' 'file size'; has 'over' 'file size'
    box wall=20000 processes=20 -- sh -c 'i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done 2>/dev/null; echo unreached'
    has 'end: exited' 'fork bomb'; has 'quiesced: 1' 'fork bomb'; has 'gone: 0' 'fork bomb'; hasnt 'stdout: unreached' 'fork bomb'
    box wall=20000 processes=20 -- sh -c 'sleep 0.1 & sleep 0.1 & sleep 0.1 & wait; echo below'
    has 'stdout: below' 'few processes'

    box wall=20000 -- sh -c 'unshare -U true || echo refused; grep NoNewPrivs /proc/self/status; grep CapBnd /proc/self/status; ls -d /sys /run /home /root'
    has 'stdout: refused' 'no user namespace'; has 'NoNewPrivs:	1' 'no_new_privs'; has 'CapBnd:	0000000000000000' 'capabilities'
    hasnt '/' 'layout'

    box wall=20000 copy=tree:/work -- sh -c 'cd /work && echo more >>a && mkdir -p new && mv d/b new/ && ls -R . >/scratch/out && cat a'
    has 'stdout: original' 'copied input'; has 'more' 'copied input'; has 'changed: 0' 'copied input'; has 'gone: 0' 'copied input'
    [ "$(cat "$work/tree/a")" = original ] && [ -e "$work/tree/d/b" ] && ok || bad 'the original of a copied input changed'
    box wall=20000 copy=tree/a:/one/file input=tree:/tree -- sh -c 'echo more >>/one/file && cat /one/file >/scratch/out; cat /tree/a
        echo x >/one/new || echo refused'
    has 'scratch/out: original' 'copied file'; has 'more' 'copied file'; has 'changed: 0' 'copied file'; has 'stdout: original' 'copied file'
    has 'refused' 'beside a copied file'
    [ "$(cat "$work/tree/a")" = original ] && ok || bad 'the original of a copied file changed'
    box wall=20000 scratch=65536 copy=tree:/work -- true
    has 'fault: inputs: copying an input' 'a copy is bounded like the scratch'
    (sleep 0.5; echo changed >>"$work/tree/a") &
    box wall=20000 copy=tree:/work -- sleep 2
    has 'changed: 1' 'an original that changes is noticed'
    echo original >"$work/tree/a"
    box wall=20000 copy=in:/work -- true
    has 'fault: inputs: an input that is to be copied holds' 'a copy of a FIFO'

    box wall=20000 base=base input=in:/target -- sh -c 'cat /target/a; ls /usr/bin | cat >out; ls /usr/share'
    has 'stdout: data' 'a base of our own'; has 'base: directory: tree sha256:' 'a base of our own'
    grep -q 'scratch/out: cat$' "$work/log" && ok || bad 'a base of our own is not the host'
    first=$(sed -n 's/^base: //p' "$work/log")
    box check wall=1000 base=base -- true
    [ "$(sed -n 's/^base: //p' "$work/log")" = "$first" ] && ok || bad 'the digest of a base is not stable'
    box check wall=1000 base=in -- true
    has 'rc: -1' 'a base that is none'; has 'fault: base ' 'a base that is none'

    box check wall=1000 memory=67108864 cpus=1000 processes=30 -- true
    if grep -q '^rc: 0' "$work/log"; then
        for how in 'x=bytearray(200<<20)' \
            'import os; f=os.memfd_create("m"); [os.write(f,bytes(1<<20)) for i in range(200)]' \
            'import mmap; m=mmap.mmap(-1,200<<20); [m.seek(i<<20) or m.write(bytes(1<<20)) for i in range(200)]' \
            'f=open("big","wb"); [f.write(bytes(1<<20)) for i in range(200)]'; do
            box wall=20000 memory=67108864 -- python3 -c "$how"
            has 'end: memory-limit' "memory bomb: $how"; has 'hit: memory' "memory bomb: $how"
            has 'gone: 0' "memory bomb: $how"; has 'residue: 0' "memory bomb: $how"
        done
        box wall=20000 memory=67108864 -- python3 -c 'x=bytearray(16<<20); print("below")'
        has 'stdout: below' 'memory below the limit'
        box wall=20000 processes=20 -- sh -c 'i=0; while [ $i -lt 60 ]; do sleep 1 & i=$((i+1)); done 2>/dev/null'
        has 'hit: processes' 'fork bomb is named'
        box wall=20000 cpus=500 -- sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'
        wall=$(sed -n 's/^elapsed: //p' "$work/log") cpu=$(sed -n 's/^cpu: //p' "$work/log")
        if [ "$wall" -gt $((cpu * 14 / 10)) ]; then ok; else bad "half a processor: $cpu ms of $wall ms"; fi
    else
        has 'fault: memory: ' 'memory is missing, by name'
        box wall=20000 unenforced -- sh -c 'echo ran'
        has 'stdout: ran' 'memory: unenforced'; has 'control memory: unenforced' 'memory: unenforced'
    fi

    # the broker dies: everything dies with it
    mark=$$$(date +%N)
    (cd "$work" && exec $as "$try" wall=60000 -- sh -c "setsid sleep 7$mark & sleep 7$mark") >/dev/null 2>&1 &
    broker=$!
    n=0; while ! pgrep -f "^sleep 7$mark" >/dev/null && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
    pgrep -f "^sleep 7$mark" >/dev/null && ok || bad 'the job of the kill test never ran'
    kill -9 $broker; wait $broker 2>/dev/null
    n=0; while pgrep -f "^sleep 7$mark" >/dev/null && [ $n -lt 30 ]; do sleep 0.1; n=$((n + 1)); done
    if pgrep -f "^sleep 7$mark" >/dev/null; then bad 'the job survives the broker'; else ok; fi
    i=0
    while [ $i -lt ${KILLS:-12} ]; do
        (cd "$work" && exec $as "$try" wall=60000 processes=50 -- sh -c "setsid sleep 7$mark & sleep 7$mark") >/dev/null 2>&1 &
        broker=$!
        sleep "0.0$((i % 10))"
        kill -9 $broker; wait $broker 2>/dev/null
        i=$((i + 1))
    done
    n=0; while left=$(leftovers "7$mark") && [ -n "$left" ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
    if [ -n "$left" ]; then bad "left after kill -9: $left"; else ok; fi
}

suite "$(id -un)" ''
if [ "$(id -u)" = 0 ] && ! grep -q '^rc: 1' "$work/log"; then
    who=root as=
    mkdir -m 700 "$work/own" "$work/own/d" && echo mine >"$work/own/f" && chmod 600 "$work/own/f"
    box wall=20000 input=own:/target input=own/f:/one/file -- sh -c 'cat /target/f /one/file; ls -ld /target/d; ls /.lower/0; echo x >/one/file'
    has 'stdout: mine' 'input that only root may read'; has 'mine' 'file that only root may read'
    has 'drwx------ . job' 'owner of the input'
    hasnt 'f$' 'the view under the overlay is out of reach'
    [ "$(cat "$work/own/f")" = mine ] && ok || bad 'the input file changed'
    ( flock -x 9; box wall=20000 -- sh -c 'for d in null zero full random urandom; do [ -c /dev/$d ] || echo none; done; echo x >/dev/null
        flock -n 9 9</dev/null && echo a lock of its own' ) 9</dev/null
    has 'stdout: a lock of its own' 'device files are not the host'
    hasnt 'none' 'device files'
fi
if [ "$(id -u)" = 0 ]; then
    suite nobody 'setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
# inside another user namespace: as its root, and where it forbids further ones
if unshare -Ur true 2>/dev/null; then
    who=nested as='unshare -Ur'
    box wall=20000 -- sh -c 'id -u >out'
    has 'scratch/out: 1000' 'nested'; has 'gone: 0' 'nested'
    as=
    # inside other sandboxes: it works, or it names what is in the way and claims no more than that
    as=
    box wall=20000 input=box_try:/in/box_try -- sh -c 'TMPDIR=/scratch ASAN_OPTIONS=detect_leaks=0 /in/box_try wall=1000 -- true | grep -E "^rc|^fault|^control network"'
    has 'stdout: rc: 1' 'inside our own box'; has 'fault: namespaces: creating namespaces' 'inside our own box'
    has 'control network: missing' 'inside our own box'
    if [ "$(id -u)" = 0 ] && unshare -m mount --bind /dev/null /proc/kcore 2>/dev/null; then
        (cd "$work" && unshare -m sh -c 'mount --bind /dev/null /proc/kcore && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$0" \
            wall=1000 -- true' "$try") >"$work/log" 2>&1
        has 'rc: 1' 'a covered /proc'; has 'fault: namespaces: attaching the private /proc' 'a covered /proc'
        hasnt 'control network: missing' 'a covered /proc'
    fi
    if bwrap --dev-bind / / --unshare-user true 2>/dev/null; then
        as="bwrap --dev-bind / / --unshare-all"
        box wall=20000 -- sh -c 'echo nested >out'
        has 'scratch/out: nested' 'inside bwrap'; has 'gone: 0' 'inside bwrap'
        as=
    fi
    # the tier that is left without them, in each way of forbidding: nothing is started, and every gap has its name
    for as in "$work/no_userns" "setpriv --reuid=65534 --regid=65534 --clear-groups $work/no_userns"; do
        [ "$(id -u)" = 0 ] || [ "$as" = "$work/no_userns" ] || continue
        for limits in wall=1000 'wall=1000 scratch=1048576 inodes=100 processes=10'; do
            box $limits -- touch started
            has 'rc: 1' 'no user namespaces'; has 'end: not-run' 'no user namespaces'
            has 'fault: namespaces: creating namespaces (this system or container forbids them)' 'no user namespaces'
            for gap in namespaces network inputs scratch-only cleanup; do
                has "control $gap: missing (.*)" "no user namespaces: $gap"
            done
            has 'control landlock: ' 'no user namespaces'
            case $limits in
            *inodes*) has 'control scratch-size: missing' 'no user namespaces'; has 'control inodes: missing' 'no user namespaces' ;;
            *) hasnt 'control inodes: missing' 'what is not asked for is not missing' ;;
            esac
        done
    done
    as=
    (cd "$work" && unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" wall=1000 -- true' "$try") >"$work/log" 2>&1
    has 'rc: 1' 'forbidden'; has 'fault: namespaces: creating namespaces' 'forbidden'; has 'end: not-run' 'forbidden'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
