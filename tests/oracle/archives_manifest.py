#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Prints what sallyport says of a corpus of labelled archives, and fails where a label is not met.

    SALLYPORT=path/to/sallyport python3 tests/oracle/archives_manifest.py MANIFEST.tsv [-v]

The manifest has the columns path (relative to it), expected (pass, refuse or anything else: only shown) and, where it
has one, the verdict of another walker. Every type is admitted inside and links that stay within, so that what refuses is
the archive itself. Labels that are not met on purpose stand below, each with its reason.
"""
import collections, json, os, subprocess, sys, tempfile

EXCEPTIONS = {
    "short_usize.zip": "more data than both records declare: readers that trust the size and readers that trust the stream differ",
    "short_usize_zip64.zip": "a ZIP64 field that nothing refers to says another size than the record does",
    "data_descriptor.zip": "a data descriptor that agrees with the directory is how every streaming writer works",
    "data_descriptor_zip64.zip": "the same with 64-bit sizes",
}
TYPES = {"zip": ["zip", "jar", "whl", "docx", "xlsx", "apk"], "whl": ["zip", "whl"], "tar": ["tar", "gem"]}
INSIDE = ["passive", "images", "fonts", "web", "archives", "packages", "elf", "pe", "macho", "script", "js", "html-any", "wasm", "class",
          "any-binary", "sqlite", "pickle", "eml", "notebook"]


def kind(path):
    return path.rsplit(".", 1)[-1] if path.rsplit(".", 1)[-1] in TYPES else "zip"


def check(exe, files):
    """One check over all files, each under a number of its own."""
    with tempfile.TemporaryDirectory() as d:
        os.mkdir(d + "/scratch")
        outputs = [{"glob": "*." + ext, "count": "0..100000", "types": types, "max": "1G", "inside": {"types": INSIDE, "links": "inside"}}
                   for ext, types in TYPES.items()]
        for n, path in enumerate(files):
            name = "%05d.%s" % (n, kind(path))
            with open(path, "rb") as f, open(d + "/scratch/" + name, "wb") as g:
                g.write(f.read())
        with open(d + "/contract.yaml", "w") as f:
            json.dump({"sallyport": 1, "name": "corpus", "partial": True, "names": "posix", "outputs": outputs}, f)
        run = subprocess.run([exe, "check", d + "/contract.yaml", "--from", d + "/scratch", "--format", "json"], capture_output=True)
        return {files[int(e["path"][:5])]: e for e in json.loads(run.stdout)["content"]["entries"]}


def main():
    args = [a for a in sys.argv[1:] if a != "-v"]
    base = os.path.dirname(args[0])
    rows = [line.rstrip("\n").split("\t") for line in open(args[0])][1:]
    entries = check(os.environ.get("SALLYPORT", "sallyport"), [os.path.join(base, r[0]) for r in rows])
    table, unmet = collections.Counter(), 0
    for row in rows:
        entry = entries[os.path.join(base, row[0])]
        got = "pass" if entry["verdict"] == "promote" else "refuse"
        codes = sorted({f["code"] for f in entry["findings"] if f["level"] == "refuse"})
        other = row[2].split(":")[0].lower() if len(row) > 2 else "-"
        label = row[1] if row[1] in ("pass", "refuse") else "unlabelled"
        reason = EXCEPTIONS.get(os.path.basename(row[0])) if label != got else None
        met = label in ("unlabelled", got) or bool(reason)
        unmet += not met
        table[row[0].split("/")[0], label, got, other] += 1
        if "-v" in sys.argv or label not in ("unlabelled", got) or (label == "unlabelled" and got == "pass" and other == "refuse"):
            print("%-9s %-60s label %-10s here %-6s other %-24s %s" % ("UNMET" if not met else "exception" if reason else "note", row[0], label, got,
                                                                    row[2] if len(row) > 2 else "-", reason or " ".join(codes)))
    print("\n%-16s %-11s %-7s %-7s %s" % ("suite", "label", "here", "other", "files"))
    for key, n in sorted(table.items()):
        print("%-16s %-11s %-7s %-7s %d" % (*key, n))
    print("%d files, %d labels not met" % (len(rows), unmet))
    return 1 if unmet else 0


sys.exit(main())
