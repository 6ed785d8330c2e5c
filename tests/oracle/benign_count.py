# SPDX-License-Identifier: ISC
"""False refusals on benign files: every file below the directories named, by class, through the type and active
inspectors; a table of classes by code, then each refused file. Directories: documentation packages, best unpacked with
`dpkg -x`. Not a test: whether a file is benign, and a refusal true, takes a person to say.
    benign_count.py [--most N] DIRECTORY..."""
import collections, os, random, subprocess, sys

from common import BUILD

TEXT = "txt text md markdown rst c h cc cpp hpp py pl rb lua tcl sh js css json yaml yml toml ini conf cfg csv tsv tex sty diff patch log".split()
CLASSES = (  # name, extensions, what the output admits
    ("pdf", ["pdf"], "pdf"),
    ("html", ["html", "htm", "xhtml"], "html-any"),
    ("svg", ["svg"], "svg"),
    ("xml", ["xml"], "xml,svg,html-any"),
    ("picture", ["png", "jpg", "jpeg"], "png,jpeg"),
    ("text", TEXT, "passive,script,js,html-any"),
)


def files(directories, most):
    found = collections.defaultdict(list)
    by_extension = {e: name for name, extensions, _ in CLASSES for e in extensions}
    for top in directories:
        for path, _, names in os.walk(top):
            for name in names:
                whole = os.path.join(path, name)
                kind = by_extension.get(name.rpartition(".")[2].lower()) if "." in name else None
                if kind and "\n" not in whole and os.path.isfile(whole) and not os.path.islink(whole) and os.path.getsize(whole):
                    found[kind].append(whole)
    for kind in found:
        found[kind].sort()
        if len(found[kind]) > most:
            found[kind] = sorted(random.Random(4).sample(found[kind], most))
    return found


def main():
    most, directories = 20000, sys.argv[1:]
    if directories[:1] == ["--most"]:
        most, directories = int(directories[1]), directories[2:]
    if not directories:
        sys.exit(__doc__)
    found = files(directories, most)
    refused = []
    for kind, _, types in CLASSES:
        lines = "".join(p + "\n" for p in found[kind])
        said = subprocess.run([os.path.join(BUILD, "tests/bin/type_say"), types], input=lines.encode("utf-8", "surrogateescape"),
                              stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")
        codes = collections.defaultdict(set)
        for line in said.splitlines():
            fields = line.split("\t")
            if len(fields) > 4 and fields[2] == "refuse":
                codes[fields[1]].add(fields[0])
                refused.append(fields)
        n, bad = len(found[kind]), len(set().union(*codes.values())) if codes else 0
        print("%-8s %6d files, %4d refused (%.2f %%)" % (kind, n, bad, 100.0 * bad / n if n else 0))
        for code, paths in sorted(codes.items(), key=lambda item: -len(item[1])):
            print("         %6d %s" % (len(paths), code))
    for path, code, _, offset, message in (f[:5] for f in refused):
        print("%s %s at %s: %s" % (path, code, offset, message))


main()
