# SPDX-License-Identifier: ISC
noinst_LIBRARIES += librecord.a
librecord_a_SOURCES = %D%/bag.h %D%/ledger.h %D%/record.h %D%/verify.h
