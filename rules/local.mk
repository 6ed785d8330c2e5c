# SPDX-License-Identifier: ISC
# types: signatures and extensions, compiled into the tables of broker/inspect/type_table.h.
EXTRA_DIST += rules/types
noinst_PROGRAMS += rules/compile_types
rules_compile_types_SOURCES = rules/compile_types.c
CLEANFILES += rules/types_table.c
nodist_libfirst_a_SOURCES += rules/types_table.c
rules/types_table.c: $(srcdir)/rules/types rules/compile_types$(EXEEXT)
	$(AM_V_GEN)$(EMULATOR) rules/compile_types$(EXEEXT) $(srcdir)/rules/types > $@.tmp && mv $@.tmp $@

# bounds: what limits.h includes. Configure makes it first, so that every target finds it; it is made again when its data change.
EXTRA_DIST += %D%/bounds %D%/compile_bounds.awk
BUILT_SOURCES += bounds_table.inc
DISTCLEANFILES += bounds_table.inc
bounds_table.inc: $(srcdir)/%D%/bounds $(srcdir)/%D%/compile_bounds.awk
	$(AM_V_GEN)$(AWK) -f $(srcdir)/%D%/compile_bounds.awk $(srcdir)/%D%/bounds > $@.tmp && mv $@.tmp $@

# The default rules are compiled at build time: the table into the broker and the first reader, the trigger database into
# the first reader, each checked when it is loaded. A rule whose samples do not behave fails the build and names itself.
# The same program is installed and tests the operator's rules.
pkglibexec_PROGRAMS += sallyport-rules
sallyport_rules_SOURCES = %D%/compile_rules.c
sallyport_rules_LDADD = libsecret.a libworker.a libcontract.a libbase.a $(HS_LIBS) $(PCRE2_LIBS) $(YAML_LIBS) \
    $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) $(ZLIB_LIBS) -lm
dist_pkgdata_DATA += %D%/secrets.yaml
dist_pkgdata_SCRIPTS = %D%/import-gitleaks
BUILT_SOURCES += rules/rules_database.c rules/rules_table.c
CLEANFILES += rules/rules_database.c rules/rules_table.c
nodist_sallyport_SOURCES = rules/rules_table.c

rules/rules_database.c: sallyport-rules$(EXEEXT) $(srcdir)/%D%/secrets.yaml
	$(AM_V_GEN)$(MKDIR_P) rules && $(EMULATOR) ./sallyport-rules$(EXEEXT) compile $(srcdir)/%D%/secrets.yaml $(srcdir)/tests/rules \
	    rules/rules_table.c $@
rules/rules_table.c: rules/rules_database.c
	@test -f $@ || { rm -f rules/rules_database.c; $(MAKE) $(AM_MAKEFLAGS) rules/rules_database.c; }
