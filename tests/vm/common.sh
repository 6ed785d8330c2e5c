# SPDX-License-Identifier: ISC
# Shared by the tests on other kernels: the files of a small machine (busybox, our programs, what they link), and one run of it
# in an emulator. Nothing of the host is changed; everything lies in the build directory's vm/.

# copy_program FILE: a program and its libraries, for this host's own architecture
copy_program() {
    mkdir -p "root$(dirname "$1")"
    cp -L "$1" "root$1" || return 1
    copy_libraries "$1"
}
copy_libraries() {
    ldd "$1" 2> /dev/null | grep -o '/[^ ]*' | while read -r lib; do
        case $lib in
        /lib64/*) cp -L "$lib" root/usr/lib64/ ;;
        *)
            to=root/usr/lib/$(dirname "$lib" | sed 's|^/usr/lib/*||; s|^/lib/*||')
            mkdir -p "$to" && cp -L "$lib" "$to/"
            ;;
        esac
    done
}

# make_tree BUSYBOX INIT: an empty machine
make_tree() {
    rm -rf root && mkdir -p root/usr/bin root/usr/sbin root/usr/lib64 root/proc root/sys root/dev root/tmp root/new root/etc \
        root/work root/run root/var || return 1
    for l in bin sbin lib64; do ln -s usr/$l root/$l || return 1; done
    ln -s usr/lib root/lib
    cp "$1" root/usr/bin/busybox || return 1
    for applet in sh mount umount mkdir cat echo ls cp id grep sed poweroff switch_root insmod chown chmod ifconfig sleep seq env \
        head sort true kill setsid unshare find rmdir mktemp tail touch rm timeout su; do
        ln -sf busybox root/usr/bin/$applet
    done
    printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' > root/etc/passwd
    printf 'root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n' > root/etc/group
    cp "$2" root/init && chmod 755 root/init
}

pack() { (cd root && find . | cpio -o -H newc --quiet) > initrd; }

# The overlay module of an unpacked kernel package, as root/overlay.ko
take_overlay() {
    overlay=$(find "$1" -name 'overlay.ko*' | head -n 1)
    case $overlay in
    *.xz) xz -dc "$overlay" > root/overlay.ko ;;
    '') return 1 ;;
    *) cp "$overlay" root/overlay.ko ;;
    esac
}

# fetch_kernel META: downloads and unpacks the package behind a meta package of Debian's, once; prints its directory
fetch_kernel() {
    pkg=$(apt-cache depends "$1" 2> /dev/null | sed -n 's/.*Depends: \(linux-image-[0-9][^ <>]*\).*/\1/p' | head -n 1)
    [ -n "$pkg" ] || return 1
    pkg=$pkg${2-}
    name=$(echo "$pkg" | tr : -)
    [ -d "$name" ] || { apt-get download "$pkg" > /dev/null 2>&1 && dpkg -x "${pkg%%:*}"_*.deb "$name" && rm -f "${pkg%%:*}"_*.deb; } ||
        return 1
    echo "$PWD/$name"
}

failed=0
ok=0
check() { # check NAME CONDITION
    if eval "$2"; then ok=$((ok + 1)); else failed=$((failed + 1)); echo "FAIL: $kernel: $1"; fi
}
part() { sed -n "/^=== $1/,/^===/p" console | tr -d '\r'; }
finish() {
    echo "$ok passed, $failed failed"
    [ "$failed" = 0 ] && [ "$ok" -gt 0 ]
}
