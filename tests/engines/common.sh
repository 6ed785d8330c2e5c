# SPDX-License-Identifier: ISC
# Shared by the tests with real engines. dockerd runs in network and mount namespaces of its own, with all it keeps in one
# directory; podman with a store of its own; nothing of either stays on the host. Where this machine cannot run them a test
# says so and ends with 77, never with success.
. "${here:?}/../cli/common.sh"

skip() {
    echo "SKIPPED: $(basename "$0"): $*"
    exit 77
}

need() { # need TOOL...
    [ "$(id -u)" = 0 ] || skip "root is needed"
    for tool in "$@"; do
        command -v "$tool" > /dev/null || skip "$tool is missing: install docker.io, podman, runc, busybox-static, iproute2, nftables"
    done
}

engines_down() {
    docker ps -aq 2> /dev/null | xargs -r docker rm -f > /dev/null 2>&1
    podman ps -aq 2> /dev/null | xargs -r podman rm -f > /dev/null 2>&1
    [ -s "$d/pid" ] && kill "$(cat "$d/pid")"
    # unshare itself ignores it
    [ -z "${far_pid:-}" ] || kill "$(tr -d ' ' < "/proc/$far_pid/task/$far_pid/children")"
    wait
    for group in /sys/fs/cgroup/docker /sys/fs/cgroup/*/docker /sys/fs/cgroup/libpod_parent /sys/fs/cgroup/*/libpod_parent; do
        [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2> /dev/null
    done
    umount "$work"/pod/store/overlay 2> /dev/null
    rm -rf "$work"
}

# One small image in both: sp/bb:1, with its digests in docker_image and podman_image.
engines_up() {
    need dockerd docker podman runc busybox unshare nsenter ip
    d=$work/docker
    mkdir -p "$d" rootfs/bin rootfs/etc rootfs/usr bin
    cat > "$d/config.json" <<J
{"data-root": "$d/data", "exec-root": "$d/exec", "pidfile": "$d/pid", "hosts": ["unix://$d/socket"], "bridge": "none",
 "iptables": false, "ip-forward": false}
J
    trap engines_down EXIT
    unshare -n -m --propagation private dockerd --config-file "$d/config.json" > "$d/log" 2>&1 &
    cat > bin/podman <<P
#!/bin/sh
exec $(command -v podman) --root $work/pod/store --runroot $work/pod/run --tmpdir $work/pod/tmp --runtime runc --cgroup-manager cgroupfs --events-backend file "\$@"
P
    chmod 755 bin/podman
    PATH=$work/bin:$PATH
    DOCKER_HOST=unix://$d/socket
    export DOCKER_HOST PATH
    n=0
    while ! docker version > /dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 150 ] || skip "dockerd does not start here: $(grep -m1 -i -E 'error|fail' "$d/log" || tail -n 1 "$d/log")"
        sleep 0.1
    done
    # the network of "the host", as this dockerd sees it: what --network host leads to
    inside="nsenter --net=/proc/$(cat "$d/pid")/ns/net"
    $inside ip link set lo up
    cp "$(command -v busybox)" rootfs/bin/busybox
    for a in sh sleep cat mkdir mkfifo ln echo id ls dd touch tr yes; do ln -s busybox rootfs/bin/$a; done
    echo 'nobody:x:65534:65534::/:/bin/sh' > rootfs/etc/passwd
    tar -C rootfs -cf bb.tar .
    docker import bb.tar sp/bb:1 > /dev/null || skip "dockerd cannot import an image: $(tail -n 1 "$d/log")"
    docker run --rm --network none sp/bb:1 true > up.out 2>&1 || docker run --rm --network none sp/bb:1 id > up.out 2>&1 ||
        skip "containers of docker do not start here: $(tail -n 1 up.out)"
    podman import bb.tar sp/bb:1 > up.out 2>&1 || skip "podman cannot import an image: $(tail -n 1 up.out)"
    podman run --rm --network none --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 localhost/sp/bb:1 id > up.out 2>&1 ||
        skip "containers of podman do not start here: $(tail -n 1 up.out)"
    docker_image=sp/bb@$(docker image inspect --format '{{.Id}}' sp/bb:1)
    podman_image=localhost/sp/bb@$(podman image inspect --format '{{.Digest}}' localhost/sp/bb:1)
}

# A daemon elsewhere: one whose process, mount and network namespaces are not ours, as on another host. far_host, far_tcp: where
# it is spoken to; far_image.
far_up() {
    f=$work/far
    far_host=unix://$f/socket
    far_tcp=tcp://127.0.0.1:$((24000 + $$ % 8000))
    mkdir -p "$f"
    cat > "$f/config.json" <<J
{"data-root": "$f/data", "exec-root": "$f/exec", "pidfile": "$f/pid", "hosts": ["unix://$f/socket", "$far_tcp"], "tls": false,
 "bridge": "none", "iptables": false, "ip-forward": false}
J
    # the network is ours, so that its port can be reached; no container gets it but those that prove that they would notice
    unshare -m -p -f --kill-child=TERM --mount-proc --propagation private dockerd --config-file "$f/config.json" > "$f/log" 2>&1 &
    far_pid=$!
    n=0
    while ! docker -H "$far_host" version > /dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 150 ] || skip "a second dockerd does not start here: $(tail -n 1 "$f/log")"
        sleep 0.1
    done
    docker -H "$far_host" import bb.tar sp/bb:1 > /dev/null || skip "the second dockerd cannot import an image"
    far_image=sp/bb@$(docker -H "$far_host" image inspect --format '{{.Id}}' sp/bb:1)
}
