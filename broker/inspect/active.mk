# SPDX-License-Identifier: ISC
# Sources of the active inspector: appended to libfirst.a and libsecond.a.
libfirst_a_SOURCES += %D%/scan.c %D%/scan.h %D%/tally.c %D%/tally.h %D%/charref.c %D%/markup.c %D%/markup.h \
    %D%/weburl.c %D%/weburl.h %D%/css.c %D%/css.h %D%/page.c %D%/page.h %D%/page_encoding.c %D%/page_tags.c \
    %D%/xml.c %D%/xml.h %D%/terminal.c %D%/terminal.h %D%/textchars.c %D%/textchars.h \
    %D%/active_scanners.h %D%/active_office.h %D%/active_html.c %D%/active_xml.c \
    %D%/active_css.c %D%/active_text.c %D%/active_csv.c %D%/active_markdown.c %D%/markdown.c %D%/markdown.h \
    %D%/active_notebook.c %D%/notebook.c %D%/notebook.h %D%/json_events.c %D%/json_events.h %D%/active_office.c %D%/office_fields.c \
    %D%/office_fields.h %D%/office_formula.c %D%/office_formula.h \
    %D%/active_pdf.c %D%/pdf_token.c %D%/pdf_token.h %D%/pdf_watch.c %D%/pdf_object.c %D%/pdf_object.h \
    %D%/pdf_stream.c %D%/pdf_stream.h %D%/pdf_text.c %D%/pdf_text.h \
    %D%/pdf_filter.c %D%/pdf_filter.h %D%/pdf_predict.c \
    %D%/active_eml.c %D%/eml_head.c %D%/eml_head.h %D%/eml_param.c %D%/eml_param.h %D%/eml_decode.c %D%/eml_decode.h \
    %D%/eml_part.c %D%/eml_part.h
