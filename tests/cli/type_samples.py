# SPDX-License-Identifier: ISC
"""Benign files, one or more of each type that the standard library can write: type_samples.py DIR fills DIR and prints a
line "FILE TYPE" for each. Whole files as their own programs write them, so that no second claim hides behind a unit test."""
import bz2, email.mime.multipart, email.mime.text, gzip, io, json, lzma, os, pickle, sqlite3, struct, sys, tarfile, wave, zipfile, zlib

os.chdir(sys.argv[1])


def put(name, kind, data):
    with open(name, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)
    print(name, kind)


def tarred(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return out.getvalue()


def texts():
    put("a.txt", "text", "words\n")
    put("a.log", "log", "\x1b[32mok\x1b[0m\n")
    put("a.c", "source", "int x;\n")
    put("a.py", "source", "x = 1\n")
    put("a.sh", "script", "#!/bin/sh\necho\n")
    put("a.md", "markdown", "# Title\n\nwords\n")
    put("a.json", "json", '{"a": [1, 2.5, null]}\n')
    put("a.jsonl", "jsonl", '{"a": 1}\n{"b": 2}\n')
    put("a.yaml", "yaml", "a: 1\nb: [x, y]\n")
    put("a.toml", "toml", "[t]\na = 1\n")
    put("a.csv", "csv", "a,b\n1,-2\n")
    put("a.tsv", "tsv", "a\tb\n1\t2\n")
    put("a.xml", "xml", '<?xml version="1.0"?>\n<r a="1"/>\n')
    put("a.html", "html-static", "<!DOCTYPE html><html><head><title>t</title></head><body><p>x</p></body></html>\n")
    put("a.svg", "svg", '<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>\n')
    put("a.css", "css", "p { color: red }\n")
    put("a.js", "js", "var a = 1;\n")
    put("a.ipynb", "notebook", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}))
    plain = email.mime.text.MIMEText("words\n")
    plain["From"], plain["Subject"] = "a@example.org", "x"
    put("a.eml", "eml", plain.as_bytes())
    both = email.mime.multipart.MIMEMultipart("alternative")
    both["From"], both["Subject"] = "a@example.org", "x"
    both.attach(email.mime.text.MIMEText("words\n"))
    both.attach(email.mime.text.MIMEText("<p>words</p>", "html"))
    put("both.eml", "eml", both.as_bytes())


def images():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)) +
           chunk(b"IDAT", zlib.compress((b"\0" + b"\0" * 6) * 2)) + chunk(b"IEND", b""))
    put("a.png", "png", png)
    put("a.gif", "gif", b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;")
    rows = b"\0\0\xff\0" * 2
    put("a.bmp", "bmp", struct.pack("<2sIHHI", b"BM", 54 + 8, 0, 0, 54) +
        struct.pack("<IiiHHIIiiII", 40, 1, 2, 1, 24, 0, 8, 2835, 2835, 0, 0) + rows)
    put("a.ico", "ico", struct.pack("<HHH", 0, 1, 1) + struct.pack("<BBBBHHII", 2, 2, 0, 0, 1, 32, len(png), 22) + png)
    tags = [(256, 3, 1, 1), (257, 3, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8 + 2 + 9 * 12 + 4),
            (277, 3, 1, 1), (278, 3, 1, 1), (279, 4, 1, 1)]
    put("a.tiff", "tiff", b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) +
        b"".join(struct.pack("<HHII", *t) for t in tags) + b"\0\0\0\0" + b"\x80")


def sounds():
    with wave.open("a.wav", "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(8000)
        w.writeframes(b"\0\1" * 80)
    print("a.wav wav")


def data():
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
    npy = b"\x93NUMPY\1\0v\0" + head.ljust(117) + b"\n" + struct.pack("<2d", 1, 2)
    put("a.npy", "npy", npy)
    put("a.npz", "npz", zipped(("arr_0.npy", npy), ("b.npy", npy)))
    tensors = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    tensors += b" " * (-len(tensors) % 8)
    put("a.safetensors", "safetensors", struct.pack("<Q", len(tensors)) + tensors + struct.pack("<2f", 1, 2))
    put("a.pkl", "pickle", pickle.dumps({"a": [1, 2.5, "x", (None, True)]}))

    def word(text):
        return struct.pack("<Q", len(text)) + text
    info = (b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + word(b"general.architecture") + struct.pack("<I", 8) + word(b"llama") +
            word(b"t") + struct.pack("<IQIQ", 1, 4, 0, 0))
    put("a.gguf", "gguf", info + b"\0" * (-len(info) % 32) + b"\0" * 16)

    def field(number, body):
        return bytes([number << 3 | 2, len(body)]) + body
    graph = field(1, field(1, b"x") + field(2, b"y") + field(4, b"Relu")) + field(2, b"g")
    put("a.onnx", "onnx", b"\x08\x08" + field(2, b"maker") + field(7, graph) + field(8, field(1, b"") + b"\x10\x0d"))
    packet = b"\xff" * 6 + b"\0" * 6 + b"\x08\0E" + b"\0" * 41
    put("a.pcap", "pcap", struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) +
        struct.pack("<IIII", 1, 0, len(packet), len(packet)) + packet)
    block = struct.pack("<IIIII", 0, 0, 0, len(packet), len(packet)) + packet
    put("a.pcapng", "pcap", struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28) +
        struct.pack("<IIHHII", 1, 20, 1, 0, 65535, 20) + struct.pack("<II", 6, len(block) + 12) + block +
        struct.pack("<I", len(block) + 12))
    base = sqlite3.connect("a.sqlite")
    base.execute("create table t(a, b)")
    base.commit()
    base.close()
    print("a.sqlite sqlite")
    put("a.wasm", "wasm", b"\0asm\1\0\0\0\x01\x04\x01\x60\0\0")
    put("a.bin", "any-binary", bytes(range(7)) * 40)


def archives():
    tar = tarred(("a.txt", b"words\n"), ("d/b.json", b"{}\n"))
    put("a.tar", "tar", tar)
    put("a.tar.gz", "tar.gz", gzip.compress(tar))
    put("a.tgz", "tar.gz", gzip.compress(tar))
    put("a.tar.bz2", "tar.bz2", bz2.compress(tar))
    put("a.tar.xz", "tar.xz", lzma.compress(tar))
    put("a.txt.gz", "gzip", gzip.compress(b"words\n"))
    put("a.txt.bz2", "bzip2", bz2.compress(b"words\n"))
    put("a.txt.xz", "xz", lzma.compress(b"words\n"))
    put("a.txt.lzma", "lzma", lzma.compress(b"words\n", format=lzma.FORMAT_ALONE))
    put("a.tar.lzma", "tar.lzma", lzma.compress(tar, format=lzma.FORMAT_ALONE))
    properties = [{"id": lzma.FILTER_LZMA1, "dict_size": 4096, "lc": 0, "lp": 2, "pb": 0}]
    put("b.txt.lzma", "lzma", lzma.compress(b"words\n", format=lzma.FORMAT_ALONE, filters=properties))
    put("a.zip", "zip", zipped(("a.txt", "words\n"), ("d/b.json", "{}\n")))

    def entry(name, body, mode):
        raw = name.encode() + b"\0"
        head = "070701" + "".join("%08X" % n for n in (1, mode, 0, 0, 1, 0, len(body), 0, 0, 0, 0, len(raw), 0))
        return (head.encode() + raw).ljust((110 + len(raw) + 3) & ~3, b"\0") + body + b"\0" * (-len(body) % 4)
    put("a.cpio", "cpio", entry("a.txt", b"words\n", 0o100644) + entry("TRAILER!!!", b"", 0))

    def member(name, body):
        return ("%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, "100644", len(body))).encode() + body + b"\n" * (len(body) % 2)
    put("a.a", "ar", b"!<arch>\n" + member("a.txt/", b"words\n"))
    control = gzip.compress(tarred(("./control", b"Package: x\nVersion: 1\nArchitecture: all\nDescription: x\n")))
    put("x_1_all.deb", "deb", b"!<arch>\n" + member("debian-binary", b"2.0\n") + member("control.tar.gz", control) +
        member("data.tar.gz", gzip.compress(tarred(("./usr/share/x/a.txt", b"words\n")))))


def packages():
    put("a-1-py3-none-any.whl", "whl", zipped(("a/__init__.py", "x = 1\n"), ("a-1.dist-info/METADATA", "Name: a\nVersion: 1\n"),
                                              ("a-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n"),
                                              ("a-1.dist-info/RECORD", "a/__init__.py,,\n")))
    rels = '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'
    types = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">%s</Types>'
    put("a.1.0.0.nupkg", "nupkg", zipped(
        ("_rels/.rels", rels % '<Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/a.nuspec" Id="R1"/>'),
        ("a.nuspec", '<?xml version="1.0"?><package><metadata><id>a</id></metadata></package>'),
        ("[Content_Types].xml", types % '<Default Extension="nuspec" ContentType="application/octet"/>'), ("lib/net6.0/a.xml", "<doc/>")))
    put("a.epub", "epub", zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
         '<rootfiles><rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'),
        ("c.opf", '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/></package>'),
        ("c.xhtml", '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body/></html>')))
    part = '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body/></w:document>'
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    put("a.docx", "docx", zipped(
        ("[Content_Types].xml", types % ('<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                                         '<Override PartName="/word/document.xml" ContentType="%s"/>' % main)),
        ("_rels/.rels", rels % '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'),
        ("word/document.xml", part)))
    put("a-1.gem", "gem", tarred(("metadata.gz", gzip.compress(b"--- !ruby/object:Gem::Specification\nname: a\n")),
                                 ("data.tar.gz", gzip.compress(tarred(("a.rb", b"X = 1\n")))),
                                 ("checksums.yaml.gz", gzip.compress(b"---\nSHA256: {}\n"))))


for write in (texts, images, sounds, data, archives, packages):
    write()
