# SPDX-License-Identifier: ISC
"""XML against xmllint (libxml2): entities, default attributes, an external DTD, stylesheets, inclusions and live elements of
its tree are found; what it reads without any of them passes; what it rejects is refused, but for what is left to readers."""
import os, random, re, subprocess, sys

from common import Samples, need, say

COUNT = int(os.environ.get("ORACLE_COUNT", "4000")) // 4
SUBSET = ["<!ELEMENT r ANY>", "<!ATTLIST r z CDATA #IMPLIED>", "<!ATTLIST r a CDATA 'v'>", "<!ENTITY e 'v'>", "<!-- ]> -->",
          "<?p ]> ?>", "<!NOTATION n SYSTEM '<!ENTITY'>", "<!ENTITY % p 'v'>", "<!ENTITY x SYSTEM 'http://example.org/x'>",
          "<!ATTLIST r\n b (c|d)\n'c'>", "\n"]
PLACES = ["", " SYSTEM 'http://example.org/a.dtd'", " SYSTEM \"//example.org/a.dtd\"", " SYSTEM 'near.dtd'",
          " PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd'",
          " PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'\n'http://example.org/xhtml1-strict.dtd'", " SYSTEM 'ftp://example.org/>'"]
STYLES = ["<?xml-stylesheet href='http://example.org/a.xsl' type='text/xsl'?>", "<?xml-stylesheet type=\"text/xsl\" href=\"a.xsl\"?>",
          "<?xml-stylesheet href='a.css'?>", "<?xml-stylesheet\nhref='&#104;ttp://example.org/a.css'?>", "<?xml-style href='a.xsl'?>",
          "<!-- <?xml-stylesheet href='a.xsl'?> -->"]
SPACES = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1999/&#120;html", "urn:x", "urn:y"]
INCLUDES = ["http://www.w3.org/2001/XInclude", "http://www.w3.org/2001/XInclud&#101;", "urn:x"]
BODY = ["<h:script/>", "<h:p h:onclick='a'/>", "<h:iframe/>", "<h:p/>", "<![CDATA[<h:script>]]>", "<!-- <h:script/> -->", "text",
        "<i:include href='http://example.org/a'/>", "<i:include parse='text'\nhref=\"/etc/passwd\"/>", "<i:include href='near.xml'/>",
        "<?xml-stylesheet href='a.xsl'?>", "<b c='d' e=\"f\"/>", "&amp;&#x41;&lt;", "<deep><deep/></deep>"]
DAMAGE = ["<", ">", "&", "\"", "'", "/", "=", "<b>", "</b>", "]]>", "<!", "<?", "--", " ", "<![CDATA["]
# What libxml2 reports and the structure of a document does not hang on: any reader sees the same tags, or refuses it whole.
LEFT = re.compile("Entity '|Namespace|namespace prefix|xmlParseEntityRef|EntityRef: expecting|Double hyphen|Comment must not|"
                  "Sequence ']]>'|xmlParseCharRef|PCDATA invalid Char|Attribute .* redefined|redefinition|internal error|"
                  "xmlParsePI : no target|String not (started|closed)|Blank needed here|DOCTYPE improperly|Malformed declaration|Unfinished System or Public|CharRef|ParsePI|XML declaration allowed only|colons are forbidden|Failed to parse QName|is not a valid URI|Unescaped '<'|"
                  "xmlParseElementDecl|xmlParseAttribute|xmlParseEntityDecl|xmlParseNotationDecl|PEReference|AttValue|"
                  "xmlns:.* Empty XML namespace|Space required|invalid URI|SystemLiteral|PubidLiteral|attributes construct error")


def document(r):
    doctype = ""
    if r.random() < 0.6:
        subset = " [%s]" % "".join(r.choice(SUBSET) for _ in range(r.randrange(0, 3))) if r.random() < 0.5 else ""
        doctype = "<!DOCTYPE r%s%s>" % (r.choice(PLACES), subset)
    head = "".join(r.choice(STYLES) for _ in range(r.choice([0, 0, 1])))
    body = "".join(r.choice(BODY) for _ in range(r.randrange(1, 4)))
    text = "%s%s%s<r xmlns:h='%s' xmlns:i='%s'>%s</r>\n" % (r.choice(["", "<?xml version='1.0'?>\n"]), head, doctype,
                                                         r.choice(SPACES), r.choice(INCLUDES), body)
    if r.random() > 0.4:
        return text, True
    at = r.randrange(len(text))
    return text[:at] + r.choice(DAMAGE) + text[at + r.randrange(0, 2):], False


def outside(address):
    return re.match(r"(?i)(https?:|ftp:)?//", address) and not re.match(r"(?i)https?://(www\.)?w3\.org/", address)


def acts(dump):
    """Codes that the tree of `xmllint --debug` gives cause for."""
    codes, spaces, attribute, element, texts = set(), {}, None, None, False
    for style in re.findall(r"^ *PI xml-stylesheet\n *content=(.*)", dump.split(" ELEMENT ")[0], re.M):
        if "a.css" not in style or "'&#104;ttp:" in style:
            codes.add("active/xml-stylesheet")
    for line in dump.splitlines():
        m = re.match(r" *DTD\([^)]*\)(?:, PUBLIC .*?)?(?:, SYSTEM (.*)|, PUBLIC \S.* (\S+))?$", line)
        if m and outside((m.group(1) or m.group(2) or line.split(" ")[-1]).strip()):
            codes.add("active/external-load")
        texts = texts or "ENTITYDECL(" in line and ", internal" in line
        if "ENTITYDECL(" in line and ", internal" not in line or re.match(r" *ATTRDECL\(.*\"", line):
            codes.add("active/xml-entity")
        m = re.match(r" *namespace (\S+) href=(.*)", line)
        if m:
            spaces[m.group(1)] = m.group(2)
        m = re.match(r" *ELEMENT (?:(\S+?):)?(\S+)", line)
        if m:
            element = (spaces.get(m.group(1) or "", ""), m.group(2))
            if element[0] in (SPACES[0], SPACES[1]) and element[1] in ("script", "iframe"):
                codes.add("active/html-script" if element[1] == "script" else "active/html-embed")
        m = re.match(r" *ATTRIBUTE (\S+)", line)
        if m:
            attribute = m.group(1)
            if element and element[0] in (SPACES[0], SPACES[1]) and attribute.startswith("on"):
                codes.add("active/html-handler")
        m = re.match(r" *content=(.*)", line)
        if m and element and element == (INCLUDES[0], "include") and attribute == "href" and \
                re.match("http:|/", m.group(1)):
            codes.add("active/xml-entity")
    # an entity of text passes in data: SUBSET has it short, and BODY refers to none in an attribute
    if texts and {SPACES[0], SPACES[1], INCLUDES[0]} & set(spaces.values()):
        codes.add("active/xml-entity")
    return codes


def main():
    need("xmllint", "libxml2-utils")
    r = random.Random(11)
    missed = alarms = whole = active = rejected = left = 0
    with Samples() as samples:
        texts = {samples.add(t[0].encode(), ".xml"): t for t in (document(r) for _ in range(COUNT))}
        got = say(samples.directory, list(texts), "xml")
        for name, (text, undamaged) in texts.items():
            p = subprocess.run(["xmllint", "--nonet", "--debug", os.path.join(samples.directory, name)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
            errors = [e for e in p.stderr.decode("utf-8", "replace").splitlines() if " error : " in e]
            if p.returncode != 0 or errors:
                rejected += 1
                reader = bool(errors) and bool(LEFT.search(errors[0]))  # the others follow from it
                left += reader and not got[name]
                if not got[name] and not reader:
                    missed += 1
                    print("passes, and xmllint says %s: %r" % (errors, text))
                continue
            whole += 1
            want = acts(p.stdout.decode("utf-8", "replace"))
            active += bool(want)
            if want - got[name]:
                missed += 1
                print("missed %s: %r" % (sorted(want - got[name]), text))
            if undamaged and got[name] - want:
                alarms += 1
                print("false alarm %s: %r" % (sorted(got[name] - want), text))
    print("xmllint: %d samples, %d well-formed (%d active, alarms %d), rejects %d (of them left to readers %d); missed %d" %
          (COUNT, whole, active, alarms, rejected, left, missed))
    if active < COUNT // 10 or rejected < COUNT // 10:
        sys.exit("the samples show too little")
    sys.exit(1 if missed or alarms else 0)


main()
