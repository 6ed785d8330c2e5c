#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""False refusals on benign files: every file below the directories named (or one a line in `--from FILE`), by class,
through `sallyport check` with default bounds; a table of classes, files and codes, then each refused file with its reason.

    SALLYPORT=path/to/sallyport false_refusals.py [--most N] [--only CLASS,...] [--list FILE] [--from FILE] [DIRECTORY...]

Files of the same bytes count once. Links in archives are a matter of policy: they are admitted where they stay within, and
archive/link is not counted. Not a test: whether a file is benign, and a refusal true, takes a person to say. Directories:
documentation packages, best unpacked with `dpkg -x`; the archives of the package manager; a JDK, Node, Python."""
import argparse, collections, hashlib, io, json, os, random, shutil, subprocess, sys, tempfile

INSIDE = ["passive", "images", "fonts", "web", "archives", "packages", "elf", "pe", "macho", "script", "js", "html-any", "wasm",
          "class", "any-binary", "sqlite", "pickle", "eml", "notebook", "npz", "gguf", "onnx", "pcap", "evtx"]
TARS = {"tar": "tar", "tar.gz": "tar.gz", "tgz": "tar.gz", "tar.bz2": "tar.bz2", "tar.xz": "tar.xz", "txz": "tar.xz", "tar.zst": "tar.zst"}
TEXT = ("txt text md markdown rst c h cc cpp hpp py pl rb lua tcl sh js css json yaml yml toml ini conf cfg csv tsv tex sty diff "
        "patch log cs java go rs el lisp hs ml adoc org pod texi").split()
ARCHIVES = [(e, [e], [t], True) for e, t in TARS.items()] + [("zip", ["zip"], ["zip", "packages"], True)] + [
    (e, [e], [e], False) for e in "jar whl docx xlsx pptx odt ods epub deb gem nupkg apk".split()]
CLASSES = ARCHIVES + [  # name, extensions, what the output admits, does it say what may be inside
    ("pdf", ["pdf"], ["pdf"], False),
    ("html", ["html", "htm", "xhtml"], ["html-any"], False),
    ("svg", ["svg"], ["svg"], False),
    ("xml", ["xml"], ["xml", "svg", "html-any"], False),
    ("picture", ["png", "jpg", "jpeg"], ["png", "jpeg"], False),
    ("text", TEXT, ["passive", "script", "js", "html-any"], False),
]
BATCH_BYTES, BATCH_FILES = 512 << 20, 4000


def candidates(args):
    for line in open(args.listed, encoding="utf-8", errors="surrogateescape") if args.listed else ():
        yield line.rstrip("\n")
    for top in args.directories:
        for path, _, names in os.walk(top):
            for name in names:
                yield os.path.join(path, name)


def files(args):
    """Per class the paths, each content once, at most so many of a class."""
    by_extension = {e: c[0] for c in CLASSES for e in c[1]}
    found, seen = collections.defaultdict(list), set()
    for path in candidates(args):
        name = os.path.basename(path).lower()
        kind = by_extension.get(".".join(name.split(".")[-2:])) or by_extension.get(name.rpartition(".")[2] if "." in name else "")
        if not kind or (args.only and kind not in args.only) or os.path.islink(path) or not os.path.isfile(path) or not os.path.getsize(path):
            continue
        with open(path, "rb") as f:
            digest = hashlib.file_digest(f, "sha256").digest() if hasattr(hashlib, "file_digest") else hashlib.sha256(f.read()).digest()
        if (kind, digest) not in seen:
            seen.add((kind, digest))
            found[kind].append(path)
    for kind in found:
        found[kind].sort()
        if len(found[kind]) > args.most:
            found[kind] = sorted(random.Random(4).sample(found[kind], args.most))
    return found


def batches(paths):
    batch, size = [], 0
    for path in paths:
        batch.append(path)
        size += os.path.getsize(path)
        if size > BATCH_BYTES or len(batch) == BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def check(exe, paths, types, inside):
    """One check over copies of the files, each under its own name in a directory of its own."""
    with tempfile.TemporaryDirectory(prefix="false-refusals-") as d:
        output = {"glob": "*/*", "count": "0..100000", "types": types, "max": "4G"}
        if inside:
            output["inside"] = {"types": INSIDE, "links": "inside"}
        for n, path in enumerate(paths):
            os.makedirs("%s/scratch/%05d" % (d, n))
            shutil.copyfile(path, "%s/scratch/%05d/%s" % (d, n, os.path.basename(path).lstrip(".")))
        with open(d + "/contract.yaml", "w") as f:
            json.dump({"sallyport": 1, "name": "benign", "partial": True, "names": "posix", "outputs": [output],
                       "limits": {"files": 100000, "total": "64G", "time": "8h"}}, f)
        run = subprocess.run([exe, "check", d + "/contract.yaml", "--from", d + "/scratch", "--format", "json"], capture_output=True)
        if run.returncode not in (0, 1, 7):
            sys.exit("sallyport ended with %d: %s" % (run.returncode, run.stderr.decode("utf-8", "replace")))
        return {paths[int(e["path"][:5])]: e for e in json.loads(run.stdout)["content"]["entries"]}


def refusals(entry):
    found = [f for f in entry["findings"] if f["level"] == "refuse" and not f["accepted"] and f["code"] != "archive/link"]
    if entry["verdict"] != "promote" and not found and not any(f["code"] == "archive/link" for f in entry["findings"]):
        sys.exit("%s is refused and no finding says why" % entry["path"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=20000, help="files of a class; more are sampled")
    parser.add_argument("--only", type=lambda s: s.split(","), help="these classes alone")
    parser.add_argument("--list", dest="out", help="write the refusals to this file, not to standard output")
    parser.add_argument("--from", dest="listed", help="read paths from this file")
    parser.add_argument("directories", nargs="*")
    args = parser.parse_args()
    if not args.directories and not args.listed:
        parser.error("name directories, or a list of files")
    found, exe = files(args), os.environ.get("SALLYPORT", "sallyport")
    out = open(args.out, "w", encoding="utf-8", errors="backslashreplace") if args.out else io.StringIO()
    print("%-9s %7s %8s %7s   %s" % ("class", "files", "refused", "%", "codes (files)"))
    total = collections.Counter()
    for kind, _, types, inside in CLASSES:
        codes, bad = collections.Counter(), 0
        for batch in batches(found[kind]):
            for path, entry in check(exe, batch, types, inside).items():
                refused = refusals(entry)
                bad += bool(refused)
                codes.update({f["code"] for f in refused})
                for f in refused:
                    print(kind, f["code"], path, f.get("member", ""), f["message"], sep="\t", file=out, flush=True)
        n = len(found[kind])
        if n:
            total.update({"files": n, "refused": bad})
            print("%-9s %7d %8d %7.2f   %s" % (kind, n, bad, 100.0 * bad / n, ", ".join("%s %d" % c for c in codes.most_common())), flush=True)
    print("%-9s %7d %8d %7.2f" % ("all", total["files"], total["refused"], 100.0 * total["refused"] / max(1, total["files"])))
    if not args.out:
        sys.stdout.write(out.getvalue())


main()
