# SPDX-License-Identifier: ISC
"""Archives with something in a field that few readers show: field_samples.py DIR fills DIR and prints a line "FILE TYPE
WANTED" for each, WANTED being `pass` or the code that refuses."""
import gzip, io, os, struct, sys, tarfile, zipfile

os.chdir(sys.argv[1])
KEY = "AKI" + "AQYLPMN5HFIQR7XYA"


def put(name, data, want):
    with open(name, "wb") as f:
        f.write(data)
    print(name, name.split(".", 1)[1], want)


def zipped(extra=b"", comment=b"", members=(("a.txt", b"hello\n"),), at=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            info = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
            info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            info.extra = extra if at != "central" else b""
            z.writestr(info, data)
            info.extra, info.comment = extra, comment
    return out.getvalue()


def field(number, body):
    return struct.pack("<HH", number, len(body)) + body


def tarred(pax={}, **fields):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        info = tarfile.TarInfo("a.txt")
        info.size, info.pax_headers = 6, pax
        for key, value in fields.items():
            setattr(info, key, value)
        t.addfile(info, io.BytesIO(b"hello\n"))
    return out.getvalue()


def cpio(*members):
    out = b""
    for name, mode, data in (*members, ("TRAILER!!!", 0, b"")):
        out += b"070701" + b"".join(b"%08X" % n for n in (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
        out += name.encode() + b"\0"
        out += b"\0" * (-len(out) % 4) + data
        out += b"\0" * (-len(out) % 4)
    return out


# a credential that touches the next field or record, as no search over the raw bytes sees it
put("owner.tar", tarred(uname=KEY), "secret/aws-access-key-id")
put("group.tar", tarred(gname=KEY), "secret/aws-access-key-id")
put("owner.tar.gz", gzip.compress(tarred(uname=KEY)), "secret/aws-access-key-id")
put("extra.zip", zipped(field(0x7777, KEY.encode()), at="central"), "secret/aws-access-key-id")
put("both.zip", zipped(field(0x5455, b"\3" + bytes(8)) + field(0x7777, KEY.encode())), "secret/aws-access-key-id")
put("named.tar", tarred(uname="a-long-name-of-a-user"), "pass")
put("times.zip", zipped(field(0x000a, bytes(4) + struct.pack("<HHQQQ", 1, 24, 1, 1, 1)) + field(0x7875, b"\1\4" + bytes(4) + b"\4" + bytes(4))), "pass")
# fields from which old readers take the kind of a member
asi = struct.pack("<IHIHH", 0, 0o120777, 11, 0, 0) + b"/etc/passwd"
put("asi-link.zip", zipped(field(0x756e, asi)), "archive/link")
put("asi-device.zip", zipped(field(0x756e, struct.pack("<IHIHH", 0, 0o20666, 0, 0, 0))), "archive/special")
put("asi-file.zip", zipped(field(0x756e, struct.pack("<IHIHH", 0, 0o100644, 0, 0, 0))), "pass")
put("unix-link.zip", zipped(field(0x000d, bytes(12) + b"/etc/passwd")), "archive/link")
put("unix-file.zip", zipped(field(0x000d, bytes(12))), "pass")
put("kind.tar", tarred({"SCHILY.filetype": "sparse"}), "archive/unsupported")
# an archive in a comment on a member; content where none belongs
put("comment.zip", zipped(comment=b"built by a test"), "pass")
put("archive.zip", zipped(comment=zipped()), "archive/ambiguous")
put("directory.cpio", cpio(("d", 0o40755, b"hidden"), ("d/a.txt", 0o100644, b"x\n")), "archive/ambiguous")
put("plain.cpio", cpio(("d", 0o40755, b""), ("d/a.txt", 0o100644, b"x\n")), "pass")
# each member is below every bound of its own, all together are not: said before much of it is unpacked
million = b"A" * (1 << 20)
put("sum.zip", zipped(members=[("%d.txt" % n, million) for n in range(100)]), "archive/ratio")
deep = zipped(members=[("%d.txt" % n, million) for n in range(12)])
for _ in range(3):
    deep = zipped(members=[("%d.zip" % n, deep) for n in range(12)])
put("deep.zip", deep, "archive/ratio")
put("few.zip", zipped(members=[("%d.txt" % n, million) for n in range(20)]), "pass")
