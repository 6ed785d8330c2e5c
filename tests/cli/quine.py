# SPDX-License-Identifier: ISC
# Writes DIR/quine.gz and DIR/quine.zip: each unpacks to itself. The deflate stream is a program of two opcodes of five
# bytes, "print the next n bytes" (a stored block) and "print the last n bytes again" (matches of a fixed block), that
# prints a given prefix, itself, and a given suffix. The checksum, which is inside what it sums, is solved for: CRC-32 is
# affine over GF(2).
import gzip, io, struct, sys, zipfile, zlib

LENGTHS = [(257 + i, 3 + i, 0) for i in range(8)] + \
    [(265 + 4 * (e - 1) + i, (4 + i << e) + 3, e) for e in range(1, 6) for i in range(4)]
DISTANCES = [(i, 1 + i, 0) for i in range(4)] + [(2 * e + 2 + i, (2 + i << e) + 1, e) for e in range(1, 14) for i in range(2)]


def coded(table, n):
    symbol, base, extra = [row for row in table if row[1] <= n][-1]
    return symbol, n - base, extra


def reverse(value, bits):
    return int(format(value, "0%db" % bits)[::-1], 2)


def match(length, distance):
    symbol, rest, extra = coded(LENGTHS, length)
    code = (symbol - 256, 7) if symbol < 280 else (0xC0 + symbol - 280, 8)
    far, far_rest, far_extra = coded(DISTANCES, distance)
    return [(reverse(*code), code[1]), (rest, extra), (reverse(far, 5), 5), (far_rest, far_extra)]


def packed(fields):
    bits = at = 0
    for value, n in fields:
        bits |= value << at
        at += n
    return bits.to_bytes((at + 7) // 8, "little"), at % 8


FIXED, END = (2, 3), (0, 7)      # a block's head (not the last, type 1) and its end
LAST = b"\1\0\0\xff\xff"         # a stored block of nothing, the last one


def say(n):
    return struct.pack("<BHH", 0, n, n ^ 0xFFFF)


def again(n):
    """The last n bytes once more, in five whole bytes."""
    halves = [match(n - 10, n) + match(10, n)] if 13 <= n <= 20 else []
    for fields in halves + [match(n, n) + [END, FIXED]]:
        block, over = packed([FIXED] + fields + [END])
        if over == 0 and len(block) == 5:
            return block
    raise ValueError("%d bytes cannot be repeated in five" % n)


def again_aligned(n):
    """The same in any number of bytes: an empty stored block ends on a byte's boundary."""
    return packed([FIXED] + match(n, n) + [END, (0, 3)])[0] + b"\0\0\xff\xff"


def quine(prefix, suffix):
    first, tail = len(prefix) + 5, LAST + suffix
    try:
        last = again(len(tail) + 5)
    except ValueError:
        last = again_aligned(len(tail) + 9)
    rest = last + tail
    return b"".join((
        prefix, say(first), prefix, say(first), again(first), say(5), again(first), say(5), say(5),
        say(20), again(first), say(5), say(5), say(20), again(20), say(20), again(20), say(20), again(20), say(20),
        again(20), say(20), again(20), say(0), say(0), say(len(rest)), again(20), say(0), say(0),
        say(len(rest)), last, tail, last, tail))


def solved(make):
    """make(crc) with the CRC-32 that it has itself."""
    zero = zlib.crc32(make(0))
    rows = []                    # of A x = b: the bits of what x adds, and itself
    for bit in range(32):
        column = zlib.crc32(make(1 << bit)) ^ zero ^ 1 << bit
        rows.append((column, 1 << bit))
    crc, want = 0, zero
    for bit in range(32):
        pivot = next((row for row in rows if row[0] >> bit & 1), None)
        if pivot is None:
            if want >> bit & 1:
                return None      # no such checksum: another name may have one
            continue
        rows = [(r[0] ^ pivot[0], r[1] ^ pivot[1]) if r[0] >> bit & 1 else r for r in rows if r is not pivot]
        if want >> bit & 1:
            want, crc = want ^ pivot[0], crc ^ pivot[1]
    return make(crc)


def gzipped(name):
    prefix = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + name + b"\0"
    size = len(quine(prefix, bytes(8)))
    return solved(lambda crc: quine(prefix, struct.pack("<II", crc, size)))


def zipped(name):
    def make(crc, packed_size, size):
        common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x5821, crc, packed_size, size, len(name), 0)
        entry = b"PK\1\2\x14\0" + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
        return quine(b"PK\3\4" + common + name, entry + struct.pack(
            "<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(entry), 30 + len(name) + packed_size, 0))
    size = len(make(0, 0, 0))
    packed_size = size - (30 + len(name)) - (46 + len(name)) - 22
    return solved(lambda crc: make(crc, packed_size, size))


def main(to):
    letters = [b"%c" % c for c in range(ord("a"), ord("z") + 1)]
    g = next(filter(None, (gzipped(letter + b"q") for letter in letters)))
    z = next(filter(None, (zipped(letter + b"-zip-that-contains-itself.zip") for letter in letters)))
    inside = zipfile.ZipFile(io.BytesIO(z))
    assert gzip.decompress(g) == g and inside.read(inside.namelist()[0]) == z
    for name, data in ("quine.gz", g), ("quine.zip", z):
        with open(to + "/" + name, "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
