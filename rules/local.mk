# SPDX-License-Identifier: ISC
# types: signatures and extensions, compiled into the table of broker/inspect/type_inspect.c.
EXTRA_DIST += rules/types
noinst_PROGRAMS += rules/compile_types
rules_compile_types_SOURCES = rules/compile_types.c
BUILT_SOURCES += type_table.inc
CLEANFILES += type_table.inc
type_table.inc: $(srcdir)/rules/types rules/compile_types$(EXEEXT)
	$(AM_V_GEN)rules/compile_types$(EXEEXT) $(srcdir)/rules/types > $@.tmp && mv $@.tmp $@

# The default rules are compiled at build time into the first reader: table and trigger database, each checked when it
# is loaded. A rule whose samples do not behave fails the build and names itself.
noinst_PROGRAMS += rules/compile_rules
rules_compile_rules_SOURCES = %D%/compile_rules.c
rules_compile_rules_LDADD = libsecret.a libworker.a libcontract.a libbase.a $(HS_LIBS) $(PCRE2_LIBS) $(YAML_LIBS) \
    $(CRYPTO_LIBS) $(XXHASH_LIBS) $(UTF8PROC_LIBS) -lm
EXTRA_DIST += %D%/secrets.yaml
BUILT_SOURCES += rules/rules_embedded.c
CLEANFILES += rules/rules_embedded.c

rules/rules_embedded.c: rules/compile_rules$(EXEEXT) $(srcdir)/%D%/secrets.yaml
	$(AM_V_GEN)rules/compile_rules$(EXEEXT) $(srcdir)/%D%/secrets.yaml $(srcdir)/tests/rules $@
