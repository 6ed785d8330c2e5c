# SPDX-License-Identifier: ISC
# Harnesses of the scanners of active content.
ACTIVE_FUZZ_LIBS = libfirst.a libworker.a libbase.a $(FIRST_EXTERNAL) $(FUZZ_LIBS)
fuzz_programs += %D%/bin/fuzz_active_page %D%/bin/fuzz_active_text %D%/bin/fuzz_active_pdf %D%/bin/fuzz_active_office \
    %D%/bin/fuzz_active_eml
fuzz_bin_fuzz_active_page_SOURCES = %D%/fuzz_active_page.c %D%/active_harness.h $(FUZZ_MAIN)
fuzz_bin_fuzz_active_page_LDADD = $(ACTIVE_FUZZ_LIBS)
fuzz_bin_fuzz_active_text_SOURCES = %D%/fuzz_active_text.c %D%/active_harness.h $(FUZZ_MAIN)
fuzz_bin_fuzz_active_text_LDADD = $(ACTIVE_FUZZ_LIBS)
fuzz_bin_fuzz_active_pdf_SOURCES = %D%/fuzz_active_pdf.c %D%/active_harness.h $(FUZZ_MAIN)
fuzz_bin_fuzz_active_pdf_LDADD = $(ACTIVE_FUZZ_LIBS)
fuzz_bin_fuzz_active_office_SOURCES = %D%/fuzz_active_office.c %D%/active_harness.h $(FUZZ_MAIN)
fuzz_bin_fuzz_active_office_LDADD = $(ACTIVE_FUZZ_LIBS)
fuzz_bin_fuzz_active_eml_SOURCES = %D%/fuzz_active_eml.c %D%/active_harness.h $(FUZZ_MAIN)
fuzz_bin_fuzz_active_eml_LDADD = $(ACTIVE_FUZZ_LIBS)
