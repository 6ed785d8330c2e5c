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
c = zlib.compressobj(9, 8, -15)
body = c.compress(bytes(22 << 20)) + c.flush()
crc = zlib.crc32(bytes(22 << 20))
local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 0x5821, crc, len(body), 22 << 20, 1, 0) + b"a" + body
entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 0x5821, crc, len(body), 22 << 20, 1, 0, 0, 0, 0, 0, 0) + b"a"
put("overlap.zip", local + entry * 250 + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 250, 250, len(entry) * 250, len(local), 0))
entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 0x5821, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
put("entries.zip", entry * 60000 + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 60000, 60000, len(entry) * 60000, 0, 0))

# formats whose readers have hung or grown without bound: recognised, never parsed
put("u.xar", b"xar!\0\x1c\0\1" + bytes(400))
put("u.rar", b"Rar!\x1a\7\0" + bytes(118))
put("u.iso", bytes(32769) + b"CD001\1" + bytes(2042))
put("u.rpm", b"\xed\xab\xee\xdb\3\0" + bytes(600))
put("u.cab", b"MSCF" + bytes(600))
P

cat > c.yaml <<'C'
sallyport: 1
name: archives
partial: true
outputs:
  - {glob: "*.zip", types: [zip], inside: {types: [text], entries: 50000}}
  - {glob: "*.tar", types: [tar], inside: {types: [text]}}
  - {glob: "*.gz", types: [gzip, tar.gz], inside: {types: [text, gzip]}}
  - {glob: "*.bz2", types: [bzip2], inside: {types: [text]}}
  - {glob: "*.xz", types: [xz], inside: {types: [text]}}
  - {glob: "u.*", types: [zip]}
C
expect 7 "$sallyport" check c.yaml --from scratch --format json
for name in many.zip many.tar many.tar.gz none.zip z-last.zip; do
    same "$("$jq" -r --arg p $name '.content.entries[] | select(.path == $p) | .verdict' out)" promote "$name"
done
refused() {
    same "$("$jq" -r --arg p "$1" '[.content.entries[] | select(.path == $p) | .findings[] | select(.level == "refuse") | .code] | unique | any(. == "'"$2"'")' out)" true "$1 says $2"
    same "$("$jq" -r --arg p "$1" '[.content.entries[] | select(.path == $p) | .findings[] | select(.code | startswith("inspect/"))] | length' out)" 0 "$1 was looked at to its end"
}
refused bomb.bz2 archive/ratio
refused layers.gz archive/nesting
refused dictionary.xz archive/memory
refused overlap.zip archive/ambiguous
refused entries.zip archive/entries
for name in u.xar u.rar u.iso u.rpm u.cab; do
    refused $name archive/unsupported
done
has out '`inside: entries` admits (50000)'
has out '`inside: nesting` admits (8)'
finish
