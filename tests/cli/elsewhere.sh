#!/bin/sh
# SPDX-License-Identifier: ISC
# A daemon elsewhere that lies, stalls or floods, without a daemon: a stand-in for its client speaks as the agent would. Nothing
# of what it does may keep the broker, or leave more than a refusal.
. "${srcdir:?}/tests/cli/common.sh"
python=${PYTHON3:-python3}
command -v "$python" > /dev/null || { echo "SKIPPED: python3 is missing"; exit 77; }
[ -r /proc/sys/kernel/random/boot_id ] || { echo "SKIPPED: not Linux"; exit 77; }
home=$(dirname "$(readlink -f "$sallyport")")
id=$(printf '%064d' 7)
mkdir bin
cat > bin/docker <<D
#!/bin/sh
exec "$(command -v "$python")" "$work/client.py" "$work" "\$@"
D
chmod 755 bin/docker
cat > client.py <<'P'
import fcntl, io, os, signal, struct, sys, tarfile, termios, time
work, words = sys.argv[1], sys.argv[2:]
how = open(work + "/how").read().strip()
ID = "%064d" % 7

def frame(kind, data=b""):
    os.write(1, struct.pack("<IHH", len(data), kind, 0) + data)

def facts(kind, size, ino, mode=0o644):
    return struct.pack("<IIII QQQ qQ", kind, mode, 1000, 1000, 1, size, ino, 0, 0)

def agent():
    open(work + "/pid", "w").write(str(os.getpid()))
    frame(1, struct.pack("<II7Q", 1, 1000, 0x01021994, 4096, 0, 0, 0, 0, 0))
    os.read(0, 8)
    if how == "lowered": # the filter could not be loaded: ENOSYS
        return frame(5, struct.pack("<II", 6, 13 << 12 | 38))
    frame(5, struct.pack("<II", 1, 0))
    frame(6, struct.pack("<IIIIQQ", 0, 0, 0, 0, 0, 0))
    listed = {"deaf": [("%s/%03d.txt" % ("/".join(["x" * 250] * 4), i), 1) for i in range(90)],
              "both": [("a.txt", 1), ("a.txt/b.txt", 1)],
              "huge": [("a.txt", 2**63), ("b.txt", 2**64 - 1)],
              "twice": [("a.txt", 1), ("a.txt", 1)],
              "up": [("../a.txt", 1)]}.get(how, [("a.txt", 1)])
    for i, (name, size) in enumerate(listed):
        frame(7, facts(KIND_FILE, size, i + 10) + name.encode())
        while how == "drip":
            i += 1
            time.sleep(0.1)
            frame(7, facts(KIND_FILE, 1, i + 10) + b"%06d" % i)
    frame(8, struct.pack("<QII", len(listed), 0, 0))
    if how == "deaf":
        for i, (name, size) in enumerate(listed): # answers what was asked, and reads none of it
            while struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"0000"))[0] < (i + 1) * (8 + len(name)):
                time.sleep(0.001)
            frame(9, facts(KIND_FILE, size, i + 10)); frame(10, b"x"); frame(11, struct.pack("<QII", 1, 0, 0))
    for i in range(len(listed)):
        head = os.read(0, 8)
        if len(head) < 8 or head[4] != 33:
            return
        name = os.read(0, head[0] + 256 * head[1]).decode()
        at = [n for n, _ in listed].index(name)
        frame(9, facts(KIND_FILE, listed[at][1], at + 10)); frame(10, b"x"); frame(11, struct.pack("<QII", 1, 0, 0))
    os.read(0, 8)

KIND_FILE = 1
command = words[0]
if command == "version": print("1.0 1.0")
elif words[:2] == ["image", "inspect"]: print("sha256:" + ID)
elif command == "create": print(ID)
elif words[:2] == ["container", "inspect"] and "HostConfig" in words[2]: print("0|0|0|0|true|none|runc")
elif words[:2] == ["container", "inspect"] and words[-1] == "box": print("state %s false 0" % ID)
elif words[:2] == ["container", "inspect"]: sys.exit("Error: No such container")
elif words[:2] == ["cp", "--"]: # a daemon that only whoever has the certificates may ask
    need = {"DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": work + "/certificates", "HOME": os.environ.get("HOME", "")}
    if any(os.environ.get(name, "") != value for name, value in need.items()) or "EXTRA" in os.environ:
        sys.exit("tls: bad certificate")
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as tar:
        member = tarfile.TarInfo("out/a.txt")
        member.size = 2
        tar.addfile(member, io.BytesIO(b"x\n"))
elif command == "cp": sys.stdin.buffer.read()
elif command == "start": agent()
elif command == "kill":
    try: os.kill(int(open(work + "/pid").read()), signal.SIGKILL)
    except OSError: pass
P
sha() { sha256sum "$1" | cut -d' ' -f1; }
$jq -n --arg boot "$(cat /proc/sys/kernel/random/boot_id)" --arg kernel "$(uname -r) $(uname -v)" --arg id "$id" --argjson uid "$(id -u)" \
    --argjson made "$(date +%s)" --arg program "$(sha "$home/sallyport")" --arg probe "$(sha "$home/sallyport-probe")" \
    '{schema: "sallyport.probe/1", boot_id: $boot, kernel: $kernel, uid: $uid, made: $made, program_sha256: $program, probe_sha256: $probe,
      proven: true, base: "docker, elsewhere: image sha256:\($id)", probes: [("namespaces", "network", "inputs", "scratch-only", "privilege",
      "seccomp", "cleanup") | {name: ., control: ., required: true, verdict: "HELD", how: ""}]}' > p.proof
chmod 644 p.proof
cat > c.yaml <<C
sallyport: 1
name: job
run: {command: [x], engine: docker, image: "x@sha256:$id"}
outputs:
  - {glob: "**", types: [text], count: 0..999}
limits: {time: 60s}
partial: true
C
run() { # run STATUS HOW: and within the contract's time
    echo "$2" > how
    expect "$1" env PATH="$work/bin:$PATH" DOCKER_HOST=tcp://192.0.2.1:1 timeout -k 5 60 "$sallyport" run c.yaml --to dest --id "$2" \
        --record rec --proof p.proof
}
run 0 plain
same "$(cat dest/job-plain/data/a.txt)" x "the stand-in is believed where it keeps the rules"
sed -i 's/time: 60s/time: 4s/' c.yaml
run 1 deaf
has out "limits: time"
run 1 drip
has out "limits: time"
sed -i 's/time: 4s/time: 60s/' c.yaml
run 1 huge
run 1 twice
has out "named one object twice"
run 1 up
has out "as none can be"
run 1 both
absent dest/job-both
# the copy out of a container that has ended: its client is given what the daemon is reached with, and no more
cat > from.yaml <<C
sallyport: 1
name: copy
outputs: [{glob: "**", types: [text], count: 0..999}]
C
expect 0 env PATH="$work/bin:$PATH" DOCKER_HOST=tcp://192.0.2.1:1 DOCKER_TLS_VERIFY=1 DOCKER_CERT_PATH="$work/certificates" EXTRA=1 \
    timeout -k 5 60 "$sallyport" promote from.yaml --from docker:box:/out --to dest --id copied
same "$(cat dest/copy-copied/data/a.txt)" x "a source in a container of a daemon with certificates"
# a control that the agent cannot set up once the job was let go is no failure of the job
run 4 lowered
has err "seccomp: the agent could not set it up"
absent dest/job-lowered
# and beside its broker the agent says so in its name
if [ ! -e /scratch ] && [ -x "$home/sallyport-hold" ]; then
    mkfifo go
    "$home/sallyport-hold" -- /bin/true < go 2> err &
    agent=$!
    exec 9> go
    printf g >&9
    n=0
    until grep -q '^sp-[el]' "/proc/$agent/comm" || [ $n -gt 100 ]; do n=$((n + 1)); sleep 0.1; done
    same "$(cat "/proc/$agent/comm")" "sp-lack-3-2" "the agent without a scratch"
    has err "entering the scratch"
    exec 9>&-
    wait "$agent"
else
    echo "NOT RUN: the agent alone: there is a /scratch on this machine, or no agent was built"
fi
finish
