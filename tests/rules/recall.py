#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Recall and false alarms of the secret inspector over labelled texts.

usage: recall.py SECRET_PROBE CASES.jsonl [--transform] [--list]

CASES.jsonl: one object a line with source, rule, kind (positive or negative) and text. A positive counts as found when
any rule says refuse or warn, and as noted when only notes are said (placeholders, published keys). A negative counts
against us when one of our rules that finds the positives of the same peer rule hits it with refuse or warn. Prints
no text of a case, only its number.
"""
import base64
import json
import quopri
import subprocess
import sys
from collections import defaultdict


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


def main():
    probe = Probe(sys.argv[1])
    cases = [json.loads(line) for line in open(sys.argv[2])]
    verbose = "--list" in sys.argv
    positives = [c for c in cases if c["kind"] == "positive"]
    found, noted, missed, ours = [], [], [], defaultdict(set)
    for n, c in enumerate(positives):
        hits = probe.scan(c["text"].encode())
        strong = {r for r, level in hits if level != "note"}
        ours[c["rule"]] |= strong | {r for r, _ in hits}
        (found if strong else noted if hits else missed).append((n, c, strong))
    total = len(positives)
    print("positives %d: found %d (%.1f %%), only noted %d, missed %d" %
          (total, len(found), 100 * len(found) / total, len(noted), len(missed)))
    if verbose:
        for name, group in (("noted", noted), ("missed", missed)):
            for n, c, _ in group:
                print("  %s: positive %d of %s %s, %d bytes" % (name, n, c["source"], c["rule"], len(c["text"])))
    negatives = [c for c in cases if c["kind"] == "negative"]
    wrong = []
    for n, c in enumerate(negatives):
        strong = {r for r, level in probe.scan(c["text"].encode()) if level != "note"}
        if strong & ours[c["rule"]]:
            wrong.append((n, c, strong & ours[c["rule"]]))
    print("negatives %d: hit by the counterpart %d (%.1f %%)" % (len(negatives), len(wrong), 100 * len(wrong) / len(negatives)))
    if verbose:
        for n, c, rules in wrong:
            print("  negative %d of %s %s: %s" % (n, c["source"], c["rule"], ", ".join(sorted(rules))))
    if "--transform" in sys.argv:
        transform(probe, found, verbose)


def transform(probe, found, verbose):
    tried, lost = defaultdict(int), defaultdict(list)
    for n, c, strong in found:
        if not c["text"].isascii():
            continue
        for view, data in views(c["text"].encode()):
            tried[view] += 1
            if not {r for r, level in probe.scan(data) if level != "note"} & strong:
                lost[view].append((n, c["rule"]))
    total, gone = sum(tried.values()), sum(map(len, lost.values()))
    print("transforms %d: found %d (%.2f %% of the plain ones)" % (total, total - gone, 100 * (total - gone) / max(1, total)))
    for view in tried:
        if lost[view]:
            print("  %s: lost %d of %d" % (view, len(lost[view]), tried[view]))
            if verbose:
                print("    " + ", ".join("%d %s" % x for x in lost[view]))


if __name__ == "__main__":
    main()
