# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
    %D%/report.c %D%/report.h %D%/report_each.c %D%/report_each.h %D%/report_formats.h %D%/report_gitlab.c \
    %D%/report_html.c %D%/report_human.c %D%/report_junit.c %D%/report_lines.c %D%/report_sarif.c
