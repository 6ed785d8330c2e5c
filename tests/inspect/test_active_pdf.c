/* SPDX-License-Identifier: ISC */
#include "active_cases.h"

#include <zlib.h>

#include "base/buf.h"
#include "base/limits.h"

#define CATALOG "<< /Type /Catalog /Pages 2 0 R %s >>"
#define PAGES "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
#define PAGE "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"

/* A file of these objects (numbered from 1), with a classic cross-reference. */
static void build(struct buf *out, const struct buf *objects, size_t n, const char *trailer)
{
    size_t offsets[16], xref;
    buf_init(out, 1 << 20);
    buf_text(out, "%PDF-1.5\n%\xE2\xE3\xCF\xD3\n");
    for (size_t i = 0; i < n; i++) {
        offsets[i] = out->len;
        buf_printf(out, "%zu 0 obj\n", i + 1);
        buf_bytes(out, objects[i].data, objects[i].len);
        buf_text(out, "\nendobj\n");
    }
    xref = out->len;
    buf_printf(out, "xref\n0 %zu\n0000000000 65535 f \n", n + 1);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%010zu 00000 n \n", offsets[i]);
    buf_printf(out, "trailer\n<< /Size %zu /Root 1 0 R %s>>\nstartxref\n%zu\n%%%%EOF\n", n + 1, trailer, xref);
}

static void put_stream(struct buf *b, const char *dictionary, const char *data, bool compress_it)
{
    Bytef packed[4096];
    uLongf len = sizeof(packed);
    size_t raw = strlen(data);
    if (compress_it)
        cr_assert_eq(compress(packed, &len, (const Bytef *)data, raw), Z_OK);
    buf_printf(b, "<< %s /Length %zu >>\nstream\n", dictionary, compress_it ? (size_t)len : raw);
    buf_bytes(b, compress_it ? packed : (const Bytef *)data, compress_it ? (size_t)len : raw);
    buf_text(b, "\nendstream");
}

/* Catalog (with extra), pages, page and two objects more. */
static void file_of(struct buf *out, const char *extra, const struct buf *four, const struct buf *five,
                    const char *trailer)
{
    struct buf objects[5];
    size_t n = five ? 5 : four ? 4 : 3;
    for (size_t i = 0; i < 3; i++)
        buf_init(&objects[i], 4096);
    buf_printf(&objects[0], CATALOG, extra);
    buf_text(&objects[1], PAGES);
    buf_text(&objects[2], PAGE);
    if (four)
        objects[3] = *four;
    if (five)
        objects[4] = *five;
    build(out, objects, n, trailer);
    for (size_t i = 0; i < 3; i++)
        buf_free(&objects[i]);
}

static void expect(const char *name, const struct buf *file, const char *want)
{
    struct active_case c = {name, active_pdf_scan, "pdf", "pdf", NULL, want};
    cr_assert_not(file->failed);
    active_check(&c, file->data, file->len);
}

static void simple(const char *name, const char *extra, const char *four, const char *want)
{
    struct buf out, object;
    buf_init(&object, 8192);
    buf_text(&object, four ? four : "null");
    file_of(&out, extra, &object, NULL, "");
    expect(name, &out, want);
    buf_free(&object);
    buf_free(&out);
}

Test(active_pdf, names)
{
    simple("plain", "", NULL, "");
    simple("open at a page", "/OpenAction [3 0 R /Fit]", NULL, "");
    simple("open at a named place", "/OpenAction << /S /GoTo /D [3 0 R /Fit] >>", NULL, "");
    simple("link", "", "<< /Type /Annot /A << /S /URI /URI (https://example.org/) >> >>", "");
    simple("empty additional actions", "/AA << >>", NULL, "");
    simple("text about names", "/Title (HTML/CSS/JavaScript \\( /JS /Launch)", NULL, "");
    simple("structure with S", "/OpenAction 4 0 R", "<< /Type /StructElem /S /Span >>", "");
    simple("javascript", "/OpenAction << /S /JavaScript /JS (a\\(\\)) >>", NULL, "pdf-script refuse");
    simple("hex names", "/OpenAction << /S /J#61vaScript /J#53 (x) >>", NULL, "pdf-script refuse");
    simple("kind elsewhere", "/OpenAction << /S 4 0 R >>", "/JavaScript", "pdf-script refuse");
    simple("behind a comment", "/Names % ) \n << /JavaScript 4 0 R >>", NULL, "pdf-script refuse");
    simple("launch", "", "<< /S /Launch /F (cmd.exe) >>", "pdf-action refuse");
    simple("submit", "", "<< /S /SubmitForm >>", "pdf-action refuse");
    simple("xfa", "/AcroForm << /XFA 4 0 R >>", NULL, "pdf-action refuse");
    simple("script in a link", "", "<< /A << /S /URI /URI (java\\163cript:a\\(\\)) >> >>", "pdf-action refuse");
    simple("program in a link", "", "<< /A << /S /URI /URI <6D732D6D7364743A> >> >>", "pdf-action refuse");
    simple("script of its own", "", "(javascript:a)", "pdf-action refuse");
    simple("script in prose", "", "<< /Title (javascript: a language) >>", "");
    simple("address opened", "/OpenAction << /S /URI /URI (https://example.org/) >>", NULL, "pdf-action refuse");
    simple("address opened elsewhere", "/OpenAction 4 0 R", "<< /S /URI /URI (x) >>", "pdf-action refuse");
    simple("address on an event", "/AA << /O << /S /URI >> >>", NULL, "pdf-action refuse");
    simple("page opened elsewhere", "/OpenAction 4 0 R", "<< /S /GoTo /D [3 0 R] >>", "");
    simple("embedded", "/Names << /EmbeddedFiles 4 0 R >>", "<< /EF << /F 3 0 R >> >>", "pdf-embedded refuse");
    simple("collection", "/Collection << >>", NULL, "pdf-embedded refuse");
}

Test(active_pdf, streams)
{
    struct buf out, four;
    static const struct {
        const char *name, *dictionary, *data;
        bool packed;
        const char *want;
    } rows[] = {
        {"content", "", "BT (HTML/CSS/JavaScript and /JS /Launch) Tj ET", false, ""},
        {"packed content", "/Filter /FlateDecode", "BT (/S /JavaScript) Tj /JS gs ET", true, ""},
        {"image", "/Subtype /Image /Filter [/FlateDecode]", "\x01/S /JavaScript", true, ""},
        {"objects", "/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode", "10 0 << /S /JavaScript /JS (x) >>", true,
         "pdf-script refuse"},
        {"objects without type", "/N 1 /First 5 /Filter /Fl", "10 0 << /S /Launch >>", true, "pdf-action refuse"},
        {"objects, hex keys", "/#4e 1 /F#69rst 5 /Filter /FlateDecode", "10 0 << /J#53 1 >>", true, "pdf-script refuse"},
        {"objects that are none", "/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode", "10 0 << ) >>", true,
         "pdf-malformed refuse"},
        {"objects unpacked", "/Type /ObjStm /N 1 /First 5", "10 0 << /A 1 >>", false, "pdf-malformed refuse"},
        {"objects twice packed", "/Type /ObjStm /N 1 /First 5 /Filter [/ASCIIHexDecode /FlateDecode]", "x", true,
         "pdf-malformed refuse"},
        {"objects predicted", "/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode /DecodeParms << /Predictor 12 >>", "x",
         true, "pdf-malformed refuse"},
        {"actions in other data", "/Filter /FlateDecode", "<< /S /JavaScript >>", true, "pdf-script refuse"},
        {"not packed at all", "/Filter /FlateDecode", "plain", false, "pdf-malformed refuse"},
        {"data elsewhere", "/F (x)", "x", false, "pdf-malformed refuse"},
        {"hidden object", "", "7 0 obj << /S /JavaScript >> endobj", false, "pdf-script refuse, pdf-malformed refuse"},
        {"hidden object, comments", "", "7%a\n0 %b\nobj<< >>", false, "pdf-malformed refuse"},
        {"the word obj", "", "an obj and 5 obj", false, ""},
        {"credential in content", "/Filter /FlateDecode", "BT (" ACTIVE_MARK ") Tj ET", true, "secret/ refuse"},
        {"credential in metadata", "/Type /Metadata /Subtype /XML /Filter /FlateDecode", "<x>" ACTIVE_MARK "</x>", true,
         "secret/ refuse"},
        {"credential in pixels", "/Subtype /Image /Filter /FlateDecode", "\x01" ACTIVE_MARK, true, "secret/ refuse"},
        {"credential in objects", "/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode", "10 0 (" ACTIVE_MARK ")", true,
         "secret/ refuse"},
        {"compressed three times", "/Filter [/Fl /Fl /Fl]", "x", true, "pdf-malformed refuse"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        buf_init(&four, 8192);
        put_stream(&four, rows[i].dictionary, rows[i].data, rows[i].packed);
        file_of(&out, "", &four, NULL, "");
        expect(rows[i].name, &out, rows[i].want);
        buf_free(&four);
        buf_free(&out);
    }
}

/* A long stream packed once or twice, with a credential at this place; the windows meet at PDF_WINDOW. */
static void long_stream(size_t place, int times, const char *want)
{
    struct buf out, four;
    uLongf len = PDF_WINDOW * 2;
    Bytef *data = malloc(len), *packed;
    memset(data, ' ', len);
    if (place)
        memcpy(data + place, ACTIVE_MARK, sizeof(ACTIVE_MARK) - 1);
    for (int i = 0; i < times; i++) {
        uLong raw = len;
        len = compressBound(raw);
        packed = malloc(len);
        cr_assert_eq(compress(packed, &len, data, raw), Z_OK);
        free(data);
        data = packed;
    }
    buf_init(&four, 1 << 20);
    buf_printf(&four, "<< /Filter [/FlateDecode %s] /Length %zu >>\nstream\n", times == 2 ? "/Fl" : "", (size_t)len);
    buf_bytes(&four, data, len);
    buf_text(&four, "\nendstream");
    file_of(&out, "", &four, NULL, "");
    expect("long stream", &out, want);
    buf_free(&four);
    buf_free(&out);
    free(data);
}

Test(active_pdf, credential_anywhere)
{
    for (int times = 1; times <= 2; times++) {
        long_stream(0, times, "");
        long_stream(1, times, "secret/ refuse");
        long_stream(PDF_WINDOW - 7, times, "secret/ refuse");
        long_stream(PDF_WINDOW + 5, times, "secret/ refuse");
        long_stream(PDF_WINDOW * 2 - sizeof(ACTIVE_MARK) + 1, times, "secret/ refuse");
    }
}

/* An action in an object stream that is opened by number, and one that is not. */
Test(active_pdf, opened_in_object_stream)
{
    static const char *const numbers[] = {"/OpenAction 11 0 R", "/OpenAction 10 0 R"};
    static const char *const want[] = {"pdf-action refuse", ""};
    for (size_t i = 0; i < 2; i++) {
        struct buf out, four;
        buf_init(&four, 8192);
        put_stream(&four, "/Type /ObjStm /N 2 /First 11 /Filter /FlateDecode",
                   "10 0 11 15 << /S /GoTo >> << /S /URI /URI (x) >>", true);
        file_of(&out, numbers[i], &four, NULL, "");
        expect(numbers[i], &out, want[i]);
        buf_free(&four);
        buf_free(&out);
    }
}

/* Replaces the first place of `from`, which is as long as `to`. */
static void replace(struct buf *b, const char *from, const char *to)
{
    uint8_t *hit = memmem(b->data, b->len, from, strlen(from));
    cr_assert_not_null(hit, "%s", from);
    cr_assert_eq(strlen(from), strlen(to));
    memcpy(hit, to, strlen(to));
}

Test(active_pdf, structure)
{
    static const struct {
        const char *name, *from, *to, *tail, *want;
    } rows[] = {
        {"as it is", "%PDF-1.5", "%PDF-1.7", "", ""},
        {"blank tail", "%PDF-1.5", "%PDF-2.0", "\r\n\n", ""},
        {"no header", "%PDF-1.5", "%PDX-1.5", "", "pdf-malformed refuse"},
        {"trailing bytes", "%PDF-1.5", "%PDF-1.5", "PK\x03\x04", "pdf-malformed refuse"},
        {"trailing comment", "%PDF-1.5", "%PDF-1.5", "% x\n", "pdf-malformed refuse"},
        {"trailing object", "%PDF-1.5", "%PDF-1.5", "9 0 obj << >> endobj\n%%EOF", ""},
        {"wrong start", "startxref\n", "startxref\n1", "", "pdf-malformed refuse"},
        {"missing endobj", "endobj", "endobk", "", "pdf-malformed refuse"},
        {"words between", "endobj\n3 0", "endobj x 0", "", "pdf-malformed refuse"},
        {"brackets", "[3 0 R]", "[3 0 R>", "", "pdf-malformed refuse"},
        {"string over the end", "/Kids [3 0 R]", "/Kids (3 0 R ", "", "pdf-malformed refuse"},
        {"hidden in a comment", "%\xE2\xE3\xCF\xD3\n", "%\xE2\xE3\xCF\xD3\n", "", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf out;
        file_of(&out, "", NULL, NULL, "");
        if (strcmp(rows[i].name, "wrong start") == 0)
            out.data[out.len - 8] = out.data[out.len - 8] == '1' ? '2' : '1'; /* the last digit of the offset */
        else
            replace(&out, rows[i].from, rows[i].to);
        buf_text(&out, rows[i].tail);
        expect(rows[i].name, &out, rows[i].want);
        buf_free(&out);
    }
    struct buf out, four;
    file_of(&out, "", NULL, NULL, "/Encrypt 4 0 R ");
    expect("encrypted", &out, "pdf-encrypted refuse");
    buf_free(&out);
    buf_init(&four, 100);
    buf_text(&four, "% 8 0 obj <<>>\nnull");
    file_of(&out, "", &four, NULL, "");
    expect("comment with an object", &out, "pdf-malformed refuse");
    buf_free(&out);
    buf_free(&four);
    simple("string with an object", "/Title (7 0 obj << /S /Launch >> endobj)", NULL, "pdf-malformed refuse");
    simple("length too small", "", "<< /Length 1 >>\nstream\nx    \nendstream", "pdf-malformed refuse");
    simple("length too large", "", "<< /Length 900 >>\nstream\nx\nendstream", "pdf-malformed refuse");
    simple("length and an end of line", "", "<< /Length 1 >>\nstream\r\nx\r\nendstream", "");
    simple("deep", "/A [[[[[[[[[[ << /JS 1 >> ]]]]]]]]]]", NULL, "pdf-script refuse");
}

Test(active_pdf, nesting_is_bounded)
{
    char deep[1000];
    memset(deep, '[', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    simple("too deep", "", deep, "pdf-malformed refuse");
}

/* Length as an object elsewhere, and an object cut by the border of the window. */
Test(active_pdf, indirect_length)
{
    struct buf out, four, five;
    Bytef packed[512];
    uLongf len = sizeof(packed);
    const char *data = "10 0 << /S /JavaScript >>";
    cr_assert_eq(compress(packed, &len, (const Bytef *)data, strlen(data)), Z_OK);
    buf_init(&four, 4096);
    buf_init(&five, 100);
    buf_text(&four, "<< /Type /ObjStm /N 1 /First 5 /Length 5 0 R /Filter /FlateDecode >>\nstream\r\n");
    buf_bytes(&four, packed, len);
    buf_text(&four, "\nendstream");
    buf_printf(&five, "%lu", len);
    file_of(&out, "", &four, &five, "");
    expect("indirect", &out, "pdf-script refuse");
    buf_free(&four);
    buf_free(&five);
    buf_free(&out);
}

Test(active_pdf, window_borders)
{
    static const struct active_case objects[] = {
        {"name", active_pdf_scan, "pdf", "pdf", "5 0 obj << /S /J#61vaScript /JS (a\\)) >> endobj\n", "pdf-script refuse, pdf-malformed refuse"},
    };
    active_borders(&objects[0], "%PDF-1.5\n", ' ');
    /* a hidden object at every place around the border of the first window, inside a stream */
    for (size_t cut = 0; cut < 12; cut++) {
        struct buf out, four;
        size_t n = BYTES_WINDOW + 100;
        buf_init(&four, n + 4096);
        buf_printf(&four, "<< /Length %zu >>\nstream\n", n);
        for (size_t i = 0; i < n; i++)
            buf_u8(&four, 'x');
        buf_text(&four, "\nendstream");
        file_of(&out, "", &four, NULL, "");
        expect("nothing hidden", &out, "");
        memcpy(out.data + BYTES_WINDOW - cut, " 7 0 obj ", 9);
        expect("hidden at a border", &out, "pdf-malformed refuse");
        buf_free(&out);
        buf_free(&four);
    }
}

/* A credential in content that is packed in each way, and each way's faults. */
static const struct {
    const char *name, *dictionary, *data;
    size_t len;
    const char *want;
} filters[] = {
#define FOUND(name, dictionary, data) {name, dictionary, data, sizeof(data) - 1, "secret/ refuse"}
#define FAULT(name, dictionary, data, want) {name, dictionary, data, sizeof(data) - 1, want}
    FOUND("hex", "/Filter /ASCIIHexDecode",
          "4254202863726564656e7469616c2b6d61726b2920546a204554>"),
    FOUND("hex, odd and short name", "/Filter [/AHx]",
          "4254202863726564656e7469616c2b6d61726b2920546a204550 >"),
    FOUND("85", "/Filter /ASCII85Decode",
          "6<#'U@rc-kASuU(@;IH2@<--4+B3(u79\"L~>"),
    FOUND("85 of four", "/Filter /A85",
          "6<#'U@rc-kASuU(@;IH2@<--4+B3(u79\"MW~>"),
    FOUND("runs", "/Filter /RunLengthDecode",
          "\031BT (credential+mark) Tj ET\200"),
    FOUND("runs that repeat", "/Filter /RL",
          "\031BT (credential+mark) Tj ET\331a\200"),
    FOUND("lzw", "/Filter /LZWDecode",
          "\200\020\212\202\001A\214\344e2\031M\307CI\204\330+6\230NF\261H\200\250j\020\021J\220\020"),
    FOUND("lzw, wide codes", "/Filter /LZW",
          "\200\010\004\"!\030\220J&\023\212\005\"\241X\260Z.\027\214\006#!\230\320j6\033\216\007#"
          "\241\330\360z>\037\220\010$\"\031\020\212F#\222\011$\242Y0\232N'\224\012%\"\231P\252V+\226\013%"
          "\242\331p\272^/\230\014&#\031\220\312f3\232\015&\243Y\260\332n7\234\016'#\231\320\352v;\236\017'"
          "\243\331\360\372~\201A \320\210T2\035\020\211E\"\321\210\324r= \221I$\322\211T\262]0\231M&"
          "\323\211\324\362}@\241Q(\324\212U2\235P\251U*\325\212\325r\275`\201\301`"
          "\360\230\\6\037\021\211\305b\361\230\334v\?!\221\311d\362\231\\\266_1\231\315f"
          "\363\231\334\366\177A\241\321h\364\232]6\237Q\251\325j\365\232\335v\277a\311Y2\266|\305\2537m"
          "\317\\47=%\333Oy\325_5\267\375\206\013g\205\333b78\275\346;\177\221\261\345,\331{Nj"
          "\331\235\267\350.Z;\256\232\361\251\275\353/\332\374\016\313\011\265\303\3561[\274n\373 \2612k+,"
          "\2643+[8\2673\353\213D\2724\253\273P\2755k\353\\\3006,\033h\3036\354Kt\3067\254{\200\360\300N#"
          "\313\0039\017L\024\346=\260s\240\370\302N\243\353\013;\017\3144\356\?\260\363\301\000\270o$"
          "\012\343\275\020K\226\366A\256{\341\010\272o\244*\353\277\020\313\266\376C\256\374\000\341<p#"
          "\214\363\301\016S\327\0069\317| \351>p\243\254\373\303\016\323\367\016;\303\360\204*\004\001@"
          "\3069\014\2520\334:\015#\010\330\025\215\243\010\3445\205!\000\2505\004\002(\250\200\200"),
    FOUND("85 and flate", "/Filter [/ASCII85Decode /FlateDecode]",
          "Garg^;:%id8khn%/'1K/dEYH;b19Mta\\m'e!<@87#`o~>"),
    FOUND("hex and lzw", "/Filter [/AHx /LZW]",
          "80108a8201418ce46532194dc7434984d82b36984e46b14880a86a10114a9010>"),
    FOUND("rows of differences, up", "/Filter /LZW /DecodeParms << /Predictor 12 /Columns 13 >>",
          "\200\000\210EA\000\240\306r2\231\014\246\343\241\244\302\002\0255\311\243\220{\345\210\274w"
          "\277\025\215\307\234\004"),
    FOUND("rows of differences, paeth", "/Filter [/AHx /LZW] /DecodeParms [null << /Predictor 15 /Columns 13 >>]",
          "80010841266020760f79bfc0209033d5f004152fc9af407be588f71a015642507c04>"),
    FOUND("rows of differences, tiff", "/Filter /LZW /DP << /Predictor 2 /Columns 13 >>",
          "\200\020\202L\300@\354\036\363\177\200A g\253\340\330\277!=\002/\225\363\334h\026[\011A\360\020"),
    FAULT("85, odd character", "/Filter /A85", "ab|cd~>", "pdf-malformed refuse"),
    FAULT("85, no end", "/Filter /A85", "87cURD]", "pdf-malformed refuse"),
    FAULT("85, behind its end", "/Filter /A85", "87cURD]j~>x", "pdf-malformed refuse"),
    FAULT("hex, odd character", "/Filter /AHx", "4g>", "pdf-malformed refuse"),
    FAULT("hex, behind its end", "/Filter /AHx", "41>41", "pdf-malformed refuse"),
    FAULT("lzw, unknown code", "/Filter /LZW", "\200\177\377\377", "pdf-malformed refuse"),
    FAULT("runs cut off", "/Filter /RL", "\005ab", "pdf-malformed refuse"),
    FAULT("a row of no kind", "/Filter /LZW /DecodeParms << /Predictor 12 /Columns 3 >>", "\200\002L&#\034\004", "pdf-malformed refuse"),
    FAULT("picture", "/Subtype /Image /Filter /DCTDecode", "\377\330", ""),
    FAULT("thumbnail", "/Width 9 /Height 9 /Filter [/A85 /CCITTFaxDecode]", "0etOA~>", ""),
    FAULT("no picture", "/Filter /DCTDecode", "\377\330", "pdf-malformed refuse"),
    FAULT("picture inside", "/Subtype /Image /Filter [/DCTDecode /AHx]", "41>", "pdf-malformed refuse"),
    FAULT("unknown filter", "/Filter /OddDecode", "x", "inspect/incomplete refuse"),
    FAULT("filter elsewhere", "/Filter 3 0 R", "x", "pdf-malformed refuse"),
    FAULT("parameters elsewhere", "/Filter /LZW /DecodeParms 3 0 R", "x", "pdf-malformed refuse"),
    FAULT("five filters", "/Filter [/AHx /AHx /AHx /AHx /AHx]", ">", "pdf-malformed refuse"),
};

Test(active_pdf, filters)
{
    struct buf out, four;
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        buf_init(&four, 8192);
        buf_printf(&four, "<< %s /Length %zu >>\nstream\n", filters[i].dictionary, filters[i].len);
        buf_bytes(&four, filters[i].data, filters[i].len);
        buf_text(&four, "\nendstream");
        file_of(&out, "", &four, NULL, "");
        expect(filters[i].name, &out, filters[i].want);
        buf_free(&four);
        buf_free(&out);
    }
}

Test(active_pdf, strings_read_as_they_are_shown)
{
    simple("hexadecimal", "/Title <63726564656E7469616C2B6D61726B>", NULL, "secret/ refuse");
    simple("UTF-16", "/Title (\xfe\xff\\000c\\000r\\000e\\000d\\000e\\000n\\000t\\000i\\000a\\000l\\000+\\000m\\000a\\000r\\000k)", NULL,
           "secret/ refuse");
    simple("octal", "/Title (cred\\145ntial+mark)", NULL, "secret/ refuse");
    simple("end of line that counts for nothing", "/Title (creden\\\ntial+mark)", NULL, "secret/ refuse");
    simple("list", "/Titles [(credential) (+mark)]", NULL, "secret/ refuse");
    simple("apart", "/Titles (credential) /Other (+mark)", NULL, "");
    simple("in content", "", "<< /Length 51 >>\nstream\nBT [(creden) -20 (tial)] TJ <2B> Tj (mark) Tj ET   \nendstream", "secret/ refuse");
    simple("a gap", "", "<< /Length 49 >>\nstream\nBT [(credential) -300 (+mark)] TJ 1 0 Td ET      \nendstream", "");
    simple("another line", "", "<< /Length 49 >>\nstream\nBT (credential) Tj 0 -12 Td (+mark) Tj ET        \nendstream", "");
}
