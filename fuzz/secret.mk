# SPDX-License-Identifier: ISC
fuzz_programs += %D%/bin/fuzz_secret %D%/bin/fuzz_rules_parse
fuzz_bin_fuzz_secret_SOURCES = %D%/fuzz_secret.c $(FUZZ_MAIN)
fuzz_bin_fuzz_secret_LDADD = libfirst.a libsecret.a libworker.a libbase.a $(FIRST_EXTERNAL) $(FUZZ_LIBS)
fuzz_bin_fuzz_rules_parse_SOURCES = %D%/fuzz_rules_parse.c $(FUZZ_MAIN)
fuzz_bin_fuzz_rules_parse_LDADD = libcontract.a libbase.a $(BROKER_EXTERNAL) $(FUZZ_LIBS)
