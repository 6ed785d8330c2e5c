#!/bin/sh
# SPDX-License-Identifier: ISC
# Fetch, then cut: the fetch phase reaches what it asks for through the relay and nothing else, what it fetched is a
# read-only input, the job has no network, and the record says what was reached. The outside is a second network namespace.
. "$(dirname "$0")/common.sh"
contract() { # COMMAND-OF-THE-FETCH UNTIL
    cat > c.yaml <<C
sallyport: 1
name: job
run:
  command: [sh, -c, "cat /fetched/got > a.txt; (echo x > /fetched/new) 2> /dev/null || echo read-only >> a.txt; (python3 get.py || echo cut) >> a.txt"]
  limits: {wall: 30s, scratch: 16M, inodes: 500}
  fetch: {command: [sh, -c, "$1"], reason: "the index of the mirror", approved-by: a.person@example.org, until: $2}
outputs:
  - {path: a.txt, types: [text]}
C
}
# what needs no network: an approval that has ended, a place that is taken, a proof without limits
contract true 2020-01-01
expect 2 "$sallyport" run c.yaml --to d --id old
has err "2020-01-01"
absent d
contract true 2999-01-01
sed -i 's|^  limits|  inputs: [{from: ., at: /fetched}]\n  limits|' c.yaml
"$sallyport" run c.yaml --to d --id taken > out 2> err
status=$?
checks=$((checks + 1))
if [ $status -eq 4 ]; then
    echo "(this host cannot give the sandbox)"
    finish
fi
same $status 2 "a taken place"
absent d/job-taken

# a network of two: us, and a peer at 10.77.0.2 with a web server
if ! unshare -rn true 2> /dev/null || ! command -v ip > /dev/null; then
    echo "(no network namespace or no ip: the phase itself was not tested)"
    finish
fi
mkdir www
echo index > www/got
cat > inside.sh <<'S'
set -u
trap 'kill $peer $web 2> /dev/null' EXIT
ip link set lo up
unshare -n sleep 120 &
peer=$!
n=0
while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/$$/ns/net)" ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
web=
ip link add va type veth peer name vb netns $peer 2> /dev/null || exit 77
ip addr add 10.77.0.1/24 dev va && ip link set va up || exit 77
nsenter -t $peer -n sh -c 'ip addr add 10.77.0.2/24 dev vb && ip link set vb up && ip link set lo up' || exit 77
nsenter -t $peer -n "$PYTHON3" -m http.server -d www --bind 10.77.0.2 8077 > web.log 2>&1 &
web=$!
"$PYTHON3" -m http.server -d www --bind 127.0.0.1 8078 > own.log 2>&1 &
own=$!
trap 'kill $peer $web $own 2> /dev/null' EXIT
n=0
while [ $n -lt 50 ] && ! "$PYTHON3" -c 'import socket; socket.create_connection(("10.77.0.2",8077),1); socket.create_connection(("127.0.0.1",8078),1)' 2> /dev/null; do
    sleep 0.1; n=$((n + 1))
done
"$sallyport" run c.yaml --to d --id $1 > out 2> err
S
try() { # ID: status of the run in the network of two
    sallyport=$sallyport PYTHON3=$PYTHON3 unshare $rootless -n sh inside.sh "$1"
    status=$?
}
rootless=
[ "$(id -u)" = 0 ] || rootless=-r
cat > get.py <<'P'
import socket, sys, urllib.request
def get(url):
    try:
        return urllib.request.urlopen(url, timeout=5).read().decode()
    except Exception as e:
        return ""
got = get("http://10.77.0.2:8077/got")
open("got", "w").write(got)
assert not get("http://127.0.0.1:8078/got") and not get("http://10.77.0.1:8078/got"), "the host was reached"
try: # past the relay there is nothing
    socket.create_connection(("10.77.0.2", 8077), 2)
    sys.exit("reached without the relay")
except OSError:
    pass
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"CONNECT 10.77.0.2:8077 HTTP/1.1\r\nHost: x\r\n\r\n")
assert b" 200 " in s.recv(100)
s.sendall(b"GET /got HTTP/1.0\r\n\r\n")
assert b"200" in s.recv(100)
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"CONNECT 169.254.169.254:80 HTTP/1.1\r\n\r\n")
assert b" 403 " in s.recv(100)
sys.exit(0 if got else 1)
P
contract "cp /in/get.py . && python3 get.py" 2999-01-01
sed -i 's|^  limits|  inputs: [{from: in, at: /in}]\n  limits|; s|python3 get.py [|][|] echo cut|python3 /in/get.py \|\| echo cut|' c.yaml
mkdir in && cp get.py in/
try one
if [ $status -eq 77 ]; then
    echo "(no pair of links can be made here: the phase itself was not tested)"
    finish
fi
checks=$((checks + 1))
[ $status -eq 0 ] || { fail "the run with a fetch phase ended with $status"; cat err; }
same "$(cat d/job-one/data/a.txt 2> /dev/null)" "index
read-only
cut" "fetched, read-only, cut"
record=d/job-one/sallyport/record.json
same "$("$jq" -r '.run.fetch | .approved_by, .reason, .until' $record)" "a.person@example.org
the index of the mirror
2999-01-01T23:59:59Z" "the approval"
same "$("$jq" -r '.run.fetch.destinations | map(select(.state == "reached")) | .[] | "\(.host) \(.address) \(.port) \(.connections)"' $record)" \
    "10.77.0.2 10.77.0.2 8077 2" "what was reached"
same "$("$jq" -r '.run.fetch.destinations | map(select(.state == "refused") | .host) | sort | join(" ")' $record)" \
    "10.77.0.1 127.0.0.1 169.254.169.254" "what was refused"
"$jq" -e '.run.fetch.fetched_sha256 | length == 64' $record > /dev/null || fail "the digest of what was fetched"
expect 0 "$sallyport" verify d/job-one
# a fetch that fails starts no job
contract "exit 3" 2999-01-01
try two
same $status 6 "a failed fetch"
has err "fetch phase failed"
absent d/job-two
finish
