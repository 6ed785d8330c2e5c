# SPDX-License-Identifier: ISC
# The secret inspector. libsecret.a is linked by the first reader and by the program that compiles the default rules;
# the compiled rules themselves are part of libfirst.a alone.
noinst_LIBRARIES += libsecret.a
libsecret_a_CPPFLAGS = $(AM_CPPFLAGS) $(HS_CFLAGS) $(PCRE2_CFLAGS) $(XXHASH_CFLAGS) $(ZLIB_CFLAGS)
libsecret_a_SOURCES = %D%/rule.c %D%/rule.h %D%/secret.c %D%/secret.h %D%/secret_check.c %D%/secret_class.c \
    %D%/secret_class.h %D%/secret_class_avx2.h %D%/secret_class_words.c %D%/secret_escape.c %D%/secret_escape.h %D%/secret_db.c %D%/secret_db.h %D%/secret_filter.c %D%/secret_inflate.c %D%/secret_inflate.h %D%/secret_runs.c %D%/secret_scan.c \
    %D%/secret_shape.c %D%/secret_shape.h \
    %D%/secret_trigger.c %D%/secret_trigger.h %D%/secret_views.c
libfirst_a_SOURCES += %D%/secret_first.c %D%/secret_first.h
nodist_libfirst_a_SOURCES = rules/rules_database.c rules/rules_table.c
