# SPDX-License-Identifier: ISC
noinst_LIBRARIES += libcontract.a
libcontract_a_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
libcontract_a_SOURCES = \
    %D%/contract_errors.c %D%/contract_errors.h %D%/contract_free.c %D%/contract_match.c %D%/contract_match.h \
    %D%/contract_outputs.c %D%/contract_parse.c %D%/contract_parse.h %D%/contract_run.c %D%/contract_sections.h \
    %D%/contract_takes.c %D%/schema.c %D%/schema.h %D%/suggest.c %D%/suggest.h %D%/value.c %D%/value.h \
    %D%/yaml_tree.c %D%/yaml_tree.h
libcontract_a_SOURCES += %D%/contract_floor.c %D%/contract_floor.h %D%/contract_floor_check.c %D%/floor.h
libcontract_a_SOURCES += %D%/contract_init.c %D%/contract_init.h %D%/yaml_text.c %D%/yaml_text.h
libcontract_a_SOURCES += %D%/rules_parse.c %D%/rules_parse.h
