#!/bin/sh
# SPDX-License-Identifier: ISC
# What people run, with the limits of the manual's example, as root and as an ordinary user: shell, compiler, make, python,
# node, git and java. Then bombs: each ends within its cap, the limit is named, and nothing is left.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT INT TERM
chmod 755 "$work" && mkdir -m 1777 "$work/t" && TMPDIR=$work/t && export TMPDIR
cp "$builddir/tests/bin/box_try" "$work/" && cd "$work" || exit 99
failed=0 passed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL ($who): $1"; sed 's/^/    /' log | head -30; }
box() { $as timeout 120 ./box_try "$@" > log 2>&1 < /dev/null; }
# job PROGRAM WANT COMMAND...
job() {
    program=$1 want=$2
    shift 2
    command -v "/usr/bin/$program" > /dev/null || { echo "($program is not installed)"; return; }
    box $limits -- "$@"
    grep -q '^end: exited 0' log && grep -qF -- "$want" log && grep -q '^quiesced: 1' log && grep -q '^gone: 0' log && ok || bad "$program"
}
# bomb NAME LIMIT END COMMAND...: LIMIT as the record calls it, END a pattern
bomb() {
    name=$1 limit=$2 end=$3
    shift 3
    box $limits "$@"
    grep -qE "^end: $end" log || bad "$name: end"
    if [ "$limit" = - ] || grep -q "^hit:.* $limit" log; then ok; else bad "$name: $limit is not named"; fi
    grep -q '^quiesced: 1' log && grep -q '^gone: 0' log && grep -q '^residue: 0' log && ok || bad "$name: what is left"
}
suite() {
    limits='wall=60000 cpus=2000 memory=1073741824 processes=256 scratch=268435456 inodes=20000 file=104857600 output=1048576'
    grouped=yes
    box check $limits -- true
    if ! grep -q '^rc: 0' log; then
        limits='wall=60000 unenforced processes=256 scratch=268435456 inodes=20000 file=104857600 output=1048576'
        grouped=no
        box check $limits -- true
        if ! grep -q '^rc: 0' log; then
            grep -q '^fault: [a-z-]*: .' log && ok || bad 'the missing control is not named'
            echo "($who: no sandbox here; only the refusal was tested)"
            return
        fi
    fi
    job bash 6 bash -c 'cat <(echo $((1 + 2 + 3)))'
    job gcc compiled sh -c 'printf "#include <stdio.h>\nint main(void){puts(\"compiled\");return 0;}\n" > a.c && gcc a.c -o a && ./a'
    job make made sh -c 'printf "all: a b\na b:\n\t@echo made > \$@\n" > Makefile && make -j2 && cat a'
    job python3 '[1, 4, 9] 2' /usr/bin/python3 -c 'import multiprocessing as m, sqlite3
def f(x): return x * x
if __name__ == "__main__":
    print(m.Pool(2).map(f, [1, 2, 3]), sqlite3.connect("x.db").execute("select 1+1").fetchone()[0])'
    job node worked node -e 'const {Worker} = require("worker_threads"); new Worker("console.log(\"worked\")", {eval: true})'
    job git committed sh -c 'git init -q r && cd r && git config user.email a@example.org && git config user.name a && echo x > f &&
        git add f && git commit -qm committed && git log --format=%s'
    job java started sh -c 'echo "class H{public static void main(String[] a){System.out.println(\"started\");}}" > H.java && java H.java'

    bomb 'fork bomb' - '(exited|timed-out|signalled)' wall=3000 -- sh -c 'b() { b | b & }; b; sleep 1; b; sleep 5'
    [ $grouped = no ] || { grep -q '^hit:.* processes' log && ok || bad 'fork bomb: processes is not named'; }
    bomb 'tree of sessions' wall timed-out wall=1500 -- sh -c 'trap "" TERM INT HUP; for i in 1 2 3 4 5 6 7 8; do
        setsid sh -c "trap \"\" TERM INT HUP; setsid sleep 50 & sleep 50" & done; sleep 50'
    bomb 'disk bomb' scratch-size exited -- sh -c 'i=0; while head -c 50000000 /dev/zero > f$i 2> /dev/null; do i=$((i+1)); done; cat /dev/zero > rest 2> /dev/null; true'
    bomb 'inode bomb' inodes exited inodes=500 -- sh -c 'i=0; while [ $i -lt 30000 ] && (: > f$i) 2> /dev/null; do i=$((i+1)); done'
    bomb 'output bomb' output output-limit -- yes
    if [ $grouped = yes ] && command -v /usr/bin/python3 > /dev/null; then
        limits='wall=60000 memory=67108864'
        for how in 'bytearray(200 << 20)' \
            'f = __import__("os").memfd_create("m"); [__import__("os").write(f, bytes(1 << 20)) for i in range(200)]' \
            'm = __import__("mmap").mmap(-1, 200 << 20); [m.write(bytes(1 << 20)) for i in range(200)]' \
            'import ctypes; c = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p; p = c.shmat(c.shmget(0, 200 << 20, 0o1600), None, 0); ctypes.memset(p, 1, 200 << 20)' \
            'import os; [os.setxattr("/scratch", "user.a%d" % i, bytes(60000)) for i in range(4000)]' \
            'import os; ps = [os.pipe() for i in range(1500)]; [os.set_blocking(w, False) for r, w in ps]; [os.write(w, bytes(65536)) for r, w in ps]'; do
            bomb "memory bomb: $how" - '(memory-limit|exited 1)' -- /usr/bin/python3 -c "$how"
        done
        # what waits in sockets: 16 connections would hold 40 MB and more; the kernel lets each have a little in any case
        cat > sockets.py <<'P'
import socket, struct
listener = socket.create_server(("127.0.0.1", 0))
held = 0
pairs = []
for i in range(16):
    a = socket.create_connection(listener.getsockname())
    b, _ = listener.accept()
    a.setblocking(False)
    try:
        while True:
            a.send(bytes(65536))
    except BlockingIOError:
        pass
    pairs.append((a, b))
for pair in pairs:
    for s in pair:
        memory = struct.unpack("9I", s.getsockopt(socket.SOL_SOCKET, 55, 36))
        held += memory[0] + memory[5]
print("held" if held < 24 << 20 else "open", held)
P
        box wall=60000 memory=16777216 input="$PWD/sockets.py:/s.py" -- /usr/bin/python3 /s.py
        grep -qE '^end: memory-limit|^stdout: held' log && ok || bad 'memory bomb: sockets'
    fi
}
who=$(id -un) as=
suite
if [ "$(id -u)" = 0 ]; then
    who=nobody as='setpriv --reuid=65534 --regid=65534 --clear-groups'
    suite
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
