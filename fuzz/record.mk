# SPDX-License-Identifier: ISC
fuzz_programs += %D%/bin/fuzz_verify_record %D%/bin/fuzz_allowed_signers %D%/bin/fuzz_sshsig
fuzz_bin_fuzz_verify_record_SOURCES = %D%/fuzz_verify_record.c $(FUZZ_MAIN)
fuzz_bin_fuzz_verify_record_LDADD = librecord.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
fuzz_bin_fuzz_allowed_signers_SOURCES = %D%/fuzz_allowed_signers.c $(FUZZ_MAIN)
fuzz_bin_fuzz_allowed_signers_LDADD = librecord.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
fuzz_bin_fuzz_sshsig_SOURCES = %D%/fuzz_sshsig.c $(FUZZ_MAIN)
fuzz_bin_fuzz_sshsig_LDADD = librecord.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
fuzz_programs += %D%/bin/fuzz_packed
fuzz_bin_fuzz_packed_SOURCES = %D%/fuzz_packed.c $(FUZZ_MAIN)
fuzz_bin_fuzz_packed_LDADD = librecord.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)

fuzz_programs += %D%/bin/fuzz_ledger %D%/bin/fuzz_bag_parse
fuzz_bin_fuzz_ledger_SOURCES = %D%/fuzz_ledger.c $(FUZZ_MAIN)
fuzz_bin_fuzz_ledger_LDADD = librecord.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
fuzz_bin_fuzz_bag_parse_SOURCES = %D%/fuzz_bag_parse.c $(FUZZ_MAIN)
fuzz_bin_fuzz_bag_parse_LDADD = librecord.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
