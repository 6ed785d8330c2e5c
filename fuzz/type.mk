# SPDX-License-Identifier: ISC
# Types, pickles, and the scanners of binary formats.
FUZZ_TYPE_LIBS = libfirst.a libworker.a libbase.a $(FIRST_EXTERNAL) $(FUZZ_LIBS)
fuzz_programs += %D%/bin/fuzz_type_inspect %D%/bin/fuzz_pickle %D%/bin/fuzz_active_binary %D%/bin/fuzz_active_columns
fuzz_bin_fuzz_type_inspect_SOURCES = %D%/fuzz_type_inspect.c $(FUZZ_MAIN)
fuzz_bin_fuzz_type_inspect_LDADD = $(FUZZ_TYPE_LIBS)
fuzz_bin_fuzz_pickle_SOURCES = %D%/fuzz_pickle.c $(FUZZ_MAIN)
fuzz_bin_fuzz_pickle_LDADD = $(FUZZ_TYPE_LIBS)
fuzz_bin_fuzz_active_binary_SOURCES = %D%/fuzz_active_binary.c $(FUZZ_MAIN)
fuzz_bin_fuzz_active_binary_LDADD = $(FUZZ_TYPE_LIBS)
fuzz_bin_fuzz_active_columns_SOURCES = %D%/fuzz_active_columns.c $(FUZZ_MAIN)
fuzz_bin_fuzz_active_columns_LDADD = $(FUZZ_TYPE_LIBS)
