#!/bin/bash
# SPDX-License-Identifier: ISC
# make bench: whole programs side by side in one run, as ratios of medians; never absolute times. Each pair is interleaved,
# every run gets fresh directories, and everything is read from the page cache. BENCH_FILES, BENCH_MIB and BENCH_RUNS scale it.
set -u
sallyport=${SALLYPORT:?}
files=${BENCH_FILES:-20000} mib=${BENCH_MIB:-1024} runs=${BENCH_RUNS:-3}
work=$(mktemp -d "${TMPDIR:-/var/tmp}/sallyport-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

make_small() { # many small files: text, JSON, CSV, logs
    python3 - "$1" "$files" <<'P'
import os, random, sys
base, n = sys.argv[1], int(sys.argv[2])
rng = random.Random(7)
words = "the quick brown fox jumps over a lazy dog while reports are written and read again".split()
for i in range(n):
    d = os.path.join(base, "d%03d" % (i % 200))
    os.makedirs(d, exist_ok=True)
    size = rng.choice([400, 1500, 4000, 9000, 30000])
    line = lambda: " ".join(rng.choice(words) for _ in range(9))
    text = ""
    block = "\n".join(line() for _ in range(12)) + "\n"
    text = (block * (size // len(block) + 1))[:size] + "\n"
    kind = i % 4
    if kind == 0:
        open(os.path.join(d, "f%05d.txt" % i), "w").write(text)
    elif kind == 1:
        open(os.path.join(d, "f%05d.json" % i), "w").write('{"id": %d, "text": "%s"}\n' % (i, text.replace("\n", " ")))
    elif kind == 2:
        open(os.path.join(d, "f%05d.csv" % i), "w").write("a,b\n" + "".join("%d,%s\n" % (k, w) for k, w in enumerate(text.split())))
    else:
        open(os.path.join(d, "f%05d.log" % i), "w").write(text)
P
}
make_big() { # four large text files
    python3 - "$1" "$mib" <<'P'
import os, random, sys
base, mib = sys.argv[1], int(sys.argv[2])
os.makedirs(base, exist_ok=True)
rng = random.Random(11)
lines = [("2026-11-29T18:%02d:%02d level=info msg=\"request served\" path=/a/%d took=%dus\n" % (rng.randrange(60), rng.randrange(60), rng.randrange(9999), rng.randrange(99999))) for _ in range(9000)]
block = "".join(lines).encode()
for k in range(4):
    with open(os.path.join(base, "big%d.log" % k), "wb") as f:
        left = mib * 1024 * 1024 // 4
        while left > 0:
            f.write(block[:left])
            left -= len(block)
P
}

now() { date +%s%N; }
timed() { # timed VAR COMMAND: appends nanoseconds
    local t
    t=$(now)
    eval "$2" > /dev/null 2> "$work/err" || { echo "bench: '$2' failed:"; cat "$work/err"; exit 1; }
    eval "$1+=($(($(now) - t)))"
}
median() { printf '%s\n' "$@" | sort -n | sed -n "$(($# / 2 + 1))p"; }

pair() { # pair NAME OURS THEIRS TARGET
    local ours=() theirs=() i
    for ((i = 0; i < runs; i++)); do
        export RUN=$i
        cat "$SRC"/* "$SRC"/*/* > /dev/null 2>&1
        timed theirs "$3"
        timed ours "$2"
    done
    local a b
    a=$(median "${ours[@]}") b=$(median "${theirs[@]}")
    printf '%-58s %5s   (at most %s)\n' "$1" "$(python3 -c "print('%.2f' % ($a / $b))")" "$4"
}

echo "ratios of medians over $runs runs; below 1 is faster than the other side"
make_small "$work/small"
sync
types='**/*.txt=text,1M'
contract() { printf 'sallyport: 1\nname: bench\nlimits: {files: 100000, total: 64G}\noutputs:\n'; for k in txt:text json:json csv:csv log:log; do printf "  - {glob: '**/*.%s', types: [%s], max: 32G, count: 0..}\n" "${k%%:*}" "${k##*:}"; done; }
contract > "$work/c.yaml"
SRC=$work/small
pair "$files small files: promote / cp -r and sync" \
    "'$sallyport' promote '$work/c.yaml' --from '$SRC' --to '$work/d\$RUN' -q" "cp -r '$SRC' '$work/cp\$RUN' && sync -f '$work'" "1.1, aim 0.85"
rm -rf "$work"/d* "$work"/cp*
make_big "$work/big"
sync
SRC=$work/big
pair "4 files, $mib MiB together: promote / sha256sum" \
    "'$sallyport' promote '$work/c.yaml' --from '$SRC' --to '$work/d\$RUN' -q; rm -rf '$work/d\$RUN'" "sha256sum '$SRC'/*" "0.6, aim 0.45"
pair "4 files, $mib MiB together: promote / openssl dgst -sha256" \
    "'$sallyport' promote '$work/c.yaml' --from '$SRC' --to '$work/e\$RUN' -q; rm -rf '$work/e\$RUN'" "openssl dgst -sha256 '$SRC'/*" "2.2, aim 1.6"
mkdir "$work/one" && head -c 4096 "$work/big/big0.log" > "$work/one/a.log"
SRC=$work/one
runs=21
pair "one file of 4 KiB: promote / cp && sha256sum in sh" \
    "'$sallyport' promote --take a.log=log --from '$SRC' --to '$work/f' -q" "sh -c 'cp \"$SRC/a.log\" \"$work/g\" && sha256sum \"$work/g\"'" "1.0, aim 0.7"
/usr/bin/env python3 - "$sallyport" "$work" <<'P'
import os, subprocess, sys, threading, time
exe, work = sys.argv[1], sys.argv[2]
peak = 0
p = subprocess.Popen([exe, "promote", work + "/c.yaml", "--from", work + "/big", "--to", work + "/h", "-q"], stdout=subprocess.DEVNULL)
def tree(pid):
    out = [pid]
    try:
        for t in os.listdir("/proc/%d/task" % pid):
            for c in open("/proc/%d/task/%s/children" % (pid, t)).read().split():
                out += tree(int(c))
    except OSError:
        pass
    return out
while p.poll() is None:
    total = 0
    for pid in tree(p.pid):
        try:
            total += sum(int(l.split()[1]) for l in open("/proc/%d/smaps_rollup" % pid) if l.startswith("Pss:"))
        except OSError:
            pass
    peak = max(peak, total)
    time.sleep(0.01)
print("%-58s %5.1f   (at most 48)" % ("peak memory of all processes together, MiB", peak / 1024))
P
