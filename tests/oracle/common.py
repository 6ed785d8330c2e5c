# SPDX-License-Identifier: ISC
"""What differential tests share: samples in a directory, and what type_say says about them."""
import os, shutil, struct, subprocess, sys, tempfile, zlib

BUILD = os.environ.get("builddir", ".")


def need(program, package):
    if not shutil.which(program):
        sys.exit("%s is missing: install %s (Debian)" % (program, package))


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) & 0xFFFFFFFF)


def say(directory, names, types="passive"):
    """Codes of level refuse for each name, as one set a name."""
    lines = "".join(os.path.join(directory, n) + "\n" for n in names)
    p = subprocess.run([os.path.join(BUILD, "tests/bin/type_say"), types], input=lines.encode(), stdout=subprocess.PIPE,
                       check=True)
    out = {n: set() for n in names}
    for line in p.stdout.decode("utf-8", "replace").splitlines():
        path, code, level = line.split("\t")[:3]
        if level == "refuse":
            out[os.path.basename(path)].add(code)
    return out


class Samples:
    """Files of one directory that goes away at the end."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="oracle-")
        self.names = []

    def add(self, data, suffix):
        name = "%06d%s" % (len(self.names), suffix)
        with open(os.path.join(self.directory, name), "wb") as f:
            f.write(data)
        self.names.append(name)
        return name

    def __enter__(self):
        return self

    def __exit__(self, *why):
        shutil.rmtree(self.directory, ignore_errors=True)
