# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = %D%/report.c %D%/report.h %D%/report_formats.h %D%/report_human.c
