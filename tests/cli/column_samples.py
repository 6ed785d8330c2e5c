# SPDX-License-Identifier: ISC
"""Parquet and Arrow files, written here byte by byte: column_samples.py DIR fills DIR and prints a line "FILE TYPE WANT" for
each, WANT being "pass" or the codes that refuse it, with commas. A credential is made of two halves that also stand alone before it,
so that packing leaves it nowhere in the file as it is."""
import ctypes, ctypes.util, gzip, os, struct, sys, zlib

HALVES = "gh" + "p_n0R7tQ2vXy8Lm", "Z4kWc1BdF6hJs9Pa3EuGi5o"
TOKEN = "".join(HALVES)
TEXTS = ["row %d of a text that is like others" % i for i in range(400)] + [HALVES[1], "words between", HALVES[0]]


def out(name, kind, want, data):
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
    print(name, kind, want)


# --- packing -----------------------------------------------------------------------------------------------------------
def library(name):
    path = ctypes.util.find_library(name)
    if not path:
        sys.exit("lib%s is not found" % name)
    return ctypes.CDLL(path)


def packed_by(function, *front):
    def pack(data):
        room = ctypes.create_string_buffer(len(data) * 2 + 1024)
        n = function(*front, *ARGUMENTS[function.__name__](room, data))
        assert 0 < n <= len(room)
        return room.raw[:n]
    function.restype = ctypes.c_size_t
    return pack


ARGUMENTS = {
    "ZSTD_compress": lambda room, data: (room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3),
    "LZ4_compress_default": lambda room, data: (data, room, len(data), len(room)),
    "LZ4F_compressFrame": lambda room, data: (room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), None),
}
zstd = packed_by(library("zstd").ZSTD_compress)
lz4 = packed_by(library("lz4").LZ4_compress_default)
lz4_frame = packed_by(library("lz4").LZ4F_compressFrame)


def varint(n):
    done = b""
    while n > 127:
        done += bytes([n & 127 | 128])
        n >>= 7
    return done + bytes([n])


def snappy(data):
    """Copies of four to sixty bytes that stand earlier; the rest as literals."""
    seen, done, at, plain = {}, varint(len(data)), 0, b""

    def literal(text):
        blocks = b""
        for i in range(0, len(text), 60):
            part = text[i:i + 60]
            blocks += bytes([(len(part) - 1) << 2]) + part
        return blocks
    while at < len(data):
        key = data[at:at + 4]
        before = seen.get(key)
        seen[key] = at
        n = 0
        if before is not None and at - before < 65536 and len(key) == 4:
            while n < 60 and at + n < len(data) and data[before + n] == data[at + n]:
                n += 1
        if n < 4:
            plain += data[at:at + 1]
            at += 1
            continue
        done += literal(plain) + bytes([(n - 1) << 2 | 2]) + struct.pack("<H", at - before)
        plain = b""
        for i in range(at, at + n):
            seen.setdefault(data[i:i + 4], i)
        at += n
    return done + literal(plain)


def hadoop(data):
    half, done = len(data) // 2, b""
    for part in (data[:half], data[half:]):
        block = lz4(part)
        done += struct.pack(">II", len(part), len(block)) + block
    return done


CODECS = {"none": (0, lambda d: d), "snappy": (1, snappy), "gzip": (2, lambda d: gzip.compress(d, mtime=0)), "zstd": (6, zstd),
          "hadoop": (5, hadoop), "lz4": (5, lz4), "lz4-raw": (7, lz4)}

# --- Thrift, compact ----------------------------------------------------------------------------------------------------


def zigzag(n):
    return varint((n << 1 ^ n >> 63) & (1 << 64) - 1)


def value(v):
    """Type and bytes: numbers, texts, lists, and dictionaries, which are structures."""
    if isinstance(v, bool):
        return (1 if v else 2), b""
    if isinstance(v, int):
        return 6, zigzag(v)
    if isinstance(v, bytes):
        return 8, varint(len(v)) + v
    if isinstance(v, list):
        kinds = [value(e) for e in v]
        kind = kinds[0][0] if kinds else 5
        head = bytes([len(v) << 4 | kind]) if len(v) < 15 else bytes([0xf0 | kind]) + varint(len(v))
        return 9, head + b"".join(k[1] for k in kinds)
    done, last = b"", 0
    for field, inner in sorted(v.items()):
        kind, data = value(inner)
        done += bytes([(field - last) << 4 | kind]) + data
        last = field
    return 12, done + b"\0"


def thrift(v):
    return value(v)[1]


# --- values of Parquet -----------------------------------------------------------------------------------------------------
def plain(texts):
    return b"".join(struct.pack("<I", len(t)) + t.encode() for t in texts)


def deltas(numbers):
    """DELTA_BINARY_PACKED in blocks of 128, four parts each."""
    done = varint(128) + varint(4) + varint(len(numbers)) + zigzag(numbers[0] if numbers else 0)
    steps = [b - a for a, b in zip(numbers, numbers[1:])]
    for at in range(0, len(steps), 128):
        block = steps[at:at + 128]
        least = min(block)
        parts = [[n - least for n in block[i:i + 32]] for i in range(0, 128, 32)]
        widths = [max(p).bit_length() if p else 0 for p in parts]
        done += zigzag(least) + bytes(widths)
        for part, width in zip(parts, widths):
            bits = sum(n << i * width for i, n in enumerate(part))
            done += bits.to_bytes(32 * width // 8, "little") if part else b""
    return done


def delta_lengths(texts):
    return deltas([len(t) for t in texts]) + "".join(texts).encode()


def delta_strings(texts):
    shared, rest, last = [], [], ""
    for t in texts:
        n = 0
        while n < min(len(last), len(t)) and last[n] == t[n]:
            n += 1
        shared.append(n)
        rest.append(t[n:])
        last = t
    return deltas(shared) + delta_lengths(rest)


def fixed(texts):
    return "".join(t[:40].ljust(40) for t in texts).encode()


def streams(texts):
    rows = fixed(texts)
    return b"".join(rows[k::40] for k in range(40))


ENCODINGS = {"plain": (6, 0, plain), "delta-lengths": (6, 6, delta_lengths), "delta-strings": (6, 7, delta_strings),
             "fixed": (7, 0, fixed), "streams": (7, 9, streams)}


def levels(n):
    """All values are there: one run of ones."""
    run = varint(n << 1) + b"\1"
    return struct.pack("<I", len(run)) + run


def page(kind, data, codec, header, front=b"", crc=False):
    block = front + CODECS[codec][1](data)
    head = {1: kind, 2: len(front) + len(data), 3: len(block)}
    if crc:
        crc32 = zlib.crc32(block)
        head[4] = crc32 - (1 << 32) if crc32 >> 31 else crc32
    head.update(header)
    return thrift(head) + block


def parquet(texts, codec="none", encoding="plain", version=1, optional=False, dictionary=False, change=None, gap=b"",
            meta=None, key=b"note", group=None, crc=True):
    kind, code, encode = ENCODINGS[encoding]
    n, data = len(texts), encode(texts)
    pages = b""
    if dictionary:
        pages = page(2, plain(texts), codec, {7: {1: n, 2: 0}}, crc=crc)
        code, data = 8, b"\x10" + varint(((n + 7) // 8) << 1 | 1) + bytes(2 * 8 * ((n + 7) // 8))
    front = levels(n) if optional else b""
    if version == 2:
        front = front[4:]
        pages += page(3, data, codec, {8: {1: n, 2: 0, 3: n, 4: code, 5: len(front), 6: 0}}, front, crc)
    else:
        pages += page(0, front + data, codec, {5: {1: n, 2: code, 3: 3, 4: 4}}, crc=crc)
    if change:
        pages = change(pages)
    start = 4 + len(gap)
    column = {1: kind, 2: [code], 3: [b"s"], 4: CODECS[codec][0], 5: n, 6: len(pages), 7: len(pages), 9: start}
    if dictionary:
        column[11] = start
    column.update(meta or {})
    element = {1: kind, 2: 40, 3: 1 if optional else 0, 4: b"s"}
    chunk = {2: 0, 3: column}
    chunk.update(group or {})
    footer = thrift({1: 1, 2: [{4: b"schema", 5: 1}, element], 3: n, 4: [{1: [chunk], 2: len(pages), 3: n}],
                     5: [{1: key, 2: b"words"}], 6: b"a test"})
    return b"PAR1" + gap + pages + footer + struct.pack("<I", len(footer)) + b"PAR1"


def parquets():
    token = TEXTS + [TOKEN] + TEXTS[:9]
    for codec in CODECS:
        for version in (1, 2):
            out("%s-%d.parquet" % (codec, version), "parquet", "pass", parquet(TEXTS, codec, version=version, optional=True))
            out("token-%s-%d.parquet" % (codec, version), "parquet", "secret/github-token",
                parquet(token, codec, version=version, optional=True))
    for encoding in ENCODINGS:
        for codec in ("none", "zstd"):
            name = "%s-%s" % (encoding, codec)
            out(name + ".parquet", "parquet", "pass", parquet(TEXTS, codec, encoding))
            out("token-%s.parquet" % name, "parquet", "secret/github-token", parquet(token, codec, encoding))
    out("dictionary.parquet", "parquet", "pass", parquet(TEXTS, "snappy", dictionary=True))
    out("token-dictionary.parquet", "parquet", "secret/github-token", parquet(token, "snappy", dictionary=True))
    # A text of 65 bytes behind the credential: its length is the letter A.
    out("token-glued.parquet", "parquet", "secret/github-token", parquet([TOKEN, "x" * 65], "none"))
    out("token-in-key.parquet", "parquet", "secret/github-token", parquet(["x"], key=TOKEN.encode()))
    out("aligned.parquet", "parquet", "pass", parquet(TEXTS, gap=bytes(12)))
    broken_parquets()


def broken_parquets():
    def bad(name, want, *args, **more):
        out("bad-%s.parquet" % name, "parquet", want, parquet(TEXTS, *args, **more))
    bad("gap", "type/conflict", gap=b"hidden bytes")
    bad("longer", "type/conflict", meta={7: 100000})
    bad("shorter", "type/conflict", meta={7: 1000})
    bad("values", "type/conflict", meta={5: 7})
    bad("negative", "type/conflict", meta={9: -5})
    bad("codec", "inspect/incomplete", "zstd", meta={4: 3})
    bad("brotli", "inspect/incomplete", "zstd", meta={4: 4})
    bad("other-codec", "archive/corrupt", "zstd", meta={4: 1})
    bad("type", "type/conflict", meta={1: 2})
    bad("elsewhere", "inspect/incomplete", group={1: b"other.parquet"})
    bad("locked-column", "inspect/incomplete", group={8: {1: {}}})
    bad("crc", "archive/corrupt", change=lambda p: p[:-1] + b"?")
    for codec in ("snappy", "gzip", "lz4-raw", "zstd"):
        bad("damaged-" + codec, "archive/corrupt", codec, crc=False, change=lambda p: p[:60] + b"\xff" * 40 + p[100:])
    bad("size", "archive/corrupt", "snappy", crc=False, change=resized)
    whole = parquet(TEXTS, "snappy")
    out("bad-cut.parquet", "parquet", "inspect/incomplete", whole[:-3])
    out("bad-cut-page.parquet", "parquet", "type/conflict", whole[:4] + whole[400:])
    out("bad-tail.parquet", "parquet", "inspect/incomplete", whole + b"PAR1")
    out("bad-locked.parquet", "parquet", "inspect/incomplete", b"PARE" + whole[4:-4] + b"PARE")
    twice = parquet(TEXTS, "none", meta={14: 40, 15: 64})
    out("bad-overlap.parquet", "parquet", "type/conflict", twice)
    out("bad-bomb.parquet", "parquet", "archive/ratio", parquet(["x" * 20000000], "zstd"))


def resized(pages):
    """The first page says one byte less than it unpacks to."""
    size = zigzag(len(plain(TEXTS)))
    assert pages.count(size)
    return pages.replace(size, zigzag(len(plain(TEXTS)) - 1), 1)


# --- FlatBuffers ----------------------------------------------------------------------------------------------------------
class Table:
    def __init__(self, *slots):
        self.slots = slots  # None, ("b" | "h" | "i" | "q", number), Table, List


class List:
    def __init__(self, n, data=b"", tables=(), align=4):
        self.n, self.data, self.tables, self.align = n, data, tables, align


def text(s):
    return List(len(s), s.encode() + b"\0")


def structs(*rows):
    return List(len(rows), b"".join(struct.pack("<" + "q" * len(r), *r) for r in rows), align=8)


def flat(root):
    data, todo = bytearray(4), [(0, root)]

    def pad(n, behind=0):
        while (len(data) + behind) % n:
            data.append(0)
    while todo:
        at, item = todo.pop(0)
        if isinstance(item, List):
            pad(item.align, 4)
            struct.pack_into("<I", data, at, len(data) - at)
            data += struct.pack("<I", item.n) + item.data
            for t in item.tables:
                todo.append((len(data), t))
                data += bytes(4)
            continue
        places, size = [], 4
        for slot in item.slots:
            n = struct.calcsize(slot[0]) if isinstance(slot, tuple) else 4
            n = 8 if isinstance(slot, tuple) and slot[0] == "q" else n
            size += -size % n
            places.append(size if slot is not None else 0)
            size += n if slot is not None else 0
        pad(8, 4 + 2 * len(places))
        start = len(data)
        data += struct.pack("<HH%dH" % len(places), 4 + 2 * len(places), size, *places)
        pad(8)
        table = len(data)
        data += bytes(size)
        struct.pack_into("<i", data, table, table - start)
        struct.pack_into("<I", data, at, table - at)
        for place, slot in zip(places, item.slots):
            if isinstance(slot, tuple):
                struct.pack_into("<" + slot[0], data, table + place, slot[1])
            elif slot is not None:
                todo.append((table + place, slot))
    pad(8)
    return bytes(data)


# --- Arrow ----------------------------------------------------------------------------------------------------------------
def buffer(data, pack):
    if not pack:
        return data
    return struct.pack("<q", len(data)) + pack(data) if data else b""


def batch(n, buffers, codec=None, views=()):
    """The description of a batch and its body."""
    pack = {None: None, "lz4": lz4_frame, "zstd": zstd}[codec]
    body, places = b"", []
    for b in buffers:
        b = buffer(b, pack)
        places.append((len(body), len(b)))
        body += b + bytes(-len(b) % 8)
    how = Table(("b", 0 if codec == "lz4" else 1), ("b", 0)) if codec else None
    counts = List(len(views), b"".join(struct.pack("<q", v) for v in views), align=8) if views else None
    return Table(("q", n), structs((n, 0)), structs(*places), how, counts), body


def message(kind, table, body=b"", legacy=False):
    meta = flat(Table(("h", 4), ("b", kind), table, ("q", len(body))))
    head = b"" if legacy else b"\xff\xff\xff\xff"
    if legacy:
        meta += bytes(4)
    return head + struct.pack("<i", len(meta)) + meta + body


def offsets(texts, form="<i"):
    at, done = 0, struct.pack(form, 0)
    for t in texts:
        at += len(t)
        done += struct.pack(form, at)
    return done


def views(texts):
    rows, data = b"", b""
    for t in texts:
        e = t.encode()
        if len(e) <= 12:
            rows += struct.pack("<i", len(e)) + e.ljust(12, b"\0")
        else:
            rows += struct.pack("<i4sii", len(e), e[:4], 0, len(data))
            data += e
    return rows, data


def schema(kind, name="s", dictionary=False, extra=None):
    how = Table(("q", 7)) if dictionary else None
    width = Table(("i", 40)) if kind == 15 else Table()
    field = Table(text(name), ("b", 0), ("b", kind), width, how, None, extra)
    return Table(("h", 0), List(1, tables=[field]))


def columns(texts, form):
    """Type, buffers, counts of views."""
    joined = "".join(texts).encode()
    if form == "utf8":
        return 5, [b"", offsets(texts), joined], ()
    if form == "large":
        return 20, [b"", offsets(texts, "<q"), joined], ()
    if form == "fixed":
        return 15, [b"", fixed(texts)], ()
    rows, data = views(texts)
    return 24, [b"", rows, data], (1,)


def arrow(texts, form="utf8", codec=None, stream=False, dictionary=False, change=None, footer=True, legacy=False, extra=None,
          blocks=None, kind=None, between=b"", end=True):
    number, buffers, counts = columns(texts, form)
    if change:
        buffers = change(buffers)
    head = schema(kind or number, dictionary=dictionary, extra=extra)
    parts = [message(1, head, legacy=legacy)]
    found, n = ([], []), len(texts)
    if dictionary:
        table, body = batch(n, buffers, codec, counts)
        parts.append(message(2, Table(("q", 7), table, ("b", 0)), body, legacy))
        buffers, counts = [b"", b"".join(struct.pack("<i", i) for i in range(n))], ()
    table, body = batch(n, buffers, codec, counts)
    parts.append(message(3, table, body, legacy))
    data = b"" if stream else b"ARROW1\0\0"
    for i, part in enumerate(parts):
        if i:
            meta = struct.unpack("<i", part[0 if legacy else 4:][:4])[0] + (4 if legacy else 8)
            found[0 if dictionary and i == 1 else 1].append((len(data), meta, len(part) - meta))
        data += part
    data += between
    if end:
        data += b"\0\0\0\0" if legacy else b"\xff\xff\xff\xff\0\0\0\0"
    if stream:
        return data
    found = blocks(found) if blocks else found
    foot = flat(Table(("h", 4), head, structs(*found[0]), structs(*found[1])))
    return data + foot + struct.pack("<i", len(foot)) + b"ARROW1"


def arrows():
    token = TEXTS + [TOKEN] + TEXTS[:9]
    for form in ("utf8", "large", "view", "fixed"):
        for codec in (None, "lz4", "zstd"):
            for stream in (False, True):
                name = "%s-%s%s.arrow" % (form, codec, "-stream" if stream else "")
                out(name, "arrow", "pass", arrow(TEXTS, form, codec, stream))
                out("token-" + name, "arrow", "secret/github-token", arrow(token, form, codec, stream))
    for codec in (None, "zstd"):
        out("dictionary-%s.arrow" % codec, "arrow", "pass", arrow(TEXTS, codec=codec, dictionary=True))
        out("token-dictionary-%s.arrow" % codec, "arrow", "secret/github-token", arrow(token, codec=codec, dictionary=True))
    # Letters on both sides: only the offsets tell where it begins and ends.
    out("token-glued.feather", "arrow", "secret/github-token", arrow(["words", TOKEN, "words"]))
    out("legacy.arrow", "arrow", "pass", arrow(TEXTS, legacy=True))
    out("no-end.arrow", "arrow", "pass", arrow(TEXTS, end=False))
    broken_arrows()


def broken_arrows():
    def bad(name, want, **more):
        out("bad-%s.arrow" % name, "arrow", want, arrow(TEXTS, **more))
    whole = arrow(TEXTS, codec="zstd")
    out("bad-cut.arrow", "arrow", "inspect/incomplete", whole[:-1])
    out("bad-tail.arrow", "arrow", "inspect/incomplete", whole + b"more")
    stream = arrow(TEXTS, stream=True)
    out("bad-cut-stream.arrow", "arrow", "inspect/incomplete", stream[:-100])
    out("bad-tail-stream.arrow", "arrow", "type/conflict", stream + b"more")
    out("bad-name.arrow", "arrow", "inspect/incomplete,type/conflict", b"words\n")
    bad("between", "type/conflict", between=b"\xff\xff\xff\xff\0\0\0\0hidden bytes 123")
    bad("blocks", "type/conflict", blocks=lambda found: (found[0], []))
    bad("moved", "type/conflict", blocks=lambda found: ([], [(8, 16, 0)]))
    bad("offsets", "type/conflict", change=lambda b: [b[0], b[1][:400] + b"\0\0\0\0" + b[1][404:], b[2]])
    bad("outside", "type/conflict", change=lambda b: [b[0], b[1], b[2][:-1]])
    bad("few-offsets", "type/conflict", change=lambda b: [b[0], b[1][:40], b[2]])
    bad("buffers", "type/conflict", change=lambda b: b[:2])
    bad("more-buffers", "type/conflict", change=lambda b: b + [b"more"])
    bad("kind", "inspect/incomplete", kind=99)
    damaged = bytearray(whole)
    middle = whole.index(b"\x28\xb5\x2f\xfd") + 12
    damaged[middle:middle + 40] = b"\xff" * 40
    out("bad-damaged.arrow", "arrow", "archive/corrupt", bytes(damaged))
    out("bad-bomb.arrow", "arrow", "archive/ratio", arrow(["x" * 20000000], codec="zstd"))
    pickled = List(1, tables=[Table(text("ARROW:extension:name"), text("arrow.py_" + "extension_type"))])
    bad("extension", "active/pickle", extra=pickled)


os.makedirs(sys.argv[1], exist_ok=True)
parquets()
arrows()
