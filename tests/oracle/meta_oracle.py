# SPDX-License-Identifier: ISC
"""Pictures, sounds and videos against exiftool: a credential that it shows as text, wherever the format keeps it and however
it is packed or divided, is found; bytes that it calls a trailer are refused; what holds neither passes."""
import json, os, random, string, struct, subprocess, sys, tempfile, zlib

from common import BUILD, need, png_chunk as chunk

FILLER = "seen on the way and found to be as it was "
TYPES = {"png": "png", "jpg": "jpeg", "gif": "gif", "webp": "webp", "tif": "tiff", "mp3": "mp3", "mp4": "mp4", "mov": "mp4",
         "wav": "wav", "ogg": "ogg", "avif": "avif"}


def credential(r):
    """A GitHub token whose checksum holds."""
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    body = "".join(r.choice(string.ascii_letters + string.digits) for _ in range(30))
    crc, check = zlib.crc32(body.encode()), ""
    for _ in range(6):
        crc, digit = divmod(crc, 62)
        check = digits[digit] + check
    return "gh" + "p_" + body + check


def words(r, n):
    """n bytes of text."""
    return (FILLER * (n // len(FILLER) + 1))[:n]


# --- PNG

def png(*between):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return (b"\x89PNG\r\n\x1a\n" + head + b"".join(between) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


def exif(text):
    """One directory with a description."""
    data = text + b"\0"
    return b"II*\0\x08\0\0\0\1\0\x0e\x01\2\0" + struct.pack("<II", len(data), 26) + b"\0\0\0\0" + data


def xmp(text):
    return (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
            b"<rdf:Description xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Label='" + text + b"'/></rdf:RDF></x:xmpmeta>")


def profile(kind, data):
    return ("\n%s\n%8d\n" % (kind, len(data)) + "\n".join(data.hex()[i:i + 72] for i in range(0, 2 * len(data), 72)) + "\n").encode()


def png_samples(t):
    yield "tEXt", png(chunk(b"tEXt", b"Comment\0" + t))
    yield "zTXt", png(chunk(b"zTXt", b"Comment\0\0" + zlib.compress(t)))
    yield "iTXt", png(chunk(b"iTXt", b"Comment\0\0\0\0\0" + t))
    yield "iTXt packed", png(chunk(b"iTXt", b"Comment\0\1\0en\0Wort\0" + zlib.compress(t)))
    yield "XMP packed", png(chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(xmp(t))))
    yield "eXIf", png(chunk(b"eXIf", exif(t)))
    yield "zxIf", png(chunk(b"zxIf", b"\0" + struct.pack(">I", len(exif(t))) + zlib.compress(exif(t))))
    yield "eXIf packed", png(chunk(b"eXIf", b"\0" + struct.pack(">I", len(exif(t))) + zlib.compress(exif(t))))
    yield "profile", png(chunk(b"tEXt", b"Raw profile type exif\0" + profile("exif", b"Exif\0\0" + exif(t))))
    yield "profile packed", png(chunk(b"zTXt", b"Raw profile type APP1\0\0" + zlib.compress(profile("generic", b"Exif\0\0" + exif(t)))))
    yield "trailer", png() + b"\n\nMore: " + t + b"\n" * 20


# --- JPEG

def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(*between):
    return (b"\xff\xd8" + b"".join(between) + segment(0xC0, b"\x08\0\1\0\1\1\1\x11\0") +
            segment(0xDA, b"\1\1\0\0\x3f\0") + b"\x77\x12\xff\xd9")


def irb(number, data):
    return b"8BIM" + struct.pack(">HHI", number, 0, len(data)) + data + b"\0" * (len(data) & 1)


def parts(data, at, size=60000):
    return [data[:at]] + [data[i:i + size] for i in range(at, len(data), size)]


def jpeg_samples(t, r):
    yield "COM", jpeg(segment(0xFE, t))
    yield "EXIF", jpeg(segment(0xE1, b"Exif\0\0" + exif(t)))
    yield "XMP", jpeg(segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp(t)))
    yield "IPTC", jpeg(segment(0xED, b"Photoshop 3.0\0" + irb(0x0404, b"\x1c\2\x78" + struct.pack(">H", len(t)) + t)))
    cut = r.randrange(5, 35)
    big = irb(0x040C + 1000, words(r, 50000).encode()) + irb(0x0404, b"\x1c\2\x78" + struct.pack(">H", len(t)) + t)
    at = big.index(t) + cut
    yield "IPTC in two", jpeg(*(segment(0xED, b"Photoshop 3.0\0" + p) for p in parts(big, at)))
    data = xmp(words(r, 9000).encode() + t)
    at = data.index(t) + cut
    guid = b"0123456789ABCDEF0123456789ABCDEF"
    first = (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
             b"xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='" + guid + b"'/></rdf:RDF></x:xmpmeta>")
    offset, segments = 0, [segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + first)]
    for p in parts(data, at):
        segments.append(segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + guid + struct.pack(">II", len(data), offset) + p))
        offset += len(p)
    yield "XMP in two", jpeg(*segments)
    yield "trailer", jpeg() + b"\n\nMore: " + t + b"\n" * 20
    thumb = jpeg(segment(0xFE, t))
    ifd = (b"II*\0\x08\0\0\0\0\0\x0e\0\0\0\2\0\1\2\4\0\1\0\0\0\x2c\0\0\0\2\2\4\0\1\0\0\0" + struct.pack("<I", len(thumb)) + b"\0\0\0\0")
    yield "thumbnail", jpeg(segment(0xE1, b"Exif\0\0" + ifd + thumb))


# --- GIF, WebP, TIFF

def blocks(data, first):
    out, size = b"", first
    while data:
        out += bytes([min(len(data), size)]) + data[:size]
        data, size = data[size:], 255
    return out + b"\0"


def gif(between):
    return b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + between + b",\0\0\0\0\1\0\1\0\0\2\2D\1\0;"


def gif_samples(t, r):
    yield "comment", gif(b"!\xfe" + blocks(t, 255))
    yield "comment in two", gif(b"!\xfe" + blocks(b"note: " + t, r.randrange(10, 40)))
    yield "XMP", gif(b"!\xff\x0bXMP DataXMP" + xmp(t) + b"\1" + bytes(range(255, -1, -1)) + b"\0")
    yield "trailer", gif(b"") + b"\n\nMore: " + t + b"\n" * 20


def riff(kind, *chunks):
    body = kind + b"".join(i + struct.pack("<I", len(d)) + d + b"\0" * (len(d) & 1) for i, d in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_samples(t):
    picture = [(b"VP8X", b"\x0c\0\0\0\0\0\0\0\0\0"), (b"VP8L", b"\x2f\0\0\0\0abcde")]
    yield "EXIF", riff(b"WEBP", *picture, (b"EXIF", exif(t)))
    yield "XMP", riff(b"WEBP", *picture, (b"XMP ", xmp(t)))
    yield "trailer", riff(b"WEBP", *picture) + b"\n\nMore: " + t + b"\n" * 20


def tiff_samples(t):
    yield "description", exif(t)
    data = t + b"\0"
    yield "private", b"II*\0\x08\0\0\0\1\0\x50\xc3\2\0" + struct.pack("<II", len(data), 26) + b"\0\0\0\0" + data
    wide = t.decode().encode("utf-16le") + b"\0\0"
    yield "wide", b"II*\0\x08\0\0\0\1\0\x9c\x9c\1\0" + struct.pack("<II", len(wide), 26) + b"\0\0\0\0" + wide


# --- sound and video

def synchsafe(n):
    return bytes([n >> 21 & 127, n >> 14 & 127, n >> 7 & 127, n & 127])


def id3(version, *frames):
    body = b"".join(frames)
    return b"ID3" + bytes([version, 0, 0]) + synchsafe(len(body)) + body


def id3_frame(version, name, data, flags=0):
    return name + (synchsafe(len(data)) if version == 4 else struct.pack(">I", len(data))) + bytes([0, flags]) + data


def mp3_samples(t):
    sound = b"".join(b"\xff\xfb\x10\xc4" + bytes(100) for _ in range(8))
    for v, packed, head in ((3, 0x80, lambda d: struct.pack(">I", len(d))), (4, 0x09, lambda d: synchsafe(len(d)))):
        yield "text %d" % v, id3(v, id3_frame(v, b"TIT2", b"\0" + t)) + sound
        yield "wide %d" % v, id3(v, id3_frame(v, b"TIT2", b"\1\xff\xfe" + t.decode().encode("utf-16le"))) + sound
        data = b"\0eng\0" + t
        yield "comment %d packed" % v, id3(v, id3_frame(v, b"COMM", head(data) + zlib.compress(data), packed)) + sound
    item = struct.pack("<II", len(t), 0) + b"Comment\0" + t
    yield "APE", sound + b"APETAGEX" + struct.pack("<IIII", 2000, len(item) + 32, 1, 0xA0000000) + bytes(8) + item + \
        b"APETAGEX" + struct.pack("<IIII", 2000, len(item) + 32, 1, 0x80000000) + bytes(8)


def box(kind, data):
    return struct.pack(">I", len(data) + 8) + kind + data


def movie(t):
    data = box(b"data", struct.pack(">II", 1, 0) + t)
    handler = box(b"hdlr", bytes(8) + b"mdirappl" + bytes(9))
    return box(b"moov", box(b"udta", box(b"meta", bytes(4) + handler + box(b"ilst", box(b"\xa9cmt", data)))))


def mp4_samples(t):
    ftyp = box(b"ftyp", b"isom\0\0\0\0isom")
    yield "ilst", ftyp + movie(t)
    yield "XMP", ftyp + movie(b"x") + box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac") + xmp(t))


def mov_samples(t):
    ftyp = box(b"ftyp", b"qt  \0\0\0\0qt  ")
    inner = movie(t)
    packed = box(b"moov", box(b"cmov", box(b"dcom", b"zlib") + box(b"cmvd", struct.pack(">I", len(inner)) + zlib.compress(inner))))
    yield "udta", ftyp + box(b"moov", box(b"udta", box(b"\xa9cmt", struct.pack(">HH", len(t), 0) + t)))
    yield "packed", ftyp + packed


def wav_samples(t):
    sound = [(b"fmt ", struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)), (b"data", bytes(8))]
    data = b"\0eng\0" + t
    yield "INFO", riff(b"WAVE", *sound, (b"LIST", b"INFOICMT" + struct.pack("<I", len(t) + 1) + t + b"\0" * (1 + (len(t) + 1) % 2)))
    yield "ID3", riff(b"WAVE", *sound, (b"id3 ", id3(3, id3_frame(3, b"TIT2", b"\0" + t))))
    packed = id3_frame(3, b"COMM", struct.pack(">I", len(data)) + zlib.compress(data), 0x80)
    yield "ID3 packed", riff(b"WAVE", *sound, (b"id3 ", id3(3, packed)))


def ogg_page(kind, granule, sequence, lacing, data):
    return b"OggS\0" + bytes([kind]) + struct.pack("<qIII", granule, 1, sequence, 0) + bytes([len(lacing)]) + bytes(lacing) + data


def ogg_samples(t, r):
    head = b"\1vorbis" + struct.pack("<IBIIIIBB", 0, 1, 8000, 0, 0, 0, 0xB8, 1)

    def comments(text):
        return b"\3vorbis" + struct.pack("<I", 1) + b"v" + struct.pack("<II", 1, len(text) + 8) + b"COMMENT=" + text + b"\1"
    first = ogg_page(2, 0, 0, [len(head)], head)
    c = comments(t)
    yield "comment", first + ogg_page(0, 0, 1, [len(c)], c) + ogg_page(4, 1, 2, [1], b"x")
    c = comments(words(r, 255 * 20 - 50).encode() + t + b" " * 300)
    c = c[:255 * 22 - 1]
    cut = 255 * 20
    yield "comment in two", first + ogg_page(0, -1, 1, [255] * 20, c[:cut]) + \
        ogg_page(1, 0, 2, [255] * ((len(c) - cut) // 255) + [(len(c) - cut) % 255], c[cut:]) + ogg_page(4, 1, 3, [1], b"x")


def samples(r):
    """(suffix, what, data, the credential or None)"""
    for planted in (True, False):
        c = credential(r)
        t = ("id " + c + " end").encode() if planted else b"id of nothing in particular, and of nobody, here"
        for suffix, made in (("png", png_samples(t)), ("jpg", jpeg_samples(t, r)), ("gif", gif_samples(t, r)), ("webp", webp_samples(t)),
                             ("tif", tiff_samples(t)), ("mp3", mp3_samples(t)), ("mp4", mp4_samples(t)), ("mov", mov_samples(t)),
                             ("wav", wav_samples(t)), ("ogg", ogg_samples(t, r))):
            for what, data in made:
                yield suffix, what, data, c if planted else None


def shown(directory, names):
    """What exiftool prints of each, thumbnails and previews looked into by themselves."""
    out = {}
    for name in names:
        path = os.path.join(directory, name)
        text = subprocess.run(["exiftool", "-a", "-u", "-ee", "-G1", "-s", "-m", path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode("utf-8", "replace")
        inner = subprocess.run(["exiftool", "-b", "-ThumbnailImage", "-PreviewImage", path], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout
        if inner:
            text += subprocess.run(["exiftool", "-a", "-u", "-"], input=inner, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL).stdout.decode("utf-8", "replace")
        out[name] = text
    return out


def decided(directory, names):
    """Codes of level refuse of each, by the whole program."""
    contract = {"sallyport": 1, "name": "meta", "outputs": [{"glob": "*." + s, "types": [t], "count": "0..9999"}
                                                            for s, t in TYPES.items()]}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        json.dump(contract, f)
        f.flush()
        p = subprocess.run([os.path.join(BUILD, "sallyport"), "check", f.name, "--from", directory, "--format", "json"],
                           stdout=subprocess.PIPE)
    entries = json.loads(p.stdout)["content"]["entries"]
    return {e["path"]: {x["code"] for x in e["findings"] if x["level"] == "refuse"} for e in entries}


def main():
    need("exiftool", "libimage-exiftool-perl")
    r = random.Random(7)
    missed = alarms = seen = unseen = trailers = 0
    with tempfile.TemporaryDirectory(prefix="oracle-") as directory:
        made = {}
        for suffix, what, data, secret in samples(r):
            name = "%06d.%s" % (len(made), suffix)
            made[name] = (what, secret)
            with open(os.path.join(directory, name), "wb") as f:
                f.write(data)
        text, codes = shown(directory, list(made)), decided(directory, list(made))
        for name, (what, secret) in made.items():
            trailer = what == "trailer"
            found = any(c.startswith("secret/") for c in codes[name])
            visible = bool(secret) and secret in text[name]
            seen += visible
            unseen += bool(secret) and not visible
            trailers += trailer
            if secret and not visible and not trailer:
                print("not shown by exiftool: %s %s" % (name, what))
            if secret and not found:
                missed += 1
                print("missed: %s, %s: %s" % (name, what, sorted(codes[name])))
            if trailer and not codes[name] & {"active/image-trailing", "type/conflict"}:
                missed += 1
                print("missed trailer: %s" % name)
            if not secret and not trailer and codes[name]:
                alarms += 1
                print("false alarm: %s, %s: %s" % (name, what, sorted(codes[name])))
    print("descriptions: %d samples, exiftool shows the credential in %d (not in %d), trailers %d; missed %d, alarms %d" %
          (len(made), seen, unseen, trailers, missed, alarms))
    if seen < 30:
        sys.exit("the samples show too little")
    sys.exit(1 if missed or alarms else 0)


main()
