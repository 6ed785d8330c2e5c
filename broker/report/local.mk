# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = %D%/report.h
