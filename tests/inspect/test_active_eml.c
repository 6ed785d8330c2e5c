/* SPDX-License-Identifier: ISC
 * Mail: one message a row, what is said of it and of its parts. Rows come in pairs: what holds, and one fault. */
#include "binary_cases.h"

#include <stdlib.h>

#define MULTI(subtype) "MIME-Version: 1.0\nContent-Type: multipart/" subtype "; boundary=\"b\"\n\n"
#define PLAIN "--b\nContent-Type: text/plain\n\nhello\n"
#define PART(headers, body) "--b\n" headers "\n" body "\n"
#define END "--b--\n"
#define AMBIGUOUS "archive/ambiguous refuse"
#define SCRIPT_64 "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pgo="
#define HTML "Content-Type: text/html\n"

static const struct {
    const char *name, *mail, *want; /* "member: finding level" each */
} rows[] = {
    {"plain", "Subject: hi\n\nhello\n", ""},
    {"crlf", "Subject: hi\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n", ""},
    {"header alone", "Subject: hi\n", ""},
    {"parts", MULTI("mixed") "This is a message of several parts.\n" PLAIN PLAIN END, ""},
    {"nested", MULTI("mixed") "--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\nx\n--c--\n\n" PLAIN END, ""},
    {"forwarded", MULTI("mixed") "--b\nContent-Type: message/rfc822\n\nSubject: in\n\nx\n" END, ""},
    {"digest", MULTI("digest") "--b\n\nContent-Type: text/html\n\n<script>x</script>\n" END, "part-1.html: html-script refuse"},
    /* parts through all inspectors */
    {"page", HTML "\n<p>hello</p>\n", ""},
    {"script", HTML "\n<script>x</script>\n", "part-1.html: html-script refuse"},
    {"script in base64", HTML "Content-Transfer-Encoding: base64\n\n" SCRIPT_64 "\n", "part-1.html: html-script refuse"},
    {"script in quoted-printable", HTML "Content-Transfer-Encoding: quoted-printable\n\n<scr=\nipt>=78</script>\n",
     "part-1.html: html-script refuse"},
    {"beacon", HTML "\n<img src=\"http://x.example/p.png\">\n", "part-1.html: external-load refuse"},
    {"picture of the mail", HTML "\n<img src=\"cid:a@b\">\n", ""},
    {"script behind a text name", MULTI("mixed") PART("Content-Type: text/html; name=a.txt\n", "x <script>x</script>") END,
     "part-1.html: html-script refuse"},
    {"script by name", MULTI("mixed") PART("Content-Disposition: attachment; filename=a.html\n", "<script>x</script>") END,
     "part-1/a.html: html-script refuse"},
    {"shell", MULTI("mixed") PART("Content-Disposition: attachment; filename=\"a.sh\"\n", "#!/bin/sh\nid") END,
     "part-1/a.sh: script refuse"},
    {"launcher", MULTI("mixed") PART("Content-Type: application/octet-stream; name=\"a.lnk\"\n", "x") END, "part-1/a.lnk: shortcut refuse"},
    {"extended name", MULTI("mixed") PART("Content-Disposition: attachment; filename*=utf-8''a%2Elnk\n", "x") END,
     "part-1/a.lnk: shortcut refuse"},
    {"name in sections", MULTI("mixed") PART("Content-Disposition: attachment; filename*0=\"a.l\";\n filename*1=nk\n", "x") END,
     "part-1/a.lnk: shortcut refuse"},
    {"name in encoded words", MULTI("mixed") PART("Content-Disposition: attachment; filename=\"=?utf-8?B?YS5sbms=?=\"\n", "x") END,
     "part-1/a.lnk: shortcut refuse"},
    {"zip", MULTI("mixed") PART("Content-Disposition: attachment; filename=a.zip\n", "x") END, "part-1/a.zip: type/conflict refuse"},
    {"Latin-1", "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9\n", ""},
    {"other charset", "Content-Type: text/plain; charset=koi8-r\n\nx\n", ": type/conflict refuse"},
    {"directory", MULTI("mixed") PART("Content-Disposition: attachment; filename=\"a/b.txt\"\n", "x") END, ": archive/path refuse"},
    {"up", MULTI("mixed") PART("Content-Disposition: attachment; filename=\"..\"\n", "x") END, "part-1/..: archive/path refuse"},
    /* structure */
    {"no end", MULTI("mixed") PLAIN, ": " AMBIGUOUS},
    {"no parts", MULTI("mixed") "text\n", ": " AMBIGUOUS},
    {"end before parts", MULTI("mixed") END, ": " AMBIGUOUS},
    {"no boundary", "Content-Type: multipart/mixed\n\n--b\n\nx\n--b--\n", ": " AMBIGUOUS},
    {"boundary with eight bits", "Content-Type: multipart/mixed; boundary=\"b\xc3\xa9\"\n\n--b\xc3\xa9\n\nx\n--b\xc3\xa9--\n", ": " AMBIGUOUS},
    {"two boundaries", "Content-Type: multipart/mixed; boundary=b; boundary=c\n\n" PLAIN END, ": " AMBIGUOUS},
    {"two types", "Content-Type: text/plain\nContent-Type: text/html\n\nx\n", ": " AMBIGUOUS},
    {"two encodings", "Content-Transfer-Encoding: 7bit\nContent-Transfer-Encoding: base64\n\nx\n", ": " AMBIGUOUS},
    {"comment", "Content-Type: text/plain (html)\n\nx\n", ": " AMBIGUOUS},
    {"blank in front of the colon", "Content-Type : text/html\n\nx\n", ": inspect/incomplete refuse"},
    {"almost a boundary", MULTI("mixed") "--b\n\nx\n--bc\n\ny\n" END, ": " AMBIGUOUS},
    {"same boundary twice", MULTI("mixed") "--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n" END END, ": " AMBIGUOUS},
    {"inner part not closed", MULTI("mixed") "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\nx\n" END, ": " AMBIGUOUS},
    {"boundary behind its end", MULTI("mixed") PLAIN END PLAIN END, ": " AMBIGUOUS},
    {"text behind the end", MULTI("mixed") PLAIN END "more\n", ": archive/trailing-data refuse"},
    {"no blank line", MULTI("mixed") "--b\nContent-Type: text/plain\n" END, ": " AMBIGUOUS},
    {"blank line of blanks", "Subject: x\n \nContent-Type: text/html\n\n<script>\n", ": " AMBIGUOUS},
    {"bare carriage return", "Subject: x\rContent-Type: text/html\n\nx\n", ": " AMBIGUOUS ", : terminal-escape warn"},
    {"encoded multipart", "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\n" PLAIN END, ": " AMBIGUOUS},
    {"odd base64", "Content-Transfer-Encoding: base64\n\nab-cd\n", ": " AMBIGUOUS},
    {"base64 cut off", "Content-Transfer-Encoding: base64\n\nabc\n", ": " AMBIGUOUS},
    {"base64 behind its end", "Content-Transfer-Encoding: base64\n\nYQ==YQ==\n", ": " AMBIGUOUS},
    {"odd quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\na=zz\n", ": " AMBIGUOUS},
    {"unknown encoding", "Content-Transfer-Encoding: x-uuencode\n\nx\n", ": inspect/incomplete refuse"},
    {"names of two kinds", MULTI("mixed") PART("Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment; filename=a.exe\n", "x") END,
     ": " AMBIGUOUS},
    {"file in the text", "Subject: x\n\nbegin 644 a.exe\n#0V%T\n`\nend\n", ": " AMBIGUOUS},
    {"words in the text", "Subject: x\n\nbegin with this\nbegin 64 things\n", ""},
    {"fetched from elsewhere", "Content-Type: message/external-body; access-type=URL\n\nx\n", ": external-load refuse"},
    {"a piece", "Content-Type: message/partial; id=x\n\nx\n", ": inspect/incomplete refuse"},
    {"encrypted", "Content-Type: multipart/encrypted; boundary=b\n\n" PLAIN END, ": archive/encrypted refuse"},
    {"mailbox", "From a@b.example Mon Jan  1 00:00:00 2026\nSubject: x\n\nx\n", ": inspect/incomplete refuse"},
};

static void say(const struct sink_list *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->findings.n && used < size; i++) {
        const struct finding *f = &list->findings.v[i];
        const char *name = finding_code_name(f->code);
        used += (size_t)snprintf(out + used, size - used, "%s%s: %s %s", i ? ", " : "", f->member ? f->member : "",
                                 strncmp(name, "active/", 7) == 0 ? name + 7 : name, finding_level_name(f->level));
    }
}

Test(active_eml, every_row)
{
    char line[512];
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sink_list list;
        binary_run(&list, "a.eml", "eml", rows[i].mail, strlen(rows[i].mail));
        say(&list, line, sizeof(line));
        cr_expect_str_eq(line, rows[i].want, "%s: said \"%s\", want \"%s\"", rows[i].name, line, rows[i].want);
        sink_list_free(&list);
    }
}

/* A line, a boundary and an encoded body that the border of a window cuts are what they are without it. */
Test(active_eml, borders_of_windows_cut_nothing)
{
    static const char head[] = MULTI("mixed") "--b\n\n", tail[] = "\n--b\n" HTML "Content-Transfer-Encoding: base64\n\n" SCRIPT_64 "\n" END;
    size_t size = BYTES_WINDOW + 200;
    char *mail = malloc(size + 1), line[512];
    for (size_t fill = BYTES_WINDOW - sizeof(head) - sizeof(tail); fill < BYTES_WINDOW; fill += 3) {
        struct sink_list list;
        memset(mail, 'x', size);
        memcpy(mail, head, sizeof(head) - 1);
        memcpy(mail + fill, tail, sizeof(tail) - 1);
        binary_run(&list, "a.eml", "eml", mail, fill + sizeof(tail) - 1);
        say(&list, line, sizeof(line));
        cr_expect_str_eq(line, "part-2.html: html-script refuse", "%zu: %s", fill, line);
        sink_list_free(&list);
    }
    free(mail);
}

Test(active_eml, depth_is_bounded)
{
    char mail[8192], line[512];
    struct sink_list list;
    size_t used = 0;
    for (int i = 0; i < 17; i++)
        used += (size_t)snprintf(mail + used, sizeof(mail) - used, "Content-Type: multipart/mixed; boundary=b%02d\n\n--b%02d\n", i, i);
    binary_run(&list, "a.eml", "eml", mail, used);
    say(&list, line, sizeof(line));
    cr_expect_str_eq(line, ": archive/nesting refuse");
    sink_list_free(&list);
    used = 0;
    for (int i = 0; i < 18; i++)
        used += (size_t)snprintf(mail + used, sizeof(mail) - used, "Content-Type: message/rfc822\n\n");
    binary_run(&list, "a.eml", "eml", mail, used);
    say(&list, line, sizeof(line));
    cr_expect_str_eq(line, ": archive/nesting refuse");
    sink_list_free(&list);
}
