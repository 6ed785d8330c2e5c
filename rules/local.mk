# SPDX-License-Identifier: ISC
# types: signatures and extensions, compiled into the table of broker/inspect/type.c.
EXTRA_DIST += rules/types
noinst_PROGRAMS += rules/compile_types
rules_compile_types_SOURCES = rules/compile_types.c
BUILT_SOURCES += type_table.inc
CLEANFILES += type_table.inc
type_table.inc: $(srcdir)/rules/types rules/compile_types$(EXEEXT)
	$(AM_V_GEN)rules/compile_types$(EXEEXT) $(srcdir)/rules/types > $@.tmp && mv $@.tmp $@
