/* SPDX-License-Identifier: ISC */
#include "active_cases.h"

#include "inspect/active_office.h"

static const struct {
    const char *name, *content, *want;
} parts[] = {
    {"word/document.xml", "<w:document><w:body><w:p/></w:body></w:document>", ""},
    {"docProps/custom.xml", "", ""},
    {"word/media/image1.png", "\x89PNG", ""},
    {"Configurations2/accelerator/current.xml", "", ""},
    {"mimetype", "application/vnd.oasis.opendocument.text", ""},
    {"word/vbaProject.bin", "", "office-macro refuse"},
    {"WORD/VBAPROJECT.BIN", "", "office-macro refuse"},
    {"word\\vbaProject.bin", "", "office-macro refuse"},
    {"xl/macrosheets/sheet1.xml", "", "office-macro refuse"},
    {"customUI/customUI14.xml", "", "office-macro refuse"},
    {"Basic/Standard/Module1.xml", "", "office-macro refuse"},
    {"Scripts/python/a.py", "", "office-macro refuse"},
    {"word/activeX/activeX1.xml", "", "office-object refuse"},
    {"word/embeddings/oleObject1.bin", "", "office-object refuse"},
    {"Object 1/content.xml", "", "office-object refuse"},
    {"xl/externalLinks/externalLink1.xml", "", "office-external refuse"},

    {"[Content_Types].xml", "<Types><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>", ""},
    {"[Content_Types].xml", "<Override ContentType='application/vnd.ms-word.document.macroEnabled.main+xml'/>", "office-macro refuse"},
    {"[Content_Types].xml", "<Override ContentType='application/vnd.ms-office.vba&#80;roject'/>", "office-macro refuse"},
    {"[Content_Types].xml", "<Override PartName='/word/x.bin' ContentType = \"application/vnd.openxmlformats-officedocument.oleObject\"/>", "office-object refuse"},
    {"[Content_Types].xml", "\xFF\xFE<\0T\0", "inspect/incomplete refuse"},

    {"word/_rels/document.xml.rels", "<Relationship Type=\"http://x/relationships/hyperlink\" Target=\"https://example.org/\" TargetMode=\"External\"/>", ""},
    {"word/_rels/document.xml.rels", "<Relationship Type=\"http://x/relationships/image\" Target=\"media/a.png\"/>", ""},
    {"word/_rels/settings.xml.rels", "<Relationship Id='r' Type='http://x/attachedTemplate' Target='https://example.org/t.dotm' TargetMode = 'External'/>", "office-external refuse"},
    {"word/_rels/settings.xml.rels", "<Relationship TargetMode='External' Type='http://x/attachedTemplate' Target='file:///C:\\Normal.dotm'/>", "office-external warn"},
    {"word/_rels/settings.xml.rels", "<Relationship TargetMode='External' Type='http://x/attachedTemplate' Target='file:///\\\\host\\t.dotm'/>", "office-external refuse"},
    {"word/_rels/document.xml.rels", "<Relationship Type='http://x/image' TargetMode='Ext&#101;rnal' Target='https://example.org/a.png'/>", "office-external refuse"},
    {"word/_rels/document.xml.rels", "<r:Relationship Type='http://x/oleObject' Target='a.bin'/>", "office-object refuse"},
    {"_rels/.rels", "<Relationship Type='http://schemas.microsoft.com/office/2006/relationships/ui/extensibility' Target='x.xml'/>", "office-macro refuse"},
    {"word/_rels/document.xml.rels", "<Relationship Type='http://x/hyperlink' TargetMode='External' Target='javascript:a()'/>", "office-external refuse"},

    {"word/document.xml", "<w:instrText>PAGEREF _Toc1 \\h</w:instrText>", ""},
    {"word/document.xml", "<w:instrText> DDEAUTO c:\\\\cmd \"/k\"</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:instrText>D</w:instrText></w:r><w:r><w:instrText>DE x</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:fldSimple w:instr='DDE x'>", "office-external refuse"},
    {"word/document.xml", "<w:instrText>INCLUDEPICTURE \"https://example.org/a\"</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:instrText>PADDE x DDEX</w:instrText>", ""},
    {"word/document.xml", "<w:t>the DDE protocol</w:t><w:instrText>TOC</w:instrText>", ""},

    {"word/document.xml", "<w:instrText>LINK Excel.Sheet.12 \"C:\\\\a.xlsx\"</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:instrText>DATABASE \\d \"a\"</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:instrText>HYPERLINK \"https://example.org/database/link/import\"</w:instrText>", ""},
    {"word/document.xml", "<v:imagedata src='https://example.org/a.png'/>", "office-external refuse"},
    {"word/document.xml", "<v:imagedata src='a.png' r:id='r1'/>", ""},
    {"word/_rels/document.xml.rels", "<Relationship Type='http://x/hyperlink' TargetMode='External' Target='ms-msdt:/id'/>", "office-external refuse"},
    {"EPUB/a.opf", "<item href='https://example.org/a.mp3' media-type='audio/mpeg'/>", "external-load refuse"},
    {"EPUB/a.opf", "<dc:source>https://example.org/</dc:source><item href='a.xhtml'/>", ""},

    {"content.xml", "<text:dde-connection-decl office:dde-application='soffice'/>", "office-external refuse"},
    {"content.xml", "<text:execute-macro text:name='x'/>", "office-macro refuse"},
    {"content.xml", "<text:a xlink:href='.uno:Save'>", "office-macro refuse"},
    {"content.xml", "<text:a xlink:href='vnd.libreoffice.command:x'>", "office-macro refuse"},
    {"content.xml", "<text:a xlink:href='ms-msdt:/id'>", "office-macro refuse"},
    {"meta.xml", "<meta:template xlink:href='https://example.org/a.ott'/>", "office-external refuse"},
    {"meta.xml", "<meta:template xlink:href='file://host/a.ott'/>", "office-external refuse"},
    {"meta.xml", "<meta:template xlink:href='file:///home/a/a.ott'/>", ""},
    {"meta.xml", "<meta:template xlink:href='../a.ott'/>", ""},
    {"content.xml", "<text:a xlink:href='https://example.org/'>x</text:a>", ""},
    {"content.xml", "<draw:image xlink:href='Pictures/a.png'/>", ""},
    {"content.xml", "<draw:image xlink:href='https://example.org/a.png'/>", "office-external refuse"},
    {"content.xml", "<script:event-listener script:event-name='dom:load'/>", "office-macro refuse"},
    {"content.xml", "<script:event-listener script:event-name='dom:load' xlink:href=''/>", ""},
    {"content.xml", "<script:event-listener script:event-name='dom:load' xlink:href='' script:macro-name='A.B'/>", "office-macro refuse"},
    {"content.xml", "<text:a xlink:href='vnd.sun.star.script:a'>", "office-macro refuse"},
    {"word/document.xml", "<w:instrText>QUOTE 68 68 69</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:instrText>QUOTE 2026</w:instrText>", ""},
    {"word/document.xml", "<w:instrText>D<!-- x -->DE x</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:instrText><![CDATA[DDE x]]></w:instrText>", "office-external refuse"},
    {"any/place.txt", "<w:instrText>DDE x</w:instrText>", "office-external refuse"},
    {"word/document.xml", "<w:altChunk r:id='r9'/>", "office-object refuse"},
    {"ppt/slides/slide1.xml", "<a:hlinkClick action='ppaction://hlinksldjump'/>", ""},
    {"ppt/slides/slide1.xml", "<a:hlinkClick action='ppaction://program' r:id='r1'/>", "office-macro refuse"},
    {"ppt/slides/slide1.xml", "<a:hlinkClick action='ppaction://Macro?name=a'/>", "office-macro refuse"},
    {"xl/worksheets/sheet1.xml", "<c><f>SUM(A1:A2)</f></c><c><f>IF(A1=\"a|b!\",1,[1]S!A1)</f></c>", ""},
    {"xl/worksheets/sheet1.xml", "<c t='inlineStr'><is><t>=cmd|x!A0 WEBSERVICE(</t></is></c>", ""},
    {"xl/worksheets/sheet1.xml", "<f>_xlfn.WEBSERVICE(\"https://x\")</f>", "office-external refuse"},
    {"xl/worksheets/sheet1.xml", "<f>web&#115;ervice (A1)</f>", "office-external refuse"},
    {"xl/worksheets/sheet1.xml", "<f>WEB<!-- -->SERVICE(A1)</f>", "office-external refuse"},
    {"xl/worksheets/sheet1.xml", "<f>MYWEBSERVICE(A1)+\"WEBSERVICE(\"</f>", ""},
    {"xl/worksheets/sheet1.xml", "<f>cmd|'/C calc'!A0</f>", "office-external refuse"},
    {"xl/worksheets/sheet1.xml", "<f>HYPERLINK(\"https://example.org/\",\"x\")</f>", ""},
    {"xl/worksheets/sheet1.xml", "<f>HYPERLINK(\"#'A b'!A1\")</f>", ""},
    {"xl/worksheets/sheet1.xml", "<f>HYPERLINK(\"https://example.org/?\"&amp;A1,\"x\")</f>", "office-external refuse"},
    {"xl/worksheets/sheet1.xml", "<f>HYPERLINK(\"file:///c:/x.exe\")</f>", "office-external refuse"},
    {"xl/worksheets/sheet1.xml", "<dataValidation><formula1>RTD(\"x\",,1)</formula1></dataValidation>", "office-external refuse"},
    {"xl/charts/chart1.xml", "<c:f>Sheet1!$A$1</c:f>", ""},
    {"xl/workbook.xml", "<definedName name='Auto_Open'>S!A1</definedName>", "office-macro refuse"},
    {"xl/workbook.xml", "<definedName name='_xlnm.Print_Area'>S!$A$1</definedName>", ""},
    {"xl/workbook.xml", "<definedName name='x'>CALL(\"k\")</definedName>", "office-external refuse"},
    {"content.xml", "<table:table-cell table:formula='of:=SUM([.A1:.A2])'/>", ""},
    {"content.xml", "<table:table-cell table:formula='of:=DDE(&quot;a&quot;;1)'/>", "office-external refuse"},
    {"content.xml", "<table:table-cell table:formula=\"of:=['file:///etc/passwd'#$S.A1]\"/>", "office-external refuse"},
    {"content.xml", "<table:table-cell table:formula='msoxl:=cmd|x!A0'/>", "office-external refuse"},
    {"content.xml", "<office:script/>", "office-macro refuse"},
    {"content.xml", "<draw:plugin/>", "office-object refuse"},
    {"content.xml", "<draw:applet/>", "office-object refuse"},
    {"meta.xml", "<meta:template xlink:href='file:///usr/a.ott'/>", ""},
    {"meta.xml", "<meta:auto-reload xlink:href='https://example.org/'/>", "office-external refuse"},
    {"META-INF/manifest.xml", "<manifest:encryption-data/>", "archive/encrypted refuse"},
    {"word/document.xml", "<!DOCTYPE w [<!ENTITY d 'DDEAUTO'>]><w:instrText>&d; x</w:instrText>", "xml-entity refuse"},
    {"word/_rels/a.xml.rels", "<!DOCTYPE r [<!ENTITY m 'External'>]><Relationship TargetMode='&m;'/>", "xml-entity refuse"},
    {"content.xml", "<!DOCTYPE a [<!ENTITY d 'DDE'>]><table:table-cell table:formula='of:=&d;(1)'/>", "xml-entity refuse"},
    {"any/place.txt", "<!DOCTYPE a [<!ENTITY d 'x'>]><a/>", "xml-entity refuse"},
};

Test(active_office, parts)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char line[512];
        struct task task;
        struct bytes bytes, content;
        struct inspection in;
        struct sink_list list;
        size_t n = parts[i].content[0] == '\xFF' ? 6 : strlen(parts[i].content);
        sink_task(&task, "a.docx", NULL);
        sink_list_init(&list);
        bytes_init_memory(&bytes, "PK", 2);
        bytes_init_memory(&content, parts[i].content, n);
        inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
        active_office_member(&in, parts[i].name, strlen(parts[i].name), &content);
        active_line(&list, line, sizeof(line));
        cr_expect_str_eq(line, parts[i].want, "%s, %s: said \"%s\", want \"%s\"", parts[i].name, parts[i].content,
                         line, parts[i].want);
        sink_list_free(&list);
    }
}

/* Parts that would be suspicious alone and are what office programs write into packages. */
Test(active_office, part_claims)
{
    static const struct {
        const char *name, *content;
        enum type not_claimed;
    } rows[] = {
        {"Configurations2/accelerator/current.xml", "", TYPE_XML},
        {"xl/workbook.xml", "<?xml version=\"1.0\"?><workbook xmlns=\"x\"/>", TYPE_OTHER_DOCUMENT},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int part = 0; part < 2; part++) {
            struct task task;
            struct bytes bytes;
            struct inspection in;
            struct sink_list list;
            sink_task(&task, rows[i].name, NULL);
            sink_list_init(&list);
            bytes_init_memory(&bytes, rows[i].content, strlen(rows[i].content));
            inspection_init(&in, &bytes, &task, &list.budget, &list.sink);
            in.package_part = part == 1;
            type_inspect(&in);
            cr_expect_eq(claims_has(&in.claims, rows[i].not_claimed), part == 0, "%s, part %d", rows[i].name, part);
            sink_list_free(&list);
        }
}
