# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libcontract.a
libcontract_a_SOURCES = %D%/contract_match.h %D%/contract_parse.h
