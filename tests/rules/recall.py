#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Recall and false alarms of the secret inspector over labelled texts.

usage: recall.py SECRET_PROBE CASES [--transform] [--containers SALLYPORT] [--every N] [--list]
       [--need PERCENT]

CASES is a directory of samples (ID.hit, ID.miss: every line is a case of the rule ID) or a JSONL file: one object a line with
source, rule, kind (positive or negative) and text. A positive counts as found when any rule says refuse or warn, and as
noted when only notes are said (placeholders, published keys). A negative counts against us when one of our rules that
finds the positives of the same peer rule hits it with refuse or warn. --transform: each positive that is found or is of a
rule of notes must be found in each view (encodings, the middle of other bytes) by a rule that found it plain, at no weaker
level. --containers: the same in compressed files, archives and their names and comments, by running `sallyport check`.
--every N: only each Nth positive is transformed. Exit status 1 where less than PERCENT (99) of the transforms are found. Prints no text of a case, only its number.
"""
import argparse
import base64
import bz2
import gzip
import io
import json
import lzma
import os
import quopri
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import defaultdict

LEVELS = {"note": 0, "warn": 1, "refuse": 2}


class Probe:
    def __init__(self, path):
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def scan(self, data):
        """[(rule, level)] of one text."""
        self.p.stdin.write(b"%d\n" % len(data) + data)
        self.p.stdin.flush()
        found = []
        for line in iter(self.p.stdout.readline, b".\n"):
            if not line:
                sys.exit("recall.py: the probe ended")
            code, level = line.decode().split("\t")[:2]
            found.append((code.split("/", 1)[1], level))
        return found


def fold(text, width):
    return b"\n".join(text[i:i + width] for i in range(0, len(text), width))


def views(data):
    text = data.decode("latin-1")
    b64 = base64.b64encode
    pad = b"some words in front of it, "
    yield "utf-16le", text.encode("utf-16-le")
    yield "utf-16be", text.encode("utf-16-be")
    yield "utf-16le+bom", b"\xff\xfe" + text.encode("utf-16-le")
    yield "utf-16le+odd", b"x" + text.encode("utf-16-le")
    for phase in range(3):
        yield "base64+%d" % phase, b64(b"; "[:phase] + data + b" end")
    yield "base64/64", fold(b64(pad * 3 + data + b"\n" + pad), 64)
    yield "base64/76", fold(b64(pad * 3 + data + b"\n" + pad), 76)
    yield "base64url", base64.urlsafe_b64encode(pad + data + b" end").rstrip(b"=")
    yield "base64 behind a word", b"key" + b64(data + b" end")
    yield "base64>base64", b64(b64(data + b" end"))
    yield "base64>base64>base64", b64(b64(b64(data + b" end")))
    yield "hex", data.hex().encode()
    yield "HEX", data.hex().upper().encode()
    yield "percent", b"".join(b"%%%02X" % c for c in data)
    yield "percent>percent", b"".join(b"%%25%02x" % c for c in data)
    yield "quoted-printable", quopri.encodestring(pad * 2 + data)
    yield "quoted-printable, all", b"".join(b"=%02X" % c for c in data)
    yield "json", json.dumps({"log": "a line\n" + text + "\nnext\n"}).encode()
    yield "json in json", json.dumps({"a": json.dumps({"log": "a line\n" + text + "\nnext\n"})}).encode()
    yield "\\u", "".join("\\u%04x" % ord(c) for c in text).encode()
    yield "\\x", "".join("\\x%02x" % ord(c) for c in text).encode()
    yield "behind 262,130 bytes", b"\n" * 262130 + data
    yield "in binary", bytes(range(256)) * 3 + b"\0" + data + b"\0" + bytes(range(256))
    yield "base64 of utf-16le", b64(text.encode("utf-16-le"))


# --- containers --------------------------------------------------------------------------------------------

def zip_of(name, data, method=zipfile.ZIP_DEFLATED, comment=b"", extra=b"", note=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        info = zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6))
        info.compress_type, info.extra, info.comment = method, extra, note
        z.writestr(info, data)
        z.comment = comment
    return out.getvalue()


def tar_of(name, data, form=tarfile.PAX_FORMAT, **headers):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        info = tarfile.TarInfo(name)
        info.size, info.pax_headers = len(data), headers
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def is_name(text):
    return len(text) < 90 and text.isprintable() and not set(text) & set('/\\%:"<>|?* ') and text[0] not in "-." \
        and text[-1] not in ". "


def containers(data):
    """(kind, type, file) of everything that can hold these bytes; the types are those of sallyport-contract(5)."""
    text = data.decode("latin-1")
    padded = b"first line\n" * 40 + data + b"\nlast line\n" * 40
    yield "gzip", "gzip", gzip.compress(padded)
    yield "bzip2", "bzip2", bz2.compress(padded)
    yield "xz", "xz", lzma.compress(padded)
    yield "zip", "zip", zip_of("a.txt", padded)
    yield "zip, stored", "zip", zip_of("a.txt", data, zipfile.ZIP_STORED)
    yield "tar", "tar", tar_of("a.txt", padded)
    yield "tar.gz", "tar.gz", gzip.compress(tar_of("a.txt", data))
    yield "tar.xz", "tar.xz", lzma.compress(tar_of("a.txt", data, tarfile.GNU_FORMAT))
    yield "zip in tar.gz", "tar.gz", gzip.compress(tar_of("b.zip", zip_of("a.txt", data)))
    yield "base64 in gzip in zip", "zip", zip_of("b.gz", gzip.compress(base64.b64encode(b"x " + data + b" y")))
    yield "utf-16le in tar", "tar", tar_of("a.txt", b"\xff\xfe" + text.encode("utf-16-le"))
    yield "zip comment", "zip", zip_of("a.txt", b"x\n", comment=b"; " + data[:60000] + b" ;")
    yield "zip member comment", "zip", zip_of("a.txt", b"x\n", note=b"; " + data[:60000] + b" ;")
    if text.isprintable():
        yield "pax header", "tar", tar_of("a.txt", b"x\n", comment=text)
    if is_name(text):
        yield "zip member name", "zip", zip_of("a/" + text + ".txt", b"x\n")
        yield "tar member name", "tar", tar_of("a/" + text + ".txt", b"x\n")


def contract_of(kinds):
    outputs = [{"glob": "%03d/*" % n, "types": [kind], "inside": {"types": ["passive", "zip", "gzip", "any-binary"]},
                "reason": "a measurement"} for n, kind in enumerate(kinds)]
    return json.dumps({"sallyport": 1, "name": "recall", "outputs": outputs, "names": "posix",
                       "limits": {"files": 1000000, "visited": 2000000, "total": "64G"}})


def check_files(sallyport, where):
    run = subprocess.run([sallyport, "check", where + "/c.yaml", "--from", where + "/s", "--format", "json"],
                         stdout=subprocess.PIPE)
    if run.returncode not in (0, 1):
        sys.exit("recall.py: sallyport ended with %d" % run.returncode)
    return {e["path"]: [(f["code"].split("/", 1)[1], f["level"]) for f in e["findings"] if f["code"].startswith("secret/")]
            for e in json.loads(run.stdout)["content"]["entries"]}


def in_containers(sallyport, found, result):
    kinds = {}
    with tempfile.TemporaryDirectory() as where:
        wanted = {}
        for n, c, plain in found:
            for kind, type_name, data in containers(c["text"].encode()):
                place = "%03d" % kinds.setdefault((kind, type_name), len(kinds))
                suffix = {"gzip": "gz", "bzip2": "bz2"}.get(type_name, type_name)
                path = "%s/%d.%s" % (place, n, suffix)
                os.makedirs(where + "/s/" + place, exist_ok=True)
                with open(where + "/s/" + path, "wb") as f:
                    f.write(data)
                wanted[path] = (kind, n, c, plain)
        with open(where + "/c.yaml", "w") as f:
            f.write(contract_of([type_name for _, type_name in kinds]))
        got = check_files(sallyport, where)
        for path, (kind, n, c, plain) in wanted.items():
            result.add(kind, n, c, plain, got[path])


# --- measuring ----------------------------------------------------------------------------------------------

class Transforms:
    def __init__(self):
        self.tried, self.lost = defaultdict(int), defaultdict(list)

    def add(self, view, n, c, plain, hits):
        """plain: {rule: level}. A rule that found the plain text must find this one, at no weaker level."""
        self.tried[view] += 1
        if not any(r in plain and LEVELS[level] >= LEVELS[plain[r]] for r, level in hits):
            self.lost[view].append((n, c["rule"]))

    def report(self, verbose, need):
        total, gone = sum(self.tried.values()), sum(map(len, self.lost.values()))
        share = 100 * (total - gone) / max(1, total)
        print("transforms %d: found %d (%.2f %% of the plain ones)" % (total, total - gone, share))
        for view in self.tried:
            if self.lost[view]:
                print("  %s: lost %d of %d" % (view, len(self.lost[view]), self.tried[view]))
                if verbose:
                    print("    " + ", ".join("%d %s" % x for x in self.lost[view]))
        return total > 0 and share >= need


def strongest(hits):
    """{rule: level} of the strongest level that was said."""
    top = max((LEVELS[level] for _, level in hits), default=0)
    return {r: level for r, level in hits if LEVELS[level] == top}


def load(path):
    if not os.path.isdir(path):
        with open(path) as f:
            return [json.loads(line) for line in f]
    cases = []
    for name in sorted(os.listdir(path)):
        rule, _, end = name.rpartition(".")
        if end not in ("hit", "miss"):
            continue
        with open(os.path.join(path, name)) as f:
            for line in filter(None, f.read().split("\n")):
                cases.append({"source": "sample", "rule": rule, "kind": "positive" if end == "hit" else "negative",
                              "text": line.replace("<+>", "").replace("<n>", "\n")})
    return cases


def counterpart_hits(c, hits, ours):
    """ours: {rule of the case: {our rule: strongest level it said of its positives}}. A sample must not be hit by its own
    rule at that level."""
    if c["source"] == "sample":
        least = LEVELS[ours[c["rule"]].get(c["rule"], "refuse")]
        return {r for r, level in hits if r == c["rule"] and LEVELS[level] >= least}
    return {r for r, level in hits if level != "note"} & set(ours[c["rule"]])


def main():
    args = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    args.add_argument("probe")
    args.add_argument("cases")
    args.add_argument("--transform", action="store_true")
    args.add_argument("--containers", metavar="SALLYPORT")
    args.add_argument("--every", type=int, default=1)
    args.add_argument("--list", action="store_true")
    args.add_argument("--need", type=float, default=99)
    args = args.parse_args()
    probe = Probe(args.probe)
    cases = load(args.cases)
    positives = [c for c in cases if c["kind"] == "positive"]
    found, noted, missed, ours = [], [], [], defaultdict(dict)
    for n, c in enumerate(positives):
        hits = probe.scan(c["text"].encode())
        strong = {r for r, level in hits if level != "note"}
        for r, level in hits:
            ours[c["rule"]][r] = max(level, ours[c["rule"]].get(r, "note"), key=LEVELS.get)
        (found if strong else noted if hits else missed).append((n, c, strongest(hits)))
    total = len(positives)
    print("positives %d: found %d (%.1f %%), only noted %d, missed %d" %
          (total, len(found), 100 * len(found) / total, len(noted), len(missed)))
    if args.list:
        for name, group in (("noted", noted), ("missed", missed)):
            for n, c, _ in group:
                print("  %s: positive %d of %s %s, %d bytes" % (name, n, c["source"], c["rule"], len(c["text"])))
    negatives = [c for c in cases if c["kind"] == "negative"]
    wrong = []
    for n, c in enumerate(negatives):
        rules = counterpart_hits(c, probe.scan(c["text"].encode()), ours)
        if rules:
            wrong.append((n, c, rules))
    print("negatives %d: hit by the counterpart %d (%.1f %%)" %
          (len(negatives), len(wrong), 100 * len(wrong) / max(1, len(negatives))))
    if args.list:
        for n, c, rules in wrong:
            print("  negative %d of %s %s: %s" % (n, c["source"], c["rule"], ", ".join(sorted(rules))))
    plain = [x for x in found + noted if x[1]["text"].isascii()][::args.every]
    result = Transforms()
    if args.transform:
        for n, c, levels in plain:
            for view, data in views(c["text"].encode()):
                result.add(view, n, c, levels, probe.scan(data))
    if args.containers:
        in_containers(args.containers, plain, result)
    if args.transform or args.containers:
        return 0 if result.report(args.list, args.need) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
