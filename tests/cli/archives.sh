#!/bin/sh
# SPDX-License-Identifier: ISC
# Archives through both confined readers: many members pass, bombs and formats that cannot be looked into are refused by
# name, and whatever they do, the file behind them is inspected and promoted.
. "${srcdir:?}/tests/cli/common.sh"

mkdir scratch
"${PYTHON3:?}" - <<'P' || exit 99
import bz2, gzip, io, lzma, struct, tarfile, zipfile, zlib

def put(name, data):
    with open("scratch/" + name, "wb") as f:
        f.write(data)

def zipped(members, method=zipfile.ZIP_DEFLATED):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), data, method)
    return b.getvalue()

def tarred(members):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w") as t:
        for name, data in members:
            i = tarfile.TarInfo(name)
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
    return b.getvalue()

many = [("d%d/f%d.txt" % (i % 7, i), b"text %d\n" % i) for i in range(400)]
put("many.zip", zipped(many))
put("many.tar", tarred(many))
put("many.tar.gz", gzip.compress(tarred(many)))
put("none.zip", zipped([]))
put("z-last.zip", zipped([("a.txt", b"hello\n")]))

# bombs and loops
put("bomb.bz2", bz2.compress(bytes(96 << 20)))
x = b"hello\n"
for i in range(40):
    x = gzip.compress(x)
put("layers.gz", x)
raw = bytearray(lzma.compress(b"hello\n", format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32,
                              filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096}]))
raw[raw.index(b"\x21\x01", 12) + 2] = 39                       # a dictionary of 3 GiB
end = 12 + (raw[12] + 1) * 4
raw[end - 4:end] = struct.pack("<I", zlib.crc32(bytes(raw[12:end - 4])))
put("dictionary.xz", bytes(raw))
raw = bytearray(lzma.compress(b"hello\n", format=lzma.FORMAT_ALONE))
put("whole.txt.lzma", bytes(raw))
put("whole.tar.lzma", lzma.compress(tarred(many), format=lzma.FORMAT_ALONE))
put("longer.txt.lzma", bytes(raw) + b"x")
put("cut.txt.lzma", bytes(raw[:-1]))
raw[1:5] = struct.pack("<I", 3 << 30)
put("dictionary.lzma", bytes(raw))
c = zlib.compressobj(9, 8, -15)
body = c.compress(bytes(22 << 20)) + c.flush()
crc = zlib.crc32(bytes(22 << 20))
local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 0x5821, crc, len(body), 22 << 20, 1, 0) + b"a" + body
entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 0x5821, crc, len(body), 22 << 20, 1, 0, 0, 0, 0, 0, 0) + b"a"
put("overlap.zip", local + entry * 250 + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 250, 250, len(entry) * 250, len(local), 0))
entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 0x5821, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
put("entries.zip", entry * 60000 + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 60000, 60000, len(entry) * 60000, 0, 0))

# formats whose readers have hung or grown without bound, each with a body that does it: recognised, never parsed
def both(n, size):
    return n.to_bytes(size, "little") + n.to_bytes(size, "big")

def iso(joliet, susp):
    """One directory that holds one record: with a continuation that continues at itself, or a long name in two bytes each."""
    name = "n".encode("utf-16-be") * 60 if joliet else b"A.TXT;1"
    def record(name, system=b""):
        body = both(20, 4) + both(2048, 4) + bytes(7) + b"\0\0\0" + both(1, 2) + bytes([len(name)]) + name
        body += bytes((len(body) + 2) % 2) + system
        return bytes([len(body) + 2, 0]) + body
    volume = (bytes([2 if joliet else 1]) + b"CD001\1\0").ljust(80, b" ") + both(40, 4) + (b"%/E" if joliet else b"").ljust(32, b"\0")
    volume += both(1, 2) * 2 + both(2048, 2) + both(10, 4) + bytes(16) + record(b"\0")
    loop = b"CE\x1c\1" + both(20, 4) + both(0, 4) + both(28, 4)
    root = record(b"\0", b"SP\7\1\xbe\xef\0" + loop) + record(b"\1") + record(name, loop)
    return (bytes(32768) + volume.ljust(2048, b"\0") + (b"\xffCD001\1").ljust(2048, b"\0")).ljust(20 * 2048, b"\0") + \
        (susp if not joliet else root).ljust(2048, b"\0") + bytes(2048 * 19)

def xar():
    toc = b"<xar><toc><file id='1'><name>a</name><type link='2'>hardlink</type></file>" \
          b"<file id='2'><name>b</name><type link='1'>hardlink</type></file></toc></xar>"
    z = zlib.compress(toc)
    return b"xar!" + struct.pack(">HHQQI", 28, 1, len(z), len(toc), 1) + z + bytes(20)

def rar():
    def block(kind, flags, body):
        rest = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
        return struct.pack("<H", zlib.crc32(rest) & 0xffff) + rest
    packed = bytes(range(40))
    entry = struct.pack("<IIBIIBBHI", len(packed), 0xffffffff, 3, 0, 0, 29, 0x33, 5, 0x20) + b"a.txt"
    return b"Rar!\x1a\7\0" + block(0x73, 0, bytes(6)) + block(0x74, 0x90e0, entry) + packed

loop = b"CE\x1c\1" + both(20, 4) + both(0, 4) + both(28, 4)
hostile = {"u.xar": xar(), "u.rar": rar(), "u.iso": iso(False, loop * 70), "u.jol": iso(True, b""),
           "u.z": b"\x1f\x9d\x90" + bytes(200), "u.rpm": b"\xed\xab\xee\xdb\3\0" + bytes(600), "u.cab": b"MSCF" + bytes(600),
           "u.lha": b"\x20\0-lh5-" + bytes(100), "u.wrc": b"WARC/1.0\r\nContent-Length: 99999999999\r\n\r\n\0"}
for name, data in hostile.items():
    put(name, data)
    put(name + ".tar", tarred([("x." + name[2:], data), ("a.txt", b"hello\n")]))
    put(name + ".gz", gzip.compress(data))

# archives in archives: the second reader lists each of them
inner = zipped([("a.txt", b"hello\n")])
put("in1.zip", zipped([("b.tar", tarred([("c.txt", b"c\n")])), ("d.tar.gz", gzip.compress(tarred([("e.zip", inner)])))]))
put("in2.tar.gz", gzip.compress(tarred([("b.zip", inner), ("c.zip", inner)])))
put("in3.zip.gz", gzip.compress(inner))

# a 7z of two stored members, as its format describes it
def seven(content, names, sizes):
    n = b"".join(x.encode("utf-16-le") + b"\0\0" for x in names)
    crcs = b"".join(struct.pack("<I", zlib.crc32(content[sum(sizes[:i]):sum(sizes[:i + 1])])) for i in range(2))
    h = bytes([1, 4, 6, 0, 1, 9, len(content), 0, 7, 11, 1, 0, 1, 1, 0, 12, len(content), 0, 8, 13, 2, 9, sizes[0], 10, 1]) + crcs
    h += bytes([0, 0, 5, 2, 17, len(n) + 1, 0]) + n + b"\0\0"
    start = struct.pack("<QQI", len(content), len(h), zlib.crc32(h))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + content + h
put("s.7z", seven(b"hello\nworld\n", ["a.txt", "d/b.txt"], [6, 6]))
put("s-unlisted.7z", seven(b"hello\nworld\n", ["a.txt", "d/b.txt"], [6, 6]))
put("s-secret.7z", seven(b"TOKEN=gh" + b"p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17\n", ["a.txt", "b.txt"], [20, 27]))

# larger than what is kept in memory, in each kind of container
large = b"".join(b"%d line\n" % (i * 7919 % 1000003) for i in range(900000))
put("large.txt.gz", gzip.compress(large, 1))
put("large.tar.gz", gzip.compress(tarred([("a.txt", large), ("b.txt", b"hello\n")]), 1))
put("large.zip", zipped([("a.txt", large), ("b.zip", zipped([("c.txt", large)]))]))
P
"$PYTHON3" "$srcdir/tests/cli/quine.py" scratch || exit 99

cat > c.yaml <<'C'
sallyport: 1
name: archives
partial: true
outputs:
  - {glob: "*.zip", types: [zip], inside: {types: [text, zip, tar, tar.gz], entries: 50000}}
  - {glob: "*.tar", types: [tar], inside: {types: [text]}}
  - {glob: "s*.7z", exclude: [s-unlisted.7z], types: [7z], inside: {types: [text]}}
  - {path: s-unlisted.7z, types: [zip]}
  - {glob: "*.gz", types: [gzip, tar.gz], inside: {types: [text, gzip, zip]}}
  - {glob: "*.bz2", types: [bzip2], inside: {types: [text]}}
  - {glob: "*.xz", types: [xz], inside: {types: [text]}}
  - {glob: "*.lzma", types: [lzma, tar.lzma], inside: {types: [text]}}
  - {glob: "u.*", exclude: ["*.tar", "*.gz"], types: [zip]}
C
expect 7 "$sallyport" check c.yaml --from scratch --format json
for name in many.zip many.tar many.tar.gz none.zip z-last.zip in1.zip in2.tar.gz in3.zip.gz s.7z large.txt.gz \
    large.tar.gz large.zip whole.txt.lzma whole.tar.lzma; do
    same "$("$jq" -r --arg p $name '.content.entries[] | select(.path == $p) | .verdict' out)" promote "$name"
done
refused() {
    same "$("$jq" -r --arg p "$1" '[.content.entries[] | select(.path == $p) | .findings[] | select(.level == "refuse") | .code] | unique | any(. == "'"$2"'")' out)" true "$1 says $2"
    same "$("$jq" -r --arg p "$1" '[.content.entries[] | select(.path == $p) | .findings[] | select(.code | startswith("inspect/"))] | length' out)" 0 "$1 was looked at to its end"
}
refused bomb.bz2 archive/ratio
refused layers.gz archive/nesting
refused dictionary.xz archive/memory
for name in quine.gz quine.zip; do # by its digest, long before the bound on nesting
    refused $name archive/nesting
    same "$("$jq" -r --arg p $name '.content.entries[] | select(.path == $p) | .findings[] | .message' out)" "the archive contains itself" "$name"
done
refused dictionary.lzma archive/memory
refused longer.txt.lzma archive/trailing-data
refused cut.txt.lzma archive/corrupt
refused overlap.zip archive/ambiguous
refused entries.zip archive/entries
for name in u.xar u.rar u.iso u.jol u.z u.rpm u.cab u.lha u.wrc; do
    refused $name archive/unsupported
    refused $name.tar archive/unsupported
    refused $name.gz archive/unsupported
done
refused s-unlisted.7z archive/unsupported
same "$("$jq" -r '[.content.entries[] | select(.path == "s-secret.7z") | .findings[].code | select(startswith("secret/"))] | length > 0' out)" true "a member of a 7z is scanned"
has out '`inside: entries` admits (50000)'
has out '`inside: nesting` admits (8)'
finish
