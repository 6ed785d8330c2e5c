/* SPDX-License-Identifier: ISC */
#include "active_cases.h"

#define HTML active_html_scan, "html-static", "html-static"
#define LOCAL active_html_scan, "html-static", "html-local"
#define ANY active_html_scan, "html-static", "html-any"
#define SVG active_html_scan, "svg xml", "svg"
#define XML active_xml_scan, "xml", "xml"
#define CSS active_css_scan, "css", "css"
#define LONG_TEXT "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

static const struct active_case pages[] = {
    /* what a static report is made of */
    {"plain", HTML, "<!DOCTYPE html><html><head><meta charset=utf-8><title>t</title></head><body><h1>x</h1></body>", ""},
    {"links", HTML, "<a href='https://example.org/'>x</a><a href=mailto:a@example.org>m</a><a href=#t>t</a>", ""},
    {"local image", HTML, "<img src=img/a.png srcset='a.png 1x, b.png 2x'><link rel=stylesheet href=../s.css>", ""},
    {"canonical", HTML, "<link rel=canonical href=https://docs.example.org/a.html>", ""},
    {"generator", HTML, "<meta name=generator content='JavaScript: the tool'><meta http-equiv=Content-Type content='text/html; charset=ISO-8859-1'>", ""},
    {"data image", HTML, "<img src='data:image/png;base64,AAAA'><img src='data:image/svg+xml,x'>", ""},
    {"prose about script", HTML, "<p>&lt;script&gt; javascript: onclick=</p><p title='javascript: a language'>", ""},
    {"svg inside", HTML, "<svg viewBox='0 0 1 1'><path d='M0 0'/><use href='#a'/></svg>", ""},
    {"style", HTML, "<style>p{background:url(a.png)} @import 'b.css';</style>", ""},
    {"namespace in style", HTML, "<style>@namespace svg url(http://www.w3.org/2000/svg); p{color:red}</style>", ""},
    {"base target", HTML, "<base target=_top>", ""},
    {"comparison", HTML, "<p>a < b && c > d; x<y</p>", ""},
    {"words that start with on", HTML, "<p one-two=1 on=1 data-on=1 only>", "html-handler refuse"},
    {"noscript", HTML, "<noscript>no scripts here</noscript><template><p>x</p></template>", ""},
    /* scripts */
    {"script", HTML, "<script>x</script>", "html-script refuse"},
    {"script case and slash", HTML, "<ScRiPt/x>", "html-script refuse"},
    {"script behind a less-than", HTML, "<<script>", "html-script refuse"},
    {"script in a comment", HTML, "<!-- <script> -->", "html-script refuse"},
    {"script in an attribute", HTML, "<p title=\"</noscript><script>\">", "html-script refuse"},
    {"script in a style", HTML, "<style><style/><script></style>", "html-script refuse"},
    {"script in a title", HTML, "<svg><title><style><script>", "html-script refuse"},
    {"script with a prefix", HTML, "<svg:script>", "html-script refuse"},
    {"script behind a tag name", HTML, "<a<script>", "html-script refuse"},
    {"script after an open quote", HTML, "<a title=\"x <b <script>", "html-script refuse"},
    {"script far inside", HTML, "<script\n\n\nsrc=a.js>", "html-script refuse"},
    /* handlers */
    {"handler", HTML, "<img src=x onerror=a()>", "html-handler refuse"},
    {"handler behind a slash", HTML, "<svg/onload=a()>", "html-handler refuse"},
    {"handler behind a value", HTML, "<img src=\"x\"onerror=a()>", "html-handler refuse"},
    {"handler behind junk", HTML, "<img \"onerror=a()>", "html-handler refuse"},
    {"handler with blanks", HTML, "<img onerror \n = a()>", "html-handler refuse"},
    {"handler with a prefix", HTML, "<p x:onclick=a()>", "html-handler refuse"},
    {"handler in a nested tag", HTML, "<p title='<img src=x onerror=a()>'>", "html-handler refuse"},
    {"handler set by animation", HTML, "<set attributeName=onclick to=a()>", "html-url refuse"},
    /* addresses */
    {"javascript", HTML, "<a href=javascript:a()>", "html-url refuse"},
    {"javascript, odd case", HTML, "<a href=' \x01JaVaScRiPt:a()'>", "html-url refuse"},
    {"javascript, tab inside", HTML, "<a href='java\tscr\nipt:a()'>", "html-url refuse"},
    {"javascript, references", HTML, "<a href='&#106;avascript&colon;a()'>", "html-url refuse"},
    {"javascript, hex without end", HTML, "<a href='&#x6Aavascript:a()'>", "html-url refuse"},
    {"javascript, newline name", HTML, "<a href='java&NewLine;script:a()'>", "html-url refuse"},
    {"javascript in a form", HTML, "<form action=javascript:a()><button formaction=vbscript:a()>", "html-url refuse"},
    {"javascript in animation", HTML, "<animate values='javascript:a()'>", "html-url refuse"},
    {"javascript in an unknown attribute", HTML, "<math xlink:href='javascript:a()'>", "html-url refuse"},
    {"address animated", HTML, "<a><animate attributeName=href to=x></a>", "html-url refuse"},
    {"data document", HTML, "<a href='data:text/html,x'>", "html-url refuse"},
    {"data without type", HTML, "<a href='data:,x'>", "html-url refuse"},
    {"data svg followed", HTML, "<a href='data:image/svg+xml,x'>", "html-url refuse"},
    {"program scheme", HTML, "<a href='ms-word:ofe|u|x'>", "html-url refuse"},
    {"file link", HTML, "<a href='file:///usr/share/doc/x.html'>", "html-url warn"},
    /* embedding, headers */
    {"frame", HTML, "<iframe src=a.html>", "html-embed refuse"},
    {"frame from outside", HTML, "<iframe src=https://example.org/>", "html-embed refuse, external-load refuse"},
    {"srcdoc", HTML, "<p srcdoc='&lt;b>'>", "html-embed refuse"},
    {"object", HTML, "<object data=a.swf>", "html-embed refuse"},
    {"foreign object", HTML, "<svg><foreignObject><p>x</p></foreignObject></svg>", "html-embed warn"},
    {"refresh", HTML, "<meta http-equiv=refresh content='0;url=b.html'>", "html-refresh refuse"},
    {"refresh, reference", HTML, "<meta http-equiv='&#82;efresh' content=0>", "html-refresh refuse"},
    {"cookie header", HTML, "<meta http-equiv=set-cookie content=a=b>", "html-refresh refuse"},
    {"base", HTML, "<base href=https://example.org/>", "html-base refuse"},
    /* loads */
    {"image", HTML, "<img src=http://example.org/p.gif>", "external-load refuse"},
    {"image without scheme", HTML, "<img src=//example.org/p.gif>", "external-load refuse"},
    {"image with backslashes", HTML, "<img src='\\\\host\\p.gif'>", "external-load refuse"},
    {"image of a file server", HTML, "<img src='file://host/p.gif'>", "external-load refuse"},
    {"srcset", HTML, "<img srcset='a.png 1x, https://example.org/b.png 2x'>", "external-load refuse"},
    {"style sheet", HTML, "<link href=https://example.org/s.css rel=StyleSheet>", "external-load refuse"},
    {"prefetch", HTML, "<link rel='dns-prefetch' href=//example.org>", "external-load refuse"},
    {"ping", HTML, "<a ping=https://example.org/p href=a>", "external-load refuse"},
    {"svg use", HTML, "<svg><use xlink:href='https://example.org/a.svg#b'/></svg>", "external-load refuse"},
    {"poster", HTML, "<video poster=https://example.org/p.png>", "external-load refuse"},
    {"style attribute", HTML, "<p style='background: URL( \"https://example.org/p\" )'>", "external-load refuse"},
    {"style attribute, escape", HTML, "<p style='background:u\\72 l(//example.org/p)'>", "external-load refuse"},
    {"style attribute, reference", HTML, "<p style='background:&#117;rl(//example.org/p)'>", "external-load refuse"},
    {"presentation attribute", HTML, "<rect fill='url(https://example.org/a.svg#b)'/>", "external-load refuse"},
    {"import", HTML, "<style>@import 'https://example.org/s.css';</style>", "external-load refuse"},
    {"import behind a comment", HTML, "<style>@import/**/ url(//example.org/s.css);</style>", "external-load refuse"},
    {"import, escape", HTML, "<style>@\\69mport \"//example.org/s\"</style>", "external-load refuse"},
    {"apostrophe in a comment", HTML, "<style>/* don't */ p{background:url(//example.org/p)}</style>", "external-load refuse"},
    {"quote in a comment", HTML, "<style>/* url(\" */ p{background:url(//example.org)} /* \") */</style>", "external-load refuse"},
    {"namespace in a comment", HTML, "<style>/*@namespace*/ p{background:url(//example.org)}</style>", "external-load refuse"},
    {"image set", HTML, "<style>p{background:image-set('a.png' 1x,'//example.org/b' 2x)}</style>", "external-load refuse"},
    {"font", HTML, "<style>@font-face{src:url(https://example.org/f.woff)}</style>", "external-load refuse"},
    {"style without an end", HTML, "<style>p{background:url(//example.org)}", "external-load refuse"},
    /* encodings */
    {"declared utf-7", HTML, "<meta charset=utf-7>", "type/conflict refuse"},
    {"declared by a template", HTML, "<meta charset=\"{{ info.encoding }}\"><meta charset='@CHARSET@'>", ""},
    {"declared beside a template", HTML, "<meta charset='{{ c }}'><meta charset=utf-7>", "type/conflict refuse"},
    {"declared shift_jis", HTML, "<meta http-equiv=content-type content='text/html;charset=shift_jis'>", "type/conflict refuse"},
    {"declared in xml", HTML, "<?xml version='1.0' encoding='EUC-JP'?><html>", "type/conflict refuse"},
    {"iso-2022 shift", HTML, "<p>\x1B$B</p>", "type/conflict refuse"},
    {"latin-1 undeclared", HTML, "<p>caf\xE9</p>", "type/conflict refuse"},
    {"latin-1 declared", HTML, "<meta charset=iso-8859-1><p>caf\xE9</p>", ""},
    {"handler behind a slash", HTML, "<img/src=x/onerror=a()>", "html-handler refuse"},
    {"handler behind backticks", HTML, "<img src=`x`onerror=a()>", "html-handler refuse"},
    {"address with a word like one", HTML, "<a href=https://example.org/on=1/one/only?on=2>x</a><a href='a/onload=x'>", ""},
    {"shadow tree", HTML, "<div><template shadowrootmode=open><p></template></div>", "html-embed refuse"},
    /* the other profiles */
    {"local: scripts", LOCAL, "<script src=a.js></script><body onload=a()><a href=javascript:a()><iframe src=b.html>",
     "html-script note, html-handler note, html-url note, html-embed note"},
    {"local: script from outside", LOCAL, "<script src=https://cdn.example.org/a.js>", "html-script note, external-load refuse"},
    {"local: frame from outside", LOCAL, "<iframe src=https://example.org/>", "html-embed note, external-load refuse"},
    {"local: refresh", LOCAL, "<meta http-equiv=refresh content='0; url=b.html'>", "html-refresh note"},
    {"local: refresh away", LOCAL, "<meta http-equiv=refresh content=\"0; URL='https://example.org/'\">", "html-refresh refuse"},
    {"local: base", LOCAL, "<base href=b/>", "html-base refuse"},
    {"local: srcdoc", LOCAL, "<iframe srcdoc='x'>", "html-embed note, html-embed refuse"},
    {"any", ANY, "<script src=//example.org></script><base href=/><meta http-equiv=refresh content=0>",
     "html-script note, external-load note, html-base note, html-refresh note"},
    {"any: encoding still counts", ANY, "<meta charset=utf-16>", "type/conflict refuse"},
};

Test(active_page, html)
{
    active_table(pages, sizeof(pages) / sizeof(pages[0]));
}

static const struct active_case documents[] = {
    {"svg", SVG, "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'><use xlink:href='#a'/></svg>", ""},
    {"svg doctype", SVG, "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'><svg/>", ""},
    {"svg names of namespaces", SVG, "<!DOCTYPE svg [<!ENTITY ns_svg \"http://www.w3.org/2000/svg\"> <!ENTITY ns_ai \"http://ns.adobe.com/AdobeIllustrator/10.0/\">]><svg/>", ""},
    {"svg namespace fixed", SVG, "<!DOCTYPE svg [ <!ATTLIST svg\n xmlns:xlink CDATA #FIXED \"http://www.w3.org/1999/xlink\"> ]><svg/>", ""},
    {"svg attribute fixed", SVG, "<!DOCTYPE svg [<!ATTLIST svg x CDATA \"http://www.w3.org/1999/xlink\" onload CDATA \"a()\">]><svg/>", "xml-entity refuse"},
    {"svg attribute fixed, other quotes", SVG, "<!DOCTYPE svg [<!ATTLIST svg x CDATA \"http://www.w3.org/1999/xlink\" onload CDATA 'a()'>]><svg/>", "xml-entity refuse"},
    {"svg picture without a type", SVG, "<svg><image href='data:;base64,iVBORw0KGgoAAAANSUhEUg=='/></svg>", ""},
    {"svg text without a type", SVG, "<svg><image href='data:;base64,PHN2Zz4='/></svg>", "html-url refuse"},
    {"svg entity behind such a name", SVG, "<!DOCTYPE svg [<!ENTITY a \"http://ns.adobe.com/&b;\">]><svg/>", "xml-entity refuse"},
    {"svg entity of another place", SVG, "<!DOCTYPE svg [<!ENTITY a \"http://example.org/\">]><svg/>", "xml-entity refuse"},
    {"svg entity from outside", SVG, "<!DOCTYPE svg [<!ENTITY a SYSTEM \"http://ns.adobe.com/x\">]><svg/>", "xml-entity refuse"},
    {"svg link", SVG, "<svg><a xlink:href='https://example.org/'><text>x</text></a></svg>", ""},
    {"svg script", SVG, "<s:svg><s:script>a()</s:script></s:svg>", "html-script refuse"},
    {"svg handler", SVG, "<svg onload='a()'/>", "html-handler refuse"},
    {"svg image", SVG, "<svg><image href='https://example.org/p.png'/></svg>", "external-load refuse"},
    {"svg entity", SVG, "<!DOCTYPE svg [<!ENTITY ns 'x'>]><svg/>", "xml-entity refuse"},
    {"svg style, reference", SVG, "<svg><style>p{fill:&#117;rl(//example.org/p)}</style></svg>", "external-load refuse"},
    {"svg foreign object", SVG, "<svg><foreignObject/></svg>", "html-embed warn"},

    {"xml", XML, "<?xml version='1.0' encoding='UTF-8'?>\n<a b='c'><!-- <!ENTITY x> --><d/></a>", ""},
    {"doctype", XML, "<!DOCTYPE coverage SYSTEM 'http://cobertura.sourceforge.net/xml/coverage-04.dtd'><coverage/>", ""},
    {"doctype nearby", XML, "<!DOCTYPE report PUBLIC '-//JACOCO//DTD Report 1.1//EN' 'report.dtd'><report/>", ""},
    {"doctype property list", XML, "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"><plist/>", ""},
    {"doctype of the system", XML, "<!DOCTYPE book SYSTEM 'file:///usr/share/xml/docbook/x.dtd'><book/>", ""},
    {"doctype urn", XML, "<!DOCTYPE fontconfig SYSTEM 'urn:fontconfig:fonts.dtd'><fontconfig/>", ""},
    {"doctype elsewhere", XML, "<!DOCTYPE a SYSTEM 'http://example.org/c.dtd'><a/>", "external-load refuse"},
    {"doctype file", XML, "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "external-load refuse"},
    {"doctype file, up", XML, "<!DOCTYPE a SYSTEM 'file:///usr/share/../../etc/passwd'><a/>", "external-load refuse"},
    {"doctype public, elsewhere", XML, "<!DOCTYPE a PUBLIC '-//W3C//DTD SVG 1.1//EN' 'HTTPS://example.org/a'><a/>", "external-load refuse"},
    {"doctype host in front", XML, "<!DOCTYPE a SYSTEM 'http://www.w3.org@example.org/a'><a/>", "external-load refuse"},
    {"doctype host longer", XML, "<!DOCTYPE a SYSTEM 'http://www.w3.org.example.org/a'><a/>", "external-load refuse"},
    {"doctype, odd scheme", XML, "<!DOCTYPE a SYSTEM 'gopher://example.org/a'><a/>", "external-load refuse"},
    {"doctype share", XML, "<!DOCTYPE a SYSTEM '//example.org/a'><a/>", "external-load refuse"},
    {"svg doctype elsewhere", SVG, "<!DOCTYPE svg SYSTEM 'http://example.org/s.dtd'><svg/>", "external-load refuse"},
    {"svg base", SVG, "<svg xml:base='https://example.org/'><use href='a.svg#b'/></svg>", "html-base refuse"},
    {"svg base nearby", SVG, "<svg xml:base='img/'><use href='a.svg#b'/></svg>", ""},
    {"base of data", XML, "<feed xml:base='https://example.org/'><a/></feed>", ""},
    {"base of a page", XML, "<r xml:base='https://example.org/'><p xmlns='http://www.w3.org/1999/xhtml'/></r>", "html-base refuse"},
    {"element declarations", XML, "<!DOCTYPE a [<!ELEMENT a (#PCDATA)><!-- <!ENTITY x 'y'> -->]><a/>", ""},
    {"markup as text", XML, "<t><![CDATA[<script xmlns='http://www.w3.org/1999/xhtml'>a()</script>]]></t>", ""},
    {"script element of its own", XML, "<build><script onclick='x'>make</script></build>", ""},
    {"unused namespace", XML, "<book xmlns='http://docbook.org/ns/docbook' xmlns:h='http://www.w3.org/1999/xhtml'><script/></book>", ""},
    {"entity", XML, "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "xml-entity refuse"},
    {"entity in a section", XML, "<!DOCTYPE a [<![INCLUDE[<!ENTITY x SYSTEM 'f'>]]>]><a>&x;</a>", "xml-entity refuse"},
    {"stylesheet inside a doctype", XML, "<!DOCTYPE a [<?xml-stylesheet href='https://example.org/a.xsl' type='text/xsl'?>]><a/>", "xml-stylesheet refuse"},
    {"program of an older kind", XML, "<x:stylesheet xmlns:x='http://www.w3.org/TR/WD-xsl'/>", "xml-stylesheet refuse"},
    {"handler of a formula", XML, "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:mi onclick='a()'>x</m:mi></m:math>", "html-handler refuse"},
    {"formula", XML, "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:mi href='#a'>x</m:mi></m:math>", ""},
    {"inclusion by another name", XML, "<a xmlns:i='http://www.w3.org/2003/XInclude'><i:include href='/etc/passwd'/></a>", "xml-entity refuse"},
    {"entity behind a comment", XML, "<!DOCTYPE a [<!-- ] --><!ENTITY x '&y;'>]><a/>", "xml-entity refuse"},
    {"entity behind a quote", XML, "<!DOCTYPE a SYSTEM '[' [<!ENTITY x '&y;'>]><a/>", "xml-entity refuse"},
    {"entities of text", XML, "<!DOCTYPE a [<!ENTITY day '10'> <!ENTITY n.1 \"&#160;\xe2\x80\x94&#xe9;\">]><a b='&amp;' c='&day;'>&day;&n.1;</a>", ""},
    {"entity of entities", XML, "<!DOCTYPE l [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><l>&b;</l>", "xml-entity refuse"},
    {"entity of markup", XML, "<!DOCTYPE a [<!ENTITY x '<b/>'>]><a>&x;</a>", "xml-entity refuse"},
    {"entity of markup in references", XML, "<!DOCTYPE a [<!ENTITY x '&#60;b/>'>]><a>&x;</a>", "xml-entity refuse"},
    {"entity of a reference in references", XML, "<!DOCTYPE a [<!ENTITY x '&#38;y;'>]><a>&x;</a>", "xml-entity refuse"},
    {"entity of a parameter entity", XML, "<!DOCTYPE a [<!ENTITY x '%y;'>]><a>&x;</a>", "xml-entity refuse"},
    {"parameter entity of text", XML, "<!DOCTYPE a [<!ENTITY % x 'y'>]><a/>", "xml-entity refuse"},
    {"entity of text from outside", XML, "<!DOCTYPE a [<!ENTITY x PUBLIC 'y' 'z'>]><a/>", "xml-entity refuse"},
    {"entity of long text", XML, "<!DOCTYPE a [<!ENTITY x '" LONG_TEXT "'>]><a/>", "xml-entity refuse"},
    {"entity without an end", XML, "<!DOCTYPE a [<!ENTITY x 'y", "xml-entity refuse"},
    {"entity in an attribute", XML, "<!DOCTYPE a [<!ENTITY x 'xhtml'>]><a xmlns='http://www.w3.org/1999/&x;'/>", "xml-entity refuse"},
    {"entity in an address", XML, "<!DOCTYPE a [<!ENTITY x 'script'>]><a href='java&x;:a()'/>", "xml-entity refuse"},
    {"entity in a base", XML, "<!DOCTYPE a [<!ENTITY x 'y'>]><a xml:base='&x;'/>", "xml-entity refuse"},
    {"entity that passes for a reference", XML, "<!DOCTYPE a [<!ENTITY sol 'xhtml'>]><a xmlns='http://www.w3.org/1999&sol;'/>", "xml-entity refuse"},
    {"entity where elements act", XML, "<!DOCTYPE a [<!ENTITY x 'y'>]><a xmlns:h='http://www.w3.org/1999/xhtml'>&x;</a>", "xml-entity refuse"},
    {"entity where files are included", XML, "<!DOCTYPE a [<!ENTITY x 'y'>]><a xmlns:i='http://www.w3.org/2001/XInclude'/>", "xml-entity refuse"},
    {"parameter entity", XML, "<!DOCTYPE a [%x;]><a/>", "xml-entity refuse"},
    {"attribute defaults", XML, "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>", "xml-entity refuse"},
    {"attribute declarations", XML, "<!DOCTYPE a [<!ATTLIST a b CDATA #REQUIRED c (d|e) #IMPLIED f CDATA \"\">]><a/>", ""},
    {"style sheet", XML, "<?xml-stylesheet type='text/css' href='a.css'?><a/>", ""},
    {"style sheet program", XML, "<?xml-stylesheet type='text/xsl' href='a.xsl'?><a/>", "xml-stylesheet refuse"},
    {"style sheet outside", XML, "<?xml-stylesheet href='https://example.org/a.css'?><a/>", "xml-stylesheet refuse"},
    {"xslt", XML, "<x:stylesheet xmlns:x='http://www.w3.org/1999/XSL/Transform'/>", "xml-stylesheet refuse"},
    {"xhtml", XML, "<r xmlns:h='http://www.w3.org/1999/xhtml'><h:script>a()</h:script></r>", "html-script refuse"},
    {"xhtml, reference", XML, "<r xmlns:h='http://www.w3.org/1999/&#120;html'><h:p onclick='a()'/></r>", "html-handler refuse"},
    {"xhtml, default", XML, "<r><p xmlns='http://www.w3.org/1999/xhtml'><img src='//example.org'/></p></r>", "external-load refuse"},
    {"svg in xml", XML, "<r xmlns:s='http://www.w3.org/2000/svg'><s:script/></r>", "html-script refuse"},
    {"odd prefix", XML, "<r xmlns:\xC3\xA9='http://www.w3.org/1999/xhtml'><\xC3\xA9:script/></r>", "html-script refuse"},
    {"include", XML, "<r xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='b.xml'/></r>", "xml-entity warn"},
    {"include outside", XML, "<r xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='/etc/passwd'/></r>", "xml-entity refuse"},
    {"declared encoding", XML, "<?xml version='1.0' encoding='UTF-16'?><a/>", "type/conflict refuse"},

    {"css", CSS, "@charset \"utf-8\"; @import 'a.css'; p{background:url(data:image/png;base64,AA) url(b.png)}", ""},
    {"css outside", CSS, "p{background:url(  'https://example.org/p')}", "external-load refuse"},
    {"css charset", CSS, "@charset \"utf-7\"; p{}", "type/conflict refuse"},
    {"css script", CSS, "p{background:url(javascript:a())}", "html-url refuse"},
};

Test(active_page, documents)
{
    active_table(documents, sizeof(documents) / sizeof(documents[0]));
}

/* Strings that are addresses, whatever a reader takes for a comment, a string or the end of a statement. */
static const struct active_case styles[] = {
    {"comment ends nothing", CSS, "p{background:image-set(/*;*/'//example.org/p' 1x)}", "external-load refuse"},
    {"comment behind import", CSS, "@import/*}*/'//example.org/p';", "external-load refuse"},
    {"string ends nothing", CSS, "p{background:image-set('a;b' 1x,'//example.org/p' 2x)}", "external-load refuse"},
    {"address ends nothing", CSS, "p{background:image-set(url(a;b) 1x,'//example.org/p' 2x)}", "external-load refuse"},
    {"word in a comment", CSS, "/*image-set('*/p{background:image-set('a;' 1x,'//example.org' 2x)}", "external-load refuse"},
    {"word in a string", CSS, "p{background:image-set('image-set(;' 1x,'//example.org' 2x)}", "external-load refuse"},
    {"many", CSS, "p{background:image-set('1','2','3','4','5','6','7','8','9','//example.org')}", "external-load refuse"},
    {"reference in raw text", HTML, "<style>p{a:image-set(/*&#42;/ ;*/'//example.org')}</style>", "external-load refuse"},
    {"namespace in a comment", CSS, "p{background:/*@namespace*/url(//example.org)}", "external-load refuse"},
    {"namespace in a string", CSS, "p{list-style:'@namespace' url(//example.org)}", "external-load refuse"},
    {"own name", CSS, "p{--a:'//example.org';background:image-set(var(--a) 1x)}", "external-load refuse"},
    {"own name, blank", CSS, "p{--a :'//example.org'}", "external-load refuse"},
    {"own name in an attribute", HTML, "<p style='--a:\"//example.org\"'>", "external-load refuse"},
    {"first value", CSS, "@property --a{initial-value:'//example.org'}", "external-load refuse"},
    {"result", CSS, "@function --a(){result:'//example.org'}", "external-load refuse"},
    {"line goes on", CSS, "p{background:url('ht\\\ntps://example.org')}", "external-load refuse"},
    {"line goes on, two bytes", CSS, "p{background:url('ht\\\r\ntps://example.org')}", "external-load refuse"},
    {"escape and a line's end", CSS, "p{background:u\\72\r\nl(//example.org)}", "external-load refuse"},
    {"style in an address", CSS, "@import url(data:text/css,x);", "html-url refuse"},
    {"style called an image", CSS, "@import 'data:image/png,x';", "html-url refuse"},
    {"loader", CSS, "p{filter:progid:x.AlphaImageLoader(src='//example.org')}", "external-load refuse"},
    {"start picture", HTML, "<link rel=apple-touch-startup-image href=//example.org>", "external-load refuse"},
    {"selector", CSS, "@import 'a.css';a[href^='//example.org']{color:red}", ""},
    {"set, then selector", CSS, "p{background:image-set('a' 1x)}a[href^='//example.org']{color:red}", ""},
    {"text", CSS, "a::after{content:'https://example.org/'}", ""},
    {"namespaces", CSS, "@namespace 'http://example.org';@namespace a url(http://example.org);", ""},
    {"own names", CSS, ":root{--a:url(\"data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg'%3e\");--b:'x'}", ""},
    {"own name over lines", CSS, ":root{--a:url('data:image/svg+xml,<svg x=\"1\" \\\ny=\"//example.org\">')}", ""},
    {"escape in a comment", CSS, "@import/*\\*/'//example.org';", "external-load refuse"},
    {"escape in a string", CSS, "p{a:image-set('\\';' 1x,'//example.org' 2x)}", "external-load refuse"},
    {"word in prose", CSS, "/* @import 'a' of https://example.org */p{background:url(data:image/png,x)}", ""},
};

Test(active_page, styles)
{
    active_table(styles, sizeof(styles) / sizeof(styles[0]));
}

Test(active_page, window_borders)
{
    static const struct active_case cut[] = {
        {"tag", HTML, "<p title='a'><script src=//example.org/>", "html-script refuse, external-load refuse"},
        {"value", HTML, "<a href='&#106;ava&Tab;script&colon;a()'>", "html-url refuse"},
        {"nested", HTML, "<p title=\"<img onerror=a()>\">", "html-handler refuse"},
        {"style", HTML, "<style>p{background:u\\72 l(&#104;ttps://e)}</style>", "external-load refuse"},
        {"xhtml", XML, "<h:p xmlns:h='http://www.w3.org/1999/xhtml' onclick='a'/>", "html-handler refuse"},
        {"cdata", XML, "<![CDATA[<script>]]><h:p xmlns:h='http://www.w3.org/1999/xhtml' onclick='a'/>", "html-handler refuse"},
        {"css", CSS, "@\\69mport /**/ '//example.org'", "external-load refuse"},
    };
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++)
        active_borders(&cut[i], cut[i].scan == active_xml_scan ? "<r>" : "", ' ');
}

/* A value longer than what is kept does not hide what follows it, and nesting without end is told. */
Test(active_page, long_and_deep)
{
    size_t n = 600 * 1024;
    char *text = malloc(n + 1);
    struct active_case image = {"long image", HTML, NULL, "html-handler refuse"};
    struct active_case blank = {"long blank", HTML, NULL, "inspect/limit refuse"};
    struct active_case deep = {"deep", HTML, NULL, "inspect/limit refuse"};
    memset(text, 'A', n);
    text[n] = '\0';
    memcpy(text, "<img src='data:image/png;base64,", 32);
    memcpy(text + n - 16, "' onerror=a()>  ", 16);
    active_check(&image, text, n);
    memset(text, ' ', n);
    memcpy(text, "<a href='", 9);
    memcpy(text + n - 16, "javascript:a()'>", 16);
    active_check(&blank, text, n);
    for (size_t i = 0; i + 3 <= n; i += 3)
        memcpy(text + i, "<a ", 3);
    active_check(&deep, text, n);
    free(text);
}

/* However often a construct comes, it is one finding with a count. */
Test(active_page, counts)
{
    char text[64 * 100] = "", *at = text;
    struct active_case c = {"many", ANY, text, "html-handler note"};
    for (int i = 0; i < 2000 && at < text + sizeof(text) - 32; i++)
        at += sprintf(at, "\n<a onclick=a>");
    active_table(&c, 1);
    struct bytes bytes;
    struct sink_list list;
    sink_list_init(&list);
    bytes_init_memory(&bytes, text, strlen(text));
    active_run(&list, &c, &bytes, true);
    cr_assert_eq(list.findings.n, 1);
    cr_expect_eq(list.findings.v[0].line, 2);
    cr_expect_eq(list.findings.v[0].offset, 4);
    cr_expect_not_null(strstr(list.findings.v[0].message, "places"));
    sink_list_free(&list);
}
