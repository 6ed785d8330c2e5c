# SPDX-License-Identifier: ISC
"""Pickles against Python's own unpicklers: whatever either of them looks up and calls, whole or damaged, is found; data
that looks nothing up is not."""
import datetime, fractions, io, os, pickle, pickletools, random, resource, sys

from common import Samples, say

COUNT = int(os.environ.get("ORACLE_COUNT", "4000"))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))  # a damaged memo index asks for gigabytes


class Called(Exception):
    pass


class Stub:
    """Stands for whatever is looked up; any use of it is a call."""

    def __new__(cls, *a, **k):
        raise Called

    def __setstate__(self, state):
        raise Called


def watch(base, data):
    """(looked up, called) by an unpickler, without running anything of the pickle."""
    seen = [False, False]

    class Watcher(base):
        def find_class(self, module, name):
            parts = (module + "." + name).split(".")
            if data[:1] != b"\x80" and not all(p.isidentifier() for p in parts):
                raise ImportError(module)  # in a text, words that could name no module of anybody
            seen[0] = True
            return Stub

        def persistent_load(self, pid):
            if data[:1] != b"\x80":
                raise pickle.UnpicklingError("no such reader")
            return None

    source = io.BytesIO(data)
    for _ in range(4):  # pickles back to back
        try:
            Watcher(source).load()
        except Called:
            seen[1] = True
            break
        except (Exception, RecursionError, MemoryError):
            break
    return seen


def data_only(r, depth=0):
    simple = [lambda: r.randrange(-10**12, 10**12), lambda: r.random(), lambda: None, lambda: True,
              lambda: "".join(chr(r.randrange(32, 0x2000)) for _ in range(r.randrange(12))),
              lambda: bytes(r.randrange(256) for _ in range(r.randrange(12)))]
    if depth > 3 or r.random() < 0.4:
        return r.choice(simple)()
    items = [data_only(r, depth + 1) for _ in range(r.randrange(6))]
    return r.choice([lambda: items, lambda: tuple(items), lambda: {i: v for i, v in enumerate(items)}])()


class Callable:
    def __init__(self, r):
        self.r = r

    def __reduce__(self):
        return (print, (data_only(self.r, 2),))


def with_call(r):
    thing = r.choice([lambda: Callable(r), lambda: datetime.date(2020, 1, 1), lambda: fractions.Fraction(1, 3),
                      lambda: complex(1, 2), lambda: os.path.join])()
    return r.choice([lambda: thing, lambda: [data_only(r), thing], lambda: {"a": thing}])()


def damaged(r, data):
    out = bytearray(data)
    for _ in range(r.randrange(1, 4)):
        at = r.randrange(len(out))
        kind = r.randrange(3)
        if kind == 0:
            out[at] = r.randrange(256)
        elif kind == 1:
            del out[at:at + r.randrange(1, 4)]
        else:
            out[at:at] = bytes(r.choice(b"(.0)]}Rbo\x81\x93\x94\x85N2") for _ in range(r.randrange(1, 3)))
        if not out:
            out = bytearray(b"N")
    return bytes(out)


def has_bytes_as_call(data):
    """Protocols below 3 have no bytes: they are written as a call of _codecs.encode."""
    try:
        return any(op.name in ("GLOBAL", "STACK_GLOBAL", "INST") for op, _, _ in pickletools.genops(data))
    except Exception:
        return True


def main():
    r = random.Random(1)
    missed, alarms, calls, clean = [], [], 0, 0
    with Samples() as samples:
        want = {}
        for i in range(COUNT):
            protocol = r.randrange(6)
            data = pickle.dumps(data_only(r) if i % 2 else with_call(r), protocol)
            if i % 4 >= 2:
                data = damaged(r, data)
            name = samples.add(data, ".bin")
            watched = [watch(base, data) for base in (pickle.Unpickler, pickle._Unpickler)]
            want[name] = (any(w[1] for w in watched), i % 4 == 1 and not has_bytes_as_call(data), data)
        got = say(samples.directory, samples.names, "any-binary")
        for name, (called, is_clean, data) in want.items():
            calls += called
            clean += is_clean
            if called and "active/pickle" not in got[name]:
                missed.append(data)
            if is_clean and got[name]:
                alarms.append(data)
    for data in missed[:5]:
        print("missed: %r" % data)
    for data in alarms[:5]:
        print("false alarm: %r" % data)
    print("pickle: %d samples, %d call (missed %d), %d are data (alarms %d)" % (COUNT, calls, len(missed), clean, len(alarms)))
    if calls < COUNT // 5 or clean < COUNT // 10:
        sys.exit("the samples show too little")
    sys.exit(1 if missed or alarms else 0)


main()
