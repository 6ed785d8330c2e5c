# SPDX-License-Identifier: ISC
"""Pages against an HTML5 tree (libgumbo) and XML against expat: what a parser would act on is found, however broken the
page; well-formed XML without any of it is not refused."""
import os, random, subprocess, sys, tempfile
import xml.parsers.expat

from common import Samples, need, say

COUNT = int(os.environ.get("ORACLE_COUNT", "4000"))
ACTS = ["<script>a()</script>", "<ScRiPt/x>", "<img src=x onerror=a()>", "<svg/onload=a()>", "<a href=javascript:a()>x</a>",
        "<a href='jav&#x0a;ascript&colon;a()'>", "<iframe src=a>", "<object data=a>", "<embed>", "<base href=//example.org/>",
        "<meta http-equiv=refresh content=0>", "<img src=//example.org/a>", "<img\nsrc = 'https://example.org/a'>",
        "<form action=\" \tjavascript:a()\">", "<svg><script>", "<p\x0conclick\x0c=\x0ca>", "<b ONFOCUS=\"a\"/>", "<frameset>"]
SOUP = ["<p>", "</p>", "\"", "'", ">", "<", "/>", "<!--", "-->", "<!-->", "--!>", "<style>", "</style>", "<title>", "</title>",
        "<textarea>", "</textarea>", "<svg>", "</svg>", "<math>", "<mtext>", "<![CDATA[", "]]>", "<noscript>", "</noscript>",
        "<template>", "<table>", "<select>", "<a title=\"", "<a title='", "<b x=", "=", "`", "&lt;", "&quot;", "<?x ", "<!d ", "</",
        "<xmp>", "</xmp>", "<plaintext>", "text ", "\n", "<a/b/c ", "<x:y ", "<foreignObject>", "<annotation-xml encoding=text/html>"]
PROLOG = ["<?xml version='1.0'?>", "<!-- <!ENTITY a 'b'> -->", "<?p <!DOCTYPE x [ ?>", "\n"]
SUBSET = ["<!ELEMENT r ANY>", "<!ATTLIST r a CDATA #IMPLIED>", "<!ATTLIST r a CDATA 'v'>", "<!ENTITY e 'v'>", "<!-- ]> -->",
          "<?p ]> ?>", "<!NOTATION n SYSTEM '<!ENTITY'>", "<!ENTITY % p 'v'>", "\n", "<!ATTLIST r a (b|c) 'b' >"]
SPACES = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1999/&#120;html", "urn:x"]
BODY = ["<script/>", "<h:script/>", "<g:p/>", "<![CDATA[<h:script>]]>", "<!-- <h:script/> -->", "<?h <h:script?>", "text"]


def page(r):
    parts = [r.choice(SOUP) for _ in range(r.randrange(1, 12))]
    for _ in range(r.randrange(0, 3)):
        parts.insert(r.randrange(len(parts) + 1), r.choice(ACTS))
    return "<!DOCTYPE html>" + "".join(parts)


def document(r):
    subset = "".join(r.choice(SUBSET) for _ in range(r.randrange(0, 4)))
    doctype = r.choice(["", "<!DOCTYPE r SYSTEM '['>", "<!DOCTYPE r [%s]>" % subset, "<!DOCTYPE r SYSTEM 'x' [%s] >" % subset])
    body = "".join(r.choice(BODY) for _ in range(r.randrange(1, 4)))
    head = "".join(r.sample(PROLOG[1:], r.randrange(0, 3)))
    return "%s%s%s<r xmlns='%s' xmlns:h='%s' xmlns:g='urn:g'>%s</r>" % (
        r.choice(["", PROLOG[0]]), head, doctype, r.choice(["urn:y", r.choice(SPACES)]), r.choice(SPACES), body)


def expat_codes(text):
    """What the document does to a reader, or None where it is not well-formed."""
    found, texts, live = set(), [], []
    p = xml.parsers.expat.ParserCreate(namespace_separator=" ")
    # one of text that no reader takes for markup passes where nothing acts: SUBSET has it short
    p.EntityDeclHandler = lambda name, parameter, value, *a: (found.add("active/xml-entity") if parameter or value is None
                                                              else texts.append(name))
    p.AttlistDeclHandler = lambda e, n, t, default, required: default and found.add("active/xml-entity")
    p.StartNamespaceDeclHandler = lambda prefix, uri: uri in SPACES[:2] and live.append(uri)
    scripts = tuple(s + " script" for s in (SPACES[0], SPACES[1]))
    p.StartElementHandler = lambda name, a: name in scripts and found.add("active/html-script")
    try:
        p.Parse(text.encode(), True)
    except xml.parsers.expat.ExpatError:
        return None
    return found | ({"active/xml-entity"} if texts and live else set())


def gumbo(samples, names):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gumbo_walk.c")
    with tempfile.TemporaryDirectory() as d:
        exe = os.path.join(d, "walk")
        subprocess.run(["cc", "-o", exe, source, "-lgumbo"], check=True)
        lines = "".join(os.path.join(samples.directory, n) + "\n" for n in names)
        out = subprocess.run([exe], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    return {os.path.basename(line.split("\t")[0]): set(line.split("\t")[1].split()) for line in out.splitlines()}


def main():
    need("cc", "gcc libgumbo-dev")
    r = random.Random(5)
    missed = alarms = active = whole = 0
    with Samples() as samples:
        pages = {samples.add(t.encode(), ".html"): t for t in (page(r) for _ in range(COUNT))}
        texts = {samples.add(t.encode(), ".xml"): t for t in (document(r) for _ in range(COUNT))}
        want = gumbo(samples, list(pages))
        got = say(samples.directory, list(pages), "html-static")
        for name, text in pages.items():
            active += bool(want[name])
            if want[name] - got[name]:
                missed += 1
                print("missed %s: %r" % (sorted(want[name] - got[name]), text))
        got = say(samples.directory, list(texts), "xml")
        for name, text in texts.items():
            codes = expat_codes(text)
            if codes is None:
                continue
            whole += 1
            if codes - got[name]:
                missed += 1
                print("missed %s: %r" % (sorted(codes - got[name]), text))
            if got[name] - codes:
                alarms += 1
                print("false alarm %s: %r" % (sorted(got[name] - codes), text))
    print("pages: %d, %d active by gumbo; xml: %d, %d well-formed (alarms %d); missed %d"
          % (COUNT, active, COUNT, whole, alarms, missed))
    if active < COUNT // 5 or whole < COUNT // 5:
        sys.exit("the samples show too little")
    sys.exit(1 if missed or alarms else 0)


main()
