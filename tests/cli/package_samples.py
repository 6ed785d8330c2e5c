# SPDX-License-Identifier: ISC
"""Packages of one odd member each: package_samples.py DIR fills DIR and prints a line "FILE TYPE WANTED" for each, WANTED
being `pass` or the code that refuses. What real packages hold passes; beside each stands what an attacker would make of it."""
import io, os, sys, tarfile, zipfile

os.chdir(sys.argv[1])
ELF = b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\x3e\0" + bytes(200)
LATIN, CP1252, JAPANESE = "Größe: 1 µm\n".encode("latin-1"), "“quoted”\n".encode("cp1252"), "読んでください\n".encode("shift_jis")
BIDI = "// \u202e } \u2066 if (admin)\u2069 \u2066 { \n".encode()
LINKER = b"/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libc.so.6 libc_nonshared.a  AS_NEEDED ( ld.so.2 ) )\n"

MEMBERS = [  # kind of package, member, content, what becomes of it
    ("jar", "META-INF/LICENSE.txt", LATIN, "pass"),
    ("jar", "META-INF/LICENSE.txt", CP1252, "pass"),
    ("jar", "META-INF/LICENSE.txt", JAPANESE, "pass"),
    ("jar", "a/B.java", LATIN, "pass"),
    ("deb", "usr/share/doc/a/paper.tex", LATIN, "pass"),
    ("deb", "usr/share/a/a.el", CP1252, "pass"),
    ("deb", "usr/share/doc/a/a.html", b"<html><p>" + LATIN + b"</p></html>\n", "pass"),
    ("deb", "usr/share/doc/a/a.html", b"<html><meta charset=shift_jis><p>" + LATIN + b"</p></html>\n", "type/conflict"),
    ("docx", "word/a.html", b"<html><p>" + LATIN + b"</p></html>\n", "type/conflict"),
    ("deb", "usr/lib/guile/a.go", ELF, "pass"),
    ("deb", "usr/lib/guile/a.c", ELF, "type/conflict"),
    # one byte that is no UTF-8 does not hide what the rest does
    ("jar", "a/B.java", BIDI + LATIN, "active/bidi"),
    ("deb", "usr/share/doc/a/README.txt", b"\x1b]52;c;bHM=\7" + LATIN, "type/conflict"),
    # what a terminal acts on gives nothing to a package that may hold programs, and something to one that may not
    ("deb", "usr/share/doc/a/README.txt", b"\x1b]52;c;bHM=\7\n", "pass"),
    ("docx", "word/README.txt", b"\x1b]52;c;bHM=\7\n", "active/terminal-escape"),
    # under a text's name, only a text
    ("jar", "META-INF/LICENSE.txt", LATIN + b"\0", "type/conflict"),
    ("jar", "META-INF/LICENSE.txt", b"\x89PNG\r\n\x1a\n" + bytes(20), "type/conflict"),
    ("jar", "a/B.java", b"\xfa\x02\x01" + LATIN, "type/conflict"),
    ("deb", "usr/share/doc/a/a.txt", b"%PDF-1.4\n" + LATIN, "type/conflict"),
    ("deb", "usr/share/doc/a/a.txt", ELF, "type/conflict"),
    # under a picture's or a library's name, no text
    ("jar", "a/b.png", LATIN, "type/conflict"),
    ("deb", "usr/lib/liba.so", LINKER, "pass"),
    ("deb", "usr/lib/liba.a", b"GROUP ( libb.a )\n", "pass"),
    ("deb", "usr/lib/liba.so", ELF, "pass"),
    ("deb", "usr/lib/liba.a", ELF[:16] + b"\1\0" + ELF[18:], "pass"),
    ("deb", "usr/lib/liba.a", ELF, "type/conflict"),
    ("deb", "usr/lib/liba.so", b"words\n", "type/conflict"),
    ("deb", "usr/lib/liba.so", b"#!/bin/sh\nGROUP ( libb.so )\n", "type/conflict"),
    ("deb", "usr/lib/liba.so", LINKER + b"rm -rf /\n", "type/conflict"),
    ("deb", "usr/lib/liba.so", LINKER + b"\0", "type/conflict"),
    ("deb", "usr/lib/liba.so", b"GROUP ( libb.so", "type/conflict"),
    ("deb", "usr/lib/liba.so", LINKER * 100, "type/conflict"),
    ("deb", "usr/share/a/a.png", LINKER, "type/conflict"),
    # a jar needs no manifest, but something of one
    ("bare.jar", "a/B.class", b"\xca\xfe\xba\xbe\0\0\0\x34", "pass"),
    ("bare.jar", "META-INF/services/a", b"a.B\n", "pass"),
    ("bare.jar", "a/b.txt", b"words\n", "type/conflict"),
    ("bare.zip", "a/B.class", b"\xca\xfe\xba\xbe\0\0\0\x34", "active/executable"),
    # what no package is: the rules of plain archives
    ("bare.zip", "a.txt", LATIN, "type/conflict"),
    ("bare.zip", "liba.so", LINKER, "pass"),
]


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(name, data)
    return out.getvalue()


def tarred(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        info = tarfile.TarInfo("./" + name)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def deb(name, data):
    out = b"!<arch>\n"
    for part, content in ("debian-binary", b"2.0\n"), ("control.tar.gz", tarred("control", b"Package: a\n")), ("data.tar.gz", tarred(name, data)):
        out += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (part.encode(), 0, 0, 0, b"100644", len(content)) + content + b"\n" * (len(content) & 1)
    return out


for n, (kind, name, data, want) in enumerate(MEMBERS):
    kind, bare = kind.removeprefix("bare."), kind.startswith("bare.")
    manifest = [] if bare else [("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n")]
    if kind == "docx":
        manifest = [("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<d/>")]
    with open("%02d.%s" % (n, kind), "wb") as f:
        f.write(deb(name, data) if kind == "deb" else zipped(*manifest, (name, data)))
    print("%02d.%s %s %s" % (n, kind, kind, want))
with open("a.rpm", "wb") as f:
    f.write(b"\xed\xab\xee\xdb\3\0" + bytes(600))
print("a.rpm zip archive/unsupported")
