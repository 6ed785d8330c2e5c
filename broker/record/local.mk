# SPDX-License-Identifier: ISC
noinst_LIBRARIES += librecord.a
librecord_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CRYPTO_CFLAGS)
librecord_a_SOURCES = \
    %D%/bag.c %D%/bag.h %D%/ledger.c %D%/ledger.h %D%/record.c %D%/record.h %D%/record_entry.c %D%/record_entry.h \
    %D%/verify.c %D%/verify.h %D%/verify_lists.c %D%/verify_parts.h %D%/verify_record.c %D%/verify_tree.c
