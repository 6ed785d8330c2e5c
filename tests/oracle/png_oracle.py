# SPDX-License-Identifier: ISC
"""PNG against pngcheck: what it rejects of damaged pictures is refused here, and what it accepts whole passes."""
import os, random, struct, subprocess, sys, zlib

from common import Samples, need, png_chunk as chunk, say

COUNT = int(os.environ.get("ORACLE_COUNT", "1500"))


def picture(r):
    colour, depth = r.choice([(0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 8), (4, 8), (6, 8), (6, 16)])
    width, height = r.randrange(1, 20), r.randrange(1, 20)
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    row = (width * depth * samples + 7) // 8
    raw = b"".join(b"\0" + bytes(row) for _ in range(height))
    packed = zlib.compress(raw)
    chunks = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))]
    if r.random() < 0.5:
        chunks.append(chunk(b"tEXt", b"Comment\0hello"))
    if r.random() < 0.3:
        chunks.append(chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"hello")))
    if colour == 3:
        chunks.append(chunk(b"PLTE", bytes(3 * (2 if depth == 1 else 200))))
    cut = r.randrange(len(packed))
    chunks += [chunk(b"IDAT", packed[:cut]), chunk(b"IDAT", packed[cut:])] if cut and r.random() < 0.5 else [chunk(b"IDAT", packed)]
    return chunks + [chunk(b"IEND", b"")]


def damaged(r, chunks):
    kind = r.randrange(4)
    if kind == 0:
        data = bytearray(b"".join(chunks))
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)
        return bytes(data)
    if kind == 1:
        data = b"".join(chunks)
        return data[:r.randrange(len(data))]
    chunks = list(chunks)
    if kind == 2:
        del chunks[r.randrange(len(chunks))]
    else:
        r.shuffle(chunks)
    return b"".join(chunks)


def main():
    need("pngcheck", "pngcheck")
    r = random.Random(2)
    missed = alarms = rejected = accepted = 0
    with Samples() as samples:
        whole = {}
        for i in range(COUNT):
            chunks = picture(r)
            data = b"".join(chunks) if i % 3 == 0 else damaged(r, chunks)
            whole[samples.add(b"\x89PNG\r\n\x1a\n" + data, ".png")] = i % 3 == 0
        got = say(samples.directory, samples.names, "png")
        for name, is_whole in whole.items():
            bad = subprocess.run(["pngcheck", "-q", os.path.join(samples.directory, name)], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL).returncode != 0
            rejected += bad
            accepted += not bad
            if bad and not got[name]:
                missed += 1
                print("missed: %s" % subprocess.run(["pngcheck", os.path.join(samples.directory, name)], stdout=subprocess.PIPE,
                                                    stderr=subprocess.STDOUT).stdout.decode("latin-1").strip())
            if is_whole and got[name]:
                alarms += 1
                print("false alarm: %s %s" % (name, got[name]))
    print("png: %d samples, pngcheck rejects %d (missed %d), whole %d (alarms %d)" %
          (COUNT, rejected, missed, accepted, alarms))
    if rejected < COUNT // 4 or accepted < COUNT // 4:
        sys.exit("the samples show too little")
    sys.exit(1 if missed or alarms else 0)


main()
