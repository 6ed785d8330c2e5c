# SPDX-License-Identifier: ISC
"""PDF against qpdf: files built with harmful names in many places, rewritten by qpdf in each of its forms; names that qpdf
shows as names are found, files in which it shows none pass."""
import os, random, re, subprocess, sys

from common import Samples, need, say

COUNT = int(os.environ.get("ORACLE_COUNT", "4000")) // 10
FORMS = [[], ["--object-streams=generate"], ["--object-streams=disable"], ["--linearize"], ["--qdf"],
         ["--object-streams=generate", "--linearize"], ["--stream-data=uncompress"], ["--stream-data=compress"]]
CODES = {"JavaScript": "script", "JS": "script", "Launch": "action", "SubmitForm": "action", "ImportData": "action",
         "GoToE": "action", "RichMedia": "action", "XFA": "action", "EmbeddedFiles": "embedded", "EmbeddedFile": "embedded"}
HARMLESS = ["Font", "GoTo", "Named", "JavaScriptX", "js", "Launcher", "URI", "ColorSpace"]


def hex_some(r, name):
    return "".join("#%02x" % ord(c) if r.random() < 0.3 else c for c in name)


def value(r, depth):
    kind = r.randrange(8)
    if kind == 0:
        return "/" + hex_some(r, r.choice(HARMLESS))
    if kind == 1 and r.random() < 0.35:
        return "/" + hex_some(r, r.choice(list(CODES)))
    if kind == 2:
        return r.choice(["(/JS /Launch)", "(a\\)/JS)", "(a(b)c)", "<2F4A53>", "(%\\\n)"])
    if kind == 3:
        return "%d %s\n" % (r.randrange(100), r.choice(["", "% /JS", "%(/Launch"]))
    if depth > 3 or kind < 6:
        return str(r.randrange(9))
    if kind == 6:
        return "[" + " ".join(value(r, depth + 1) for _ in range(3)) + "]"
    return "<<" + " ".join("/%s %s" % (r.choice(["A", "B", "C"]) + str(i), value(r, depth + 1)) for i in range(3)) + ">>"


def build(r):
    stream = r.choice([b"BT (/JS) Tj ET", b"/S /GoTo", b"q 1 0 0 1 0 0 cm Q"])
    objects = [b"<< /Type /Catalog /Pages 2 0 R /X 4 0 R /Y 5 0 R /Z 6 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 6 0 R >>",
               ("<< /V " + value(r, 0) + " /W " + value(r, 0) + " >>").encode(), ("[" + value(r, 0) + "]").encode(),
               b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream"]
    out, offsets = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), []
    for i, o in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % i + o + b"\nendobj\n"
    xref = len(out)
    out += b"xref\n0 7\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % o for o in offsets)
    return bytes(out + b"trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % xref)


def without_strings(text):
    """What is left of qpdf's plain form when strings and stream data are taken out."""
    text = re.sub(rb"\nstream\n.*?\nendstream", b"", text, flags=re.S)
    out, i, depth = bytearray(), 0, 0
    while i < len(text):
        c = text[i]
        if depth and c == 0x5c:
            i += 1
        elif c == 0x28:
            depth += 1
        elif c == 0x29 and depth:
            depth -= 1
        elif not depth:
            out.append(c)
        i += 1
    return bytes(out)


def qpdf_codes(path):
    p = subprocess.run(["qpdf", "--qdf", "--object-streams=disable", "--stream-data=preserve", path, "-"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    if p.returncode != 0:
        sys.exit("qpdf does not read what it wrote: %s" % p.stderr.decode())
    names = re.findall(rb"/([A-Za-z0-9]+)(?=[\s/<>\[\]]|$)", without_strings(p.stdout))
    return {"active/pdf-" + CODES[n.decode()] for n in names if n.decode() in CODES}


def main():
    need("qpdf", "qpdf")
    r = random.Random(7)
    missed = alarms = active = 0
    with Samples() as samples:
        for i in range(COUNT):
            plain = samples.add(build(r), ".pdf")
            if i % 4:
                path = os.path.join(samples.directory, plain)
                subprocess.run(["qpdf"] + r.choice(FORMS) + [path, path + ".new"], check=True)
                os.rename(path + ".new", path)
        got = say(samples.directory, samples.names, "pdf")
        for name in samples.names:
            want = qpdf_codes(os.path.join(samples.directory, name))
            active += bool(want)
            if want - got[name]:
                missed += 1
                print("missed %s in %s" % (sorted(want - got[name]), name))
            if got[name] - want:
                alarms += 1
                print("false alarm %s in %s" % (sorted(got[name] - want), name))
    print("pdf: %d files, %d active by qpdf; missed %d, alarms %d" % (COUNT, active, missed, alarms))
    if active < COUNT // 10 or active > COUNT * 9 // 10:
        sys.exit("the samples show too little")
    sys.exit(1 if missed or alarms else 0)


main()
