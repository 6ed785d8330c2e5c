#!/bin/sh
# SPDX-License-Identifier: ISC
# OrbStack machines with a stand-in for `orb`: a private network namespace and root directory, with nftables for real in that
# namespace. On a Mac nothing of this was tried.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
need ip nft unshare chroot busybox python3
ns=sp-orb-$$
peer=sp-peer-$$
orb_down() {
    kill $listeners 2> /dev/null
    ip netns del "$ns" 2> /dev/null
    ip netns del "$peer" 2> /dev/null
    ip link del "spo$$" 2> /dev/null
    for m in dev proc usr lib lib64 bin sbin; do umount "$work/root/$m" 2> /dev/null; done
    rm -rf "$work"
}
listeners=
trap orb_down EXIT
ip netns add "$ns" 2> ns.err || skip "no network namespaces here: $(cat ns.err)"
ip netns add "$peer"
# the host's side of the machine's network, and a peer beyond it, as on a tailnet
ip link add "spo$$" type veth peer name eth0 netns "$ns" || skip "no veth here"
ip addr add 198.18.77.1/24 dev "spo$$"
ip link set "spo$$" up
ip -n "$ns" addr add 198.18.77.2/24 dev eth0
ip -n "$ns" link set eth0 up
ip -n "$ns" link set lo up
ip -n "$ns" link add ts0 type veth peer name ts0 netns "$peer"
ip -n "$ns" addr add 100.100.0.1/24 dev ts0
ip -n "$ns" link set ts0 up
ip -n "$peer" addr add 100.100.0.2/24 dev ts0
ip -n "$peer" link set ts0 up
ip netns exec "$ns" nft list ruleset > nft.out 2>&1 || skip "no nftables in a namespace here: $(head -n 1 nft.out)"
ip netns exec "$ns" nft 'add table inet theirs; add chain inet theirs keep { type filter hook input priority 0; policy accept; }'
# the machine's root
mkdir -p root/etc root/tmp root/root root/out bin
chmod 1777 root/tmp
for m in dev usr lib lib64 bin sbin; do
    [ -e "/$m" ] || continue
    mkdir -p "root/$m"
    mount --bind "/$m" "root/$m"
done
mkdir -p root/proc root/opt
mount -t proc proc root/proc
printf 'ID=debian\nVERSION_CODENAME=bookworm\n' > root/etc/os-release
printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' > root/etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\n' > root/etc/group
printf '127.0.0.1 localhost\n198.18.77.1 host.orb.internal\n' > root/etc/hosts
printf 'hosts: files\n' > root/etc/nsswitch.conf
# commands on the Mac go over the network to an agent there
mkdir -p root/opt/orb
cat > root/opt/orb/mac <<'M'
#!/bin/sh
[ "$(busybox nc -w 2 198.18.77.1 7771 < /dev/null)" = mac ]
M
cp root/opt/orb/mac root/opt/orb/macctl
chmod 755 root/opt/orb/*
cat > bin/orb <<O
#!/bin/sh
[ "\$1" = -m ] && [ "\$2" = lab ] || { echo "machine not found: \$2" >&2; exit 1; }
[ "\$3" = -u ] || exit 2
user=\$4
shift 4
# words, not a shell's text
exec ip netns exec $ns chroot --userspec="\$user" $work/root env -i HOME=/ PATH=/opt/orb:/usr/sbin:/usr/bin:/sbin:/bin "\$@"
O
chmod 755 bin/orb
PATH=$work/bin:$PATH
export PATH
cat > listen.py <<'P'
import socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind((sys.argv[1], int(sys.argv[2]))); s.listen(16)
while True:
    c, _ = s.accept(); c.sendall(b"mac\n"); c.close()
P
python3 listen.py 198.18.77.1 7771 &
listeners=$!
ip netns exec "$peer" python3 listen.py 100.100.0.2 7772 &
listeners="$listeners $!"
reach_peer() { [ "$(orb -m lab -u nobody busybox nc -w 2 100.100.0.2 7772 < /dev/null)" = mac ]; }
row() { # row NAME VERDICT
    same "$($jq -r --arg n "$1" '.probes[] | select(.name == $n) | .verdict' out)" "$2" "$1"
}
n=0
while ! reach_peer 2> /dev/null && [ $n -lt 50 ]; do n=$((n + 1)); sleep 0.1; done
# before: every way is open, and the probes see it
reach_peer || fail "the peer cannot be reached before the cut: nothing would be shown"
expect 4 "$sallyport" probe --in orb:lab --format json
for r in hosts host-name mac macctl cut; do row $r BROKEN; done
same "$($jq -r .base out)" "orb: machine lab (debian:bookworm)" "what was probed"
absent root/tmp/.sallyport-probe
# the cut, and what it says
expect 0 "$sallyport" cut orb:lab
has out "4 of 4 ways were open before, 0 after"
has out "orb create debian:bookworm lab"
has out "orb delete lab"
has out "owner's act"
expect 0 "$sallyport" probe --in orb:lab --format json
for r in hosts host-name mac macctl cut; do row $r HELD; done
reach_peer 2> /dev/null && fail "the peer is reached after the cut"
orb -m lab -u root ip link show lo > link.out || fail "the machine does not answer after the cut"
ip netns exec "$ns" nft list table inet theirs > nft.out 2>&1 || fail "somebody else's table is gone after the cut"
# twice is once
expect 0 "$sallyport" cut orb:lab
# an oracle that is not reached from outside proves nothing: the listener of the mutant
expect 0 "$sallyport" cut orb:lab --restore
ip netns exec "$ns" nft list table inet sallyport_cut > nft.out 2>&1 && fail "our table is still there"
ip netns exec "$ns" nft list table inet theirs > nft.out 2>&1 || fail "somebody else's table is gone after --restore"
reach_peer || fail "the peer cannot be reached after --restore"
expect 0 "$sallyport" cut orb:lab --restore
# a source
echo result > root/out/report.txt
ln -s /etc/passwd root/out/link
cat > c.yaml <<'C'
sallyport: 1
name: from
symlinks: skip
outputs:
  - {path: report.txt, types: [text]}
C
rm root/out/link
expect 0 "$sallyport" promote c.yaml --from orb:lab:/out --to d --id one
same "$(cat d/from-one/data/report.txt)" result "a directory of a machine"
$jq -r '.run.actions[] | select(.step == "machine") | .detail' d/from-one/sallyport/record.json > acts
has acts "rebuild: orb create debian:bookworm lab"
has acts "the owner's act: orb delete lab"
expect 75 "$sallyport" promote c.yaml --from orb:other:/out --to d --id two
has err "orb start other"
expect 2 "$sallyport" promote c.yaml --from orb:lab:out --to d --id two
expect 2 "$sallyport" promote c.yaml --from orb:-u:/out --to d --id two
expect 1 "$sallyport" promote c.yaml --from orb:lab:/nowhere --to d --id two
expect 2 "$sallyport" cut lab
expect 2 "$sallyport" cut orb:lab orb:other
expect 75 "$sallyport" cut orb:other
expect 4 env PATH=/usr/bin:/bin "$sallyport" cut orb:lab
has err "OrbStack"
finish
